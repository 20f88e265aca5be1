package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mcpTool is a tool of Piton's MCP server in a client's own words.
func mcpTool(c client, name string, input map[string]any) tool {
	return tool{Kind: mcpName(c, "piton", name), Input: input}
}

func mcpName(c client, server, name string) string {
	switch c {
	case claude:
		return "mcp__" + server + "__" + name
	case gemini:
		return "mcp_" + server + "_" + name
	}
	return "mcp__" + server + "/" + name
}

// tee keeps what a client says to the MCP server.
const tee = `#!/bin/sh
if [ "$1" = mcp ]; then tee -a '{root}/mcp.jsonl' | '{root}/real/piton' "$@"; else exec '{root}/real/piton' "$@"; fi
`

// recordMCP puts it between the clients and the server.
func (w *world) recordMCP() {
	w.t.Helper()
	check(w.t, os.Mkdir(w.root+"/real", 0o755))
	check(w.t, os.Rename(w.bin+"/piton", w.root+"/real/piton"))
	// Written by a child: a program that this process writes can be held open by what it starts meanwhile, and then does not run.
	install := exec.Command("install", "-m", "755", "/dev/stdin", w.bin+"/piton")
	install.Stdin = strings.NewReader(strings.ReplaceAll(tee, "{root}", w.root))
	check(w.t, install.Run())
}

// methods are what clients have asked the MCP server, in their order.
func (w *world) methods() (list []string) {
	w.t.Helper()
	for line := range strings.Lines(w.read(w.root + "/mcp.jsonl")) {
		var x struct{ Method string }
		check(w.t, json.Unmarshal([]byte(line), &x))
		if x.Method != "" {
			list = append(list, x.Method)
		}
	}
	return list
}

// calls counts the calls of tools.
func calls(methods []string) (n int) {
	for _, m := range methods {
		if m == "tools/call" {
			n++
		}
	}
	return n
}

// The real clients save, list and load through the server that init has registered, without a screen and without anybody who could
// be asked.
func TestToolsOfTheServer(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.recordMCP()
		if c == codex { // it tells the model of no tool before it was searched for
			w.model.script(call(tool{Kind: "tool_search", Input: map[string]any{"query": "save progress checkpoint", "limit": 8}}))
		}
		w.model.script(
			call(mcpTool(c, "checkpoint_save", map[string]any{"state": map[string]any{"step": "parsed", "left": 3}, "name": "half-way"})),
			call(mcpTool(c, "checkpoint_list", map[string]any{})),
			call(mcpTool(c, "checkpoint_load", map[string]any{})),
			say("It is saved."))
		a := w.ask("save where we are")

		all := w.model.all()
		last := all[len(all)-1]
		if !strings.Contains(last.News, "parsed") {
			t.Errorf("the model was not given the state that was saved: %s", short(last.All))
		}
		told := all[0].Tools
		if c == codex {
			told = all[1].Tools
		}
		for _, name := range []string{"checkpoint_save", "checkpoint_load", "checkpoint_list"} {
			if !slices.Contains(told, mcpName(c, "piton", name)) {
				t.Errorf("the model was not told of %s: %v", name, told)
			}
		}
		session := w.theSession()
		var saved []checkpoint
		for _, x := range w.checkpoints() {
			if x.Trigger == "manual" {
				saved = append(saved, x)
			}
		}
		if len(saved) != 1 || saved[0].Session != session.ID || session.ClientID != a.Session {
			t.Fatalf("got %+v saved by hand, want one in the session %s of %s (%s)", saved, session.ID, a.Session, session.ClientID)
		}
		if got := strings.TrimSpace(w.piton("load", saved[0].ID)); got != `{"left":3,"step":"parsed"}` && got != `{"step":"parsed","left":3}` {
			t.Errorf("got the state %s", got)
		}
		methods := w.methods()
		if n := calls(methods); n != 3 {
			t.Errorf("got %d calls in %v, want 3", n, methods)
		}
		if opened := slices.Contains(methods, "initialize"); opened == (c == claude) || c == claude && methods[0] != "server/discover" {
			t.Errorf("%s opened with %v", c.name(), methods)
		}
	})
}

// askFirst has the client ask a person before it calls a tool that no rule lets through, and returns the arguments for that.
func (w *world) askFirst() []string {
	program := w.program(w.client)
	check(w.t, os.WriteFile(program, []byte(strings.Replace(w.read(program), "'--approval-mode' 'yolo'", "", 1)), 0o755))
	if w.client == codex {
		return []string{"--sandbox", "workspace-write"}
	}
	return nil
}

// Where nobody can be asked the rules that init has added let the tools through that take nothing away, and no others.
func TestCallsWithoutAPerson(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.recordMCP()
		id := strings.TrimSpace(w.piton("save", "--workflow", "mine"))
		if c == codex {
			w.model.script(call(tool{Kind: "tool_search", Input: map[string]any{"query": "delete save checkpoint", "limit": 8}}))
		}
		w.model.script(
			call(mcpTool(c, "checkpoint_save", map[string]any{"workflow": "mine", "state": map[string]any{"step": "two"}})),
			call(mcpTool(c, "checkpoint_delete", map[string]any{"checkpointId": id})),
			say("It is saved."))
		w.ask("save where we are", w.askFirst()...)
		if got := triggers(w.checkpoints("--workflow", "mine")); got != "manual manual" {
			all := w.model.all()
			t.Errorf("got the checkpoints %q, want both: one saved, none deleted; the model was told: %s", got, short(all[len(all)-1].All))
		}
		if n := calls(w.methods()); n != 1 {
			t.Errorf("%d calls reached the server, want that of checkpoint_save alone", n)
		}
	})
}

// A project's server is started by its name, for everyone who works on the project. Gemini CLI reads no rules of a project.
func TestServerOfAProject(t *testing.T) {
	for _, c := range []client{claude, codex} {
		t.Run(c.name(), func(t *testing.T) {
			w := newMachineOf(t, c, always)
			w.piton("init", "--agent", c.name(), "--scope", "project")
			if c == codex {
				w.model.script(call(tool{Kind: "tool_search", Input: map[string]any{"query": "resume continue restore", "limit": 8}}))
			}
			w.model.script(call(mcpTool(c, "checkpoint_save", map[string]any{"workflow": "mine", "state": map[string]any{"step": "two"}})), say("It is saved."))
			w.model.script(reply{Text: "It is saved.", Repeat: true}) // the settings are new files, which a debrief may name
			w.ask("save where we are", w.askFirst()...)
			if got := triggers(w.checkpoints("--workflow", "mine")); got != "manual" {
				t.Errorf("got the checkpoints %q, want one", got)
			}
		})
	}
}

// What becomes of the server never harms the client.
func TestServerThatFailsHarmsNobody(t *testing.T) {
	for name, program := range map[string]string{
		"is gone":        "",
		"exits at once":  "#!/bin/sh\nexit 3\n",
		"never answers":  "#!/bin/sh\nexec cat >/dev/null\n",
		"talks nonsense": "#!/bin/sh\necho hello; exec cat\n",
	} {
		t.Run(name, func(t *testing.T) {
			overClients(t, func(t *testing.T, c client) {
				w := newWorldOf(t, c, always)
				check(t, os.Mkdir(w.root+"/real", 0o755))
				check(t, os.Rename(filepath.Join(w.bin, "piton"), w.root+"/real/piton"))
				if program != "" {
					check(t, os.WriteFile(filepath.Join(w.bin, "piton"), []byte(program), 0o755))
				}
				w.model.script(call(readTool("README.md")), say("It adds."))
				a := w.ask("what is this?")
				if a.IsError || a.Result != "It adds." {
					t.Errorf("got %+v, want the model's answer", a)
				}
				check(t, os.Rename(w.root+"/real/piton", filepath.Join(w.bin, "piton")))
			})
		})
	}
}
