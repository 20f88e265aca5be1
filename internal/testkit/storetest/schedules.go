package storetest

import (
	"sync"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

const schedulePlan = "name: nightly\nsteps: [\"echo ü\"]\n"

// newSchedule is a schedule with every field set.
func newSchedule(name string, next piton.Time) piton.Schedule {
	return piton.Schedule{
		ID: piton.NewID(piton.SchedulePrefix), Name: name, Project: "prj_1", Namespace: "path:/w", Home: "home", Host: "h", Dir: "/w/ü b", WorkDir: "/w/x", PlanFile: "/w/plan.yaml",
		PlanSum: "aa", Workflow: "nightly", Query: "why", Inputs: map[string]string{"day": "ü"}, Times: []piton.CronTime{{Cron: "0 2 * * *", Timezone: "Europe/Rome"}},
		Overlap: piton.OverlapSkip, CatchUp: piton.CatchUpOne, Within: 1000, Next: next, Active: []string{"run_1"}, LastAt: at(1), LastRun: "run_1",
		Begun: 1, Missed: 2, Skipped: 3, Failed: 4, Error: "none", AddedBy: "me", CreatedAt: at(1), UpdatedAt: at(2),
	}
}

func (s *suite) addSchedule(x piton.Schedule) error {
	return s.st.Save(s.ctx, func(tx store.Tx) error {
		return tx.Schedules.AddSchedule(s.ctx, redact.Value(x), redact.Unchecked(schedulePlan))
	})
}

func (s *suite) putSchedule(x piton.Schedule) error {
	return s.st.Save(s.ctx, func(tx store.Tx) error { return tx.Schedules.PutSchedule(s.ctx, redact.Value(x)) })
}

// due are the names of the schedules that are to be looked at by a time.
func (s *suite) due(q piton.ScheduleQuery) (names []string) {
	s.Helper()
	list, err := s.st.Schedules().Schedules(s.ctx, q)
	s.wantCode(err, "")
	for _, x := range list {
		names = append(names, x.Name)
	}
	return names
}

func scheduleComesBack(s *suite) {
	x := newSchedule("nightly", at(100))
	s.wantCode(s.addSchedule(x), "")
	got, err := s.st.Schedules().Schedule(s.ctx, x.ID[:12])
	s.wantCode(err, "")
	x.Version = 1
	equal(s, "schedule", got, x)
	plan, err := s.st.Schedules().SchedulePlan(s.ctx, x.ID)
	s.wantCode(err, "")
	equal(s, "plan", string(plan), schedulePlan)
	twin := newSchedule("nightly", at(5))
	s.wantCode(s.addSchedule(twin), piton.Conflict)
	twin.Namespace = "path:/v"
	s.wantCode(s.addSchedule(twin), "")
	s.save(func(tx store.Tx) error { return tx.Schedules.DeleteSchedule(s.ctx, x.ID) })
	s.wantCode(s.st.Save(s.ctx, func(tx store.Tx) error { return tx.Schedules.DeleteSchedule(s.ctx, x.ID) }), piton.NotFound)
	_, err = s.st.Schedules().Schedule(s.ctx, x.ID)
	s.wantCode(err, piton.NotFound)
	_, err = s.st.Schedules().SchedulePlan(s.ctx, x.ID)
	s.wantCode(err, piton.NotFound)
	s.wantCode(s.putSchedule(got), piton.Conflict)
}

func schedulesDue(s *suite) {
	none, err := s.st.Schedules().NextDue(s.ctx, "", at(0))
	s.wantCode(err, "")
	equal(s, "due of nothing", none, piton.Time{})
	for name, next := range map[string]piton.Time{"b": at(20), "a": at(30), "never": {}} {
		s.wantCode(s.addSchedule(newSchedule(name, next)), "")
	}
	waits := newSchedule("waits", at(90))
	waits.Pending = []piton.Time{at(10)}
	s.wantCode(s.addSchedule(waits), "")
	again := newSchedule("again", at(90))
	again.Pending, again.TryAgain, again.Home = []piton.Time{at(10)}, at(25), "other"
	s.wantCode(s.addSchedule(again), "")
	equal(s, "all", s.due(piton.ScheduleQuery{}), []string{"a", "again", "b", "never", "waits"})
	equal(s, "due", s.due(piton.ScheduleQuery{Due: at(29)}), []string{"waits", "b", "again"})
	equal(s, "due in a home", s.due(piton.ScheduleQuery{Due: at(30), Home: "home"}), []string{"waits", "b", "a"})
	equal(s, "of another project", s.due(piton.ScheduleQuery{Project: "prj_2", Namespace: "path:/v"}), nil)
	equal(s, "of the namespace", len(s.due(piton.ScheduleQuery{Project: "prj_2", Namespace: "path:/w"})), 5)
	for home, want := range map[string]piton.Time{"": at(10), "home": at(10), "other": at(25), "none": {}} {
		got, err := s.st.Schedules().NextDue(s.ctx, home, at(5))
		s.wantCode(err, "")
		equal(s, "next due of "+home, got, want)
	}
}

// scheduleClaimed: of many who have read a schedule and move it on, one does.
func scheduleClaimed(s *suite) {
	x := newSchedule("nightly", at(100))
	s.wantCode(s.addSchedule(x), "")
	x, err := s.st.Schedules().Schedule(s.ctx, x.ID)
	s.wantCode(err, "")
	codes := make([]piton.Code, 10)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() {
			mine := x
			mine.Next, mine.Begun = at(200+i), int64(i)
			codes[i] = piton.CodeOf(s.putSchedule(mine))
		})
	}
	all.Wait()
	equal(s, "outcomes", counted(codes), map[piton.Code]int{"": 1, piton.Conflict: 9})
	now, err := s.st.Schedules().Schedule(s.ctx, x.ID)
	s.wantCode(err, "")
	equal(s, "version", now.Version, 2)
	equal(s, "winner", codes[now.Begun], "")
}
