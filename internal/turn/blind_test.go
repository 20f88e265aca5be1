package turn_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/testkit/need"
)

// harm is one way in which a repository is damaged while an agent works in it.
type harm struct {
	name string
	do   func(w *world)
}

func (w *world) spoil(name, text string) {
	w.Helper()
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.Helper()
	if err := os.RemoveAll(w.path(name)); err != nil {
		w.Fatal(err)
	}
}

func spoils(name, text string) func(*world) {
	return func(w *world) { w.Helper(); w.spoil(name, text) }
}

func removes(name string) func(*world) { return func(w *world) { w.Helper(); w.remove(name) } }

var harms = []harm{
	{"HEAD is empty", spoils(".git/HEAD", "")},
	{"HEAD holds garbage", spoils(".git/HEAD", "\x00\xff nonsense\n")},
	{"HEAD is gone", removes(".git/HEAD")},
	{"HEAD names a folder", func(w *world) {
		w.remove(".git/HEAD")
		w.spoil(".git/x", "")
		if err := os.Mkdir(w.path(".git/HEAD"), 0o755); err != nil {
			w.Fatal(err)
		}
	}},
	{"HEAD is a link to nowhere", func(w *world) {
		w.remove(".git/HEAD")
		if err := os.Symlink("/nowhere/HEAD", w.path(".git/HEAD")); err != nil {
			w.Fatal(err)
		}
	}},
	{"the branch is gone", removes(".git/refs/heads/main")},
	{"the branch holds garbage", spoils(".git/refs/heads/main", "nonsense\n")},
	{"the branch names a commit that is not there", spoils(".git/refs/heads/main", strings.Repeat("1", 40)+"\n")},
	{"the objects are gone", removes(".git/objects")},
	{"the objects are empty", func(w *world) {
		w.remove(".git/objects")
		if err := os.Mkdir(w.path(".git/objects"), 0o755); err != nil {
			w.Fatal(err)
		}
	}},
	{"the refs are gone", removes(".git/refs")},
	{"the index holds garbage", spoils(".git/index", "DIRCnonsense")},
	{"the index is cut", func(w *world) {
		b, err := os.ReadFile(w.path(".git/index"))
		if err != nil {
			w.Fatal(err)
		}
		w.spoil(".git/index", string(b[:len(b)/2]))
	}},
	{"the index is a folder", func(w *world) {
		w.remove(".git/index")
		if err := os.Mkdir(w.path(".git/index"), 0o755); err != nil {
			w.Fatal(err)
		}
	}},
	{"the configuration holds garbage", spoils(".git/config", "[core\n\x00")},
	{"a format of the future", spoils(".git/config", "[core]\n\trepositoryformatversion = 99\n")},
	{"the folder .git is gone", removes(".git")},
	{"the folder .git is empty", func(w *world) {
		w.remove(".git")
		if err := os.Mkdir(w.path(".git"), 0o755); err != nil {
			w.Fatal(err)
		}
	}},
	{"a file .git that is empty", func(w *world) { w.remove(".git"); w.spoil(".git", "") }},
	{"a file .git that points nowhere", func(w *world) { w.remove(".git"); w.spoil(".git", "gitdir: /nowhere/worktrees/shop\n") }},
	{"git is not in PATH", func(w *world) { w.TB.(*testing.T).Setenv("PATH", "/nowhere") }},
	{"git is another's", func(w *world) {
		if err := os.Chown(w.root, 12345, -1); err != nil {
			need.Missing(w, "only root can give folders away")
		}
	}},
	{"git crashes", func(w *world) {
		dir := w.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\nkill -9 $$\n"), 0o755); err != nil {
			w.Fatal(err)
		}
		w.TB.(*testing.T).Setenv("PATH", dir+":"+os.Getenv("PATH"))
	}},
	{"a repository around a damaged one", func(w *world) {
		w.remove(".git/HEAD")
		up := *w
		up.root = filepath.Dir(w.root)
		up.git("init", "-q", "-b", "main")
	}},
}

// ways are how a turn changes code and tests nothing.
var ways = []struct {
	name string
	do   func(w *world)
}{
	{"by a tool", func(w *world) { w.edits("main.go", "package shop\n\nconst text = `1`\n") }},
	{"by a script", func(w *world) {
		w.after(time.Second)
		w.write("main.go", "package shop\n\nconst text = `2`\n")
		w.runs("./generate.sh", "")
		w.dated("main.go", w.now.Add(-time.Second))
	}},
}

var spoiledLogs = []harm{
	{"gone", func(w *world) { w.remove(w.script) }},
	{"a folder", func(w *world) { w.remove(w.script); w.must(os.Mkdir(w.script, 0o755)) }},
	{"empty", spoilLog("")},
	{"another format", spoilLog("time=1 level=info\nnonsense\n")},
	{"zeros", spoilLog(strings.Repeat("\x00", 5000))},
	{"another JSON", spoilLog(`{"kind":"x","payload":{"a":1}}` + "\n")},
	{"only the last line torn", func(w *world) {
		b := []byte(w.log())
		w.spoil(w.script, string(b[:len(b)-40]))
	}},
	{"cut to its first half", func(w *world) {
		b := []byte(w.log())
		w.spoil(w.script, string(b[:len(b)/3]))
	}},
	{"its middle is garbage", func(w *world) {
		b := []byte(w.log())
		copy(b[len(b)/3:], bytes.Repeat([]byte("#"), len(b)/3))
		w.spoil(w.script, string(b))
	}},
	{"20,001 lines of words", func(w *world) {
		for range 20001 {
			w.says("x")
		}
	}},
	{"20,001 lines of nothing known", func(w *world) {
		w.spoil(w.script, w.log()+strings.Repeat(`{"type":"progress","x":1}`+"\n", 20001))
	}},
	{"a line of 50 MB", func(w *world) { w.says(strings.Repeat("x", 50<<20)) }},
	{"200 MB", func(w *world) {
		for range 200 {
			w.says(strings.Repeat("x", 1<<20))
		}
	}},
	{"a link in a cycle", func(w *world) { w.remove(w.script); w.must(os.Symlink(w.script, w.script)) }},
	{"a link to nowhere", func(w *world) { w.remove(w.script); w.must(os.Symlink("/nowhere/x", w.script)) }},
	{"UTF-16", func(w *world) {
		b := []byte(w.log())
		var out []byte
		for _, c := range b {
			out = append(out, c, 0)
		}
		w.spoil(w.script, string(out))
	}},
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) log() string {
	w.Helper()
	b, err := os.ReadFile(w.script)
	w.must(err)
	return string(b)
}

func spoilLog(text string) func(*world) {
	return func(w *world) { w.Helper(); w.spoil(w.script, text) }
}

// silent ends the turn without words in the log and reports whether nobody was told
// anything: neither held nor said.
func (w *world) endsSilently() bool {
	w.Helper()
	w.after(2 * time.Second)
	return w.answer(w.happens("Stop", map[string]any{"stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": []any{}})) == ""
}

// Where git or the log cannot tell what the agent did, it is held or the person is
// told: once a session.
func TestNeverSilent(t *testing.T) {
	for of, list := range map[string][]harm{"git": harms, "log": spoiledLogs} {
		for _, h := range list {
			for _, way := range ways {
				t.Run(of+": "+h.name+", "+way.name, func(t *testing.T) {
					w := shop(t)
					w.asks("mend it")
					w.after(time.Minute)
					way.do(w)
					h.do(w)
					if w.endsSilently() {
						t.Errorf("got nothing said (%s, notes %q), want it held or said", w.decision().Reason, w.decision().Notes)
					}
				})
			}
		}
	}
}

// What cannot be seen is said once a session, and to nobody where nothing was done.
func TestSaidOnce(t *testing.T) {
	w := shop(t)
	turn := func(want string) {
		t.Helper()
		w.after(time.Hour)
		w.asks("go on")
		w.after(time.Minute)
		w.runs("./generate.sh", "")
		if got := w.stops(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	w.asks("explain it")
	spoils(".git/HEAD", "")(w)
	w.after(time.Minute)
	if got := w.stops(); got != "" {
		t.Errorf("got %q where the agent did nothing, want nothing said", got)
	}
	turn("git cannot tell what changed here (git status: the git repository is damaged)")
	turn("")
	w.another()
	w.script = filepath.Join(w.TempDir(), "other.jsonl")
	turn("git cannot tell")
	w.edits("main.go", "package shop\n\nconst text = `3`\n")
	w.runs("go test ./...", "ok  \tshop\t0.1s")
	w.after(time.Minute)
	w.want(w.stops(), agent.ReasonClear, "1 file changed by the agent's tools, ")
}

// Of a turn that is longer than what is read, what is read counts: the beginning may
// have changed any file, and a later run covers them.
func TestLongTurn(t *testing.T) {
	for name, ran := range map[string]bool{"no test ran in the part that is read": false, "tests passed in it": true} {
		t.Run(name, func(t *testing.T) {
			w := shop(t)
			changed(w)
			for range 20_001 {
				w.says("x")
			}
			reason, want := agent.ReasonHeld, ", as far as is known (not all that ran in this turn could be read)"
			if ran {
				w.runs("go test ./...", "ok  \tshop\t0.1s")
				reason, want = agent.ReasonClear, "the turn is longer than can be read at a stop"
			}
			w.after(time.Minute)
			w.want(w.stops(), reason, want)
		})
	}
}
