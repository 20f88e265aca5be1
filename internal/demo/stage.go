package demo

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/proc"
)

// files are the recorded session and the project it worked on, and those of trials; they end
// in .txt, because a go.mod would hide its folder from the embedding.
//
//go:embed session.jsonl project trial
var files embed.FS

// stage is the throw-away folder and what lies in it.
type stage struct {
	*teller
	keep   bool
	getenv func(string) string
	app    *app.App // of the stage's own store

	dir   string // all the rest is below
	home  string // HOME
	tmp   string // TMPDIR
	state string // PITON_HOME
	repo  string // the project's repository

	self, hook string   // our programs
	git, gocmd string   // other people's
	goEnv      []string // what Go needs beside env
}

// mark is the file in PITON_HOME that says it is a demo's.
const mark = "demo"

// findPrograms finds those that the demo cannot do without.
func (s *stage) findPrograms() error {
	var names, sources []string
	for _, x := range []struct {
		name, source string
		path         *string
	}{{"go", "https://go.dev/dl", &s.gocmd}, {"git", "https://git-scm.com/downloads", &s.git}} {
		var err error
		if *x.path, err = exec.LookPath(x.name); err != nil {
			names, sources = append(names, x.name), append(sources, x.source)
		}
	}
	if len(names) > 0 {
		return piton.Errorf(piton.Unavailable, "piton demo", "install it ("+strings.Join(sources, ", ")+"), put it in PATH, and try again",
			"the demo works on a small Go project in a git repository, and these programs are not in PATH: %s", strings.Join(names, ", "))
	}
	var err error
	if s.self, err = os.Executable(); err != nil {
		return &piton.Error{Code: piton.Internal, Op: "piton demo", Err: err}
	}
	return nil
}

// make makes the folder with the project's files in it.
func (s *stage) make() error {
	dir, err := os.MkdirTemp("", "piton-demo-")
	if err == nil {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real // as the client and git name it
		}
		s.dir, s.home, s.tmp = dir, filepath.Join(dir, "home"), filepath.Join(dir, "tmp")
		s.state, s.repo = filepath.Join(dir, "state"), filepath.Join(dir, "calc")
		if err = s.fill(); err == nil {
			s.app = app.New(caller.Options{Home: s.state, Dir: s.repo, Getenv: func(name string) string { return map[string]string{"HOME": s.home}[name] }})
			return nil
		}
		os.RemoveAll(dir)
	}
	return &piton.Error{Code: piton.Unavailable, Op: "make a throw-away folder", Hint: "see that the temporary folder can be written, or set TMPDIR", Err: err}
}

func (s *stage) fill() error {
	for _, dir := range []string{s.home, s.tmp, s.state, s.repo} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	return errors.Join(os.WriteFile(filepath.Join(s.state, mark), nil, 0o600), fill("project", s.repo))
}

// fill copies the files of a project into a folder; .txt behind a name is left out.
func fill(project, dir string) error {
	list, err := files.ReadDir(project)
	for _, f := range list {
		text, err2 := files.ReadFile(path.Join(project, f.Name()))
		err = errors.Join(err, err2, os.WriteFile(filepath.Join(dir, strings.TrimSuffix(f.Name(), ".txt")), text, 0o600))
	}
	return err
}

// remove removes the folder. It tries more than once: a program that was just
// ended may still have been writing.
func (s *stage) remove() error {
	s.app.Close()
	if s.keep {
		return nil
	}
	var err error
	for range 20 {
		if err = os.RemoveAll(s.dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return &piton.Error{Code: piton.Internal, Op: "remove " + s.dir, Hint: "remove it by hand: rm -rf " + s.dir, Err: err}
}

// broken is what the demo says when Piton does not do what it should.
func (s *stage) broken(format string, args ...any) error {
	hint := "'piton demo --keep' keeps the folder: state/piton.log in it may say more"
	if s.keep {
		hint = "look at " + s.state + "/piton.log"
	}
	return piton.Errorf(piton.Internal, "piton demo", hint, format, args...)
}

// env is the environment of everything that runs here: nothing of the user's
// but PATH, so that no setting of theirs and no agent they run it in matters.
func (s *stage) env(more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "TMPDIR=" + s.tmp, "PITON_HOME=" + s.state, "NO_COLOR=1",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@localhost", "GIT_COMMITTER_NAME=Demo", "GIT_COMMITTER_EMAIL=demo@localhost",
	}, more...)
}

// patience bounds each program that is run.
const patience = 2 * time.Minute

// must runs a program in the project; anything but success is an error.
func (s *stage) must(ctx context.Context, c proc.Command) (proc.Result, error) {
	if c.Env == nil {
		c.Env = s.env()
	}
	c.Dir = cmp.Or(c.Dir, s.repo)
	c.Timeout = patience
	r, err := proc.Run(ctx, c)
	if err == nil && (r.Code != 0 || r.TimedOut) {
		err = s.broken("%s ended with status %d: %s%s", strings.Join(c.Argv, " "), r.Code, r.Stdout, r.Stderr)
	}
	return r, err
}

// ourModule is what the source's go.mod says.
const ourModule = "github.com/piton-project/piton"

// build makes what is to be run: piton-hook where it is not installed, the
// repository, and the packages of Go that its tests need.
func (s *stage) build(ctx context.Context) error {
	s.printf("%s\n", s.paint.Bold("Piton, shown on a throw-away project in "+s.dir))
	s.say("Recorded: a session of the real Claude Code, its model's lines scripted. Real: piton and piton-hook, git, the tests, the kill. Recorded time is not waited for: what is stored is made older instead.")
	if err := s.askGo(ctx); err != nil {
		return err
	}
	beside, source := filepath.Join(filepath.Dir(s.self), "piton-hook"), sourceRoot()
	s.hook = installation.HookProgram(s.self, os.Getenv("PATH"))
	switch {
	case s.hook != beside && source != "":
		s.hook = filepath.Join(s.dir, "bin", "piton-hook")
		err := s.working("Building piton-hook", func() error {
			_, err := s.must(ctx, proc.Command{Argv: []string{s.gocmd, "build", "-buildvcs=false", "-o", s.hook, "./cmd/piton-hook"}, Dir: source, Env: s.userEnv()})
			return err
		})
		if err != nil {
			return err
		}
	case s.hook == "":
		return piton.Errorf(piton.Unavailable, "piton demo", installation.HowToInstall, installation.NoHook)
	}
	return s.working("Building the project", func() error {
		for _, c := range []proc.Command{
			{Argv: []string{s.git, "-c", "init.defaultBranch=main", "init", "--quiet"}},
			{Argv: []string{s.git, "add", "--all"}},
			{Argv: []string{s.git, "commit", "--quiet", "--message", "Small sums"}},
			{Argv: []string{s.gocmd, "test", "-run", "^$", "./..."}, Env: s.env(s.goEnv...)},
		} {
			if _, err := s.must(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// sourceRoot is Piton's own source, where we stand in it.
func sourceRoot() string {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			if regexp.MustCompile(`(?m)^module ` + regexp.QuoteMeta(ourModule) + `\s*$`).Match(text) {
				return dir
			}
			return ""
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}

// askGo asks Go where the user's caches lie. It asks with a home of our own,
// because the go command leaves counters in the one it finds; places below
// that home are defaults and mean the same below the user's.
func (s *stage) askGo(ctx context.Context) error {
	r, err := s.must(ctx, proc.Command{Argv: []string{s.gocmd, "env", "-json", "GOCACHE", "GOPATH", "GOMODCACHE"}, Env: s.userEnv()})
	if err != nil {
		return err
	}
	var found map[string]string
	if err := json.Unmarshal(r.Stdout, &found); err != nil {
		return &piton.Error{Code: piton.Internal, Op: "ask go env", Err: err}
	}
	s.goEnv = []string{"GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "GOENV=off"}
	for name, dir := range found {
		if rest, ok := strings.CutPrefix(dir, s.home+string(filepath.Separator)); ok {
			dir = filepath.Join(config.UserHome(s.getenv), rest)
		}
		if _, err := os.Stat(dir); name == "GOCACHE" && err != nil {
			dir = filepath.Join(s.dir, "cache") // they have none, and get none from us
		}
		s.goEnv = append(s.goEnv, name+"="+dir)
	}
	if root := s.getenv("GOROOT"); root != "" {
		s.goEnv = append(s.goEnv, "GOROOT="+root)
	}
	return nil
}

// userEnv is the user's own environment for the go command, with our home and
// without git's variables, which may point into another repository.
func (s *stage) userEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "XDG_CONFIG_HOME=")
	})
	env = append(env, "HOME="+s.home, "TMPDIR="+s.tmp)
	if dir, err := os.UserConfigDir(); err == nil && s.getenv("GOENV") == "" {
		env = append(env, "GOENV="+filepath.Join(dir, "go", "env"))
	}
	for _, v := range s.goEnv {
		if name, _, _ := strings.Cut(v, "="); name == "GOCACHE" || name == "GOPATH" || name == "GOMODCACHE" {
			env = append(env, v)
		}
	}
	return env
}
