package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

// maxOpen bounds the table of unfinished work on a terminal.
const maxOpen = 5

func listCommand(con console) *cobra.Command {
	c := cli.Asks(&cobra.Command{
		Use:   "list",
		Short: "List checkpoints, newest first",
		Long: `List checkpoints, newest first; one that was imported came with its import. States are
never read.

Without a filter it lists all projects. --open lists the newest checkpoint of
every unfinished workflow of the project (the one here, or of --project), except
those that a live session works on. A person also reads what else is unfinished there,
with the command that brings it on: runs, agents that ask something, and what agents
left open: changed code that no check has run on since, and checks that failed last.`,
		Example: `  piton list --workflow import --limit 5
  piton list --open
  piton list --project . --since 2d --json`,
		Args: cli.None("to list a workflow's: --workflow %s"),
	}, func(c *cobra.Command, q piton.ListRequest) error {
		// On a terminal a few rows say how many there are in all.
		few := q.Open && con.ForPerson() && !c.Flags().Changed("limit")
		if few {
			q.Limit = 0
		}
		list, err := con.App().List(c.Context(), q)
		return cli.Answer(con, list, err, cli.Paged(con, c, func(list app.Listing) error {
			left := slices.DeleteFunc(slices.Clone(list.Work), func(w app.Work) bool { return w.Kind == app.WorkCheckpoint })
			if con.ForPerson() { // runs have commands of their own
				list.Checkpoints = list.OfNoRun()
			}
			more := 0
			if few && len(list.Checkpoints) > maxOpen {
				more = len(list.Checkpoints) - maxOpen
				list.Checkpoints = list.Checkpoints[:maxOpen]
			}
			title, nothing := "Recent checkpoints:", nothingListed(c, q.Open)
			if q.Open {
				title = "Unfinished work:"
			}
			if x := list.AtWork; x != nil {
				nothing = fmt.Sprintf("No unfinished work but that of a live session, %s. If it has died: 'piton resume %s'.", x.SessionID, x.ID)
			}
			if list.NoStore != nil {
				nothing = noStore(list.NoStore)
			}
			if len(list.Checkpoints) > 0 || len(left) == 0 {
				if err := con.printList(list, more, title, nothing, cli.SameAgain(c, nil)); err != nil {
					return err
				}
			}
			return con.printWork(left, len(list.Checkpoints) > 0)
		}))
	})
	c.MarkFlagsMutuallyExclusive("open", "completed", "incomplete")
	return c
}

// printWork prints unfinished work that is no checkpoint, each with the command that brings
// it on. The rows of a program are checkpoints, so it is only told how much more there is.
func (con console) printWork(list []app.Work, below bool) error {
	if len(list) == 0 {
		return nil
	}
	if !con.ForPerson() {
		text := "Unfinished besides these rows: %d; the first: %s (%s). 'piton status' shows all."
		if !below {
			text = "No checkpoint to resume. " + strings.Replace(text, "besides these rows", "all the same", 1)
		}
		con.Say(text, len(list), con.workText(list[0]), list[0].Command)
		return nil
	}
	b, commands, title := strings.Builder{}, []string{}, "Unfinished"
	if below {
		title = "\nUnfinished besides"
	}
	b.WriteString(title + ", each with the command that brings it on:\n")
	for _, w := range list {
		fmt.Fprintf(&b, "  %s\n    %s\n", con.workText(w), w.Command)
		commands = append(commands, w.Command)
	}
	return con.Print(con.Wrapped(b.String(), screen.Always(2*len(screen.Indentation)), commands...))
}

// nothingListed is what a person is told of an empty list.
func nothingListed(c *cobra.Command, open bool) string {
	filtered := false
	c.Flags().Visit(func(f *pflag.Flag) {
		filtered = filtered || f.Name != "store" && !cli.Prints(f)
	})
	switch {
	case open:
		return "No unfinished work. 'piton list' shows all checkpoints."
	case filtered:
		return "No matching checkpoints."
	}
	return "No checkpoints. 'piton save' makes one."
}

// noStore says that there is no store yet, and where it would be.
func noStore(err error) string {
	why := caller.Message(err)
	return "No checkpoints. " + strings.ToUpper(why[:1]) + why[1:] + ". After 'piton init' agents save by themselves; 'piton save' saves now."
}

// printList prints checkpoints. more says how many are left out, title and
// nothing what a person is told of a list and of an empty one, again the command that
// shows the rest, without the cursor.
func (con console) printList(list app.Listing, more int, title, nothing, again string) error {
	if len(list.Checkpoints) == 0 {
		con.Advise("%s", nothing)
		return nil
	}
	head, rest := "", ""
	if con.ForPerson() {
		head, rest = title+"\n\n", "\nResume: piton resume <id>\nInspect: piton inspect <id>\n"
	}
	if more > 0 {
		rest = fmt.Sprintf("and %d more: piton list --open --limit 0\n", more) + rest
	}
	err := cmp.Or(con.Print(head), con.PrintTable(con.checkpoints(list)), con.Print(rest))
	if err == nil && list.Next != "" {
		con.Say("Show more: %s --cursor %s", again, list.Next)
	}
	return err
}

// checkpoints is the table of checkpoints: what they are and how old, and then what
// tells apart those of the same step, and of several projects.
func (con console) checkpoints(x app.Listing) screen.Table {
	list := x.Checkpoints
	t := screen.NewTable(
		screen.Whole("ID"), screen.Wording("Workflow"), screen.Wording("Step"), screen.Whole("Progress"), screen.Whole("Age"),
		screen.Whole("Trigger").Spared(), screen.Whole("Agent").Spared(), screen.Wording("Name").Spared(),
	)
	for _, c := range list {
		step := screen.Line(c.Says())
		if c.Completed {
			step = "[completed] " + step
		}
		if c.Damaged != "" {
			step = "[damaged] " + step
		}
		t.Add(c.ID, screen.Line(c.Label()), step, screen.Percent(c.Progress), con.Ago(c.CreatedAt), screen.Line(string(c.Trigger)), screen.Line(c.Origin.Agent), screen.Line(c.Name))
	}
	if con.ForPerson() { // elsewhere the columns do not depend on what is listed
		t.Columns = append(t.Columns, screen.Wording("Turn").Spared())
		for i, text := range turnTexts(list) {
			t.Rows[i] = append(t.Rows[i], screen.OrDash(text))
		}
	}
	if slices.ContainsFunc(list, func(c piton.Checkpoint) bool { return c.Project != list[0].Project }) {
		t.Columns = append(t.Columns, screen.PathWise("Project").Spared())
		for i, c := range list {
			t.Rows[i] = append(t.Rows[i], screen.OrDash(con.HomePath(cmp.Or(x.Folders[c.Project], c.Project))))
		}
	}
	return t
}

// sinceLast shortens what an automatic checkpoint was made for.
var sinceLast = strings.NewReplacer("no file changed since the last checkpoint", "no further change", "no changed file is known since the last checkpoint", "no further change is known", "No file changed since the last checkpoint", "No further change", " since the last checkpoint", "")

// turnTexts tell the automatic checkpoints of one turn apart: its number, and what each
// was made for. "" for a checkpoint that is the only one of its turn in the list.
func turnTexts(list []piton.Checkpoint) []string {
	type turn struct {
		workflow string
		number   int
	}
	texts, of := make([]string, len(list)), map[turn][]int{}
	for i, c := range list {
		if c.WorkflowType == piton.TypeSession && c.Trigger != piton.TriggerManual && c.StepNumber != nil {
			t := turn{c.WorkflowID, *c.StepNumber}
			of[t] = append(of[t], i)
		}
	}
	for t, rows := range of {
		for _, i := range rows {
			if len(rows) > 1 && list[i].Description != "" {
				texts[i] = fmt.Sprintf("%d: %s", t.number, sinceLast.Replace(screen.Line(list[i].Description)))
			}
		}
	}
	return texts
}
