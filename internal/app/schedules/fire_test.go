package schedules_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/app/schedules"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

func TestMain(m *testing.M) {
	if os.Getenv("PITON_TEST_FIRES") != "" {
		fires()
		return
	}
	os.Exit(m.Run())
}

// noon is when these tests begin, by their own clock.
var noon = time.Date(2026, 7, 1, 12, 0, 30, 0, time.UTC)

// rig is a home with a project, and a clock.
type rig struct {
	testing.TB
	home, dir, store string
	mu               sync.Mutex
	at               time.Time
}

func newRig(t testing.TB, store string) *rig {
	return &rig{TB: t, home: t.TempDir(), dir: t.TempDir(), store: store, at: noon}
}

func (g *rig) now() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at
}

func (g *rig) pass(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at = g.at.Add(d)
}

// a is another process of the home, as far as it can be told.
func (g *rig) a() schedules.Schedules {
	c := caller.New(options(g.home, g.dir, g.store, g.now))
	g.Cleanup(c.Close)
	return schedules.Schedules{Caller: c}
}

func options(home, dir, store string, now func() time.Time) caller.Options {
	o := caller.Options{
		Home: home, Dir: dir, Store: store, Now: now, Environ: []string{}, Log: slog.New(slog.DiscardHandler),
		Getenv: func(name string) string { return map[string]string{"PATH": os.Getenv("PATH")}[name] },
	}
	o.Ancestors = none
	return o
}

func none[T any]() []T { return nil }

const plan = "name: nightly\ninputs: {day: {default: none}}\nsteps:\n  - run: echo ${{ inputs.day }}\n"

func (g *rig) add(name, when string, overlap piton.Overlap, catchUp piton.CatchUp) piton.Schedule {
	g.Helper()
	v, err := g.a().AddSchedule(g.Context(), schedules.AddRequest{File: "-", Plan: []byte(plan), ScheduleRequest: piton.ScheduleRequest{
		Name: name, Workflow: name, Cron: []string{when}, Timezone: "UTC", Overlap: string(overlap), CatchUp: string(catchUp), Within: "31d", Inputs: map[string]string{"day": "{date}"},
	}})
	if err != nil {
		g.Fatal(err)
	}
	return v.Schedule
}

func (g *rig) fire(a schedules.Schedules) (next piton.Time, more bool) {
	g.Helper()
	next, more, err := a.FireSchedules(g.Context(), false, 1000)
	if err != nil {
		g.Error(err)
	}
	return next, more
}

func (g *rig) show(name string) schedules.View {
	g.Helper()
	v, err := g.a().ShowSchedule(g.Context(), piton.ScheduleRefRequest{Schedule: name})
	if err != nil {
		g.Fatal(err)
	}
	return v
}

func (g *rig) runs() []planruns.RunRow {
	g.Helper()
	list, err := planruns.PlanRuns{Caller: g.a().Caller}.Runs(g.Context(), piton.RunsRequest{})
	if err != nil {
		g.Fatal(err)
	}
	return list.Runs
}

func (g *rig) cancel(id string) {
	g.Helper()
	if _, err := (planruns.PlanRuns{Caller: g.a().Caller}).SteerRun(g.Context(), id, piton.WishCancel); err != nil {
		g.Fatal(err)
	}
}

// TestOff: what a daemon does that was off for a week, and what is told of it.
func TestOff(t *testing.T) {
	for _, c := range []struct {
		catchUp       piton.CatchUp
		begun, missed int64
		waiting       int
	}{{piton.CatchUpNone, 0, 7, 0}, {piton.CatchUpOne, 1, 6, 0}, {piton.CatchUpAll, 1, 0, 6}} {
		t.Run(string(c.catchUp), func(t *testing.T) {
			g := newRig(t, "")
			g.add("nightly", "0 2 * * *", piton.OverlapQueue, c.catchUp)
			g.pass(7 * 24 * time.Hour)
			next, _ := g.fire(g.a())
			v := g.show("nightly")
			if due := time.Date(2026, 7, 9, 2, 0, 0, 0, time.UTC); v.Begun != c.begun || v.Missed != c.missed || len(v.Pending) != c.waiting || !v.Next.Equal(due) || c.waiting == 0 && !next.Equal(due) {
				t.Errorf("got %d begun, %d missed, %d waiting, next %s", v.Begun, v.Missed, len(v.Pending), next)
			}
			for n := v.Begun; len(v.Pending) > 0; n++ { // each waits for the one before it
				g.fire(g.a())
				if v = g.show("nightly"); v.Begun != n {
					t.Fatalf("got %d begun, want %d while the last one is at work", v.Begun, n)
				}
				g.cancel(v.LastRun)
				g.fire(g.a())
				v = g.show("nightly")
			}
			if list := g.runs(); int64(len(list)) != v.Begun {
				t.Errorf("got %d runs of %d begun", len(list), v.Begun)
			}
		})
	}
}

// TestOverlap: what becomes of a time at which the last run is at work.
func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		overlap piton.Overlap
		begun   int64
		skipped int64
		open    int
	}{{piton.OverlapSkip, 1, 2, 1}, {piton.OverlapQueue, 1, 0, 1}, {piton.OverlapAllow, 3, 0, 3}, {piton.OverlapCancel, 3, 0, 1}} {
		t.Run(string(c.overlap), func(t *testing.T) {
			g := newRig(t, "")
			g.add("nightly", "0 2 * * *", c.overlap, piton.CatchUpOne)
			for range 3 {
				g.pass(24 * time.Hour)
				g.fire(g.a())
			}
			v, open := g.show("nightly"), 0
			for _, r := range g.runs() {
				if !r.Status.Ended() {
					open++
				}
			}
			if v.Begun != c.begun || v.Skipped != c.skipped || open != c.open {
				t.Errorf("got %d begun, %d skipped, %d open", v.Begun, v.Skipped, open)
			}
		})
	}
}

// TestPersonOnly: a schedule is a person's, and an agent may look at it.
func TestPersonOnly(t *testing.T) {
	g := newRig(t, "")
	g.add("nightly", "0 2 * * *", "", "")
	ref := piton.ScheduleRefRequest{Schedule: "nightly"}
	for name, change := range map[string]func(*caller.Options){"a request": func(o *caller.Options) { o.Remote = true }, "a model": func(o *caller.Options) { o.Model = true }} {
		o := options(g.home, g.dir, "", g.now)
		change(&o)
		c := caller.New(o)
		defer c.Close()
		a := schedules.Schedules{Caller: c}
		_, add := a.AddSchedule(t.Context(), schedules.AddRequest{File: "-", Plan: []byte(plan), ScheduleRequest: piton.ScheduleRequest{Name: "mine", Cron: []string{"@daily"}}})
		_, resume := a.ResumeSchedule(t.Context(), ref)
		_, remove := a.RemoveSchedule(t.Context(), ref)
		_, list := a.ListSchedules(t.Context(), piton.SchedulesRequest{})
		if piton.CodeOf(add) != piton.Invalid || piton.CodeOf(resume) != piton.Invalid || piton.CodeOf(remove) != piton.Invalid || list != nil {
			t.Errorf("%s: got %v, %v, %v and %v", name, add, resume, remove, list)
		}
	}
	secret := schedules.AddRequest{File: "-", Plan: []byte("env: {TOKEN: ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a}\n" + plan), ScheduleRequest: piton.ScheduleRequest{Name: "secret", Cron: []string{"@daily"}}}
	if _, err := g.a().AddSchedule(t.Context(), secret); piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), "what looks like a secret") {
		t.Errorf("a plan with a secret: got %v", err)
	}
	// A plan that says when does not schedule itself.
	run := planruns.RunRequest{File: "p.yaml", FileLess: true, Queue: true}
	run.Plan = []byte("schedule: '* * * * *'\n" + plan)
	if _, err := (planruns.PlanRuns{Caller: g.a().Caller}).Run(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if list, err := g.a().ListSchedules(t.Context(), piton.SchedulesRequest{}); err != nil || len(list.Schedules) != 1 || !strings.Contains(list.Hint, "no daemon runs") {
		t.Errorf("got %+v, %v", list, err)
	}
}

// TestSteer: pause, resume, trigger, replace and remove.
func TestSteer(t *testing.T) {
	g := newRig(t, "")
	g.add("nightly", "0 2 * * *", piton.OverlapSkip, piton.CatchUpAll)
	ref := piton.ScheduleRefRequest{Schedule: "nightly"}
	if v, err := g.a().PauseSchedule(t.Context(), ref); err != nil || !v.Paused || len(v.NextTimes) > 0 {
		t.Fatalf("got %+v, %v", v, err)
	}
	g.pass(48 * time.Hour)
	g.fire(g.a())
	if v, err := g.a().TriggerSchedule(t.Context(), ref); err != nil || len(v.Pending) != 1 {
		t.Fatalf("got %+v, %v", v, err)
	}
	g.fire(g.a())
	if v := g.show("nightly"); v.Begun != 1 || v.Missed != 0 || v.LastStatus != piton.RunQueued {
		t.Errorf("triggered while it is paused: got %+v", v)
	}
	if _, err := g.a().TriggerSchedule(t.Context(), ref); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("triggered while its run is at work: got %v", err)
	}
	v, err := g.a().ResumeSchedule(t.Context(), ref)
	if err != nil || v.Paused || len(v.NextTimes) != 3 || !v.Next.Equal(time.Date(2026, 7, 4, 2, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v, %v", v, err)
	}
	again := schedules.AddRequest{File: "-", Plan: []byte(plan), ScheduleRequest: piton.ScheduleRequest{Name: "nightly", Cron: []string{"@weekly"}}}
	if _, err := g.a().AddSchedule(t.Context(), again); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("added twice: got %v", err)
	}
	again.Replace = true
	if v, err := g.a().AddSchedule(t.Context(), again); err != nil || v.Times[0].Cron != "@weekly" || v.Times[0].Timezone == "" {
		t.Errorf("replaced: got %+v, %v", v, err)
	}
	if _, err := g.a().RemoveSchedule(t.Context(), ref); err != nil {
		t.Error(err)
	}
	if _, err := g.a().ShowSchedule(t.Context(), ref); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("removed: got %v", err)
	}
}

// TestCannotBegin: a schedule whose folder is gone says so, and begins again when it is back.
func TestCannotBegin(t *testing.T) {
	g := newRig(t, "")
	g.add("nightly", "0 2 * * *", "", "")
	if err := os.Rename(g.dir, g.dir+"-away"); err != nil {
		t.Fatal(err)
	}
	g.pass(24 * time.Hour)
	a := caller.New(options(g.home, t.TempDir(), "", g.now))
	defer a.Close()
	g.fire(schedules.Schedules{Caller: a})
	if err := os.Rename(g.dir+"-away", g.dir); err != nil {
		t.Fatal(err)
	}
	if v := g.show("nightly"); v.Failed != 1 || !strings.Contains(v.Error, "is not on this machine") || len(g.runs()) != 0 {
		t.Errorf("got %+v", v)
	}
	g.pass(24 * time.Hour)
	g.fire(g.a())
	if v := g.show("nightly"); v.Failed != 1 || v.Begun != 1 || v.Error != "" {
		t.Errorf("it is back: got %+v", v)
	}
}

// TestOtherHomes: another home's daemon fires a schedule only where its user has set that.
func TestOtherHomes(t *testing.T) {
	dsn := pgtest.DSN(t)
	g := newRig(t, dsn)
	g.add("nightly", "0 2 * * *", "", "")
	other := newRig(t, dsn)
	other.at = noon.Add(24 * time.Hour)
	other.fire(other.a())
	if v := g.show("nightly"); v.Begun != 0 {
		t.Errorf("another home has begun its run: %+v", v)
	}
	o := options(other.home, other.dir, dsn, other.now)
	getenv := o.Getenv
	o.Getenv = func(name string) string {
		return cmp.Or(map[string]string{"PITON_SERVE_ALL_HOMES": "true"}[name], getenv(name))
	}
	c := caller.New(o)
	defer c.Close()
	other.fire(schedules.Schedules{Caller: c})
	if v := g.show("nightly"); v.Begun != 1 {
		t.Errorf("its user has set it: got %+v", v)
	}
}

// TestTenDaemons: ten daemons that look at the same moments begin each time once.
func TestTenDaemons(t *testing.T) {
	for _, c := range []struct {
		name  string
		store func(*testing.T) string
	}{{"sqlite", func(*testing.T) string { return "" }}, {"postgres", func(t *testing.T) string { return pgtest.DSN(t) }}} {
		t.Run(c.name, func(t *testing.T) {
			g := newRig(t, c.store(t))
			g.add("a", "* * * * *", piton.OverlapAllow, piton.CatchUpAll)
			g.add("b", "*/2 * * * *", piton.OverlapAllow, piton.CatchUpAll)
			var daemons []schedules.Schedules
			for range 10 {
				daemons = append(daemons, g.a())
			}
			for range 6 {
				g.pass(time.Minute)
				var all sync.WaitGroup
				for _, a := range daemons {
					all.Go(func() { g.fire(a) })
				}
				all.Wait()
			}
			g.fire(g.a())
			if a, b, n := g.show("a").Begun, g.show("b").Begun, len(g.runs()); a != 6 || b != 3 || n != 9 {
				t.Errorf("got %d and %d begun, and %d runs; want 6, 3 and 9", a, b, n)
			}
		})
	}
}

// Children of TestKilled run by a clock of their own, that many times as fast.
const faster = 1200

// fires is a child: a daemon that does nothing but look at schedules, until it is killed.
func fires() {
	var began int64
	if _, err := fmt.Sscan(os.Getenv("PITON_TEST_FIRES"), &began); err != nil {
		os.Exit(2)
	}
	now := func() time.Time { return noon.Add(time.Since(time.UnixMilli(began)) * faster) }
	for {
		c := caller.New(options(os.Getenv("PITON_TEST_HOME"), os.Getenv("PITON_TEST_DIR"), os.Getenv("PITON_TEST_STORE"), now))
		for range 20 {
			_, _, _ = schedules.Schedules{Caller: c}.FireSchedules(context.Background(), false, 5)
		}
		c.Close()
	}
}

// TestKilled: daemons are killed at random moments, between what they decide and what
// they begin too. Each minute that has passed has begun one run, or is counted as skipped.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	for _, c := range []struct {
		name  string
		store func(*testing.T) string
	}{{"sqlite", func(*testing.T) string { return "" }}, {"postgres", func(t *testing.T) string { return pgtest.DSN(t) }}} {
		t.Run(c.name, func(t *testing.T) {
			g, r := newRig(t, c.store(t)), rand.New(rand.NewPCG(draw.Seed(), 26))
			s := g.add("nightly", "* * * * *", piton.OverlapAllow, piton.CatchUpAll)
			began := time.Now()
			child := func() *exec.Cmd {
				c := exec.Command(os.Args[0])
				c.Env = append(os.Environ(), fmt.Sprint("PITON_TEST_FIRES=", began.UnixMilli()), "PITON_TEST_HOME="+g.home, "PITON_TEST_DIR="+g.dir, "PITON_TEST_STORE="+g.store)
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				return c
			}
			kill := func(c *exec.Cmd) { _ = c.Process.Kill(); _ = c.Wait() }
			children := []*exec.Cmd{child(), child(), child()}
			for range kills {
				i := r.IntN(len(children))
				<-time.After(time.Duration(20+r.IntN(200)) * time.Millisecond) // when to kill is drawn
				kill(children[i])
				children[i] = child()
			}
			for _, c := range children {
				kill(c)
			}
			g.mu.Lock()
			g.at = noon.Add(time.Since(began) * faster)
			g.mu.Unlock()
			for range 3 {
				g.fire(g.a())
			}
			v, want := g.show("nightly"), int64(g.now().Truncate(time.Minute).Sub(noon.Truncate(time.Minute))/time.Minute)
			var keys []string
			for _, x := range g.runs() {
				keys = append(keys, x.ID)
			}
			slices.Sort(keys)
			once := int64(len(slices.Compact(keys))) == v.Begun
			counted := v.Begun+v.Skipped == want && v.Missed+v.Failed == 0 && len(v.Pending) == 0
			late := v.Skipped > 0 && v.Begun >= 100 // a hundred minutes wait at most, where the daemons are slow
			if all := once && counted; !all || v.Skipped > 0 && !late {
				t.Errorf("of %d minutes: got %d runs, %d begun, %d missed, %d skipped, %d failed, %d waiting (%s, %s)", want, len(keys), v.Begun, v.Missed, v.Skipped, v.Failed, len(v.Pending), v.Error, s.ID)
			}
			t.Logf("%d kills, %d minutes", kills, want)
		})
	}
}

const kills = 25

// BenchmarkDue is a look at 10,000 schedules: none of them is due, and one run of each.
func BenchmarkDue(b *testing.B) {
	const count = 10_000
	g := newRig(b, "")
	one, a := g.add("s", "0 2 * * *", "", ""), g.a()
	k, err := a.Keeper(b.Context(), true)
	if err != nil {
		b.Fatal(err)
	}
	err = k.Store.Save(b.Context(), func(tx store.Tx) error {
		for i := range count - 1 {
			s := one
			s.ID, s.Name, s.Workflow = piton.NewID(piton.SchedulePrefix), fmt.Sprint("s", i), fmt.Sprint("s", i)
			if err := tx.Schedules.AddSchedule(b.Context(), redact.Value(s), redact.Value(plan)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("none", func(b *testing.B) {
		for b.Loop() {
			g.fire(a)
		}
	})
	b.Run("reckon", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := a.FireSchedules(b.Context(), true, 1000); err != nil {
				b.Fatal(err)
			}
		}
	})
	g.pass(24 * time.Hour)
	b.Run("look of 1000", func(b *testing.B) {
		for b.Loop() {
			g.fire(a)
		}
	})
}
