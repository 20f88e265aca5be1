package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/client"
)

// Probe is how Doctor reaches what is not a file of the target.
type Probe struct {
	Version string // Piton's own; piton-hook must have the same
	// Run runs a program to its end; without it nothing is asked.
	Run func(ctx context.Context, argv []string) (stdout string, err error)
	// Talk speaks with a program by lines: it hears each line of the answer, and says more until it is done. Without it no such
	// program is asked.
	Talk     func(ctx context.Context, argv []string, first []byte, hear func(line []byte) (more []byte, done bool)) error
	LookPath func(program string) (string, error) // exec.LookPath when nil
	Getenv   func(string) string                  // of the client
	System   string                               // folder of the machine's settings; the client's own when empty
	Sessions []Live                               // those that are open, as far as is known
}

// Live is an open session of a client.
type Live struct {
	Agent, ID string
	Started   time.Time
}

// exam is one look at a target.
type exam struct {
	ctx    context.Context
	client agentClient
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

func newExam(ctx context.Context, t Target, p Probe) *exam {
	if p.LookPath == nil {
		p.LookPath = exec.LookPath
	}
	return &exam{ctx: ctx, Target: t, Probe: p}
}

// readAll reads the settings of all scopes. A project that is the user's home has one file in two scopes.
func (x *exam) readAll() {
	var below, above []string
	if x.client.Settings.System != nil {
		below, above = x.client.Settings.System(x.System)
	}
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
		if x.client.LocalFile != "" {
			x.add("local", filepath.Join(x.client.folder(project), x.client.LocalFile))
		}
	}
	for _, path := range above {
		x.add("managed", path)
	}
}

func (x *exam) add(scope, path string) {
	s := source{scope: scope, form: form{path, x.client.Comments}}
	s.text, s.err = read(path)
	if s.err == nil {
		s.places, s.err = parse(s.form, s.text)
	}
	x.files = append(x.files, s)
}

// hooks are ours in all files, those in force or all.
func (x *exam) hooks(inForce bool) iter.Seq2[source, place] {
	return func(yield func(source, place) bool) {
		for _, f := range x.files {
			for _, p := range f.places {
				if (p.inForce || !inForce) && !yield(f, p) {
					return
				}
			}
		}
	}
}

// unread is the first settings file that cannot be read.
func (x *exam) unread() (source, bool) {
	i := slices.IndexFunc(x.files, func(f source) bool { return f.err != nil })
	if i < 0 {
		return source{}, false
	}
	return x.files[i], true
}

// ask runs a program and returns the first line of its answer.
func (x *exam) ask(argv ...string) (string, error) {
	if x.Run == nil {
		return "", errors.New("no way to run programs")
	}
	out, err := x.Run(x.ctx, argv)
	first, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if fault := (*fs.PathError)(nil); errors.As(err, &fault) {
		err = fault.Err // the finding names the program
	}
	return first, err
}

func (x *exam) initAgain(scopes []string) string {
	if slices.Contains(scopes, "project") && !slices.Contains(scopes, "user") {
		return x.installFirst() + "run 'piton init --agent " + x.client.name + " --scope project'"
	}
	return x.runInit()
}

func (x *exam) runInit() string { return x.installFirst() + client.InitHint(x.client.name) }

// installFirst is what comes before init: without piton-hook that is refused.
func (x *exam) installFirst() string {
	if x.Hook == "" {
		return HowToInstall + "; then "
	}
	return ""
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

// Check is what Doctor found about one link of the chain between a client and Piton.
type Check = client.Check

// HowToInstall says how all programs of one build are had.
const HowToInstall = "install all programs of Piton together: 'go install ./cmd/...' in its source folder, or every program of a release"
