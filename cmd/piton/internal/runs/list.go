package runs

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func listCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "list",
		Short: "List runs, newest first",
		Long: `List runs of all projects, newest first. The column Status says in words how each
stands, whatever it was when its process ended: it waits for a person while a step asks,
is in doubt while nobody knows whether a step took effect, answered once a person has
answered all, interrupted where its process has died; the last two are continued with
'piton run --resume RUN'. --status takes these words and the statuses of the records.`,
		Example: "  piton runs list --open\n  piton runs list --workflow nightly --limit 5 --json\n  piton runs list --status failed --since 2d",
		Args:    cli.None("a run's steps: 'piton runs show %s'"),
	}, func(c *cobra.Command, f piton.RunsRequest) error {
		list, err := con.App().Runs(c.Context(), f)
		return cli.Answer(con, list, err, cli.Paged(con, c, func(list planruns.RunList) error {
			if len(list.Runs) == 0 && f != (piton.RunsRequest{Limit: f.Limit}) {
				con.Say("No matching runs. 'piton runs list' shows all.")
				return nil
			}
			return con.printRuns(list, cli.AllAgain(c))
		}))
	})
}

func (con console) printRuns(list planruns.RunList, again string) error {
	if len(list.Runs) == 0 {
		con.Say("No runs. 'piton run PLAN' begins one.")
		return nil
	}
	t := screen.NewTable(screen.Whole("ID"), screen.Wording("Workflow"), screen.Wording("Status"), screen.Whole("Steps"), screen.Whole("Age"), screen.Wording("Now").Spared())
	for _, r := range list.Runs {
		t.Add(r.ID, screen.Line(r.Label()), State(r), fmt.Sprintf("%d/%d", r.Done, r.Total), con.Ago(r.CreatedAt), screen.Line(screen.Clean(r.Says())))
	}
	err := con.PrintTable(t)
	if err == nil && list.More {
		con.Say("Show all: %s", again)
	}
	return err
}
