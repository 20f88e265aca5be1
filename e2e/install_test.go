package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree lists the files below a folder with the sums of their content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	check(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	}))
	return files
}

func TestUninstallLeavesNothing(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newMachineOf(t, c, always)
		before := tree(t, w.config)
		w.piton("init", "--agent", c.name())
		settings := ""
		for path, sum := range tree(t, w.config) {
			if before[path] != sum {
				settings += path + " "
			}
		}
		if settings == "" {
			t.Fatal("init changed nothing")
		}
		w.record()
		if c == codex {
			if out, err := w.run(w.bin+"/piton", "doctor", "--agent", "codex"); err == nil || !strings.Contains(out, "/hooks") {
				t.Errorf("doctor does not tell that a person has not approved the hooks yet (%v): %s", err, out)
			}
		} else {
			w.piton("doctor", "--agent", c.name())
		}
		w.model.script(say("Hello."))
		w.ask("hello")
		calls := len(w.hooks())
		if calls == 0 {
			t.Fatal("no hook was called after init")
		}

		w.piton("uninstall", "--yes", "--agent", c.name())
		after := tree(t, w.config)
		for path, sum := range before {
			if filepath.Base(path) == ".claude.json" { // the client writes it anew at every start
				if strings.Contains(w.read(path), `"mcpServers"`) {
					t.Errorf("%s still has the server: %s", path, w.read(path))
				}
				continue
			}
			if after[path] != sum && strings.Contains(settings, path) {
				t.Errorf("%s is not as it was: %s", path, w.read(path))
			}
		}
		for path := range after {
			if before[path] == "" && strings.Contains(settings, path+" ") {
				t.Errorf("%s is still there", path)
			}
		}
		for _, dir := range []string{"commands", "skills/checkpoint"} {
			if _, err := os.Stat(w.config + "/" + dir); !os.IsNotExist(err) {
				t.Errorf("the folder %s is still there (%v)", dir, err)
			}
		}
		w.model.script(say("Hello again."))
		w.ask("hello again")
		if got := len(w.hooks()); got != calls {
			t.Errorf("%d hooks were called after uninstall: %v", got-calls, w.hooks()[calls:])
		}
	})
}

// A hook's timeout that the client finds too long is a warning at every start. The
// one that is left is about the flag of these tests.
func TestCodexStartsWithoutAWarningAboutHooks(t *testing.T) {
	w := newWorldOf(t, codex, always)
	x := w.open()
	x.see("⚠ 1 warning · f2 to view")
	x.key("F2")
	x.see("--dangerously-bypass-hook-trust")
	x.see("Warnings · 1 of 1")
}

func TestInitTwiceAndDoctor(t *testing.T) {
	w := newMachine(t, always)
	w.piton("init")
	once := w.read(w.config + "/settings.json")
	w.piton("init")
	if got := w.read(w.config + "/settings.json"); got != once {
		t.Errorf("init twice gave %q, want %q", got, once)
	}
	w.model.script(swap()...)
	w.model.script(say("Done."), say("I leave it so."))
	w.ask("swap the operands") // with the programs as they are, no recorder between
	w.reasons("held", "no_activity")
	w.piton("doctor")
}

// With hooks in the user's and in the project's settings every event is handled
// by two programs at once.
func TestBothScopesHoldOnce(t *testing.T) {
	w := newMachine(t, always)
	w.piton("init")
	w.piton("init", "--scope", "project")
	w.record()
	w.git("add", "-A")
	w.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "hooks")
	w.model.script(swap()...)
	w.model.script(say("Done."), call(bash("go test ./...")), say("The tests pass."))
	w.ask("swap the operands")
	if got := len(w.hooks("Stop")); got != 4 {
		t.Errorf("got %d stops, want two programs at each of 2", got)
	}
	held := 0
	for _, d := range w.decisions() {
		if d.Held {
			held++
		}
	}
	if told := w.debriefs(); held != 1 || len(told) != 1 || strings.Count(told[0].News, prefix) != 1 {
		t.Errorf("held %d times and told in %d requests, want once", held, len(told))
	}
	if got := w.theSession(); got.Turn != 1 || got.TurnOpen {
		t.Errorf("got %+v, want one turn, ended", got)
	}
}

func TestGitIsLeftAlone(t *testing.T) {
	w := newWorld(t, always)
	before := tree(t, w.project+"/.git")
	w.model.script(swap()...)
	w.model.script(say("Done."), call(bash("go test ./...")), say("Done."))
	w.ask("swap the operands")
	w.reasons("held", "all_clear")
	after := tree(t, w.project+"/.git")
	for path, sum := range before {
		if after[path] != sum {
			t.Errorf("%s has changed", strings.TrimPrefix(path, w.project))
		}
	}
	for path := range after {
		if before[path] == "" {
			t.Errorf("%s is new", strings.TrimPrefix(path, w.project))
		}
	}
	if got := w.git("status", "--porcelain"); got != " M calc.go\n" {
		t.Errorf("got git's status %q, want calc.go alone", got)
	}
}

func TestReplyIsContextForThisVersion(t *testing.T) {
	w := newWorld(t, always)
	w.model.script(swap()...)
	w.model.script(say("Done."), say("I leave it so."))
	a := w.ask("swap the operands")
	stops := w.hooks("Stop")
	if len(stops) != 2 || !strings.Contains(stops[0].stdout, `"hookSpecificOutput"`) || strings.Contains(stops[1].stdout, `"hookSpecificOutput"`) {
		t.Fatalf("got the stops %v, want the first alone answered with context", stops)
	}
	text := w.transcript(a.Session)
	if got := strings.Count(text, `"type":"hook_additional_context"`); got != 1 {
		t.Errorf("got the debrief %d times in the transcript, want once", got)
	}
	if strings.Contains(text, `"type":"hook_blocking_error"`) {
		t.Error("the transcript shows a block")
	}
	for _, r := range w.debriefs() {
		if strings.Count(r.News, prefix) != 1 {
			t.Errorf("the model was told more than once: %s", r.News)
		}
	}
	if got, want := w.theSession().Version, pinned(t, "@anthropic-ai/claude-code"); got != want {
		t.Errorf("got the client's version %q, want %q, the one of package-lock.json", got, want)
	}
}

// pinned is the version of a package in package-lock.json.
func pinned(t *testing.T, name string) string {
	text, err := os.ReadFile("package-lock.json")
	check(t, err)
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	check(t, json.Unmarshal(text, &lock))
	return lock.Packages["node_modules/"+name].Version
}

func TestReplyAsBlock(t *testing.T) {
	w := newWorld(t, always, "PITON_DEBRIEF_REPLY=block")
	w.model.script(swap()...)
	w.model.script(say("Done."), say("I leave it so."))
	a := w.ask("swap the operands")
	w.reasons("held", "no_activity")
	if stops := w.hooks("Stop"); len(stops) != 2 || !strings.Contains(stops[0].stdout, `"decision":"block"`) {
		t.Errorf("got the stops %v, want a block first", stops)
	}
	if !strings.Contains(w.transcript(a.Session), `"type":"hook_blocking_error"`) {
		t.Error("the transcript shows no block")
	}
}

func TestSessionEndIsRecorded(t *testing.T) {
	w := newWorld(t, always)
	w.model.script(say("Hello."))
	a := w.ask("hello")
	if got := w.theSession(); got.Ended.IsZero() || got.Alive || got.ClientID != a.Session {
		t.Errorf("got %+v, want the client's session %s, ended", got, a.Session)
	}
	if got := triggers(w.checkpoints()); got != "turn_end session_end" {
		t.Errorf("got checkpoints made by %q, want turn_end session_end", got)
	}
}

func TestSlashCommandInPrintMode(t *testing.T) {
	w := newMachine(t, always)
	w.write(w.config+"/settings.json", "{}\n") // the command itself permits what it needs
	w.piton("init")
	w.record()
	w.model.script(call(bash("piton save --name 'before the swap' --json")), say("Checkpoint saved."))
	a := w.ask("/checkpoint save --name 'before the swap'")
	all := w.model.all()
	if asked := all[0]; !strings.Contains(asked.News, "<arguments>save --name 'before the swap'</arguments>") || !strings.Contains(asked.Model, "haiku") {
		t.Errorf("the model %s was not given our command: %s", asked.Model, short(asked.News))
	}
	saved := w.checkpoints("--trigger", "manual")
	if len(saved) != 1 || !strings.Contains(all[1].News, saved[0].ID) {
		t.Fatalf("got %v saved, and the answer %s", saved, short(all[1].News))
	}
	if got := w.theSession(); saved[0].Session != got.ID || got.ClientID != a.Session {
		t.Errorf("saved in session %s, want that of the client, %s", saved[0].Session, got.ID)
	}
}

// The client complains at every event about a hook that fails; ours must not.
func TestTroubleIsSilent(t *testing.T) {
	for name, spoil := range map[string]func(w *world) error{
		"no program": func(w *world) error { return os.Remove(w.bin + "/piton-hook") },
		"no store": func(w *world) error {
			return os.WriteFile(w.state+"/piton.db", []byte(strings.Repeat("This is not a database. ", 1000)), 0o600)
		},
		"no home": func(w *world) error { return os.WriteFile(w.state, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newMachine(t, always)
			w.troubled = true
			w.piton("init")
			check(t, os.RemoveAll(w.state))
			if name == "no store" {
				check(t, os.Mkdir(w.state, 0o700))
			}
			check(t, spoil(w))
			w.model.script(swap()...)
			w.model.script(say("Done."))
			a := w.ask("swap the operands")
			if a.Result != "Done." || a.IsError {
				t.Errorf("got the answer %+v, want Done.", a)
			}
			if text := w.transcript(a.Session); strings.Contains(text, "hook_non_blocking_error") || strings.Contains(text, "hook_error") {
				t.Error("the transcript speaks of a failed hook")
			}
		})
	}
}
