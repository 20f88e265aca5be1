package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

func forkCommand(con *console) *cobra.Command {
	var d history.ForkDraft
	var file string
	c := &cobra.Command{
		Use:   "fork ID | NAME",
		Short: "Start a branch from any checkpoint",
		Long: `Start a branch of a workflow from any of its checkpoints. The new checkpoint has
the chosen one as its parent, with its state and its position (step, phase, task,
progress), and is not completed. --state gives it another state; so does a pipe or
a file on standard input, as in 'piton save'. Save to the branch with 'piton save
--workflow W --branch B'.

A damaged checkpoint is never replaced silently: the command fails (exit 5), and
the hint names the nearest intact ancestor. --nearest takes that one and says so.

In a pipe, it prints only the id of the new checkpoint.`,
		Example: `  piton fork chk_7m2k
  piton fork chk_7m2k --branch try-streams --description "without the buffer"`,
		Args:              one(piton.CheckpointPrefix),
		ValidArgsFunction: con.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			state, idle, err := con.givenState(c, file)
			if err != nil {
				return err
			}
			if idle {
				_ = con.stateless(true) // there is the checkpoint's own
			}
			d.From, d.State = args[0], state
			forked, err := con.app().Fork(c.Context(), d)
			if err != nil {
				return err
			}
			if forked.RecoveredFrom != "" {
				con.say("piton: %s is damaged (%s); the branch starts from its nearest intact ancestor %s", forked.RecoveredFrom, clean(forked.Why), forked.ParentID)
			}
			con.soFar = "the branch is there: " + forked.ID
			return printed(con.printForked(forked))
		},
	}
	f := c.Flags()
	f.StringVar(&d.Branch, "branch", "", "name of the new branch (default fork-1, fork-2, …)")
	f.StringVar(&file, "state", "", "`FILE` with another state, a JSON object; - for stdin")
	f.StringVar(&d.Session, "session", "", "`SESSION`, by Piton's id or the client's (default: the agent's own)")
	f.StringVar(&d.Name, "name", "", "a name for the new checkpoint")
	f.StringVar(&d.Description, "description", "", "what it is")
	f.StringArrayVar(&d.Tags, "tag", nil, "a `TAG`; may be given again")
	f.BoolVar(&d.Nearest, "nearest", false, "take the nearest intact ancestor of a damaged checkpoint")
	return c
}

// printForked prints a fork as a save is printed, with its branch.
func (con *console) printForked(f history.Forked) error {
	if con.json {
		return con.printJSON(f)
	}
	if err := con.printSaved(f.Saved); err != nil || !con.forPerson() {
		return err
	}
	return con.print(fmt.Sprintf("Branch: %s, from %s\n", line(f.Branch), f.ParentID))
}
