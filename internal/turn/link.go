package turn

import (
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// maxChain bounds how many sessions are followed that have taken over from one
// another.
const maxChain = 8

// takenBy notes in the other session that its work was taken over, so that it is
// not offered beside the work of the one that goes on with it. Other kinds of
// work have a life of their own: the next save goes to their workflow.
func takenBy(ctx context.Context, tx store.LocalTx, c piton.Checkpoint, by string) error {
	if c.WorkflowType != piton.TypeSession || c.SessionID == "" {
		return nil
	}
	was, err := tx.Session(ctx, c.SessionID)
	if piton.CodeOf(err) == piton.NotFound {
		return nil // it is another machine's
	}
	if err != nil {
		return err
	}
	was.TakenBy = by
	return tx.PutSession(ctx, redact.Value(was))
}

// finished closes the workflows of the work that a session has taken over and now
// finished: that of the session before, and of those it had it from.
func finished(ctx context.Context, tx store.LocalTx, s *agent.Session) error {
	t := s.Took
	if t == nil || !t.Worked {
		return nil
	}
	for n := 0; t != nil && n < maxChain; n++ {
		if t.Session == "" || t.Workflow == s.WorkflowID {
			break
		}
		w, err := tx.Workflow(ctx, t.Workflow, "")
		if err == nil && !w.Closed {
			w.Closed = true
			err = tx.PutWorkflow(ctx, redact.Value(w))
		}
		if err != nil && piton.CodeOf(err) != piton.NotFound {
			return err
		}
		was, err := tx.Session(ctx, t.Session)
		if piton.CodeOf(err) == piton.NotFound {
			break
		}
		if err != nil {
			return err
		}
		if t = was.Took; t != nil {
			was.Took = nil
			if err := tx.PutSession(ctx, redact.Value(was)); err != nil {
				return err
			}
		}
	}
	s.Took = nil
	return nil
}

// proof is what a stop has proved of another session's work.
type proof struct {
	session  string
	needs    []agent.Need
	workflow string // to be closed: nothing else of that work is open, as of its head
	head     string
}

// write takes what was proved out of the other session, and closes its workflow where
// it stands as it did.
func (p proof) write(ctx context.Context, tx store.LocalTx) error {
	s, err := tx.Session(ctx, p.session)
	if piton.CodeOf(err) == piton.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	s.Open = slices.DeleteFunc(s.Open, func(n agent.Need) bool {
		return slices.ContainsFunc(p.needs, func(x agent.Need) bool { return x.Text == n.Text && x.Since == n.Since })
	})
	if err := tx.PutSession(ctx, redact.Value(s)); err != nil {
		return err
	}
	if p.workflow == "" || len(s.Open) > 0 || s.TurnOpen {
		return nil
	}
	w, err := tx.Workflow(ctx, p.workflow, "")
	if err != nil || w.Closed || w.HeadID != p.head {
		return nil // it went on, or is gone
	}
	w.Closed = true
	return tx.PutWorkflow(ctx, redact.Value(w))
}
