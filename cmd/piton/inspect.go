package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

func inspectCommand(a *app) *cobra.Command {
	var withState, raw bool
	c := &cobra.Command{
		Use:   "inspect ID | NAME",
		Short: "Show a checkpoint: metadata, state, lineage, changes",
		Long: `Show a checkpoint, given by its id or by the name it was saved with: metadata, a
snapshot of its state, lineage, and what changed against its parent. Long states
are cut short: 'piton load ID' prints them whole. With --json the changes are
RFC 6902.

--raw prints what can still be read of a damaged state, to mend it by hand: its
fragments in order, with a line in the place of what is lost. Of an intact one
it prints the state.`,
		Example: `  piton inspect chk_7m2k
  piton inspect chk_7m2k --json --state | jq .changes
  piton inspect chk_7m2k --raw > mend.txt`,
		Args:              one(piton.CheckpointPrefix),
		ValidArgsFunction: a.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			if raw && withState {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give one of them", "--raw and --state exclude each other")
			}
			k, err := a.keeper(c.Context(), true)
			if err != nil {
				return err
			}
			id, err := a.id(c, k, args[0])
			if err != nil {
				return err
			}
			if raw {
				r, err := k.Raw(c.Context(), id)
				if err != nil {
					return err
				}
				return a.printRemains(r)
			}
			x, err := k.Inspect(c.Context(), id)
			if err != nil {
				return err
			}
			if a.json {
				return a.printInspectionJSON(x, withState)
			}
			return a.printInspection(x)
		},
	}
	c.Flags().BoolVar(&withState, "state", false, "with --json: the state too")
	c.Flags().BoolVar(&raw, "raw", false, "what can still be read of a damaged state")
	return c
}

func (a *app) printInspectionJSON(x history.Inspection, withState bool) error {
	if x.Damage != nil && withState {
		e := *wrap(x.Damage)
		e.Hint = firstOf(e.Hint, "without --state the rest is shown; 'piton load --nearest' loads the nearest intact ancestor")
		return &e
	}
	answer := struct {
		Checkpoint piton.Checkpoint   `json:"checkpoint"`
		Parent     *piton.Checkpoint  `json:"parent,omitempty"`
		Children   []piton.Checkpoint `json:"children"`
		Changes    json.RawMessage    `json:"changes,omitempty"`
		State      json.RawMessage    `json:"state,omitempty"`
	}{Checkpoint: x.Checkpoint, Parent: x.Parent, Children: x.Children, Changes: x.Changes}
	if answer.Children == nil {
		answer.Children = []piton.Checkpoint{}
	}
	if withState {
		answer.State = x.State
	}
	return a.printJSON(answer)
}
