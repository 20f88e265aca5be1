package runs

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/verbs"
)

func steerCommand(con console, verb string) *cobra.Command {
	short := map[string]string{"pause": "Pause a run: its running steps end, then its process", "cancel": "Cancel a run: its running steps are ended, and it is finished"}
	long := map[string]string{
		"pause":  "Pause a run from any terminal. Steps that are running are finished first, nothing new\nbegins, and its process ends. 'piton runs continue RUN' goes on with it.",
		"cancel": "Cancel a run from any terminal. Its running steps are ended, and it is finished: it\ncannot be resumed. To stop it for a while: 'piton runs pause RUN'.",
	}
	return &cobra.Command{
		Use:               verb + " RUN",
		Short:             short[verb],
		Long:              long[verb] + "\nWhere the process of the run has died, this takes effect at once.",
		Example:           "  piton runs " + verb + " run_7m2k",
		Args:              oneRun(0),
		ValidArgsFunction: con.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			x, err := con.App().SteerRun(c.Context(), args[0], piton.RunWish(verb))
			x.Hint = verbs.CommandLine(x.Hint)
			return cli.Answer(con, x, err, con.printSteered)
		},
	}
}

func (con console) printSteered(x planruns.Steered) error {
	text := fmt.Sprintf("%s: %s.\n", x.Run.ID, planruns.StatusWord(x.Run.Status))
	switch {
	case x.Asked && x.Run.Wish == piton.WishPause:
		text = x.Run.ID + ": will pause; its running steps are finished first, and nothing new begins.\n"
	case x.Asked:
		text = x.Run.ID + ": will be cancelled; its running steps are ended.\n"
	}
	return con.printed(text, x.Hint)
}

func continueCommand(con console) *cobra.Command {
	return &cobra.Command{
		Use:   "continue RUN",
		Short: "Continue a paused run here",
		Long: `Continue a run in this terminal, as 'piton run --resume RUN' does. Where it is being
paused, it waits until the steps at work have ended.`,
		Example:           "  piton runs continue run_7m2k",
		Args:              oneRun(0),
		ValidArgsFunction: con.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			return con.goOn(c.Context(), args[0], planruns.RunRequest{})
		},
	}
}

// goOn continues a run here, once it has paused.
func (con console) goOn(ctx context.Context, ref string, r planruns.RunRequest) error {
	run, err := con.App().ContinueRun(ctx, ref, r.Undo, func(run piton.Run) {
		con.Say("%s is being paused; waiting until its running steps have ended.", run.ID)
	})
	if err != nil {
		return err
	}
	r.Ref, r.Resume, r.Wait = run.ID, true, con.Person()
	return con.run(ctx, r)
}

func undoCommand(con console) *cobra.Command {
	var again piton.RunAgain
	c := &cobra.Command{
		Use:   "undo RUN",
		Short: "Undo what a run has done, the last step first",
		Long: `Run the 'undo' of each completed step of a run that has one, the last one first. The
run is then cancelled. Of a run that has ended, another one does it, from its newest
checkpoint. Of steps in doubt, --took says that they took effect, so that they are undone
too, --redo that they did not. Files that an agent has destroyed: 'piton undo'.`,
		Example:           "  piton runs undo run_7m2k\n  piton runs undo run_7m2k --took deploy",
		Args:              oneRun(0),
		ValidArgsFunction: con.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			return con.goOn(c.Context(), args[0], planruns.RunRequest{RunRequest: piton.RunRequest{RunAgain: again}, Undo: true})
		},
	}
	c.Flags().StringSliceVar(&again.Took, "took", nil, "these steps, in doubt, did take effect: `STEP`")
	c.Flags().StringSliceVar(&again.Redo, "redo", nil, "these steps, in doubt, did not: `STEP`")
	return c
}

func signalCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "signal RUN NAME [PAYLOAD]",
		Short: "Send a signal to a run, which a step waits for",
		Long: `Send a signal to a run: a step with 'wait: {signal: NAME}' goes on with it, now or when
it begins. PAYLOAD is JSON, which the step brings as its output's 'payload'. Each signal
is used once.`,
		Example:           "  piton runs signal nightly deployed\n  piton runs signal run_7m2k deployed '{\"version\": 7}' --id deploy-7",
		Args:              oneRun(2),
		ValidArgsFunction: con.completeRuns,
	}, func(c *cobra.Command, r piton.SignalRequest) error {
		args := append(c.Flags().Args(), "", "")
		r.Run, r.Name = args[0], args[1]
		if args[2] != "" {
			r.Payload = []byte(args[2])
		}
		x, err := con.App().Signal(c.Context(), r)
		x.Hint = verbs.CommandLine(x.Hint)
		return cli.Answer(con, x, err, func(x planruns.Signalled) error {
			return con.printed(fmt.Sprintf("Sent the signal %s to %s.\n", x.Signal, x.RunID), x.Hint)
		})
	})
}
