package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/history"
)

// openShown bounds the table of unfinished work.
const openShown = 5

func listCommand(a *app) *cobra.Command {
	var q piton.Query
	var dir, since, cursor, trigger string
	var completed, incomplete bool
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
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx := c.Context()
			if err := query(&q, completed, incomplete, trigger, since, cursor); err != nil {
				return err
			}
			k, err := a.keeper(ctx, true)
			if missing(err) {
				return a.printList(piton.Page{}, q.Open)
			}
			if err != nil {
				return err
			}
			if dir == "" && (q.Open || q.Workflow != "") {
				dir = "."
			}
			if dir != "" {
				p, err := a.project(ctx, dir, false)
				if missing(err) && q.Workflow == "" {
					return a.printList(piton.Page{}, q.Open)
				}
				if err != nil && !missing(err) {
					return err
				}
				q.Project = p.ID
			}
			page, err := list(ctx, k, q)
			if err != nil {
				return err
			}
			return a.printList(page, q.Open)
		},
	}
	f := c.Flags()
	f.StringVar(&q.Workflow, "workflow", "", "id or name of a workflow")
	f.StringVar(&q.Session, "session", "", "session, by our id or the client's")
	f.StringVar(&dir, "project", "", "a folder of the project")
	f.BoolVar(&completed, "completed", false, "completed ones only")
	f.BoolVar(&incomplete, "incomplete", false, "those that are not completed only")
	f.BoolVar(&q.Open, "open", false, "heads of unfinished workflows only")
	f.StringVar(&trigger, "trigger", "", "made for this reason")
	f.StringVar(&q.Branch, "branch", "", "of this branch")
	f.StringVar(&q.Tag, "tag", "", "with this tag")
	f.StringVar(&since, "since", "", "created since: a duration (90m, 2d) or a time (RFC 3339)")
	f.IntVar(&q.Limit, "limit", 20, "at most so many, 0 for all")
	f.StringVar(&cursor, "cursor", "", "go on where the last list ended (next_cursor)")
	return c
}

// query turns the flags' texts into the query's fields.
func query(q *piton.Query, completed, incomplete bool, trigger, since, cursor string) error {
	const op = "piton list"
	if completed && incomplete {
		return piton.Errorf(piton.Invalid, op, "give one of them, or none", "--completed and --incomplete exclude each other")
	}
	if completed || incomplete {
		q.Completed = &completed
	}
	if q.Limit < 0 {
		return piton.Errorf(piton.Invalid, op, "give a number, 0 for all", "the limit %d is negative", q.Limit)
	}
	q.Trigger = piton.Trigger(trigger)
	if since != "" {
		t, err := moment(since, time.Now())
		if err != nil {
			return err
		}
		q.Since = t
	}
	if cursor != "" {
		n, err := strconv.ParseInt(cursor, 10, 64)
		if err != nil || n <= 0 {
			return piton.Errorf(piton.Invalid, op, "give the next_cursor of the list before", "%q is no cursor", cursor)
		}
		q.Before = n
	}
	return nil
}

// list answers the query; unfinished work is what detection offers.
func list(ctx context.Context, k history.Keeper, q piton.Query) (piton.Page, error) {
	if !q.Open || q.Workflow != "" || q.Session != "" {
		return k.List(ctx, q)
	}
	limit := q.Limit
	if limit == 0 {
		limit = 1 << 20
	}
	open, _, err := k.Detect(ctx, q.Project, "", limit)
	return piton.Page{Checkpoints: open}, err
}

func (a *app) printList(page piton.Page, open bool) error {
	if a.json {
		answer := struct {
			Checkpoints []piton.Checkpoint `json:"checkpoints"`
			Next        string             `json:"next_cursor,omitempty"`
		}{Checkpoints: page.Checkpoints}
		if answer.Checkpoints == nil {
			answer.Checkpoints = []piton.Checkpoint{}
		}
		if page.Next > 0 {
			answer.Next = strconv.FormatInt(page.Next, 10)
		}
		return a.printJSON(answer)
	}
	if len(page.Checkpoints) == 0 {
		fmt.Fprintln(a.err, "No checkpoints.")
		return nil
	}
	rows := [][]string{{"ID", "WORKFLOW", "STEP", "PROGRESS", "AGE"}}
	now := time.Now()
	for i, c := range page.Checkpoints {
		if open && a.outTerminal() && i == openShown {
			break
		}
		step := line(c.Step())
		if c.Damaged != "" {
			step = "[damaged] " + step
		}
		if c.Completed {
			step += " (completed)"
		}
		rows = append(rows, []string{c.ID, short(c.Label(), 30), short(step, 50), percent(c.Progress), history.Age(now.Sub(c.CreatedAt.Time))})
	}
	a.table(rows)
	if open && a.outTerminal() && len(page.Checkpoints) > openShown {
		fmt.Fprintf(a.err, "and %d more\n", len(page.Checkpoints)-openShown)
	}
	if page.Next > 0 {
		fmt.Fprintf(a.err, "more with --cursor %d\n", page.Next)
	}
	if a.outTerminal() {
		fmt.Fprintf(a.err, "\nResume: piton resume ID\nInspect: piton inspect ID\n")
	}
	return nil
}
