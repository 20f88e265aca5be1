package history

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// write runs save, which returns the workflow it saved to, and notes it as the
// session's current one; made: the session is not written yet. Where sessions
// and checkpoints lie in one file all of it is one transaction.
func (k Keeper) write(ctx context.Context, s *agent.Session, made bool, save func(store.Tx) (string, error)) error {
	if s.ID == "" {
		return k.Store.Save(ctx, func(tx store.Tx) error { _, err := save(tx); return err })
	}
	if k.oneFile() {
		return k.Local.Update(ctx, func(tx store.LocalTx) error {
			if err := meet(ctx, tx, s, made); err != nil {
				return err
			}
			workflow, err := save(tx.Tx)
			if err != nil {
				return err
			}
			return setCurrent(ctx, tx, *s, workflow)
		})
	}
	if err := k.Local.Update(ctx, func(tx store.LocalTx) error { return meet(ctx, tx, s, made) }); err != nil {
		return err
	}
	var workflow string
	err := k.Store.Save(ctx, func(tx store.Tx) (err error) { workflow, err = save(tx); return err })
	if err != nil {
		return err
	}
	if k.OneOff {
		return nil // the session goes on in its own store
	}
	if err := k.Local.Update(ctx, func(tx store.LocalTx) error { return setCurrent(ctx, tx, *s, workflow) }); err != nil {
		// The state is safe; only the default of the next save is not set.
		k.log().WarnContext(ctx, "the session's current workflow was not noted", "session", s.ID, "err", err)
	}
	return nil
}

// oneFile tells whether sessions and checkpoints are kept by the same store.
func (k Keeper) oneFile() bool {
	return k.Local != nil && k.Store == k.Local.Checkpoints
}

// meet writes a new session, or takes the one that another process has made of
// that name since we looked.
func meet(ctx context.Context, tx store.LocalTx, s *agent.Session, made bool) error {
	if !made {
		return nil
	}
	had, err := tx.SessionByClient(ctx, s.Agent, s.ClientID)
	if err == nil {
		*s = had
		return nil
	}
	if piton.CodeOf(err) != piton.NotFound {
		return err
	}
	return tx.PutSession(ctx, redact.Value(*s))
}

func setCurrent(ctx context.Context, tx store.LocalTx, s agent.Session, workflow string) error {
	if s.CurrentID == workflow {
		return nil
	}
	s, err := tx.Session(ctx, s.ID)
	if err != nil {
		return err
	}
	s.CurrentID = workflow
	if w, err := tx.Workflow(ctx, workflow, ""); err == nil && s.WorkflowID == "" && s.Agent != "" && w.Type == piton.TypeSession && w.SessionID == s.ID {
		s.WorkflowID = workflow
	}
	return tx.PutSession(ctx, redact.Value(s))
}
