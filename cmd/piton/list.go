package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

// filter is what was asked of list, as typed.
type filter struct {
	app.Filter
	trigger               string
	completed, incomplete bool
}

// maxOpen bounds the table of unfinished work on a terminal.
const maxOpen = 5

func listCommand(con *console) *cobra.Command {
	var f filter
	c := &cobra.Command{
		Use:   "list",
		Short: "List checkpoints, newest first",
		Long: `List checkpoints, newest first. States are never read.

Without a filter it lists all projects. --open lists the newest checkpoint of
every unfinished workflow of the project (here, unless --project says where)
that no live session is at work on.`,
		Example: `  piton list --workflow import --limit 5
  piton list --open
  piton list --project . --since 2d --json`,
		Args: none("to list a workflow's: --workflow %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := f.read(c)
			if err != nil {
				return err
			}
			// On a terminal a few rows say how many there are in all.
			few := q.Open && con.forPerson() && !c.Flags().Changed("limit")
			if few {
				q.Limit = 0
			}
			list, err := con.app().List(c.Context(), q)
			return answer(con, list, err, func(list app.Listing) error {
				more := 0
				if few && len(list.Checkpoints) > maxOpen {
					more = len(list.Checkpoints) - maxOpen
					list.Checkpoints = list.Checkpoints[:maxOpen]
				}
				title, nothing := "Recent checkpoints:", f.nothing(c)
				if q.Open {
					title = "Unfinished work:"
				}
				if x := list.AtWork; x != nil {
					nothing = fmt.Sprintf("No unfinished work but that of a live session, %s. If it has died: 'piton resume %s'.", x.SessionID, x.ID)
				}
				return con.printList(list, more, title, nothing)
			})
		},
	}
	f.flags(c)
	return c
}

// flags adds what list and search have in common.
func (l *filter) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&l.Workflow, "workflow", "", "id or name of a `WORKFLOW`")
	f.StringVar(&l.Session, "session", "", "`SESSION`, by our id or the client's")
	f.StringVar(&l.Dir, "project", "", "a folder (`DIR`) of the project")
	f.BoolVar(&l.completed, "completed", false, "completed ones only")
	f.BoolVar(&l.incomplete, "incomplete", false, "those that are not completed only")
	f.BoolVar(&l.Open, "open", false, "heads of unfinished workflows only")
	f.StringVar(&l.trigger, "trigger", "", "made for this `REASON`")
	f.StringVar(&l.Branch, "branch", "", "of this `BRANCH`")
	f.StringVar(&l.Filter.Name, "name", "", "saved with this `NAME`")
	f.StringVar(&l.Tag, "tag", "", "with this `TAG`")
	f.StringVar(&l.Filter.Since, "since", "", "created since `WHEN`: a duration (90m, 2d) or a time (RFC 3339)")
	f.IntVar(&l.Limit, "limit", 20, "at most so many, 0 for all")
	f.StringVar(&l.Cursor, "cursor", "", "go on where the last list ended: the `CURSOR` it gave")
}

// read is the filter that the flags make.
func (l filter) read(c *cobra.Command) (app.Filter, error) {
	err := atMostOneFlag(c, "completed", "incomplete")
	if l.completed || l.incomplete {
		l.Completed = &l.completed
	}
	l.Trigger = piton.Trigger(l.trigger)
	return l.Filter, err
}

// nothing is what a person is told of an empty list.
func (l filter) nothing(c *cobra.Command) string {
	filtered := false
	c.Flags().Visit(func(f *pflag.Flag) { filtered = filtered || f.Name != "store" && f.Name != "json" })
	switch {
	case l.Open:
		return "No unfinished work. 'piton list' shows all checkpoints."
	case filtered:
		return "No checkpoints that fit."
	}
	return "No checkpoints. 'piton save' makes one."
}
