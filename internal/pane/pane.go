// Package pane knows the tmux panes in which agents' clients run: it types letters
// into them, and starts their clients again in them. Nothing is typed that was
// looked at too long ago: each look says whether the pane is the one that a person
// has attached, runs the client, and has an empty input field, and tmux compares
// once more before it types.
package pane

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/tmux"
)

// Panes are the panes of this machine.
type Panes struct {
	Local  *store.Local
	Client func(name string) (client.Client, bool) // clients.ByName when nil
	// Queue runs the program with which a client takes messages from outside, in a
	// folder; nil: none is run.
	Queue func(ctx context.Context, argv []string, dir string) error
	// Off reports whether debriefs are switched off for a session; nil: for none.
	Off   func(s agent.Session) bool
	Now   func() time.Time // time.Now when nil
	Sleep func(ctx context.Context, d time.Duration)
}

func (p Panes) now() piton.Time {
	if p.Now == nil {
		return piton.At(time.Now())
	}
	return piton.At(p.Now())
}

func (p Panes) client(name string) (client.Client, bool) {
	if p.Client == nil {
		return clients.ByName(name)
	}
	return p.Client(name)
}

func (p Panes) sleep(ctx context.Context, d time.Duration) {
	if p.Sleep != nil {
		p.Sleep(ctx, d)
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// view is a pane as it was found.
type view struct {
	tmux.Pane
	server tmux.Server
	tree   []proc.Node // the pane's processes
	client proc.Node   // the client's first one; its PID is 0 where none runs
}

// look reads a pane; why says that it cannot be used, or is not the one that was
// attached. gone: it will not come back.
func look(ctx context.Context, name string, a agent.Pane) (v view, gone bool, why string) {
	v.server = tmux.Server{Socket: a.Socket}
	var err error
	if v.Pane, err = v.server.Look(ctx, a.ID); err != nil {
		_, refused := err.(*tmux.Refusal)
		return v, refused, err.Error()
	}
	switch {
	case v.ServerPID != a.Server.PID || !same(a.Server):
		return v, true, "another tmux server has pane " + a.ID + " now: attach the session's pane again"
	case v.PID != a.Process.PID || !v.Dead && !same(a.Process):
		return v, false, "another program was started in pane " + a.ID + ": attach it again"
	}
	v.find(name)
	return v, false, ""
}

// find looks for the client among the pane's processes.
func (v *view) find(name string) {
	v.tree = proc.Tree(v.PID)
	i := slices.IndexFunc(v.tree, func(n proc.Node) bool { return clients.Runs(n.Name, n.Argv) == name && !clients.Serves(n.Argv) })
	if i >= 0 {
		v.client = v.tree[i]
	}
}

// usable says why nothing can be typed to the client in a pane; "" where it can be,
// as far as its program does not matter.
func (v view) usable(name string) string {
	switch {
	case v.Dead:
		return "the pane's program has ended"
	case v.client.PID == 0:
		return "no " + name + " runs in the pane"
	case !v.client.Foreground:
		return name + " does not have the pane's keyboard"
	}
	return v.Unsafe
}

// stand is how the client in the pane stands. Where its title does not tell whether a
// turn runs, what the session's events have told since the client was started counts: one
// that has told nothing yet may lose what is typed.
func (v view) stand(c client.Client, s agent.Session) client.Stand {
	x := c.Stand(client.Screen{Title: v.Title, Dir: cmp.Or(v.Dir, s.Cwd, s.Root), Lines: v.Lines, Solid: v.Solid, Column: v.Column, Row: v.Row})
	if x.Untold {
		x.Idle = s.Pane != nil && s.SeenAt.After(s.Pane.At.Time) && s.Stands(true, piton.At(time.Now())).State == agent.StateWaiting
	}
	return x
}

// same reports whether a process still is the one that was noted.
func same(p agent.Process) bool {
	alive, known := proc.Identity(p).Alive()
	return alive && known
}

// identify notes a process; false where there is none.
func identify(pid int) (agent.Process, bool) {
	i, err := proc.Identify(pid)
	return agent.Process(i), err == nil && pid > 0
}

// isShell reports whether a process is a shell that a person types to: it was
// started without a script or a command.
func isShell(n proc.Node) bool {
	if len(n.Argv) == 0 {
		return false
	}
	switch strings.TrimPrefix(path.Base(n.Argv[0]), "-") {
	case "sh", "bash", "dash", "zsh", "ksh", "fish":
	default:
		return false
	}
	for i := 1; i < len(n.Argv); i++ {
		switch arg := n.Argv[i]; {
		case slices.Contains([]string{"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}, arg):
			i++ // its value
		case !strings.HasPrefix(arg, "-") || arg == "-c":
			return false
		}
	}
	return true
}
