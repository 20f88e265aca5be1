package debrief_test

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

func TestOwnership(t *testing.T) {
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	for _, c := range []struct {
		name   string
		script *script
		want   string // what is the agent's
	}{
		{"named by an edit", turn().edit("a.go"), "a.go"},
		{"named by an edit, relative to where it ran", turn().call(agent.Call{Kind: agent.CallEdit, Paths: []string{"../a.go"}, Dir: root + "/sub"}).file(debrief.File{Path: "a.go"}), "a.go"},
		{"named by an edit that failed", turn().call(agent.Call{Kind: agent.CallEdit, Paths: []string{root + "/a.go"}}, failed).file(debrief.File{Path: "a.go", ModTime: at(4)}), ""},
		{"of the same name in another tree", turn().call(agent.Call{Kind: agent.CallEdit, Paths: []string{"/tmp/x/a.go"}}).file(debrief.File{Path: "a.go"}), ""},
		{"through macOS's other name of a folder", turn().call(agent.Call{Kind: agent.CallEdit, Paths: []string{"/private" + root + "/a.go"}}).file(debrief.File{Path: "a.go"}), "a.go"},
		{"an edit that names no file, by the file's time", turn().call(agent.Call{Kind: agent.CallEdit}).file(debrief.File{Path: "a.go", ModTime: at(4)}), "a.go"},
		{"named by the shell", turn().run("sed -i s/a/b/ a.go", "").file(debrief.File{Path: "a.go", ModTime: at(4)}), "a.go"},
		{"named by a redirection after cd", turn().run("cd sub && echo x > b.go", "").file(debrief.File{Path: "sub/b.go"}), "sub/b.go"},
		{"named by a pattern", turn().run("sed -i s/a/b/ pkg/*.go", "").file(debrief.File{Path: "pkg/b.go"}).file(debrief.File{Path: "pkg/c/d.go"}), "pkg/b.go"},
		{"written by a generator, by its time", turn().run("go generate ./...", "").file(debrief.File{Path: "gen.go", ModTime: at(7)}), "gen.go"},
		{"a second beside the call", turn().run("go generate ./...", "").file(debrief.File{Path: "gen.go", ModTime: at(9)}), "gen.go"},
		{"well after the call", turn().run("go generate ./...", "").file(debrief.File{Path: "gen.go", ModTime: at(20)}), ""},
		{"during a call that only reads", turn().run("go test ./...", "ok").file(debrief.File{Path: "a.go", ModTime: at(4)}), ""},
		{"during a call that writes a log elsewhere", turn().run("go test ./... > /tmp/log 2>&1", "").file(debrief.File{Path: "a.go", ModTime: at(4)}), ""},
		{"during a line that no one can parse", turn().run("python3 - <<'E' ; (", "").file(debrief.File{Path: "a.go", ModTime: at(4)}), "a.go"},
		{"code, while packages are installed", turn().run("npm install", "").file(debrief.File{Path: "a.ts", ModTime: at(4)}).file(debrief.File{Path: "package-lock.json", ModTime: at(4)}), "package-lock.json"},
		{"code, while packages are installed and a build runs", turn().run("npm install && npm run build", "").file(debrief.File{Path: "a.ts", ModTime: at(4)}), "a.ts"},
		{"committed by a person during a call", turn().run("make gen", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: at(4)}), ""},
		{"written by a call and committed by the next", turn().run("make gen", "").run("git commit -qam x", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: at(4)}), "a.go"},
		{"without a time", turn().run("go generate", "").file(debrief.File{Path: "a.go"}), ""},
		{"removed by the shell", turn().run("rm a.go", "").file(debrief.File{Path: "a.go", Deleted: true}), "a.go"},
		{"removed with its folder", turn().run("rm -rf old", "").file(debrief.File{Path: "old/x/a.go", Deleted: true}), "old/x/a.go"},
		{"gone without a call", turn().run("ls", "").file(debrief.File{Path: "a.go", Deleted: true}), ""},
		{"moved with its folder", turn().run("mv old new", "").file(debrief.File{Path: "new/a.go", ModTime: at(-999)}).file(debrief.File{Path: "old/a.go", Deleted: true}), "new/a.go old/a.go"},
		{"removed by git", turn().run("git rm -r old", "").file(debrief.File{Path: "old/a.go", Deleted: true}), "old/a.go"},
		{"committed", turn().run("git commit -qam x", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: at(-999)}), "a.go"},
		{"committed by someone else", turn().run("ls", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: at(-999)}), ""},
		{"pulled", turn().run("git pull", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: at(4)}), ""},
		{"checked out from another branch", turn().run("git checkout other", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: at(4)}), ""},
		{"switched to", turn().run("git fetch && git switch -c x origin/x", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: at(4)}), ""},
		{"reset to what others committed", turn().run("git fetch; git reset --hard origin/main", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: at(4)}), ""},
		{"taken from another branch by name", turn().run("git checkout other -- a.go", "").file(debrief.File{Path: "a.go", ModTime: at(4)}), "a.go"},
		{"restored by name", turn().run("git restore --source HEAD~3 a.go", "").file(debrief.File{Path: "a.go", ModTime: at(4)}), "a.go"},
		{"taken out of the stash", turn().run("git stash pop", "").file(debrief.File{Path: "a.go", ModTime: at(4)}), "a.go"},
		{"committed, and others' commits pulled", turn().edit("mine.go").run("git commit -qam x && git pull", "").file(debrief.File{Path: "mine.go", Committed: true}).file(debrief.File{Path: "theirs.go", Committed: true, ModTime: at(24)}), "mine.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.script.look()
			if got := strings.Join(owned(r), " "); got != c.want {
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

// What the shell can do to a file is an edit, by name or by the file's time.
func TestShellEdits(t *testing.T) {
	for _, line := range []string{
		"sed -i s/a/b/ a.go", "sed -i.bak -e s/a/b/ a.go", "perl -pi -e s/a/b/ a.go", "echo x | tee a.go", "echo x | sudo tee -a a.go > /dev/null", "printf x > a.go", "printf x >> ./a.go",
		"cat > a.go <<'E'\npackage a\nE", "cat <<E | tee a.go\nx\nE", "mv b.go a.go", "cp ../x/a.go .", "cp b.go a.go && ls", "install -m 644 b.go a.go", "touch a.go", "truncate -s 0 a.go",
		"git apply x.patch", "git apply <<'E'\n--- a/a.go\n+++ b/a.go\nE", "patch -p1 < x.patch", "apply_patch <<'E'\n*** Begin Patch\n*** Update File: a.go\n*** End Patch\nE",
		`python -c "open('a.go','w').write('x')"`, "python3 <<'E'\nopen('a.go','w')\nE", "python3 gen.py", "node -e 'fs.writeFileSync(1)'", "ruby -i -pe x a.go", "awk -i inplace 1 a.go",
		"ed a.go <<< w", "dd if=x of=a.go", "sort -o a.go a.go", "curl -s -o a.go example.com", "unzip x.zip", "tar xf x.tar", "rsync -a x/ .", "ln -sf b.go a.go",
		"go generate ./...", "npm run build", "make gen", "./gen.sh", "bash -c 'echo x > a.go'", "find . -name a.go -exec sed -i s/a/b/ {} +", "xargs sed -i s/a/b/ < list", "for f in *.go; do sed -i s/a/b/ $f; done",
	} {
		r := turn().run(line, "").file(debrief.File{Path: "a.go", ModTime: begin.Add(4 * time.Second)}).look()
		if r.Files[0].Whose != agent.OwnerAgent || len(r.Facts) != 1 {
			t.Errorf("%s: got %+v, %q, want an edit", line, r.Files, r.Actions)
		}
	}
}

// Formatters, snapshots and lock files make a file the agent's; a test run
// before them stays good.
func TestWritersBesideTheWork(t *testing.T) {
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	for _, c := range []struct {
		name   string
		script *script
		want   string // what is the agent's
		asks   bool
	}{
		{"a formatter by name", turn().run("gofmt -w a.go", "").file(debrief.File{Path: "a.go", ModTime: at(4)}), "a.go", false},
		{"a formatter by name, after a test run", turn().run("make test", "").run("gofmt -w a.go", "").file(debrief.File{Path: "a.go", ModTime: at(14)}), "a.go", false},
		{"a formatter over a folder", turn().run("npx prettier --write src", "").file(debrief.File{Path: "src/a.ts", ModTime: at(4)}), "src/a.ts", false},
		{"a formatter that looks only", turn().run("gofmt -l .", "").file(debrief.File{Path: "a.go", ModTime: at(4)}), "", false},
		{"a formatter, then an edit", turn().run("gofmt -w a.go", "").edit("a.go"), "a.go", true},
		{"an edit, tests, a formatter", turn().edit("a.go").run("make test", "").run("gofmt -w a.go", "").file(debrief.File{Path: "a.go", ModTime: at(34)}), "a.go", false},
		{"a snapshot", turn().run("npx vitest -u", "1 passed").file(debrief.File{Path: "__snapshots__/a.snap", ModTime: at(4)}), "__snapshots__/a.snap", false},
		{"a snapshot of a run that looks only", turn().run("npx vitest", "1 passed").file(debrief.File{Path: "__snapshots__/a.snap", ModTime: at(4)}), "", false},
		{"golden files by the tests themselves", turn().run("go test ./... -update", "ok").file(debrief.File{Path: "testdata/a.golden", ModTime: at(4)}), "testdata/a.golden", false},
		{"a lock file", turn().run("npm install left-pad", "").file(debrief.File{Path: "package-lock.json", ModTime: at(4)}), "package-lock.json", false},
		{"go.sum by go mod tidy", turn().run("go mod tidy", "").file(debrief.File{Path: "go.sum", ModTime: at(4)}), "go.sum", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.script.look()
			if got := strings.Join(owned(r), " "); got != c.want || len(r.Actions) > 0 != c.asks {
				t.Errorf("got %q, %q, want %q, asked %v", got, r.Actions, c.want, c.asks)
			}
		})
	}
}

// A turn that only creates files is seen: git calls them untracked.
func TestNewFilesAreSeen(t *testing.T) {
	for _, s := range []*script{
		turn().call(agent.Call{Kind: agent.CallEdit, Tool: "Write", Paths: []string{root + "/new/a.go"}, Created: true}),
		turn().run("mkdir -p new && cat > new/a.go <<'E'\npackage new\nE", ""),
		turn().run("mkdir new; cd new; printf x > a.go", ""),
		turn().run("python3 scaffold.py", ""),
	} {
		r := s.file(debrief.File{Path: "new/a.go", Created: true, ModTime: begin.Add(4 * time.Second)}).look()
		wants(t, "actions", r.Actions, "`new/a.go` changed")
		wants(t, "observations", r.Observations)
	}
}

// What another session names as its edit is not ours because a call of ours
// ran meanwhile.
func TestOtherSessionsFiles(t *testing.T) {
	during := debrief.File{Path: "a.go", ModTime: begin.Add(4 * time.Second)}
	for _, c := range []struct {
		name   string
		script *script
		ours   bool // without the other session
		want   bool // with it
	}{
		{"by its time alone", turn().run("make gen", "").file(during), true, false},
		{"by its time, in a line that no one can parse", turn().run("./x ; (", "").file(during), true, false},
		{"named by our edit", turn().edit("a.go"), true, true},
		{"named by our edit, and in the time of a later call", turn().edit("a.go").run("make gen", "").file(debrief.File{Path: "a.go", ModTime: begin.Add(25 * time.Second)}), true, true},
		{"named by our shell", turn().run("sed -i s/a/b/ a.go", "").file(during), true, true},
		{"committed by us, edited by them", partly(turn().run("git add -A && git commit -qm x", "").file(debrief.File{Path: "a.go", Committed: true, ModTime: begin.Add(time.Second)})), true, false},
		{"without a transcript", func() *script { s := turn().file(during); s.in.CallsSeen = false; return s }(), true, false},
		{"neither's", turn().run("ls", "").file(during), false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, with := range []bool{false, true} {
				want := c.ours
				c.script.in.Others = nil
				if with {
					want = c.want
					c.script.in.Others = []string{"b.go", "a.go"}
				}
				r := c.script.look()
				if got := len(owned(r)) == 1; got != want || got != (r.Judged == 1) {
					t.Errorf("with the other session %v: ours %v, want %v; %d judged", with, got, want, r.Judged)
				}
			}
		})
	}
	// The test run in between stays proof: their edit is none of ours.
	s := turn().edit("a.go").run("make test", "").run("make gen", "").file(debrief.File{Path: "a.go", ModTime: begin.Add(35 * time.Second)})
	wants(t, "actions", s.look().Actions, "changed, and no test of it has run since")
	s.in.Others = []string{"a.go"}
	wants(t, "actions with the other session", s.look().Actions)
}

func owned(r debrief.Result) []string {
	var files []string
	for _, f := range r.Files {
		if f.Whose == agent.OwnerAgent {
			files = append(files, f.Path)
		}
	}
	return files
}

// To commit what an earlier turn has changed and tested is not a change of this one.
func TestACommitAloneDemandsNothing(t *testing.T) {
	s := turn().run("git add -A && git commit -qm x", "").
		file(debrief.File{Path: "a.go", Committed: true, ModTime: begin.Add(-time.Hour)}).
		file(debrief.File{Path: "gone.go", Committed: true, Deleted: true})
	r := s.look()
	wants(t, "actions", r.Actions)
	if len(r.Categories) > 0 || r.Files[0].Whose != agent.OwnerAgent {
		t.Errorf("got %+v", r)
	}
	s.file(debrief.File{Path: "b.go", Committed: true, ModTime: begin.Add(time.Second)})
	wants(t, "actions for what somebody else edited", s.look().Actions)
	wants(t, "actions where the edit may not have been read", partly(s).look().Actions, "`b.go` changed")
}

// partly is a turn whose beginning could not be read.
func partly(s *script) *script {
	s.in.Partial = true
	return s
}

// A file's time is that of the call which wrote it: one right beside it, which
// could have written it too, is no later edit.
func TestTheCallBeside(t *testing.T) {
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	beside := func(edit, test, other [2]int, wrote int) []string {
		s := turn().call(agent.Call{Kind: agent.CallEdit, Paths: []string{root + "/a.go"}}).run("make test", "ok").run("python3 -c 'print(1)'", "1")
		for i, span := range [][2]int{edit, test, other} {
			s.in.Calls[i].StartedAt, s.in.Calls[i].EndedAt = at(span[0]), at(span[1])
		}
		return s.file(debrief.File{Path: "a.go", ModTime: at(wrote)}).look().Actions
	}
	wants(t, "actions for a call half a second later", beside([2]int{0, 30}, [2]int{100, 400}, [2]int{500, 600}, 10))
	wants(t, "actions for a call in whose time the file was written again", beside([2]int{0, 30}, [2]int{100, 400}, [2]int{500, 600}, 550), "`a.go` changed")
	wants(t, "actions for a file that was written beside all calls", beside([2]int{0, 30}, [2]int{100, 400}, [2]int{500, 600}, 900), "`a.go` changed")
}

func TestWithoutTranscript(t *testing.T) {
	s := turn().edit("a.go").run("make test", "ok")
	s.in.CallsSeen = false
	r := s.look()
	wants(t, "actions", r.Actions, "`a.go` changed, and no test of it has run since: run `make test`, as far as is known (what ran in this turn could not be read)")
	wants(t, "observations", r.Observations)
	if r.Files[0].Whose != agent.OwnerAgent {
		t.Error("every file counts as the agent's where nothing was seen")
	}
}

// A file that an edit has written is not the work of a command that began a
// moment later.
func TestACommandRightAfterAnEditDidNotMakeIt(t *testing.T) {
	s := turn().edit("a.go")
	s.file(debrief.File{Path: "a.go", ModTime: begin.Add(18 * time.Second)})
	quick := func(started int) func(*agent.Call) {
		return func(c *agent.Call) {
			c.StartedAt = begin.Add(18*time.Second + time.Duration(started)*time.Millisecond)
			c.EndedAt = c.StartedAt.Add(100 * time.Millisecond)
		}
	}
	r := s.run("make test", "ok", quick(200)).run("./report", "", quick(400)).look()
	wants(t, "actions", r.Actions)
}
