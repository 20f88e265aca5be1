package turn

import (
	"context"
	"encoding/json"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/git"
)

// prompt records a user's message. One that opens a turn takes the baseline:
// what git calls changed before the agent has done anything.
func (t Turns) prompt(ctx context.Context, e piton.Event) error {
	if e.Subagent != "" || piton.Injected(e.Prompt) {
		return t.note(ctx, e) // not a person's: no timer, flag or budget changes
	}
	dir := root(e)
	baseline := soon(func() []byte { return t.baseline(ctx, dir) })
	st, err := t.Open(ctx)
	if err != nil {
		return err
	}
	s, err := t.session(ctx, st, e)
	if err != nil {
		return err
	}
	at := t.at(e)
	text := cut(e.Prompt, maxMessage)
	process := process(e.PID)
	var base []byte
	if !s.TurnOpen {
		if base = baseline(); s.Root != "" && s.Root != dir {
			base = t.baseline(ctx, s.Root)
		}
	}
	return st.Update(ctx, func(tx piton.LocalTx) error {
		s, err := again(ctx, tx, s)
		if err != nil {
			return err
		}
		opens := !s.TurnOpen
		s = seen(s, e, at).Waited(at, 0).Prompted(text, at)
		if process.PID != 0 {
			s.Process = process
		}
		if opens {
			if err := tx.PutTurn(ctx, piton.Turn{SessionID: s.ID, N: s.Turn, StartedAt: at, Baseline: base}); err != nil {
				return err
			}
			if err := reopen(ctx, tx, s); err != nil {
				return err
			}
		}
		if err := tx.PutSession(ctx, s); err != nil {
			return err
		}
		return tx.Log(ctx, piton.LogEvent{At: at, Kind: string(e.Kind), Session: s.ID, Project: s.Project})
	})
}

// baseline is what is dirty in a work tree now; nil where that cannot be told.
func (t Turns) baseline(ctx context.Context, dir string) []byte {
	if dir == "" {
		return nil
	}
	base, err := (git.Repo{Dir: dir}).Baseline(ctx)
	if err != nil {
		t.log().InfoContext(ctx, "no baseline", "err", err)
		return nil
	}
	b, err := json.Marshal(base)
	if err != nil {
		return nil
	}
	return b
}

// reopen opens the session's own workflow again at a new prompt.
func reopen(ctx context.Context, tx piton.LocalTx, s piton.Session) error {
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
	return tx.PutWorkflow(ctx, w)
}

// soon starts fn and returns what waits for its answer.
func soon[T any](fn func() T) func() T {
	done := make(chan T, 1)
	go func() { done <- fn() }()
	var v T
	got := false
	return func() T {
		if !got {
			v, got = <-done, true
		}
		return v
	}
}
