package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// listFlags is what was asked of list, as typed.
type listFlags struct {
	query                       piton.Query
	dir, since, cursor, trigger string
	completed, incomplete       bool
}

func listCommand(a *app) *cobra.Command {
	var l listFlags
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
			q, err := l.read(c)
			if err != nil {
				return err
			}
			// On a terminal a few rows say how many there are in all.
			few := q.Open && a.outTerminal() && !c.Flags().Changed("limit")
			if few {
				q.Limit = 0
			}
			nothing := l.nothing(c)
			page, err := a.query(c, q, l.dir, func(q piton.Query) (piton.Page, error) {
				k, err := a.keeper(c.Context(), true)
				if err != nil {
					return piton.Page{}, err
				}
				page, err := k.List(c.Context(), q)
				if q.Open && err == nil && len(page.Checkpoints) == 0 {
					if x := k.AtWork(c.Context(), q); x.ID != "" {
						nothing = fmt.Sprintf("No unfinished work but that of a live session, %s. If it has died: 'piton resume %s'.", x.SessionID, x.ID)
					}
				}
				return page, err
			})
			if err != nil {
				return err
			}
			more := 0
			if few && len(page.Checkpoints) > openShown {
				more = len(page.Checkpoints) - openShown
				page.Checkpoints = page.Checkpoints[:openShown]
			}
			title := "Recent checkpoints:"
			if q.Open {
				title = "Unfinished work:"
			}
			return a.printList(page, more, title, nothing)
		},
	}
	l.flags(c)
	return c
}

// flags adds what list and search have in common.
func (l *listFlags) flags(c *cobra.Command) {
	f := c.Flags()
	q := &l.query
	f.StringVar(&q.Workflow, "workflow", "", "id or name of a `WORKFLOW`")
	f.StringVar(&q.Session, "session", "", "`SESSION`, by our id or the client's")
	f.StringVar(&l.dir, "project", "", "a folder (`DIR`) of the project")
	f.BoolVar(&l.completed, "completed", false, "completed ones only")
	f.BoolVar(&l.incomplete, "incomplete", false, "those that are not completed only")
	f.BoolVar(&q.Open, "open", false, "heads of unfinished workflows only")
	f.StringVar(&l.trigger, "trigger", "", "made for this `REASON`")
	f.StringVar(&q.Branch, "branch", "", "of this `BRANCH`")
	f.StringVar(&q.Name, "name", "", "saved with this `NAME`")
	f.StringVar(&q.Tag, "tag", "", "with this `TAG`")
	f.StringVar(&l.since, "since", "", "created since `WHEN`: a duration (90m, 2d) or a time (RFC 3339)")
	f.IntVar(&q.Limit, "limit", 20, "at most so many, 0 for all")
	f.StringVar(&l.cursor, "cursor", "", "go on where the last list ended: the `CURSOR` it gave")
}

// read turns the flags' texts into a query.
func (l listFlags) read(c *cobra.Command) (piton.Query, error) {
	q, op := l.query, c.CommandPath()
	if l.completed && l.incomplete {
		return q, piton.Errorf(piton.Invalid, op, "give one of them, or none", "--completed and --incomplete exclude each other")
	}
	if l.completed || l.incomplete {
		q.Completed = &l.completed
	}
	if err := atLeastZero(c, q.Limit); err != nil {
		return q, err
	}
	if q.Trigger = piton.Trigger(l.trigger); l.trigger != "" && !slices.Contains(piton.Triggers, q.Trigger) {
		return q, piton.Errorf(piton.Invalid, op, "one of "+triggerNames(), "there is no trigger %q", l.trigger)
	}
	if l.since != "" {
		t, err := moment(l.since, time.Now())
		if err != nil {
			return q, err
		}
		q.Since = t
	}
	if l.cursor != "" {
		n, err := strconv.ParseInt(l.cursor, 10, 64)
		if err != nil || n <= 0 {
			return q, piton.Errorf(piton.Invalid, op, "give the next_cursor of the list before", "%q is not a cursor", l.cursor)
		}
		q.Before = n
	}
	return q, nil
}

// query answers a list's query. Where nothing was ever saved, or the project
// was never seen, the list is empty.
func (a *app) query(c *cobra.Command, q piton.Query, dir string, ask func(piton.Query) (piton.Page, error)) (piton.Page, error) {
	if _, err := a.keeper(c.Context(), true); missing(err) {
		return piton.Page{}, nil
	} else if err != nil {
		return piton.Page{}, err
	}
	if dir == "" && (q.Workflow != "" || q.Open && q.Session == "") {
		dir = "."
	}
	if dir != "" {
		if q.Open && a.unowned(c.Context()) != nil {
			// It may have open work here before anything was saved in it.
			if _, err := a.project(c.Context(), dir, true); err != nil {
				return piton.Page{}, err
			}
		}
		s := history.Selector{Workflow: q.Workflow}
		if err := a.selector(c, nil, &s, dir); err != nil {
			return piton.Page{}, err
		}
		if s.Project == "" && q.Workflow == "" {
			return piton.Page{}, nil
		}
		q.Project = s.Project
	}
	return ask(q)
}

// nothing is what a person is told of an empty list.
func (l listFlags) nothing(c *cobra.Command) string {
	filtered := false
	c.Flags().Visit(func(f *pflag.Flag) { filtered = filtered || f.Name != "store" && f.Name != "json" })
	switch {
	case l.query.Open:
		return "No unfinished work. 'piton list' shows all checkpoints."
	case filtered:
		return "No checkpoints that fit."
	}
	return "No checkpoints. 'piton save' makes one."
}
