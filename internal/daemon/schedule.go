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
	at       time.Time     // when it was done, or failed
	wait     time.Duration // until the next time
	failures int           // in a row
}

// Waits after a failure: the first one, doubled each time up to the second.
const (
	firstRetry = time.Minute
	lastRetry  = time.Hour
)

// failed is a job's last time where it fails now.
func (l last) failed(now time.Time) last {
	return last{now, min(firstRetry<<min(l.failures, 10), lastRetry), l.failures + 1}
}

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
		l := done[j.name]
		left := l.at.Add(l.wait).Sub(now)
		if left <= 0 || l.at.After(now) {
			ready = append(ready, j)
		} else {
			wait = min(wait, left)
		}
	}
	return ready, wait
}
