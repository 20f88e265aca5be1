package turn

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// prompt records a user's message. One that opens a turn takes the baseline:
// what git calls changed before the agent has done anything. The answer is
// what the agent is owed.
func (t Turns) prompt(ctx context.Context, e agent.Event) ([]byte, error) {
	if e.Subagent != "" || agent.Injected(e.Prompt) {
		return nil, t.note(ctx, e) // not a person's: no timer, flag or budget changes
	}
	dir := root(e)
	baseline := soon(func() []byte { return t.baseline(ctx, dir) })
	st, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	s, err := t.session(ctx, st, e)
	if err != nil {
		return nil, err
	}
	if s.Echoes(e.Prompt) {
		return nil, t.note(ctx, e)
	}
	at := t.at(e)
	text := cut(e.Prompt, maxMessage)
	process := process(e)
	told := t.told(s, e)
	var base []byte
	if !s.TurnOpen {
		if base = baseline(); s.Root != "" && s.Root != dir {
			base = t.baseline(ctx, s.Root)
		}
	}
	var reply []byte
	err = st.Update(ctx, func(tx store.LocalTx) error {
		s, err := again(ctx, tx, s)
		if err != nil {
			return err
		}
		opens := !s.TurnOpen
		s = seen(s, e, at).Waited(at, told).Prompted(text, at)
		if s.Owed != "" {
			if reply = t.Client.Context(e, s.Owed); reply != nil {
				s.Owed = ""
			}
		}
		if process.PID != 0 {
			s.Process = process
		}
		if opens {
			if err := begin(ctx, tx, s, at, base); err != nil {
				return err
			}
		}
		return t.write(ctx, tx, e, s)
	})
	return reply, err
}

// told is what of a wait for a person's permission the transcript tells too: the
// person refused, which interrupts the agent, and the gap up to this prompt is
// taken out of the work by its length.
func (t Turns) told(s agent.Session, e agent.Event) time.Duration {
	if !s.TurnOpen || s.WaitingSince.IsZero() {
		return 0
	}
	script, err := t.transcript(s, agent.Turn{StartedAt: s.WaitingSince})
	if err != nil {
		return 0
	}
	gap := script.Idle
	if !script.Interrupted.IsZero() { // this prompt does not stand there yet
		gap += max(t.at(e).Sub(script.Interrupted), 0)
	}
	return gap
}

// baseline is what is dirty in a work tree now; nil where that cannot be told.
func (t Turns) baseline(ctx context.Context, dir string) []byte {
	if dir == "" {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	base, err := (git.Repo{Dir: dir}).Baseline(bounded)
	if err != nil {
		if ctx.Err() == nil { // else nobody waits for it: the turn was open already
			t.log().InfoContext(ctx, "no baseline", "err", err)
		}
		return nil
	}
	b, err := json.Marshal(unsecret(base))
	if err != nil {
		return nil
	}
	return b
}

// unsecret takes the branch's secrets out and leaves files out whose names hold
// some; those count as changed, if they are at the turn's end.
func unsecret(base git.Baseline) git.Baseline {
	base.Branch, _ = redact.Known(base.Branch)
	maps.DeleteFunc(base.Files, func(name string, _ git.Print) bool { _, n := redact.Text(name); return n > 0 })
	return base
}

// reopen opens the session's own workflow again at a new prompt.
func reopen(ctx context.Context, tx store.LocalTx, s agent.Session) error {
	if s.WorkflowID == "" {
		return nil
	}
	w, err := tx.Workflow(ctx, s.WorkflowID, "")
	if piton.CodeOf(err) == piton.NotFound || err == nil && !w.Closed {
		return nil
	}
	if err != nil {
		return err
	}
	w.Closed = false
	return tx.PutWorkflow(ctx, redact.Value(w))
}

// soon starts fn and returns what waits for its answer. A panic in fn comes to
// who waits: in a goroutine of its own it would end the program with a status
// and words that hold the agent.
func soon[T any](fn func() T) func() T {
	var v T
	var slip any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { slip = recover() }()
		v = fn()
	}()
	return func() T {
		if <-done; slip != nil {
			panic(slip)
		}
		return v
	}
}
