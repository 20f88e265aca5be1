package app

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/store"
)

// Event is an event of the stream, as every door shows it.
type Event = store.LogEvent

// Events are the events of this machine behind a number, the oldest first, at most so
// many. Where there is no store there are none.
func (a Agents) Events(ctx context.Context, after int64, limit int) ([]Event, error) {
	st, err := a.Local(ctx, true)
	if err != nil {
		return nil, caller.UnlessMissing(err)
	}
	return st.Events(ctx, after, limit)
}

// NewestEvent is the number of the newest event; 0 where there is none.
func (a Agents) NewestEvent(ctx context.Context) (int64, error) {
	st, err := a.Local(ctx, true)
	if err != nil {
		return 0, caller.UnlessMissing(err)
	}
	e, err := st.NewestEvent(ctx)
	return e.ID, err
}

// ShowSession shows one session, by our id or the client's.
func (a Agents) ShowSession(ctx context.Context, r piton.SessionRequest) (Session, error) {
	ref := r.Session
	st, err := a.Local(ctx, true)
	if err != nil {
		return Session{}, err
	}
	s, err := st.Session(ctx, ref)
	if err != nil {
		return Session{}, err
	}
	return a.session(s), nil
}
