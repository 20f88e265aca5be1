package daemon

import (
	"context"
	"time"

	"github.com/piton-project/piton/internal/app"
)

const (
	// lookAgain is how often schedules are looked at that wait for a run, or are new.
	lookAgain = 15 * time.Second
	// reckonEvery is how often it is computed anew when schedules are due: the wall clock
	// may have been set.
	reckonEvery = time.Hour
	// maxFired bounds how many runs of schedules are queued before others are looked after.
	maxFired = 100
)

// clock begins the runs of schedules.
type clock struct{ reckoned time.Time }

// fire looks once at the schedules, and says when to look again.
func (c *clock) fire(ctx context.Context, w *works, a *app.App, r *runs) time.Duration {
	now := w.now()
	since := now.Sub(c.reckoned)
	anew := since < 0 || since >= reckonEvery
	next, more, err := a.FireSchedules(ctx, anew, min(maxFired, r.room()))
	if anew && err == nil && !more {
		c.reckoned = now
	}
	switch {
	case err != nil:
		if ctx.Err() == nil {
			w.log.WarnContext(ctx, "schedules cannot be looked at", "err", err)
		}
	case more && r.room() > 0:
		return 0
	case !next.IsZero():
		return max(0, min(lookAgain, next.Sub(w.now())))
	}
	return lookAgain
}
