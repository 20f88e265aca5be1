package courier

import (
	"context"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Bounds of pauses.
const (
	waitPause = 2 * time.Second // before a letter that could not be tried is looked at again
	maxAgain  = time.Hour       // however long a recipient asks to be left alone
)

// what is an outcome with the bounds of attempts and of time.
func what(r result) What {
	switch {
	case r.What == Failed && !r.stopped && r.Attempts >= agent.MaxAttempts:
		return Parked
	case r.What == Delivered || r.What == Dropped || r.What == Failed || r.What == Waits:
		return r.What
	}
	return Parked
}

// after is a letter after an attempt.
func (c Courier) after(r result, at piton.Time) agent.Letter {
	l, end := r.Letter, what(r)
	l.Body = "" // it stays as it is
	if l.Outcome = string(end); r.Why != "" {
		why, _ := redact.Text(r.Why)
		l.Outcome += ": " + strings.ToValidUTF8(why[:min(len(why), maxReason)], "")
	}
	l.SentAt = piton.Time{}
	if r.unsure {
		l.SentAt = at
	}
	switch end {
	case Waits:
		l.Attempts--
		l.Due = piton.At(at.Add(min(max(r.Again, waitPause), maxAgain)))
	case Failed:
		pause := c.Pause(l.Attempts)
		if r.stopped {
			l.Attempts--
			pause = 0
		}
		l.Due = piton.At(at.Add(min(max(r.Again, pause), maxAgain)))
	case Delivered, Dropped:
		l.Body = "{}" // nobody reads it any more
		l.DoneAt = at
	default:
		l.DoneAt = at
	}
	return l
}

// settle writes what became of a letter, and what of its session changes with it.
func settle(ctx context.Context, tx store.LocalTx, l agent.Letter, what What, at piton.Time) error {
	mine, err := tx.Settle(ctx, redact.Value(l))
	ofSession := l.SessionID != "" && (l.To == "" || what == Parked)
	if err != nil || !mine || !ofSession || l.DoneAt.IsZero() {
		return err
	}
	s, err := tx.Session(ctx, l.SessionID)
	if code := piton.CodeOf(err); code == piton.NotFound || code == piton.Corrupt {
		return nil // the letter is done all the same
	}
	if err != nil {
		return err
	}
	if l.To == "" {
		if err := tx.PutSession(ctx, redact.Value(s.Settled(l, what == Delivered, at))); err != nil {
			return err
		}
	}
	return tx.Log(ctx, redact.Value(store.LogEvent{At: at, Kind: store.EventKind("letter_" + what), Session: s.ID, Project: s.Project}))
}

func expired(l agent.Letter, at piton.Time) bool {
	return !l.Expires.IsZero() && !l.Expires.After(at.Time)
}
