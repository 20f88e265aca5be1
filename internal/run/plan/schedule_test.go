package plan

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
)

// TestSchedule: a schedule in the forms of several programs.
func TestSchedule(t *testing.T) {
	nightly := piton.CronTime{Cron: "0 2 * * *"}
	rome := piton.CronTime{Cron: "0 2 * * *", Timezone: "Europe/Rome"}
	for _, c := range []struct {
		name, text string
		want       *Schedule
	}{
		{"none", "", nil},
		{"null", "schedule:", nil},
		{"a text", "schedule: '0 2 * * *'", &Schedule{Times: []piton.CronTime{nightly}}},
		{"GitHub", "on:\n  schedule:\n    - cron: '0 2 * * *'\n  workflow_dispatch:", &Schedule{Times: []piton.CronTime{nightly}}},
		{"a list", "schedule: ['@daily', {cron: '0 2 * * *', timezone: Europe/Rome}]", &Schedule{Times: []piton.CronTime{{Cron: "@daily"}, rome}}},
		{"several times of a zone", "schedule: {cron: ['@daily', '0 2 * * *'], tz: Europe/Rome}", &Schedule{Times: []piton.CronTime{{Cron: "@daily", Timezone: "Europe/Rome"}, rome}}},
		{"policies", "schedule: {cron: '0 2 * * *', overlap: queue, catch_up: all, within: 12h}", &Schedule{Times: []piton.CronTime{nightly}, Overlap: piton.OverlapQueue, CatchUp: piton.CatchUpAll, Within: Duration(12 * time.Hour)}},
		{"Kubernetes", "schedule: {cron: '0 2 * * *', timeZone: Europe/Rome, concurrencyPolicy: Forbid, startingDeadlineSeconds: 300}", &Schedule{Times: []piton.CronTime{rome}, Overlap: piton.OverlapSkip, Within: Duration(5 * time.Minute)}},
		{"Temporal", "schedule: {cron: '0 2 * * *', overlap: CancelOther}", &Schedule{Times: []piton.CronTime{nightly}, Overlap: piton.OverlapCancel}},
		{"Airflow", "schedule: {cron: '0 2 * * *', catchup: false}\nmax_active_runs: 1", &Schedule{Times: []piton.CronTime{nightly}, CatchUp: piton.CatchUpNone}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Parse("p.yaml", []byte(c.text+"\nsteps: ['echo a']\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, p.Schedule); diff != "" {
				t.Error(diff)
			}
			bare, err := Parse("p.yaml", []byte("name: "+p.Name+"\nsteps: ['echo a']\n"), nil)
			if p.MaxRuns = 0; err != nil || p.Sum() != bare.Sum() || p.Terms() != nil {
				t.Errorf("its schedule is part of what the plan does: %v", err)
			}
		})
	}
}
