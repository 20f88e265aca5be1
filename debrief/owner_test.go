package debrief_test

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/debrief"
)

func TestOwnership(t *testing.T) {
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	for _, c := range []struct {
		name   string
		script *script
		want   string // what is the agent's
	}{
		{"named by an edit", turn().edit("a.go"), "a.go"},
		{"named by an edit, relative to where it ran", turn().call(piton.Call{Kind: piton.CallEdit, Paths: []string{"../a.go"}, Dir: root + "/sub"}).file(debrief.File{Path: "a.go"}), "a.go"},
		{"named by an edit that failed", turn().call(piton.Call{Kind: piton.CallEdit, Paths: []string{root + "/a.go"}}, failed).file(debrief.File{Path: "a.go", ModTime: at(4)}), ""},
		{"of the same name in another tree", turn().call(piton.Call{Kind: piton.CallEdit, Paths: []string{"/tmp/x/a.go"}}).file(debrief.File{Path: "a.go"}), ""},
		{"through macOS's other name of a folder", turn().call(piton.Call{Kind: piton.CallEdit, Paths: []string{"/private" + root + "/a.go"}}).file(debrief.File{Path: "a.go"}), "a.go"},
		{"an edit that names no file, by the file's time", turn().call(piton.Call{Kind: piton.CallEdit}).file(debrief.File{Path: "a.go", ModTime: at(4)}), "a.go"},
		{"named by the shell", turn().run("sed -i s/a/b/ a.go", "").file(debrief.File{Path: "a.go", ModTime: at(4)}), "a.go"},
		{"named by a redirection after cd", turn().run("cd sub && echo x > b.go", "").file(debrief.File{Path: "sub/b.go"}), "sub/b.go"},
		{"named by a pattern", turn().run("sed -i s/a/b/ pkg/*.go", "").file(debrief.File{Path: "pkg/b.go"}).file(debrief.File{Path: "pkg/c/d.go"}), "pkg/b.go"},
		{"written by a generator, by its time", turn().run("go generate ./...", "").file(debrief.File{Path: "gen.go", ModTime: at(7)}), "gen.go"},
		{"a second beside the call", turn().run("go generate ./...", "").file(debrief.File{Path: "gen.go", ModTime: at(9)}), "gen.go"},
		{"well after the call", turn().run("go generate ./...", "").file(debrief.File{Path: "gen.go", ModTime: at(20)}), ""},
		{"during a call that only reads", turn().run("go test ./...", "ok").file(debrief.File{Path: "a.go", ModTime: at(4)}), ""},
		{"during a call that writes a log elsewhere", turn().run("go test ./... > /tmp/log 2>&1", "").file(debrief.File{Path: "a.go", ModTime: at(4)}), ""},
		{"during a line that no one can parse", turn().run("python3 - <<'E' ; (", "").file(debrief.File{Path: "a.go", ModTime: at(4)}), "a.go"},
		{"without a time", turn().run("go generate", "").file(debrief.File{Path: "a.go"}), ""},
		{"removed by the shell", turn().run("rm a.go", "").file(debrief.File{Path: "a.go", Deleted: true}), "a.go"},
		{"removed with its folder", turn().run("rm -rf old", "").file(debrief.File{Path: "old/x/a.go", Deleted: true}), "old/x/a.go"},
		{"gone without a call", turn().run("ls", "").file(debrief.File{Path: "a.go", Deleted: true}), ""},
		{"moved with its folder", turn().run("mv old new", "").file(debrief.File{Path: "new/a.go", ModTime: at(-999)}).file(debrief.File{Path: "old/a.go", Deleted: true}), "new/a.go old/a.go"},
		{"removed by git", turn().run("git rm -r old", "").file(debrief.File{Path: "old/a.go", Deleted: true}), "old/a.go"},
		{"committed", turn().run("git commit -qam x", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: at(-999)}), "a.go"},
		{"committed by someone else", turn().run("ls", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: at(-999)}), ""},
		{"pulled", turn().run("git pull", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: at(4)}), ""},
		{"committed, and others' commits pulled", turn().edit("mine.go").run("git commit -qam x && git pull", "").file(debrief.File{Path: "mine.go", Committed: true}).file(debrief.File{Path: "theirs.go", Committed: true, ModTime: at(24)}), "mine.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var agents []string
			r := c.script.look()
			for _, f := range r.Files {
				if f.Whose == piton.OwnerAgent {
					agents = append(agents, f.Path)
				}
			}
			if got := strings.Join(agents, " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if len(r.Files) != len(c.script.in.Files) {
				t.Errorf("%d files listed of %d", len(r.Files), len(c.script.in.Files))
			}
			if c.want == "" && (len(r.Actions) > 0 || len(r.Categories) > 0) {
				t.Errorf("foreign files lead to %q %q", r.Categories, r.Actions)
			}
		})
	}
}

// To commit what an earlier turn has changed and tested is no change of this one.
func TestACommitAloneDemandsNothing(t *testing.T) {
	s := turn().run("git add -A && git commit -qm x", "").
		file(debrief.File{Path: "a.go", Committed: true, ModTime: begin.Add(-time.Hour)}).
		file(debrief.File{Path: "gone.go", Committed: true, Deleted: true})
	r := s.look()
	wants(t, "actions", r.Actions)
	if len(r.Categories) > 0 || r.Files[0].Whose != piton.OwnerAgent {
		t.Errorf("got %+v", r)
	}
	s.file(debrief.File{Path: "b.go", Committed: true, ModTime: begin.Add(time.Second)})
	wants(t, "actions for a file of this turn", s.look().Actions, "Go code changed (`b.go`)")
}

func TestWithoutTranscript(t *testing.T) {
	s := turn().edit("a.go").run("make test", "ok")
	s.in.CallsSeen = false
	r := s.look()
	wants(t, "actions", r.Actions, "Go code changed (`a.go`) and no test run has passed since: run `make test`")
	wants(t, "observations", r.Observations)
	if r.Files[0].Whose != piton.OwnerAgent {
		t.Error("every file counts as the agent's where nothing was seen")
	}
}
