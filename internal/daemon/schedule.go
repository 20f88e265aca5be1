package daemon

import (
	"context"
	"time"

	"github.com/piton-project/piton/internal/app"
)

// job is work that is done again and again.
type job struct {
	name  string
	every time.Duration
	do    func(*works, context.Context, *app.App) (time.Time, error) // when it was done last
}

// last is what is known of a job's last time.
type last struct {
	done     time.Time // it succeeded
	failed   time.Time // it failed, after it had succeeded
	failures int       // in a row
}

// Waits after a failure: the first one, doubled each time up to the second.
const (
	firstRetry = time.Minute
	lastRetry  = time.Hour
)

// longestWait is how long the schedule sleeps at most. Timers stand still while the
// machine sleeps, and the wall clock does not.
const longestWait = time.Minute

// due says which jobs are to be done now, and how long to wait before the next look. A
// pure function of the wall clock and of what was done: a machine that has slept, or
// was off, does once what it has missed. A time that is yet to come is that of a clock
// that was set back: the job is due.
func due(now time.Time, all []job, done map[string]last) (ready []job, wait time.Duration) {
	now, wait = now.Round(0), longestWait
	for _, j := range all {
		at := next(j, done[j.name], now)
		if !at.After(now) {
			ready = append(ready, j)
		} else {
			wait = min(wait, at.Sub(now))
		}
	}
	return ready, wait
}

// next is when a job is to be done.
func next(j job, l last, now time.Time) time.Time {
	at := l.done.Add(j.every)
	if l.done.IsZero() || l.done.After(now) {
		at = now
	}
	if l.failures == 0 || l.failed.After(now) {
		return at
	}
	pause := firstRetry << min(l.failures-1, 10)
	if again := l.failed.Add(min(pause, lastRetry)); again.After(at) {
		at = again
	}
	return at
}
