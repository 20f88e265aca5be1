//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// places is a machine, or several that use one store, with clones of a project.
type places struct {
	*testing.T
	dir  string
	more []string // of the environment
	home string
	id   string // of the run that has begun
}

const placePlan = `name: p
steps:
  - {id: pay, effect: once, run: 'echo paid >> %[1]s/paid'}
  - {id: work, needs: pay, run: 'pwd >> %[1]s/worked; test -e %[1]s/go'}
`

func (p *places) at(name string) string { return filepath.Join(p.dir, name) }

// plan writes the plan to a file; its second step fails until the run is resumed.
func (p *places) plan(name string, head ...string) {
	p.Helper()
	text := strings.Join(head, "") + fmt.Sprintf(placePlan, p.dir)
	if err := os.MkdirAll(filepath.Dir(p.at(name)), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(p.at(name), []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

func (p *places) sh(script string) {
	p.Helper()
	c := exec.Command("sh", "-ec", script)
	c.Dir, c.Env = p.dir, append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := c.CombinedOutput(); err != nil {
		p.Fatalf("%v\n%s", err, out)
	}
}

// clone makes a work tree with the plan, and an origin where it is given.
func (p *places) clone(dir, origin string) {
	p.Helper()
	p.plan(dir + "/p.yaml")
	p.sh("git init -q " + dir)
	if origin != "" {
		p.sh("git -C " + dir + " remote add origin https://example.org/" + origin)
	}
}

func (p *places) run(dir string, args ...string) (status int, text string) {
	p.Helper()
	c := exec.Command(need.Program(p.T, "piton"), append([]string{"run"}, args...)...)
	c.Dir, c.Env = p.at(dir), append(append(cleanEnv(p.dir), "PITON_HOME="+p.at(p.home)), p.more...)
	out, _ := c.CombinedOutput()
	return c.ProcessState.ExitCode(), string(out)
}

// begin begins the run, whose second step fails.
func (p *places) begin(dir string, args ...string) {
	p.Helper()
	status, text := p.run(dir, args...)
	if status != 7 {
		p.Fatalf("begin: got status %d\n%s", status, text)
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ':' || r == '\n' || r == '\'' }) {
		if strings.HasPrefix(word, "run_") {
			p.id = word
		}
	}
}

// A run goes on in the caller's clone of its project, wherever that lies and whatever
// home calls, or says why not; and never begins anew unseen.
func TestRunPlaces(t *testing.T) {
	origin := func(p *places) { p.clone("a", "x.git"); p.begin("a", "p.yaml") }
	for _, c := range []struct {
		name   string
		server bool // two homes use one PostgreSQL
		before func(p *places)
		from   string // the caller's folder; RUN stands for the run's id
		args   string
		want   string // where the second step works then; "": it does not
		says   string
	}{
		{"clone elsewhere, the first is gone", false, func(p *places) { origin(p); p.sh("mv a b") }, "b", "p.yaml --resume", "b", ""},
		{"clone elsewhere, the first is there", false, func(p *places) { origin(p); p.sh("cp -r a b") }, "b", "p.yaml --resume", "b", ""},
		{"it says which folder", false, func(p *places) { origin(p); p.sh("cp -r a b") }, "b", "p.yaml --resume --json", "b", "it works in "},
		{"without a plan in the other clone", false, func(p *places) { origin(p); p.sh("cp -r a b") }, "b", "--resume", "b", ""},
		{"by its id in the other clone", false, func(p *places) { origin(p); p.sh("cp -r a b") }, "b", "--resume RUN", "b", ""},
		{"by its workflow in the other clone", false, func(p *places) { origin(p); p.sh("cp -r a b") }, "b", "--resume p", "b", ""},
		{"by its id from elsewhere", false, origin, ".", "--resume RUN", "a", ""},
		{"by its id from elsewhere, the folder is gone", false, func(p *places) { origin(p); p.sh("rm -r a") }, ".", "--resume RUN", "", "is not on this machine"},
		{"a folder is named", false, func(p *places) { origin(p); p.sh("mv a z") }, ".", "--resume RUN --dir z", "z", ""},
		{"a folder is named that is not there", false, origin, ".", "--resume RUN --dir nowhere", "", "is not a folder"},
		{"the folder is another project now", false, func(p *places) { origin(p); p.sh("git -C a remote set-url origin https://example.org/y.git") }, ".", "--resume RUN", "", "belongs to another project now"},
		{"a folder with a link", false, func(p *places) { p.clone("a", ""); p.begin("a", "p.yaml"); p.sh("ln -s a l") }, "l", "p.yaml --resume", "a", ""},
		{"begun through a link, the link is gone", false, func(p *places) { p.clone("a", ""); p.sh("ln -s a l"); p.begin("l", "p.yaml"); p.sh("rm l") }, "a", "p.yaml --resume", "a", ""},
		{"a work tree of the repository", false, func(p *places) {
			p.clone("a", "")
			p.sh("cd a; git add .; git commit -qm x; git worktree add -q ../w")
			p.begin("a", "p.yaml")
		}, "w", "p.yaml --resume", "w", ""},
		{"a repository in a repository", false, func(p *places) {
			p.clone("a", "x.git")
			p.clone("a/sub", "s.git")
			p.begin("a/sub", "p.yaml")
			p.sh("cp -r a b")
		}, "b/sub", "p.yaml --resume", "b/sub", ""},
		{"a plan in a subfolder", false, func(p *places) {
			p.clone("a", "x.git")
			p.plan("a/sub/p.yaml")
			p.begin("a", "sub/p.yaml")
			p.sh("cp -r a b")
		}, "b", "sub/p.yaml --resume", "b/sub", ""},
		{"a plan outside of the project", false, func(p *places) {
			p.clone("a", "x.git")
			p.plan("plans/p.yaml")
			p.begin("a", "../plans/p.yaml")
			p.sh("cp -r a b")
		}, "b", "../plans/p.yaml --resume", "plans", ""},
		{"a folder in the plan", false, func(p *places) {
			p.clone("a", "x.git")
			p.plan("a/p.yaml", "dir: work\n")
			p.sh("mkdir a/work")
			p.begin("a", "p.yaml")
			p.sh("cp -r a b")
		}, "b", "p.yaml --resume", "b/work", ""},
		{"as from cron, then by hand", false, func(p *places) { p.plan("w/p.yaml"); p.begin(".", "w/p.yaml") }, "w", "p.yaml --resume", "w", ""},
		{"named by PITON_PROJECT, in another folder", false, func(p *places) {
			p.more = []string{"PITON_PROJECT=shop"}
			p.plan("a/p.yaml")
			p.begin("a", "p.yaml")
			p.sh("mv a b")
		}, "b", "p.yaml --resume", "b", ""},
		{"another home, another clone", true, func(p *places) { origin(p); p.sh("cp -r a b") }, "b", "p.yaml --resume", "b", ""},
		{"another home, no repository", true, func(p *places) { p.plan("a/p.yaml"); p.begin("a", "p.yaml") }, "a", "p.yaml --resume", "a", ""},
		{"another home, no origin", true, func(p *places) { p.clone("a", ""); p.begin("a", "p.yaml") }, "a", "p.yaml --resume", "a", ""},
		{"another home, no repository, not to be resumed", true, func(p *places) { p.plan("a/p.yaml"); p.begin("a", "p.yaml") }, "a", "p.yaml", "", "is unfinished"},
		{"another home and folder, named by PITON_PROJECT", true, func(p *places) {
			p.more = append(p.more, "PITON_PROJECT=shop")
			p.plan("a/p.yaml")
			p.begin("a", "p.yaml")
			p.sh("mv a b")
		}, "b", "p.yaml --resume", "b", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			p := &places{T: t, dir: dir, home: "home1"}
			if c.server {
				p.more = []string{"PITON_STORE=" + pgtest.DSN(t)}
			}
			c.before(p)
			if c.server {
				p.home = "home2"
			}
			p.sh("touch go; : > worked")
			status, text := p.run(c.from, strings.Fields(strings.ReplaceAll(c.args, "RUN", p.id))...)
			worked, _ := os.ReadFile(p.at("worked"))
			want := ""
			if c.want != "" {
				want = p.at(c.want) + "\n"
			}
			if string(worked) != want || (status == 0) != (want != "") || !strings.Contains(text, c.says) {
				t.Errorf("got status %d in %q, want %q and %q\n%s", status, worked, want, c.says, text)
			}
			if paid, _ := os.ReadFile(p.at("paid")); string(paid) != "paid\n" {
				t.Errorf("the step that may happen once: got %q", paid)
			}
		})
	}
}
