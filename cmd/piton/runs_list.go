package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
)

func runsListCommand(con *console) *cobra.Command {
	var f app.RunFilter
	c := &cobra.Command{
		Use:   "list",
		Short: "List runs, newest first",
		Long: `List runs of all projects, newest first. The column Status says in words how
each stands. A run whose process has died is interrupted (its status is running), and
one whose questions a person has answered is answered (its status is waiting); both are
continued with 'piton run --resume RUN'.`,
		Example: "  piton runs list --open\n  piton runs list --workflow nightly --limit 5 --json\n  piton runs list --status failed --since 2d",
		Args:    none("a run's steps: 'piton runs show %s'"),
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := con.app().Runs(c.Context(), f)
			return answer(con, list, err, paged(con, c, func(list app.RunList) error {
				if len(list.Runs) == 0 && f != (app.RunFilter{Limit: f.Limit}) {
					con.say("No matching runs. 'piton runs list' shows all.")
					return nil
				}
				return con.printRuns(list)
			}))
		},
	}
	x := c.Flags()
	x.BoolVar(&f.Open, "open", false, "only runs that are not finished")
	x.StringVar(&f.Status, "status", "", "with this `STATUS`: "+app.RunStatusNames())
	x.StringVar(&f.Since, "since", "", "begun since `WHEN`: a duration (90m, 2d), yesterday, 18:00, 2026-01-31 or a time (RFC 3339)")
	x.StringVar(&f.Workflow, "workflow", "", "id or name of a `WORKFLOW`")
	x.StringVar(&f.Dir, "project", "", "a folder (`DIR`) of the project")
	x.IntVar(&f.Limit, "limit", 20, "maximum number, 0 for all")
	return c
}

func (con *console) printRuns(list app.RunList) error {
	if len(list.Runs) == 0 {
		con.say("No runs. 'piton run PLAN' begins one.")
		return nil
	}
	t := table{columns: []column{whole("ID"), wording("Workflow"), wording("Status"), whole("Steps"), whole("Age"), wording("Now").spared()}}
	for _, r := range list.Runs {
		now := cmp.Or(r.Error, r.Now)
		if r.Answered {
			now = "a person has answered; it goes on when it is resumed"
		}
		t.add(r.ID, line(r.Label()), con.runState(r), fmt.Sprintf("%d/%d", r.Done, r.Total), con.ago(r.CreatedAt), line(clean(now)))
	}
	return con.printTable(t)
}
