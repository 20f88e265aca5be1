package schedules

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/run/cron"
)

var (
	begun  = planruns.RunResult{RunID: "run_1", Status: piton.RunQueued}
	failed planruns.RunResult
)

// at is a time of 1 July 2026.
func at(hour, minute int) piton.Time {
	return piton.At(time.Date(2026, 7, 1, hour, minute, 0, 0, time.UTC))
}

func hourly(overlap piton.Overlap, catchUp piton.CatchUp, within time.Duration) piton.Schedule {
	return piton.Schedule{Times: []piton.CronTime{{Cron: "0 * * * *", Timezone: "UTC"}}, Overlap: overlap, CatchUp: catchUp, Within: within.Milliseconds(), Next: at(2, 0)}
}

// TestDecided: what becomes of the times that have come, by each policy.
func TestDecided(t *testing.T) {
	const skip, queue, allow, cancel = piton.OverlapSkip, piton.OverlapQueue, piton.OverlapAllow, piton.OverlapCancel
	const none, one, all = piton.CatchUpNone, piton.CatchUpOne, piton.CatchUpAll
	day := 24 * time.Hour
	for _, c := range []struct {
		name    string
		s       piton.Schedule
		active  bool
		pending []piton.Time
		now     piton.Time
		begin   []piton.Time // pending afterwards
		missed  int64
		skipped int64
		next    piton.Time
	}{
		{"it is not due", hourly(skip, one, day), false, nil, at(1, 59), nil, 0, 0, at(2, 0)},
		{"it is due", hourly(skip, one, day), false, nil, at(2, 0), []piton.Time{at(2, 0)}, 0, 0, at(3, 0)},
		{"a look is late", hourly(skip, none, day), false, nil, at(2, 1), []piton.Time{at(2, 0)}, 0, 0, at(3, 0)},
		{"none is caught up", hourly(skip, none, day), false, nil, at(2, 30), nil, 1, 0, at(3, 0)},
		{"none but the one of now", hourly(skip, none, day), false, nil, at(5, 1), []piton.Time{at(5, 0)}, 3, 0, at(6, 0)},
		{"the last one is caught up", hourly(skip, one, day), false, nil, at(5, 30), []piton.Time{at(5, 0)}, 3, 0, at(6, 0)},
		{"the last one is too old", hourly(skip, one, 10*time.Minute), false, nil, at(5, 30), nil, 4, 0, at(6, 0)},
		{"all are caught up", hourly(skip, all, day), false, nil, at(4, 30), []piton.Time{at(2, 0), at(3, 0), at(4, 0)}, 0, 0, at(5, 0)},
		{"all but those that are too old", hourly(queue, all, 2*time.Hour), false, nil, at(4, 30), []piton.Time{at(3, 0), at(4, 0)}, 1, 0, at(5, 0)},
		{"skipped while a run is at work", hourly(skip, all, day), true, nil, at(3, 0), nil, 0, 2, at(4, 0)},
		{"skipped while one waits", hourly(skip, one, day), false, []piton.Time{at(1, 0)}, at(2, 0), []piton.Time{at(1, 0)}, 0, 1, at(3, 0)},
		{"queued while a run is at work", hourly(queue, one, day), true, []piton.Time{at(1, 0)}, at(2, 0), []piton.Time{at(1, 0), at(2, 0)}, 0, 0, at(3, 0)},
		{"allowed while a run is at work", hourly(allow, one, day), true, nil, at(2, 0), []piton.Time{at(2, 0)}, 0, 0, at(3, 0)},
		{"in the place of those before it", hourly(cancel, all, day), true, []piton.Time{at(1, 0)}, at(3, 0), []piton.Time{at(3, 0)}, 0, 2, at(4, 0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.s.Pending = c.pending; c.active {
				c.s.Active = []string{"run_1"}
			}
			got, err := decided(c.s, c.now.Time)
			want := c.s
			want.Pending, want.Missed, want.Skipped, want.Next = c.begin, c.missed, c.skipped, c.next
			if diff := cmp.Diff(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got)); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
	paused := hourly(skip, one, day)
	paused.Paused = true
	if got, _ := decided(paused, at(9, 0).Time); len(got.Pending) > 0 || got.Missed > 0 {
		t.Errorf("paused: got %+v", got)
	}
	minutely := hourly(skip, all, 31*day)
	minutely.Times[0].Cron, minutely.Next = "* * * * *", piton.At(at(2, 0).AddDate(-3, 0, 0))
	if got, _ := decided(minutely, at(2, 0).Time); len(got.Pending) != maxCaughtUp || got.Missed != maxMissed+31*24*60-maxCaughtUp || !got.Next.Equal(at(2, 1).Time) {
		t.Errorf("off for three years: got %d to begin, %d missed, next %s", len(got.Pending), got.Missed, got.Next)
	}
}

// TestEachTimeCountsOnce: by any policies, with looks and runs that take any time, each
// time that comes begins one run, or is told as missed or skipped.
func TestEachTimeCountsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 26))
	overlaps := []piton.Overlap{piton.OverlapSkip, piton.OverlapQueue, piton.OverlapAllow, piton.OverlapCancel}
	catchUps := []piton.CatchUp{piton.CatchUpNone, piton.CatchUpOne, piton.CatchUpAll}
	crons := []string{"*/7 * * * *", "30 2 * * *", "0 */3 * * *", "15,45 1-3 * * *"}
	for range 300 {
		zone := []string{"Europe/Rome", "America/New_York", "Australia/Lord_Howe"}[r.IntN(3)]
		s := piton.Schedule{Times: []piton.CronTime{{Cron: crons[r.IntN(4)], Timezone: zone}}, Overlap: overlaps[r.IntN(4)], CatchUp: catchUps[r.IntN(3)], Within: (time.Duration(1+r.IntN(48)) * time.Hour).Milliseconds()}
		times, err := timesOf(s.Times)
		if err != nil {
			t.Fatal(err)
		}
		first := time.Date(2026, time.Month(1+r.IntN(12)), 1, r.IntN(24), 0, 0, 0, time.UTC)
		now := first
		s.Next = piton.At(cron.First(times, first))
		began := map[string]bool{}
		for range 60 {
			now = now.Add(time.Duration(r.IntN(1+r.IntN(600))) * time.Minute)
			if r.IntN(2) == 0 {
				s.Active = nil
			}
			if s, err = decided(s, now); err != nil {
				t.Fatal(err)
			}
			for len(s.Pending) > 0 && (s.Overlap == piton.OverlapAllow || len(s.Active) == 0) {
				if key := keyOf(s, s.Pending[0]); began[key] {
					t.Fatalf("%+v: %s began twice", s, key)
				} else {
					began[key] = true
				}
				s = settled(s, begun, nil, now)
			}
		}
		want := int64(0)
		for at := cron.First(times, first); !at.After(now); at = cron.First(times, at) {
			want++
		}
		if got := s.Begun + s.Missed + s.Skipped + int64(len(s.Pending)); got != want || s.Begun != int64(len(began)) {
			t.Fatalf("%+v:\ngot %d of %d times accounted for, %d begun of %d", s, got, want, len(began), s.Begun)
		}
	}
}

// TestSettled: what can pass is tried again while the time can be caught up.
func TestSettled(t *testing.T) {
	s := hourly(piton.OverlapSkip, piton.CatchUpOne, time.Hour)
	s.Pending = []piton.Time{at(2, 0)}
	down := piton.Errorf(piton.Unavailable, "open the store", "", "it is down")
	got := settled(s, failed, down, at(2, 10).Time)
	if len(got.Pending) != 1 || !got.TryAgain.Equal(at(2, 11).Time) || got.Failed != 0 || got.Error == "" || !got.Due().Equal(at(2, 11).Time) {
		t.Errorf("it may pass: got %+v", got)
	}
	if got = settled(got, failed, down, at(3, 10).Time); len(got.Pending) != 0 || got.Failed != 1 {
		t.Errorf("it lasts: got %+v", got)
	}
	if got = settled(s, failed, piton.Errorf(piton.Invalid, "run", "", "no"), at(2, 0).Time); len(got.Pending) != 0 || got.Failed != 1 || got.Begun != 0 {
		t.Errorf("it cannot pass: got %+v", got)
	}
	if got = settled(s, begun, nil, at(2, 0).Time); got.LastRun != "run_1" || len(got.Active) != 1 || got.Begun != 1 || got.Error != "" || !got.Due().Equal(at(2, 0).Time) {
		t.Errorf("it began: got %+v", got)
	}
}

// TestReckoned: a clock that was set, or another rule of a zone, moves the next time.
func TestReckoned(t *testing.T) {
	s := hourly(piton.OverlapSkip, piton.CatchUpOne, time.Hour)
	for _, c := range []struct {
		name            string
		next, now, want piton.Time
	}{
		{"it is right", at(2, 0), at(1, 30), at(2, 0)},
		{"the clock was years ahead", piton.At(at(2, 0).AddDate(9, 0, 0)), at(1, 30), at(2, 0)},
		{"the clock was set back", at(4, 0), at(1, 30), at(2, 0)},
		{"the zone has other rules now", at(2, 30), at(2, 10), at(3, 0)},
	} {
		s.Next = c.next
		if got, err := decided(s, c.now.Time); err != nil || !got.Next.Equal(c.want.Time) || len(got.Pending) > 0 {
			t.Errorf("%s: got %s, %v, want %s", c.name, got.Next, err, c.want)
		}
	}
}
