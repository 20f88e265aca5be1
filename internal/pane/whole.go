package pane

import (
	"context"
	"encoding/json"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Restart ends a session's client with all that it has started, and starts it again
// in the same pane. letter is posted before, with what is left to do (see goOn), and once
// more when the client was started: from then on the session waits for it. Nothing is
// ended where the client could not be started again. above are the processes around the
// caller. What was begun goes on when ctx ends: the caller may be a program of the client
// that is ended, and would leave its pane without one.
func (p Panes) Restart(ctx context.Context, s agent.Session, letter *agent.Letter, above []int) (Restarted, error) {
	op := "restart " + s.ID
	r := restart{Panes: p, session: s, op: op}
	if err := r.check(ctx, above); err != nil {
		return Restarted{}, err
	}
	ctx, over := context.WithTimeout(context.WithoutCancel(ctx), maxRestart)
	defer over()
	if err := r.keep(ctx); err != nil {
		return r.done, err
	}
	undone, err := r.announce(ctx, letter)
	if err == nil {
		err = r.end(ctx)
	}
	if err != nil {
		r.giveUp(ctx, undone)
		return r.done, err
	}
	err = r.start(ctx)
	if letter != nil {
		if posted := p.post(ctx, *letter); err == nil {
			err = posted
		}
	}
	if err == nil {
		err = r.settle(ctx)
	}
	return r.done, err
}

// announce posts the debrief before the client is ended, with what is left to do should
// this process die. It is due when the restart is over in any case; what is posted then
// takes its place. A person's shell stays as it is: there only the debrief is left.
func (r *restart) announce(ctx context.Context, letter *agent.Letter) (*agent.Letter, error) {
	if letter == nil {
		return nil, nil
	}
	l := *letter
	l.ID, l.Due = piton.NewID(piton.LetterPrefix), piton.At(l.Due.Add(maxRestart))
	if !r.shell {
		var body agent.RestartLetter
		if err := json.Unmarshal([]byte(l.Body), &body); err != nil {
			return nil, err
		}
		body.Start = &agent.Start{Kept: r.kept, Path: r.path}
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		l.Body = string(b)
	}
	return &l, r.post(ctx, l)
}

// giveUp leaves the pane as it was, and takes the letter back that was announced.
func (r *restart) giveUp(ctx context.Context, undone *agent.Letter) {
	if !r.shell {
		_ = r.view.server.StopKeeping(ctx, r.view.ID, r.kept)
	}
	if undone == nil {
		return
	}
	l := *undone
	l.DoneAt, l.Outcome = r.now(), agent.LetterDropped+": the client was not restarted"
	_ = r.Local.Update(ctx, func(tx store.LocalTx) error { // else it is one debrief more
		s, err := tx.Session(ctx, l.SessionID)
		if err != nil {
			return err
		}
		if _, err := tx.Settle(ctx, redact.Value(l)); err != nil {
			return err
		}
		return tx.PutSession(ctx, redact.Value(s.Settled(l, false, l.DoneAt)))
	})
}

// goOn does what a restart that was broken off has left to do: it starts the client in
// the pane that was kept open for it, and posts the debrief anew. nil: the letter is
// carried like any other.
func (p Panes) goOn(ctx context.Context, l agent.Letter, s agent.Session) *courier.Outcome {
	var body agent.RestartLetter
	if s.Restarted != l.ID || s.Pane == nil || json.Unmarshal([]byte(l.Body), &body) != nil || body.Start == nil {
		return nil
	}
	r := restart{Panes: p, session: s, op: "restart " + s.ID, kept: body.Start.Kept, path: body.Start.Path}
	var why string
	if r.view, _, why = look(ctx, s.Agent, *s.Pane); why != "" {
		return nil // it may be there again later; till then the debrief waits
	}
	r.done.Pane = *s.Pane
	if err := r.goOn(ctx); err != nil {
		return &courier.Outcome{What: courier.Parked, Why: "a restart was broken off, and could not go on: " + reason(err)}
	}
	body.Start = nil
	b, err := json.Marshal(body)
	if err == nil {
		next := l
		next.ID, next.Body, next.Due = piton.NewID(piton.LetterPrefix), string(b), piton.At(p.now().Add(5*time.Second))
		err = p.post(ctx, next)
	}
	if err != nil {
		out := failed(err)
		return &out
	}
	return &courier.Outcome{What: courier.Dropped, Why: "a restart was broken off and has gone on: another letter has the debrief"}
}

// goOn starts the client, unless it runs.
func (r *restart) goOn(ctx context.Context) error {
	if !r.view.Dead {
		return r.view.server.StopKeeping(ctx, r.view.ID, r.kept)
	}
	c, ok := r.client(r.session.Agent)
	if ok {
		r.done.Command = c.ResumeCommand(r.session.ClientID)
	}
	if len(r.done.Command) == 0 {
		return piton.Errorf(piton.Invalid, r.op, "", "%s cannot resume a session of this id", r.session.Agent)
	}
	if err := r.start(ctx); err != nil {
		return err
	}
	return r.settle(ctx)
}
