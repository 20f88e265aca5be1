package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Check is what Doctor found about one link of the chain between a client and Piton.
type Check struct {
	Agent  string `json:"agent,omitempty"` // whose link it is; empty where it is all clients'
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Warn   bool   `json:"warn,omitempty"` // it works, but look at it; OK is true then
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"` // what to do; empty where nothing is
}

// Probe is how Doctor reaches what is not a file of the target.
type Probe struct {
	Version string // Piton's own; piton-hook must have the same
	// Run runs a program to its end; without it nothing is asked.
	Run func(ctx context.Context, argv []string) (stdout string, err error)
	// Talk speaks with a program by lines: it hears each line of the answer, and says more until it is done. Without it no such
	// program is asked.
	Talk     func(ctx context.Context, argv []string, first []byte, hear func(line []byte) (more []byte, done bool)) error
	LookPath func(program string) (string, error) // exec.LookPath when nil
	Getenv   func(string) string                  // of the client; nothing is set when nil
	System   string                               // folder of the machine's settings; the client's own when empty
	Sessions []Live                               // those that are open, as far as is known
}

// Live is an open session of a client.
type Live struct {
	Agent, ID string
	Started   time.Time
}

// Doctor looks at every link between one client and Piton, over all scopes that concern the target: its Scope does not matter, and
// without a Project only the user's settings are looked at. It changes nothing, but that Codex CLI, which is asked for the hooks
// that its user has approved, keeps its own state as at every start.
// The one failed check that comes back for a Target no client can be found for says so.
func Doctor(ctx context.Context, t Target, p Probe) []Check {
	t.Scope = User
	c, t, err := t.complete()
	if err != nil {
		return []Check{fail("settings", err.Error(), "")}
	}
	x := newExam(ctx, t, p)
	x.client = c
	x.readAll()
	checks := []Check{
		x.parsed(),
		x.installed(),
		x.patient(),
		x.repeated(),
		x.stale(),
		x.guarded(),
		x.byHand(),
		x.slash(),
		x.version(),
		x.configFolder(),
	}
	if c.atStart {
		checks = append(checks, x.older())
	}
	checks = append(checks, c.checks(x)...)
	for i := range checks {
		checks[i].Agent = c.name
	}
	return checks
}

// DoctorPiton looks at what all clients need of this machine: the programs, git, and a folder for Piton's state, in which it makes
// a file and removes it again.
func DoctorPiton(ctx context.Context, t Target, p Probe) []Check {
	x := newExam(ctx, t, p)
	return []Check{x.hookProgram(), x.pitonProgram(), x.stateFolder(), x.git()}
}

func newExam(ctx context.Context, t Target, p Probe) *exam {
	if p.LookPath == nil {
		p.LookPath = exec.LookPath
	}
	if p.Getenv == nil {
		p.Getenv = func(string) string { return "" }
	}
	return &exam{ctx: ctx, Target: t, Probe: p}
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
	scope string // "defaults", "user", "project", "local", "managed"
	form
	text   []byte // nil: no such file
	err    error
	places []place
}

// readAll reads the settings of all scopes. A project that is the user's home has one file in two scopes.
func (x *exam) readAll() {
	below, above := x.client.system(x.System)
	for _, path := range below {
		x.add("defaults", path)
	}
	user, project := x.Target, x.Target
	user.Scope, project.Scope = User, Project
	x.add("user", x.client.settingsFile(user))
	if x.Project != "" {
		if x.client.folder(project) != x.client.folder(user) {
			x.add("project", x.client.settingsFile(project))
		}
		if x.client.local != "" {
			x.add("local", filepath.Join(x.client.folder(project), x.client.local))
		}
	}
	for _, path := range above {
		x.add("managed", path)
	}
}

func (x *exam) add(scope, path string) {
	s := source{scope: scope, form: form{path, x.client.comments}}
	s.text, s.err = read(path)
	if s.err == nil {
		s.places, s.err = parse(s.form, s.text)
	}
	x.files = append(x.files, s)
}

// setting is the value in force of those that the scopes give, and which file gives it.
func (x *exam) setting(names ...string) (value, from string) {
	for _, f := range x.files { // a later scope overrules
		if v := f.setting(f.text, names...); v != "" {
			value, from = v, f.path
		}
	}
	return value, from
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
