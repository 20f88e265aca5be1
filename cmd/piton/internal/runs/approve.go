package runs

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/verbs"
)

func approveCommand(con console) *cobra.Command {
	var r planruns.ApproveRequest
	var yes bool
	c := &cobra.Command{
		Use:   "approve RUN [STEP]",
		Short: "Approve or reject what a run asks",
		Long: `Show what a step of a run asks, and approve it, from any terminal. The approval holds
for exactly the text that is shown: if it changes, the run asks again. Where the same
answer was given before, it says by whom and when, and changes nothing.

--reject "WORDS" rejects it. The words go to the steps that the approval depends on;
they run again, and the run asks anew.

It is refused inside an agent. Without a terminal it needs --yes or --reject.`,
		Example:           "  piton runs approve run_7m2k\n  piton runs approve nightly publish --reject \"the version is wrong\"",
		Args:              oneRun,
		ValidArgsFunction: con.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			r.Ref = args[0]
			if len(args) > 1 {
				r.Step = args[1]
			}
			r.Reject = c.Flags().Changed("reject")
			if !r.Reject && !yes {
				r.Confirm = func(q planruns.Question, r *planruns.ApproveRequest) (bool, error) {
					if !con.Person() {
						return false, piton.Errorf(piton.Invalid, c.CommandPath(), "run it in a terminal, or add --yes to approve what 'piton runs show "+q.RunID+"' shows, or --reject WORDS", "a person has to see the question and answer, and there is no terminal")
					}
					return con.confirm(c.Context())(q, r)
				}
			}
			x, err := con.App().Approve(c.Context(), r)
			x.Hint = verbs.CommandLine(x.Hint)
			return cli.Answer(con, x, err, con.printApproval)
		},
	}
	c.Flags().StringVar(&r.Words, "words", "", "`WORDS` that the step brings as steps.ID.output.words")
	c.Flags().StringVar(&r.Words, "reject", "", "reject it, with `WORDS` for the steps before it")
	c.Flags().BoolVar(&yes, "yes", false, "approve without asking")
	c.MarkFlagsMutuallyExclusive("yes", "reject")
	return c
}
