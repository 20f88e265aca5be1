package runs

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func logsCommand(con console) *cobra.Command {
	var follow bool
	c := cli.Asks(&cobra.Command{
		Use:   "logs RUN [STEP]",
		Short: "Print what the steps of a run have written",
		Long: `Print the logs of a run's steps, or of one step, with secrets redacted. Long logs are
cut in the middle. --follow prints what is added until the run has ended or stopped.
Logs are on the machine where the step ran.`,
		Example:           "  piton runs logs run_7m2k\n  piton runs logs nightly build --follow",
		ValidArgsFunction: con.completeRuns,
	}, func(c *cobra.Command, r piton.RunLogsRequest) error {
		step := r.Step
		if follow {
			return con.App().FollowRun(c.Context(), r.Run, step, func(l planruns.RunLog) error { return con.printLog(l, step == "") })
		}
		x, err := con.App().RunLogs(c.Context(), r)
		return cli.Answer(con, x, err, cli.Paged(con, c, func(x planruns.RunLogs) error {
			for _, l := range x.Logs {
				if err := con.printLog(l, len(x.Logs) > 1); err != nil {
					return err
				}
			}
			switch {
			case len(x.Logs) > 0:
			case step != "":
				con.Say("Step %s of this run has not written anything on this machine.", screen.Line(step))
			default:
				con.Say("No step of this run has written anything on this machine.")
			}
			return nil
		}))
	})
	c.Flags().BoolVar(&follow, "follow", false, "go on with what is added")
	return c
}

// printLog writes a part of a log; with --json one object per part.
func (con console) printLog(l planruns.RunLog, named bool) error {
	if con.JSON {
		return con.PrintJSON(l)
	}
	text := l.Text
	if screen.IsTerminal(con.Out) {
		text = screen.Clean(text)
	}
	if named && text != "" {
		text = con.Bold(fmt.Sprintf("== %s (attempt %d)", screen.Line(l.StepID), max(l.Attempt, 1))) + "\n" + text
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return con.Print(text)
}
