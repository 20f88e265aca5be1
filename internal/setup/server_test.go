package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/edit"
	"github.com/piton-project/piton/internal/testkit/draw"
)

// serverFileOf is the file of a client's MCP servers.
func serverFileOf(t testing.TB, tg Target) string {
	t.Helper()
	c, tg, err := tg.complete()
	must(t, err)
	return c.serverFile(tg)
}

func TestServerLeavesNoTrace(t *testing.T) {
	for _, c := range []struct {
		name, agent, text string // of the file of servers
		settings          string // "" for none
	}{
		{name: "the client's own state", agent: "claude", text: "{\n  \"numStartups\": 3,\n  \"projects\": {\"/x\": {\"allowedTools\": []}}\n}"},
		{name: "other servers", agent: "claude", text: `{"mcpServers":{"other":{"command":"x"}},"userID":"y"}`},
		{name: "no servers yet", agent: "claude", text: "{\r\n\t\"mcpServers\": {},\r\n\t\"a\": 1\r\n}\r\n"},
		{name: "no bytes", agent: "claude", text: ""},
		{name: "a server of that name", agent: "claude", text: `{"mcpServers":{"piton":{"command":"/opt/other","args":["mcp"]}}}`},
		{name: "a server by the client's own command", agent: "claude", text: `{"mcpServers":{"piton":{"type":"stdio","command":"/bin/piton","args":["mcp"],"env":{}}}}`},
		{name: "a rule of ours", agent: "claude", text: `{}`, settings: `{"permissions": {"allow": ["Bash", "mcp__piton__checkpoint_list"]}}`},
		{name: "no rules yet", agent: "claude", text: `{}`, settings: "{\"permissions\": {\n\t\"allow\": [ ]}}"},
		{name: "no permissions yet", agent: "claude", text: `{}`, settings: `{"permissions": { }}`},
		{name: "null for what is not there", agent: "claude", text: `{"mcpServers":null, "a": 1}`, settings: `{"permissions": {"allow": null}, "hooks": null}`},
		{name: "null for the server, the permissions and an event", agent: "claude", text: `{"mcpServers": {"piton": null, "other": {}}}`, settings: `{"permissions":null,"hooks":{"Stop":null}}`},
		{name: "null for the only server", agent: "claude", text: "{\n  \"mcpServers\": {\n    \"piton\": null\n  }\n}\n"},
		{name: "null for the servers", agent: "gemini", text: "{\n  \"mcpServers\": null // none\n}\n"},
		{name: "other servers", agent: "gemini", text: "{\n  // mine\n  \"mcpServers\": {\"other\": {\"command\": \"x\"}} // all\n}\n"},
		{name: "no servers yet", agent: "gemini", text: `{"mcpServers": {/* none */}}`},
		{name: "comments", agent: "codex", text: "# mine\nmodel = \"x\" # best\n\n[tui]\ntheme = \"dark\"\n\n# the end\n"},
		{name: "no last line end", agent: "codex", text: "model = \"x\""},
		{name: "other line ends", agent: "codex", text: "model = \"x\"\r\n[mcp_servers.other]\r\ncommand = \"y\"\r\n"},
		{name: "no bytes", agent: "codex", text: ""},
		{name: "an empty line", agent: "codex", text: "\n"},
		{name: "a text that looks like ours", agent: "codex", text: "x = '''\n[mcp_servers.piton]\ncommand = \"piton\"\n'''\ny = [\n[ 1 ],\n]\n"},
		{name: "a server of that name", agent: "codex", text: "[mcp_servers.piton]\ncommand = \"/opt/other\"\n"},
		{name: "ours with more", agent: "codex", text: "[mcp_servers.piton]\ncommand = \"/bin/piton\"\nargs = [\"mcp\"]\ntool_timeout_sec = 5\n"},
		{name: "ours with a remark", agent: "codex", text: "[mcp_servers.piton]\n# mine\ncommand = \"/bin/piton\"\nargs = [\"mcp\"]\n"},
		{name: "ours with a table below, of another tool", agent: "codex", text: "[mcp_servers.piton]\ncommand = \"/opt/piton\"\nargs = [\"mcp\"]\n[mcp_servers.piton.tools.checkpoint_delete]\napproval_mode = \"approve\"\n"},
		{name: "ours by hand", agent: "codex", text: "[mcp_servers.piton]\ncommand = \"piton\"\nargs = [\"mcp\"]\n"},
		{name: "ours by hand", agent: "gemini", text: `{"mcpServers":{"piton":{"command":"piton","args":["mcp"]}}}`},
		{name: "ours by hand", agent: "claude", text: `{"mcpServers":{"piton":{"type":"stdio","command":"piton","args":["mcp"]}}, "a": 1}`},
		{name: "servers that cannot be added to", agent: "codex", text: "mcp_servers = {other = {command = \"x\"}}\n"},
	} {
		for _, scope := range []Scope{User, Project} {
			t.Run(c.agent+", "+c.name+", "+string(scope), func(t *testing.T) {
				t.Parallel() // it waits for the disk
				tg := target(t, scope)
				tg.Agent = c.agent
				write(t, serverFileOf(t, tg), c.text, 0o600)
				if settings, _ := filesOf(c.agent); c.settings != "" {
					write(t, filepath.Join(folderOf(tg), settings), c.settings, 0o644)
				}
				leaveNoTrace(t, tg)
			})
		}
	}
}

// entryOf is our entry as it stands on the disk.
func entryOf(t testing.TB, tg Target) entry {
	t.Helper()
	c, tg, err := tg.complete()
	must(t, err)
	text, err := read(c.serverFile(tg))
	must(t, err)
	return c.serverEntry(tg, text)
}

func TestServerOfAnOlderPitonIsBroughtUpToDate(t *testing.T) {
	for _, agent := range Agents() {
		t.Run(agent, func(t *testing.T) {
			tg := target(t, User)
			tg.Agent = agent
			before := tree(t, filepath.Dir(tg.Home))
			older := tg
			older.NoServer = true // as before there was a server
			must(t, Apply(plan(t, Init, older).Changes))
			if entryOf(t, tg).there {
				t.Fatal("there is a server, though it was to be left out")
			}
			must(t, Apply(plan(t, Init, tg).Changes))
			moved := tg
			moved.Piton = "/usr/local/bin/piton"
			must(t, Apply(plan(t, Init, moved).Changes))
			if e := entryOf(t, tg); !e.ours || e.command != moved.Piton {
				t.Errorf("got %+v, want ours at %s", e, moved.Piton)
			}
			must(t, Apply(plan(t, Init, older).Changes))
			if e := entryOf(t, tg); e.there {
				t.Errorf("got %+v, want none", e)
			}
			must(t, Apply(plan(t, Init, tg).Changes))
			must(t, Apply(plan(t, Uninstall, tg).Changes))
			os.Remove(tg.State)
			if diff := cmp.Diff(before, tree(t, filepath.Dir(tg.Home))); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}

// What somebody has changed in our entry is theirs.
func TestServerThatWasChangedStays(t *testing.T) {
	for _, c := range []struct{ agent, old, new string }{
		{"claude", `"args": [`, `"env": {"PITON_STORE": "x"}, "args": [`},
		{"gemini", `"timeout": 10000`, `"timeout": 5`},
		{"codex", `args = ["mcp"]`, "args = [\"mcp\"]\nenabled = false"},
	} {
		t.Run(c.agent, func(t *testing.T) {
			tg := target(t, User)
			tg.Agent = c.agent
			must(t, Apply(plan(t, Init, tg).Changes))
			file := serverFileOf(t, tg)
			changed := string(load(t, file))
			at := strings.LastIndex(changed, c.old)
			changed = changed[:at] + c.new + changed[at+len(c.old):]
			write(t, file, changed, 0o600)
			if p := plan(t, Init, tg); len(p.Changes) > 0 {
				t.Errorf("Init changes:\n%s", Diff(p.Changes))
			}
			p := plan(t, Uninstall, tg)
			must(t, Apply(p.Changes))
			if e := entryOf(t, tg); !e.there {
				t.Errorf("the server is gone from:\n%s", load(t, file))
			}
			if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "has been changed and was left alone") {
				t.Errorf("got the notes %q, want one about the change", notes)
			}
		})
	}
}

func TestServerNotes(t *testing.T) {
	for _, c := range []struct {
		name, agent, text, want string
		piton                   string
	}{
		{name: "another's", agent: "claude", text: `{"mcpServers":{"piton":{"command":"x"}}}`, want: "another server called piton"},
		{name: "a form that cannot be added to", agent: "codex", text: "mcp_servers = {}\n", want: "add piton there by hand"},
		{name: "another name of the program", agent: "gemini", text: "{}", piton: "/bin/piton-1.2", want: "is to be called piton"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tg := target(t, User)
			tg.Agent = c.agent
			if c.piton != "" {
				tg.Piton = c.piton
			}
			write(t, serverFileOf(t, tg), c.text, 0o600)
			if notes := strings.Join(plan(t, Init, tg).Notes, "\n"); !strings.Contains(notes, c.want) {
				t.Errorf("got the notes %q, want one with %q", notes, c.want)
			}
		})
	}
}

func TestServerInWhatIsNoSettings(t *testing.T) {
	for _, c := range []struct{ agent, text string }{
		{"claude", `{"mcpServers": 3}`}, {"claude", `[`}, {"gemini", `{"mcpServers": []}`}, {"codex", "a = \n"},
	} {
		tg := target(t, User)
		tg.Agent = c.agent
		write(t, serverFileOf(t, tg), c.text, 0o600)
		if _, err := Init(tg); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%s with %q: got %v, want invalid", c.agent, c.text, err)
		}
		if _, err := Uninstall(tg); err != nil && c.text != "[" && c.agent != "gemini" {
			t.Errorf("%s with %q: got %v, want the rest taken out", c.agent, c.text, err)
		}
	}
}

// The client writes its file anew, in its own order and form.
func TestServerInAFileThatItsClientRewrote(t *testing.T) {
	tg := target(t, User)
	tg.Agent = "codex"
	must(t, Apply(plan(t, Init, tg).Changes))
	write(t, serverFileOf(t, tg), `# mine
a = 1

[mcp_servers.piton]
command = "/bin/piton"
args = ["mcp"]

[mcp_servers.piton.tools.checkpoint_save]
approval_mode = "approve"

# of the project
[projects."/x"]
trust_level = "trusted"
`, 0o600)
	must(t, Apply(plan(t, Uninstall, tg).Changes))
	want := "# mine\na = 1\n\n# of the project\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n"
	if diff := cmp.Diff(want, string(load(t, serverFileOf(t, tg)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A user who has another folder named has another file of servers.
func TestServerFileOfAnotherFolder(t *testing.T) {
	tg := target(t, User)
	if got, want := serverFileOf(t, tg), filepath.Join(tg.Home, ".claude.json"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	tg.ConfigDir = filepath.Join(tg.Home, ".claude")
	if got, want := serverFileOf(t, tg), filepath.Join(tg.ConfigDir, ".claude.json"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	write(t, filepath.Join(tg.ConfigDir, ".config.json"), "{}", 0o600)
	if got, want := serverFileOf(t, tg), filepath.Join(tg.ConfigDir, ".config.json"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestApplyHoldsTheLockOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write(t, path, "old", 0o600)
	must(t, os.Mkdir(path+".lock", 0o755))
	gone := time.Now().Add(-time.Minute)
	must(t, os.Chtimes(path+".lock", gone, gone)) // of a program that was killed
	held := false
	must(t, apply([]Change{{Path: path, Before: []byte("old"), After: []byte("new"), Locked: true}}, func(from, to string) error {
		info, err := os.Stat(path + ".lock")
		held = err == nil && info.ModTime().After(gone)
		return os.Rename(from, to)
	}))
	if !held {
		t.Error("the file was written without its lock")
	}
	left(t, filepath.Dir(path), "f")
}

// What stood in the settings before a server and its rules were put in stands there again, byte for byte.
func TestPropertyServerRestores(t *testing.T) {
	for _, c := range []agentClient{claude, gemini} {
		t.Run(c.name, func(t *testing.T) {
			draw.Check(t, func(t *rapid.T) {
				f := form{"s.json", c.Comments}
				before := anySettings(t, c.Comments)
				empty := map[string]string{}
				first := c.rulesIn(f, before)
				text := before
				for range rapid.IntRange(1, 2).Draw(t, "installations") {
					text = install(t, f, text, empty, rapid.SampledFrom(installations(c)).Draw(t, "hooks"))
					if after, err := c.enter(f, text, empty, "/bin/piton"); err == nil {
						text = after
					} else if piton.CodeOf(err) != piton.Invalid {
						t.Fatal(err)
					}
					if after, err := c.allow(f, text, empty); err == nil {
						text = after
					} else if piton.CodeOf(err) != piton.Invalid {
						t.Fatal(err)
					}
					user := Target{Scope: User, Hook: rapid.SampledFrom([]string{"/bin/piton-hook", "/a 'b'/piton-hook"}).Draw(t, "program"), StatusLine: rapid.Bool().Draw(t, "status line")}
					after, _, err := c.enterStatus(user, text, empty)
					if err != nil {
						t.Fatal(err)
					}
					text = after
				}
				got, err := c.disallow(f, text, remembered(t, c, empty), first)
				if err == nil {
					got, err = c.removeEntry(f, got, remembered(t, c, empty))
				}
				if err == nil {
					got, _, err = c.leaveStatus(Target{Scope: User}, got, remembered(t, c, empty))
				}
				if err != nil {
					t.Fatal(err)
				}
				if got = unmerged(t, f, got, remembered(t, c, empty)); !same(got, before) {
					t.Fatalf("before:\n%q\nwith a server:\n%q\nafter:\n%q", before, text, got)
				}
			})
		})
	}
}

// Of TOML, too; and what the client has added behind ours since stays as it is.
func TestPropertyTableRestores(t *testing.T) {
	c := codex
	draw.Check(t, func(t *rapid.T) {
		before := anyTable(t)
		if _, err := decodeTable(before); err != nil {
			after, _, refused := c.enterTable("config.toml", before, map[string]string{}, "/piton")
			if piton.CodeOf(refused) != piton.Invalid || after != nil || !strings.Contains(refused.Error(), err.Error()) {
				t.Fatalf("no TOML: got %q, %v, want it refused: %v", after, refused, err)
			}
			return
		}
		empty := map[string]string{}
		after, note, err := c.enterTable("config.toml", before, empty, "/a \"b\"/piton")
		if err != nil {
			t.Fatal(err)
		}
		if note != "" {
			if !same(before, after) {
				t.Fatalf("changed, though %s:\n%q", note, after)
			}
			return
		}
		if again, _, err := c.enterTable("config.toml", after, empty, "/a \"b\"/piton"); err != nil || !same(again, after) {
			t.Fatalf("entered twice (%v):\n%q\n%q", err, after, again)
		}
		if got := c.removeTable(after, remembered(t, c, empty)); !same(got, before) {
			t.Fatalf("before:\n%q\nwith a server:\n%q\nafter:\n%q", before, after, got)
		}
		const more = "\n# of the project\n[projects.\"/new\"]\ntrust_level = \"trusted\"\n"
		got := c.removeTable(append(after, more...), remembered(t, c, empty))
		if want := string(before) + more; string(got) != want && string(got) != string(before)+edit.Newline(before)+more {
			t.Fatalf("with more behind:\n%q\nwant:\n%q", got, want)
		}
	})
}

func anyTable(t *rapid.T) []byte {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a = 1", "b = \"x # y\" # z", "# remark", "", "  c = [ 1,\n  [2], # ]\n]", "d = '''\n[mcp_servers.piton]\n'''", "e = \"\"\"\\\"\"\"\" \n[x]\"\"\"", "f = 'it'",
		"[t]", "[ t . \"u v\" ] # head", "[[list]]", "[[list.sub]]", "[mcp_servers]", "[mcp_servers.other]", "command = \"y\"", "mcp_servers.dotted.command = \"z\"",
		"g = {h = [\"}\", {i = 1}]}", "mcp_servers = {}", "[mcp_servers.\"piton\"]", "j = \"\"", "k = ''''it'''''", "l = 1979-05-27T07:32:00Z",
	}), 0, 9).Draw(t, "lines")
	newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
	text := strings.ReplaceAll(strings.Join(lines, "\n"), "\n", newline)
	if len(lines) == 0 {
		return rapid.SampledFrom([][]byte{nil, {}}).Draw(t, "nothing")
	}
	return []byte(text + rapid.SampledFrom([]string{"", newline, newline + newline}).Draw(t, "end"))
}
