package daemon

import (
	"slices"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// What is due follows from the wall clock and from what was done.
func TestDue(t *testing.T) {
	all := []job{{name: "often", every: 2 * time.Minute}, {name: "daily", every: 24 * time.Hour}}
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	often := func(at time.Time) last { return last{at: at, wait: all[0].every} }
	daily := func(at time.Time) last { return last{at: at, wait: all[1].every} }
	for _, c := range []struct {
		name string
		done map[string]last
		want []string
		wait time.Duration
	}{
		{"nothing was ever done", nil, []string{"often", "daily"}, longestWait},
		{"all was done just now", map[string]last{"often": often(noon), "daily": daily(noon)}, nil, longestWait},
		{"one is due soon", map[string]last{"often": often(ago(110 * time.Second)), "daily": daily(noon)}, nil, 10 * time.Second},
		{"one is due now", map[string]last{"often": often(ago(2 * time.Minute)), "daily": daily(ago(time.Hour))}, []string{"often"}, longestWait},
		{"the machine has slept for three days", map[string]last{"often": often(ago(72 * time.Hour)), "daily": daily(ago(73 * time.Hour))}, []string{"often", "daily"}, longestWait},
		{"the clock was set back", map[string]last{"often": often(noon.Add(time.Hour)), "daily": daily(noon.Add(48 * time.Hour))}, []string{"often", "daily"}, longestWait},
		{"one has failed just now", map[string]last{"often": often(noon), "daily": last{}.failed(noon)}, nil, longestWait},
		{"one has failed a minute ago", map[string]last{"often": often(noon), "daily": last{}.failed(ago(time.Minute))}, []string{"daily"}, longestWait},
		{"one has failed again and again", map[string]last{"often": often(noon), "daily": last{failures: 3}.failed(ago(7 * time.Minute))}, nil, longestWait},
		{"one has failed for days", map[string]last{"often": often(noon), "daily": last{failures: 499}.failed(ago(time.Hour))}, []string{"daily"}, longestWait},
		{"one has failed in the future", map[string]last{"often": often(noon), "daily": last{failures: 2}.failed(noon.Add(time.Hour))}, []string{"daily"}, longestWait},
	} {
		t.Run(c.name, func(t *testing.T) {
			ready, wait := due(noon, all, c.done)
			var names []string
			for _, j := range ready {
				names = append(names, j.name)
			}
			if !slices.Equal(names, c.want) || wait != c.wait {
				t.Errorf("got %v, %s, want %v, %s", names, wait, c.want, c.wait)
			}
		})
	}
}

// A run that crashes again and again is continued later and later, and then no more;
// one that gets on begins anew.
func TestTries(t *testing.T) {
	at := func(d time.Duration) piton.Time { return piton.At(noon.Add(d)) }
	crashed := func(count int, when time.Duration, steps string) try {
		return try{count, at(when), steps + " steps", true}
	}
	is := standing(planruns.Unattended{Run: planruns.RunRow{Run: piton.Run{Status: piton.RunRunning, Done: 2}}})
	for _, c := range []struct {
		name string
		was  try
		now  time.Duration
		want time.Duration // from noon
		may  bool
	}{
		{"the first time", try{}, 0, 0, true},
		{"the second time", crashed(1, 0, "2"), time.Second, 5 * time.Second, true},
		{"the third time", crashed(2, 0, "2"), time.Second, 30 * time.Second, true},
		{"the fifth time", crashed(4, 0, "2"), time.Second, 10 * time.Minute, true},
		{"the sixth time", crashed(5, 0, "2"), time.Hour, time.Hour, false},
		{"a step further", crashed(5, 0, "1"), time.Second, time.Second, true},
		{"a day later", crashed(5, 0, "2"), 25 * time.Hour, 25 * time.Hour, true},
		{"the clock was set back", crashed(1, time.Hour, "2"), 0, 5 * time.Second, true},
	} {
		when, may := c.was.when(is, at(c.now))
		if may != c.may || when != at(c.want) {
			t.Errorf("%s: got %s, %t, want %s, %t", c.name, when, may, at(c.want), c.may)
		}
	}
	n, x, now := 0, try{}, at(0)
	for range 1000 { // a run that never gets on, and is looked at every 10 s: some three hours
		if when, may := x.when(is, now); may && !when.After(now.Time) {
			x = x.again(is, now)
			n++
		}
		now = piton.At(now.Add(10 * time.Second))
	}
	if n != len(pauses) {
		t.Errorf("got %d tries, want %d", n, len(pauses))
	}
}

// A run that was given up or answered, and cannot even begin, is not tried again and
// again without a pause; it is never given up for good, and one that gets on goes on at
// once.
func TestTriesOfARunThatCannotBegin(t *testing.T) {
	x, now := readTries(t.TempDir()), piton.At(noon)
	row := planruns.Unattended{Run: planruns.RunRow{Run: piton.Run{ID: "run_1", Status: piton.RunStopped, CheckpointID: "chk_1"}}}
	for n, pause := range append(pauses, 10*time.Minute) {
		at, may := x.due(row, now)
		if !may || at != piton.At(now.Add(pause)) {
			t.Errorf("try %d: got %s, %t, want %s later", n+1, at, may, pause)
		}
		now = at
		if err := x.note(row, now); err != nil {
			t.Fatal(err)
		}
		x.forget([]planruns.Unattended{row}, now)
	}
	if at, _ := x.due(row, piton.At(noon.Add(-time.Hour))); at != piton.At(noon.Add(-50*time.Minute)) {
		t.Errorf("the clock was set back: got %s", at)
	}
	row.Run.CheckpointID = "chk_2"
	if at, may := x.due(row, now); !may || at != now {
		t.Errorf("a step further: got %s, %t, want at once", at, may)
	}
	if x.forget(nil, now); len(x.runs) != 1 {
		t.Error("a run that is worked on is forgotten: it may stand as before when that has failed")
	}
	if x.forget(nil, piton.At(now.Add(25*time.Hour))); len(x.runs) != 0 {
		t.Error("what counts no more is kept")
	}
}

// The tries are kept, and a file that cannot be read is begun anew.
func TestTriesAreKept(t *testing.T) {
	home := t.TempDir()
	x := readTries(home)
	x.runs["run_1"] = try{2, piton.At(noon), "3 steps", true}
	if err := x.write(); err != nil {
		t.Fatal(err)
	}
	if got := readTries(home).runs["run_1"]; got != x.runs["run_1"] {
		t.Errorf("got %+v, want %+v", got, x.runs["run_1"])
	}
	x.forget(nil, piton.At(noon.Add(time.Hour)))
	if len(x.runs) != 1 {
		t.Error("what counts still was forgotten")
	}
	if x.forget(nil, piton.At(noon.Add(25*time.Hour))); len(x.runs) != 0 {
		t.Error("what counts no more is kept")
	}
	damage(t, x.path)
	if got := readTries(home).runs; len(got) != 0 {
		t.Errorf("got %v from a damaged file, want nothing", got)
	}
}
