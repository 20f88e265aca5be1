package schedules

import (
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/run/cron"
)

const (
	// grace is how late a look may be: a time that is not older was not missed.
	grace = 2 * time.Minute
	// maxCaughtUp bounds the runs that are caught up, and those that wait in a schedule.
	maxCaughtUp = 100
	// maxMissed bounds how many missed times one look counts: of a schedule of every
	// minute, those of a week.
	maxMissed = 10_000
	// maxWithin bounds how old a time may be that is caught up.
	maxWithin = 31 * 24 * time.Hour
)

// timesOf are the times of a schedule, as they can be computed with.
func timesOf(list []piton.CronTime) ([]cron.Times, error) {
	var all []cron.Times
	for _, x := range list {
		t, err := cron.Parse(x.Cron, x.Timezone)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// decided is what becomes of the times of a schedule that have come: which of them begin
// a run, and how many are told as missed or left out. The next time is computed anew, too. It
// is a pure function; the schedule is as it was read, and Active are the runs that are at work.
func decided(s piton.Schedule, now time.Time) (piton.Schedule, error) {
	if s.Paused || s.Next.IsZero() {
		return s, nil
	}
	times, err := timesOf(s.Times)
	if err != nil {
		return s, err
	}
	if s.Next.After(now) {
		s.Next = piton.At(cron.First(times, now))
		return s, nil
	}
	begin, missed := come(s, times, now)
	s.Missed += missed
	s.Next = piton.At(cron.First(times, now))
	busy := len(s.Active)+len(s.Pending) > 0
	switch {
	case s.Overlap == piton.OverlapSkip && busy:
		s.Skipped += int64(len(begin))
	case s.Overlap == piton.OverlapCancel && len(begin) > 0:
		s.Skipped += int64(len(s.Pending) + len(begin) - 1)
		s.Pending, s.TryAgain = begin[len(begin)-1:], piton.Time{}
	default:
		free := max(0, maxCaughtUp-len(s.Pending))
		if more := len(begin) - free; more > 0 {
			s.Skipped, begin = s.Skipped+int64(more), begin[:free]
		}
		s.Pending = append(s.Pending[:len(s.Pending):len(s.Pending)], begin...)
	}
	return s, nil
}

// come are the times from the next one of a schedule until now that begin a run, and how
// many do not.
func come(s piton.Schedule, times []cron.Times, now time.Time) (begin []piton.Time, missed int64) {
	oldest := now.Add(-time.Duration(s.Within) * time.Millisecond)
	at := s.Next.Time
	for ; !at.IsZero() && at.Before(oldest); at = cron.First(times, at) {
		if missed++; missed == maxMissed {
			at = cron.First(times, oldest)
			break
		}
	}
	for ; !at.IsZero() && !at.After(now); at = cron.First(times, at) {
		begin = append(begin, piton.At(at))
	}
	most := map[piton.CatchUp]int{piton.CatchUpNone: 1, piton.CatchUpOne: 1, piton.CatchUpAll: maxCaughtUp}[s.CatchUp]
	if n := len(begin); n > 0 && s.CatchUp == piton.CatchUpNone && now.Sub(begin[n-1].Time) > grace {
		most = 0
	}
	left := max(0, len(begin)-most)
	return begin[left:], missed + int64(left)
}

// settled is a schedule after a run was begun for its first time that waits, or could not
// be. A failure that can pass is tried again, as long as the time can be caught up.
func settled(s piton.Schedule, x planruns.RunResult, err error, now time.Time) piton.Schedule {
	at := s.Pending[0]
	s.TryAgain, s.Error = piton.Time{}, ""
	if err != nil {
		s.Error = piton.Printable(err.Error())
	}
	again := x.Existing && !at.After(s.LastAt.Time) // it was counted, before the clock was set back
	mayPass := piton.CodeOf(err) == piton.Unavailable && now.Sub(at.Time) < time.Duration(s.Within)*time.Millisecond
	switch {
	case mayPass:
		s.TryAgain = piton.At(now.Add(time.Minute))
		return s
	case err != nil:
		s.Failed++
	case !again:
		s.LastAt, s.LastRun, s.Begun = at, x.RunID, s.Begun+1
	}
	if err == nil && AtWork(piton.Run{Status: x.Status, Cause: x.Cause}) {
		s.Active = append(s.Active[:len(s.Active):len(s.Active)], x.RunID)
	}
	s.Pending = s.Pending[1:]
	return s
}

// AtWork tells whether a run keeps the next one of its schedule waiting. One that has
// failed or is in doubt does not: it waits for a person.
func AtWork(r piton.Run) bool {
	switch r.Status {
	case piton.RunQueued, piton.RunRunning, piton.RunWaiting, piton.RunPaused:
		return true
	}
	return r.Status == piton.RunStopped && r.Cause == piton.CauseHandedOver
}
