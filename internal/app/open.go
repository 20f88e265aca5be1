package app

import (
	"context"
	"os"
	"os/exec"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/pane"
	"github.com/piton-project/piton/internal/tmux"
)

// Opened is a client that was started in a tmux pane of its own.
type Opened struct {
	Agent   string   `json:"agent"`
	Command []string `json:"command"`
	Pane    string   `json:"pane"`             // its id, `%3`
	Socket  string   `json:"socket,omitempty"` // the caller's tmux server; absent: tmux's own
	Attach  []string `json:"attach,omitempty"` // the command that shows it; absent: the caller is in tmux
	Ready   bool     `json:"ready"`            // the client has shown its input field for 3 s; false after 15 s: it may ask a person something first
}

// Open starts a client in a new window of the caller's tmux server, outside of tmux in a
// new tmux session, with the caller's variables. Its session is attached to the pane from its first event on, as if a
// person had named it. Only a person does this: it is not for servers. Invalid for what
// is not a client, Unavailable where it or tmux is not installed.
func (a Agents) Open(ctx context.Context, name string, args []string) (Opened, error) {
	op := "open " + name
	if err := a.ByPerson(ctx, op, "an agent cannot say where another one is typed to"); err != nil {
		return Opened{}, err
	}
	c, ok := clients.ByName(name)
	if !ok {
		return Opened{}, piton.Errorf(piton.Invalid, op, "one of: "+ClientNames(), "no client is called %q", name)
	}
	program, err := exec.LookPath(c.Program().Name)
	if err != nil {
		return Opened{}, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "install " + c.Program().Package + ", and see that it is in PATH", Err: err}
	}
	dir, err := os.Getwd()
	if err != nil {
		return Opened{}, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	x := Opened{Agent: name, Command: slices.Concat([]string{program}, c.Program().OwnHooks, args)}
	x.Socket, _ = tmux.Around(a.Options.Getenv)
	env := append(slices.Clone(a.Options.Environ), agent.OpenedEnv+"=1")
	if x.Pane, err = (tmux.Server{Socket: x.Socket}).Open(ctx, dir, env, x.Command); err != nil {
		return Opened{}, err
	}
	if x.Socket == "" {
		x.Attach = []string{"tmux", "attach-session", "-t", x.Pane}
	}
	return x, nil
}

// OpenedReady waits until a client that was opened shows its input field for 3 seconds, 15
// at most.
func (a Agents) OpenedReady(ctx context.Context, x Opened) (_ Opened, err error) {
	x.Ready, err = pane.Panes{}.Opened(ctx, x.Agent, x.Socket, x.Pane)
	return x, err
}
