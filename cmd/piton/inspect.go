package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

func inspectCommand(con *console) *cobra.Command {
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
		ValidArgsFunction: con.completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := atMostOneFlag(c, "raw", "state"); err != nil {
				return err
			}
			if raw {
				r, err := con.app().Raw(c.Context(), args[0])
				return answer(con, r, err, con.printRemains)
			}
			x, err := con.app().Inspect(c.Context(), args[0], con.json && withState)
			if con.json && !withState {
				x.State = nil
			}
			return answer(con, x, err, con.printInspection)
		},
	}
	c.Flags().BoolVar(&withState, "state", false, "with --json: the state too")
	c.Flags().BoolVar(&raw, "raw", false, "what can still be read of a damaged state")
	return c
}

// gap stands in the place of what is lost of a state.
const gap = "[… lost …]"

// printRemains prints what can still be read of a state, byte for byte in a
// pipe.
func (con *console) printRemains(r app.Remains) error {
	var b strings.Builder
	read := 0
	for _, part := range r.Fragments {
		text := gap
		if part != nil {
			text = *part
			read += len(text)
		}
		b.WriteString(strings.TrimSuffix(text, "\n") + "\n")
	}
	text := b.String()
	if isTerminal(con.out) {
		text = clean(text)
	}
	if err := con.print(text); err != nil {
		return err
	}
	if c := r.Checkpoint; c.Damaged != "" {
		con.say("piton: %s is damaged (%s); %d of its %d bytes can still be read, and nothing vouches for them", c.ID, line(c.Damaged), read, c.StateBytes)
	}
	return nil
}
