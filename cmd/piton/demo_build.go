package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/proc"
)

// ourModule is what the source's go.mod says.
const ourModule = "github.com/piton-project/piton"

// build makes what is to be run: piton-hook where it is not installed, the
// repository, and the packages of Go that its tests need.
func (d *demo) build(ctx context.Context) error {
	fmt.Fprintf(d.w, "%s\n", d.bold("Piton, shown on a throw-away project in "+d.dir))
	d.say("Recorded: a session of the real Claude Code, its model's lines scripted. Real: piton and piton-hook, git, the tests, the kill. Recorded time is not waited for: what is stored is made older instead.")
	if err := d.askGo(ctx); err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(d.self), "piton-hook")
	source := moduleRoot()
	d.hook = hookProgram(d.self)
	switch {
	case d.hook != beside && source != "":
		d.hook = filepath.Join(d.dir, "bin", "piton-hook")
		err := d.working("Building piton-hook", func() error {
			_, err := d.must(ctx, proc.Command{Argv: []string{d.gocmd, "build", "-buildvcs=false", "-o", d.hook, "./cmd/piton-hook"}, Dir: source, Env: d.userEnv()})
			return err
		})
		if err != nil {
			return err
		}
	case d.hook == "":
		return piton.Errorf(piton.Unavailable, "piton demo", "install both programs: go install "+ourModule+"/cmd/...@latest", "the program piton-hook is neither beside piton nor in PATH")
	}
	return d.working("Building the project", func() error {
		if err := d.commit(ctx); err != nil {
			return err
		}
		_, err := d.must(ctx, proc.Command{Argv: []string{d.gocmd, "test", "-run", "^$", "./..."}, Env: d.env(d.goEnv...)})
		return err
	})
}

// working says what takes a while: on a terminal with the seconds gone.
func (d *demo) working(what string, do func() error) error {
	start := time.Now()
	if !isTerminal(d.err) {
		err := do()
		if err == nil {
			fmt.Fprintf(d.w, "%s: %.1f s\n", what, time.Since(start).Seconds())
		}
		return err
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			fmt.Fprintf(d.err, "\r%s … %.1f s", what, time.Since(start).Seconds())
			select {
			case <-stop:
				fmt.Fprintf(d.err, "\r%s\r", strings.Repeat(" ", len(what)+12))
				return
			case <-tick.C:
			}
		}
	}()
	err := do()
	close(stop)
	<-stopped
	return err
}

// moduleRoot is Piton's own source, where we stand in it.
func moduleRoot() string {
	dir, err := os.Getwd()
	for err == nil {
		if f, err := os.Open(filepath.Join(dir, "go.mod")); err == nil {
			lines := bufio.NewScanner(f)
			for lines.Scan() && !strings.HasPrefix(lines.Text(), "module ") {
			}
			f.Close()
			if strings.TrimSpace(strings.TrimPrefix(lines.Text(), "module ")) == ourModule {
				return dir
			}
			return ""
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}

// askGo asks Go where the user's caches lie. It asks with a home of our own,
// because the go command leaves counters in the one it finds; places below
// that home are defaults and mean the same below the user's.
func (d *demo) askGo(ctx context.Context) error {
	r, err := d.must(ctx, proc.Command{Argv: []string{d.gocmd, "env", "-json", "GOCACHE", "GOPATH", "GOMODCACHE"}, Env: d.userEnv()})
	if err != nil {
		return err
	}
	var found map[string]string
	if err := json.Unmarshal(r.Stdout, &found); err != nil {
		return &piton.Error{Code: piton.Internal, Op: "ask go env", Err: err}
	}
	user := config.UserHome(d.getenv)
	d.goEnv = []string{"GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "GOENV=off"}
	for name, dir := range found {
		if rest, ok := strings.CutPrefix(dir, d.homeDir+string(filepath.Separator)); ok {
			dir = filepath.Join(user, rest)
		}
		if _, err := os.Stat(dir); name == "GOCACHE" && err != nil {
			dir = filepath.Join(d.dir, "cache") // they have none, and get none from us
		}
		d.goEnv = append(d.goEnv, name+"="+dir)
	}
	if root := d.getenv("GOROOT"); root != "" {
		d.goEnv = append(d.goEnv, "GOROOT="+root)
	}
	return nil
}

// userEnv is the user's own environment for the go command, with our home and
// without git's variables, which may point into another repository.
func (d *demo) userEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "XDG_CONFIG_HOME=")
	})
	env = append(env, "HOME="+d.homeDir, "TMPDIR="+d.tmp)
	if d.getenv("GOENV") == "" {
		if dir, err := os.UserConfigDir(); err == nil {
			env = append(env, "GOENV="+filepath.Join(dir, "go", "env"))
		}
	}
	for _, v := range d.goEnv {
		if name, _, _ := strings.Cut(v, "="); name == "GOCACHE" || name == "GOPATH" || name == "GOMODCACHE" {
			env = append(env, v)
		}
	}
	return env
}
