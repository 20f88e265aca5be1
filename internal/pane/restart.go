package pane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Times of a restart.
const (
	// polite is how long a client has to end when it is asked to: its own hooks at a
	// session's end may take some seconds. firm is how long what it has started has.
	polite, firm = 8 * time.Second, 2 * time.Second
	maxStart     = 15 * time.Second // until the client runs again
	steady       = 3 * time.Second  // that it shows its input field before it is taken for ready
	maxShell     = 5 * time.Second  // until the shell has its terminal back
	// maxRestart bounds all of it.
	maxRestart = time.Minute
)

// Restarted is what a restart has done.
type Restarted struct {
	Pane    agent.Pane
	Command []string
	Ended   int // processes of the old client
	Killed  int // of them, those that did not end when they were asked to
}

// restart is a restart under way.
type restart struct {
	Panes
	session agent.Session
	op      string
	view    view
	shell   bool     // the pane's own process is the person's shell, and stays
	kept    string   // what the pane's option was before
	path    string   // the old client's PATH
	env     []string // the old client's variables; at a shell, those that say where it keeps its conversations
	done    Restarted
}

// check finds the client and how to start it again.
func (r *restart) check(ctx context.Context, above []int) error {
	s := r.session
	if s.Pane == nil {
		return piton.Errorf(piton.Invalid, r.op, "name the tmux pane that its client runs in: 'sessions attach "+s.ID+" pane %N'", "no pane is attached to this session")
	}
	c, ok := r.client(s.Agent)
	if !ok {
		return piton.Errorf(piton.Invalid, r.op, "", "no client is named %q", s.Agent)
	}
	if r.done.Command = c.ResumeCommand(s.ClientID); r.done.Command == nil || !client.SafeID(s.ClientID) {
		return piton.Errorf(piton.Invalid, r.op, "", "%s cannot resume a session of this id", s.Agent)
	}
	v, _, why := look(ctx, s.Agent, *s.Pane)
	if why == "" {
		why = v.unfit(s.Agent)
	}
	if why != "" {
		return piton.Errorf(piton.Conflict, r.op, "name the tmux pane that its client runs in: 'sessions attach "+s.ID+" pane %N'", "%s", why)
	}
	for _, n := range proc.Tree(v.client.PID) {
		if slices.Contains(above, n.PID) {
			return piton.Errorf(piton.Invalid, r.op, "a person does this in another terminal; 'serve' does it for an agent that asks over HTTP", "%s runs this program itself, and would end it before it had started again", s.Agent)
		}
	}
	r.view, r.shell = v, v.belowShell()
	r.done.Pane, r.path = *s.Pane, proc.Getenv(v.client.PID, "PATH")
	r.env = proc.Environ(v.client.PID)
	if r.shell { // it has the others
		r.env = slices.DeleteFunc(r.env, func(v string) bool {
			name, value, _ := strings.Cut(v, "=")
			return value == "" || !slices.Contains(c.Program().Homes, name)
		})
	}
	return nil
}

// keep lets the pane stay open without the client whose pane it is.
func (r *restart) keep(ctx context.Context) (err error) {
	if r.shell {
		return nil
	}
	if r.kept, err = r.view.server.KeepOpen(ctx, r.view.ID); err != nil {
		return r.unavailable("", err)
	}
	return nil
}

// end ends the client.
func (r *restart) end(ctx context.Context) error {
	if r.view.client.PID == 0 {
		return nil
	}
	var left []proc.Identity
	r.done.Ended, r.done.Killed, left = proc.EndTree(ctx, r.view.client.Identity, polite, firm)
	if len(left) > 0 {
		return piton.Errorf(piton.Unavailable, r.op, "end it yourself, and try again", "process %d of %s does not end", left[0].PID, r.session.Agent)
	}
	return nil
}

// start starts the client where it was.
func (r *restart) start(ctx context.Context) error {
	r.done.Pane.At = r.now()
	if r.shell {
		return r.type_(ctx)
	}
	err := r.view.server.Respawn(ctx, r.view.ID, courier.Folder(r.session), r.path, r.env, r.done.Command)
	if again := r.view.server.StopKeeping(ctx, r.view.ID, r.kept); err == nil {
		err = again
	}
	if err != nil {
		return r.unavailable("start it yourself: "+strings.Join(r.done.Command, " "), err)
	}
	return nil
}

// type_ types the command to the person's shell, once that has its terminal back: on a
// clean line, and Enter only where the line says the command and nothing else.
func (r *restart) type_(ctx context.Context) error {
	why := "the shell in the pane is not at its prompt"
	for end := time.Now().Add(maxShell); time.Now().Before(end) && ctx.Err() == nil; r.sleep(ctx, between) {
		v, _, hidden := look(ctx, r.session.Agent, *r.session.Pane)
		switch {
		case hidden != "":
			continue
		case v.client.PID != 0: // a script, say, or a loop
			why = r.session.Agent + " was started again by something else"
			continue
		case v.Unsafe != "" || !v.belowShell() || !v.tree[0].Foreground:
			continue
		}
		line := r.line(v)
		clean, err := r.clean(ctx, v)
		if err != nil || clean.ID == "" {
			why = "the shell in the pane does not come to rest"
			continue
		}
		if done, err := v.server.Paste(ctx, clean, line); err != nil || !done {
			continue
		}
		for range 20 {
			r.sleep(ctx, between)
			now, err := v.server.Look(ctx, v.ID)
			if err != nil {
				break
			}
			if !shows(clean, now, line) {
				continue
			}
			if done, err := v.server.Enter(ctx, now); err == nil && done {
				return nil
			}
		}
		why = "the shell does not show what is typed to it"
		break
	}
	return r.unavailable("start it yourself: "+strings.Join(r.done.Command, " "), errors.New(why))
}

// line is the command as it is typed: in the folder in which the old client ran, and
// with its conversations where that one had them.
func (r *restart) line(at view) string {
	words := r.done.Command // safe ones: see check
	for _, v := range r.env {
		name, value, _ := strings.Cut(v, "=")
		words = append([]string{name + "=" + quoted(value)}, words...)
	}
	line := strings.Join(words, " ")
	if r.view.client.PID != 0 && r.view.Dir != "" && r.view.Dir != at.Dir {
		line = "cd " + quoted(r.view.Dir) + " && " + line
	}
	return line
}

// settle waits until the client runs, and notes where.
func (r *restart) settle(ctx context.Context) error {
	for end := time.Now().Add(maxStart); time.Now().Before(end) && ctx.Err() == nil; r.sleep(ctx, poll) {
		v := view{server: r.view.server}
		var err error
		if v.Pane, err = v.server.Look(ctx, r.view.ID); err != nil {
			return r.unavailable("start it yourself: "+strings.Join(r.done.Command, " "), err)
		}
		v.find(r.session.Agent)
		own, known := identify(v.PID)
		if v.Dead || v.client.PID == 0 || !known {
			continue
		}
		r.done.Pane.Process = own
		return r.Local.Update(ctx, func(tx store.LocalTx) error {
			s, err := tx.Session(ctx, r.session.ID)
			if err != nil {
				return err
			}
			if s.Pane != nil && s.Pane.ID == r.done.Pane.ID {
				s.Pane = &r.done.Pane
			}
			s.Process, s.EndedAt = agent.Process(v.client.Identity), piton.Time{}
			return tx.PutSession(ctx, redact.Value(s))
		})
	}
	return r.unavailable("the pane shows why; start it yourself: "+strings.Join(r.done.Command, " "), fmt.Errorf("%s does not run", r.session.Agent))
}

// post posts the debrief, in the place of one that waits.
func (p Panes) post(ctx context.Context, l agent.Letter) error {
	return p.Local.Update(ctx, func(tx store.LocalTx) error {
		s, err := tx.Session(ctx, l.SessionID)
		if err != nil {
			return err
		}
		if err := tx.Post(ctx, redact.Value(l)); err != nil {
			return err
		}
		s.Restarted = l.ID
		s.Typing, s.TypingAt = "", piton.Time{} // what stood in the old client's field is gone
		return tx.PutSession(ctx, redact.Value(s))
	})
}

func (r *restart) unavailable(hint string, err error) error {
	return &piton.Error{Code: piton.Unavailable, Op: r.op, Hint: hint, Err: err}
}
