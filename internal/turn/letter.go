package turn

import (
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// overhear counts the person's last message where the client tells of a stop
// only: words and time come from the transcript (docs/spec.md, "Invisible to
// state"). Nothing was seen of the turn's beginning, so that there is no
// baseline. Where hooks tell of prompts and stops, they alone count: a message
// counted twice, or late, would renew the budget.
func (t Turns) overhear(ctx context.Context, st *store.Local, e agent.Event, was agent.Session) (agent.Session, error) {
	if was.Heard {
		return was, nil
	}
	x, err := t.Client.Transcript(was.Transcript, time.Time{})
	if err != nil {
		return was, nil // the stop's own look at it notes why
	}
	said := piton.At(x.LastPromptAt)
	if x.LastPromptAt.IsZero() || agent.Injected(x.LastPrompt) || !said.After(was.PromptedAt.Time) {
		return was, nil
	}
	now := was
	err = st.Update(ctx, func(tx store.LocalTx) error {
		s, err := again(ctx, tx, was)
		if err != nil {
			return err
		}
		if now = s; s.Heard || !said.After(s.PromptedAt.Time) {
			return nil // another has been faster
		}
		opens := !s.TurnOpen
		s = seen(s, e, s.SeenAt).Prompted(cut(x.LastPrompt, maxMessage), said)
		if opens {
			if err := begin(ctx, tx, s, said, nil); err != nil {
				return err
			}
		}
		now = s
		if err := tx.PutSession(ctx, redact.Value(kept(s))); err != nil {
			return err
		}
		return tx.Log(ctx, redact.Value(store.LogEvent{At: said, Kind: store.EventKind(agent.EventPrompt), Session: s.ID, Project: s.Project}))
	})
	return now, err
}

// begin writes a turn's beginning.
func begin(ctx context.Context, tx store.LocalTx, s agent.Session, at piton.Time, base []byte) error {
	if err := tx.PutTurn(ctx, redact.Value(agent.Turn{SessionID: s.ID, N: s.Turn, StartedAt: at, Baseline: base})); err != nil {
		return err
	}
	return reopen(ctx, tx, s)
}

// hold posts the letter that holds an agent whose client hears no answer.
func (t Turns) hold(ctx context.Context, tx store.LocalTx, s agent.Session, d agent.Decision) (id string, err error) {
	body, err := marshal(agent.HoldLetter{Text: d.Message, Turn: s.Turn})
	if err != nil {
		return "", &piton.Error{Code: piton.Internal, Op: "write a letter", Err: err}
	}
	l := agent.Letter{ID: piton.NewID(piton.LetterPrefix), SessionID: s.ID, Kind: agent.LetterHold, Due: d.At, Body: string(body)}
	return l.ID, tx.Post(ctx, redact.Value(l))
}
