package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

func saveCommand(con *console) *cobra.Command {
	var d history.Draft
	var dir, file, trigger, usage, episode string
	var step, progress int
	c := &cobra.Command{
		Use:   "save",
		Short: "Save a state; it is durable when the command returns",
		Long: `Save a state as a checkpoint. It is durable when the command returns.

Without --workflow it goes to the session's current workflow (the last saved
to), else to a new one; a new name makes a workflow of that name. Secrets are
taken out before anything is stored.

The state is what --state names, else what stands in a pipe or a file on standard
input: a JSON object. What is none is refused. Where nothing stands there it is
what a hook would capture in an agent's session, else the head's state again,
else {}. A pipe that stays open and empty is left alone after half a second; --state -
waits for its end. In a loop that reads standard input add </dev/null.

Piped, it prints the new checkpoint's id only.`,
		Example: `  piton save --name before-refactor
  echo '{"done": 3, "next": "parser"}' | piton save --workflow import
  piton save --workflow release --phase Build --phase-number 2 --phase-total 4 --task "ship 1.2"`,
		Args: none("to name the checkpoint: --name %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			ctx := c.Context()
			d.Trigger = piton.Trigger(trigger)
			if c.Flags().Changed("step") {
				d.Step = &step
			}
			if c.Flags().Changed("progress") {
				d.Progress = &progress
			}
			if c.Flags().Changed("token-usage") {
				u, err := tokenUsage(usage)
				if err != nil {
					return err
				}
				d.TokenUsage = &u
			}
			// What is not acceptable is refused before a store is made.
			state, idle, err := con.givenState(c, file)
			if err != nil {
				return err
			}
			if idle {
				if err := con.stateless(describes(c) || con.app().Captures(ctx, d.Session)); err != nil {
					return err
				}
			}
			d.State = state
			saved, err := con.app().Save(ctx, d, dir, episode)
			if err != nil {
				return err
			}
			con.soFar = "the state is saved: " + saved.ID
			if from := stateFrom(saved); from != "" && !con.json && !con.forPerson() {
				con.say("State: %s", from)
			}
			return printed(con.printSaved(saved))
		},
	}
	f := c.Flags()
	f.StringVar(&d.Workflow, "workflow", "", "id or name of the `WORKFLOW`; a new name makes one")
	f.StringVar(&d.Type, "type", "", "its `TYPE`: phases, conductor, plan, session, or a name of your own")
	f.StringVar(&d.Session, "session", "", "`SESSION`, by our id or the client's (default: the agent's own)")
	f.StringVar(&dir, "project", ".", "a folder (`DIR`) of the project")
	f.StringVar(&d.Branch, "branch", "", "branch (default main)")
	f.StringVar(&d.Parent, "parent", "", "the head (`ID`) you expect; if it has moved on, nothing is written (exit 4)")
	f.IntVar(&step, "step", 0, "number of the step")
	f.StringVar(&d.StepName, "step-name", "", "name of the step")
	f.StringVar(&d.Phase, "phase", "", "name of the phase")
	f.IntVar(&d.PhaseNumber, "phase-number", 0, "its number, from 1")
	f.IntVar(&d.PhaseTotal, "phase-total", 0, "how many there are (default 7)")
	f.StringVar(&d.Name, "name", "", "a name for this checkpoint")
	f.StringVar(&d.Description, "description", "", "what it is")
	f.StringVar(&d.Task, "task", "", "what is being worked on")
	f.StringArrayVar(&d.Tags, "tag", nil, "a `TAG`; may be given again")
	f.StringVar(&episode, "episode", "", "the `EPISODE` it belongs to, kept as the tag episode:EPISODE (default $PITON_EPISODE)")
	f.StringVar(&trigger, "trigger", "", "why it is made (default manual, with a phase phase_complete)")
	f.IntVar(&progress, "progress", 0, "percent done, 0 to 100")
	f.Int64Var(&d.DurationMS, "duration-ms", 0, "`MILLISECONDS` spent so far")
	f.StringVar(&usage, "token-usage", "", "`TOKENS` used: input=N,output=N,cache_read=N,cache_write=N, the same as a JSON object, or one number")
	f.StringVar(&file, "state", "", "`FILE` with the state, a JSON object; - for stdin, to its end")
	return c
}

// describes tells whether a save's flags say something worth keeping by itself.
func describes(c *cobra.Command) bool {
	return slices.ContainsFunc([]string{"name", "description", "task", "tag", "step", "step-name", "phase", "phase-number", "progress"}, c.Flags().Changed)
}
