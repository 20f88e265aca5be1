package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Check is what Doctor found about one link of the chain between client and Piton.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Warn   bool   `json:"warn,omitempty"` // it works, but look at it; OK is true then
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"` // what to do; empty where nothing is
}

// Probe is how Doctor reaches what is not a file of the target.
type Probe struct {
	Version  string                                                              // Piton's own; piton-hook must have the same
	Run      func(ctx context.Context, argv []string) (stdout string, err error) // without it nothing is asked
	LookPath func(program string) (string, error)                                // exec.LookPath when nil
	Managed  string                                                              // folder of the administrator's settings; the client's own when empty
}

// Doctor looks at every link of the chain, over all scopes that concern the target: its Scope does not matter, and without a
// Project only the user's settings are looked at. It changes nothing, but for a file in State that it makes and removes again.
// The one failed check that comes back for a Target no client can be found for says so.
func Doctor(ctx context.Context, t Target, p Probe) []Check {
	t.Scope = User
	c, t, err := t.complete()
	if err != nil {
		return []Check{fail("settings", err.Error(), "")}
	}
	if p.LookPath == nil {
		p.LookPath = exec.LookPath
	}
	x := &exam{ctx: ctx, client: c, Target: t, Probe: p}
	x.readAll()
	checks := []Check{
		x.parsed(),
		x.installed(),
		x.repeated(),
		x.stale(),
		x.byHand(),
		x.hookProgram(),
		x.pitonProgram(),
		x.slash(),
		x.stateFolder(),
		x.git(),
	}
	return append(checks, c.checks(x)...)
}

func pass(name, detail string) Check { return Check{Name: name, OK: true, Detail: detail} }
func warn(name, detail, hint string) Check {
	return Check{Name: name, OK: true, Warn: true, Detail: detail, Hint: hint}
}
func fail(name, detail, hint string) Check { return Check{Name: name, Detail: detail, Hint: hint} }

// exam is one look at a target.
type exam struct {
	ctx    context.Context
	client client
	Target
	Probe
	files []source // lowest precedence first
}

// source is one settings file that a client reads.
type source struct {
	scope  string // "user", "project", "local", "managed"
	path   string
	text   []byte // nil: no such file
	err    error
	places []place
}

// readAll reads the settings of all scopes. A project that is the user's home has one file in two scopes.
func (x *exam) readAll() {
	user, project := x.Target, x.Target
	user.Scope, project.Scope = User, Project
	x.add("user", x.client.settingsFile(user))
	if x.Project != "" {
		if x.client.folder(project) != x.client.folder(user) {
			x.add("project", x.client.settingsFile(project))
		}
		x.add("local", filepath.Join(x.client.folder(project), x.client.local))
	}
	for _, path := range x.client.managed(x.Managed) {
		x.add("managed", path)
	}
}

func (x *exam) add(scope, path string) {
	s := source{scope: scope, path: path}
	s.text, s.err = read(path)
	if s.err == nil {
		s.places, s.err = parse(path, s.text)
	}
	x.files = append(x.files, s)
}

// ask runs a program and returns the first line of its answer.
func (x *exam) ask(argv ...string) (string, error) {
	if x.Run == nil {
		return "", errors.New("no way to run programs")
	}
	out, err := x.Run(x.ctx, argv)
	first, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return first, err
}

// runnable returns why a path cannot be run, nil if it can.
func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a plain file", path)
	case info.Mode()&0o111 == 0 && !strings.HasSuffix(path, ".exe"):
		return fmt.Errorf("%s is not executable", path)
	}
	return nil
}
