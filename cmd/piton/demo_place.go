package main

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/proc"
)

// demoFiles are the recorded session and the project it worked on; files end
// in .txt, because a go.mod would hide its folder from the embedding.
//
//go:embed demo/session.jsonl demo/project
var demoFiles embed.FS

// place is the throw-away folder and what lies in it.
type place struct {
	dir     string // all the rest is below
	homeDir string // HOME
	tmp     string // TMPDIR
	state   string // PITON_HOME
	repo    string // the project's repository

	self, hook string   // our programs
	git, gocmd string   // other people's
	goEnv      []string // what Go needs beside env
}

// demoMark is the file in PITON_HOME that says it is a demo's.
const demoMark = "demo"

// needs finds the programs that the demo cannot do without.
func (p *place) needs() error {
	var names, sources []string
	for _, x := range []struct {
		name, source string
		path         *string
	}{{"go", "https://go.dev/dl", &p.gocmd}, {"git", "https://git-scm.com/downloads", &p.git}} {
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
	if p.self, err = os.Executable(); err != nil {
		return &piton.Error{Code: piton.Internal, Op: "piton demo", Err: err}
	}
	return nil
}

// make makes the folder with the project's files in it.
func (p *place) make() error {
	fail := func(err error) error {
		return &piton.Error{Code: piton.Unavailable, Op: "make a throw-away folder", Hint: "see that the temporary folder can be written, or set TMPDIR", Err: err}
	}
	dir, err := os.MkdirTemp("", "piton-demo-")
	if err != nil {
		return fail(err)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // as the client and git name it
	}
	p.dir, p.homeDir, p.tmp = dir, filepath.Join(dir, "home"), filepath.Join(dir, "tmp")
	p.state, p.repo = filepath.Join(dir, "state"), filepath.Join(dir, "calc")
	err = p.fillIn()
	if err != nil {
		p.leaveNow()
		return fail(err)
	}
	return nil
}

func (p *place) fillIn() error {
	for _, dir := range []string{p.homeDir, p.tmp, p.state, p.repo} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(p.state, demoMark), nil, 0o600); err != nil {
		return err
	}
	files, err := demoFiles.ReadDir("demo/project")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := demoFiles.ReadFile(path.Join("demo/project", f.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(p.repo, strings.TrimSuffix(f.Name(), ".txt")), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// commit makes a repository of the project.
func (d *demo) commit(ctx context.Context) error {
	for _, args := range [][]string{
		{"-c", "init.defaultBranch=main", "init", "--quiet"},
		{"add", "--all"},
		{"commit", "--quiet", "--message", "Small sums"},
	} {
		if _, err := d.must(ctx, proc.Command{Argv: append([]string{d.git}, args...)}); err != nil {
			return err
		}
	}
	return nil
}

// env is the environment of everything that runs here: nothing of the user's
// but PATH, so that no setting of theirs and no agent they run it in matters.
func (p *place) env(more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.homeDir, "TMPDIR=" + p.tmp, "PITON_HOME=" + p.state, "NO_COLOR=1",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@localhost", "GIT_COMMITTER_NAME=Demo", "GIT_COMMITTER_EMAIL=demo@localhost",
	}, more...)
}

// demoPatience bounds each program that is run.
const demoPatience = 2 * time.Minute

// must runs a program in the project; anything but success is an error.
func (d *demo) must(ctx context.Context, c proc.Command) (proc.Result, error) {
	if c.Env == nil {
		c.Env = d.env()
	}
	if c.Dir == "" {
		c.Dir = d.repo
	}
	c.Timeout = demoPatience
	r, err := proc.Run(ctx, c)
	if err == nil && (r.Code != 0 || r.TimedOut) {
		err = d.broken("%s ended with status %d: %s%s", quote(c.Argv), r.Code, r.Stdout, r.Stderr)
	}
	return r, err
}

// piton runs our own program in the project.
func (d *demo) piton(ctx context.Context, args ...string) ([]byte, error) {
	r, err := d.must(ctx, proc.Command{Argv: append([]string{d.self}, args...)})
	return r.Stdout, err
}

// leave removes the folder.
func (d *demo) leave() error {
	if d.keep {
		return nil
	}
	return d.leaveNow()
}

// leaveNow tries more than once: a program that was just ended may still have
// been writing.
func (p *place) leaveNow() error {
	var err error
	for range 20 {
		if err = os.RemoveAll(p.dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return &piton.Error{Code: piton.Internal, Op: "remove " + p.dir, Hint: "remove it by hand: rm -rf " + p.dir, Err: err}
}
