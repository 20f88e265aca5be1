package main

import (
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
	return cli.Asks(&cobra.Command{
		Use:   "list",
		Short: "List checkpoints, newest first",
		Long: `List checkpoints, newest first. States are never read.

Without a filter it lists all projects. --open lists the newest checkpoint of
every unfinished workflow of the project (the one here, or of --project), except
those that a live session works on. A person also reads what agents left open
there: changed code that no check has run on since, and checks that failed last.`,
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
			left := slices.DeleteFunc(slices.Clone(list.Work), func(w app.Work) bool { return w.Kind == app.WorkCheckpoint || w.Kind == app.WorkNeed })
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
			if n := len(list.Checkpoints); n > 0 || len(list.Needs)+len(left) == 0 {
				if err := con.printList(list, more, title, nothing, cli.SameAgain(c, nil)); err != nil {
					return err
				}
			}
			if err := con.printNeeds(list.Needs, len(list.Checkpoints) > 0); err != nil {
				return err
			}
			if err := con.printWork(left, len(list.Checkpoints)+len(list.Needs) > 0); err != nil {
				return err
			}
			return nil
		}))
	})
}

// printNeeds prints what work left open, below a list or alone. The rows of a program
// are checkpoints, so it is only told how many needs there are.
func (con console) printNeeds(needs []app.OpenNeed, below bool) error {
	if len(needs) == 0 {
		return nil
	}
	if !con.ForPerson() {
		con.Say("Left open, and not in these rows: %d. 'piton status' shows them, and 'piton list --open --json'.", len(needs))
		return nil
	}
	var b strings.Builder
	if below {
		b.WriteString("\n")
	}
	b.WriteString("Left open, until a check that covers it passes:\n")
	for _, n := range needs {
		fmt.Fprintf(&b, "  %s (%s)\n", screen.Line(n.Text), con.needOrigin(n))
	}
	if err := con.Print(con.Wrapped(b.String(), screen.Always(2*len(screen.Indentation)))); err != nil {
		return err
	}
	con.Advise("'piton rules ignore --why WORDS' closes it without a check.")
	return nil
}

// needOrigin says how old a need is, whose work it is of, and what would close it.
func (con console) needOrigin(n app.OpenNeed) string {
	text := con.Age(n.Since) + " ago"
	if n.Agent != "" {
		text += ", by " + screen.Line(n.Agent)
	}
	if n.Ask == "" {
		return text
	}
	text += "; `" + screen.Line(n.Ask) + "`"
	if n.Dir != "" {
		text += " in `" + screen.Line(n.Dir) + "`"
	}
	return text + " would close it"
}

// printWork prints unfinished work that is no checkpoint, each with the command that brings
// it on. The rows of a program are checkpoints, so it is only told how much more there is.
func (con console) printWork(list []app.Work, below bool) error {
	if len(list) == 0 {
		return nil
	}
	if !con.ForPerson() {
		con.Say("Unfinished work with a command of its own: %d; first of all: %s: %s. 'piton status' shows all, and 'piton list --open --json'.", len(list), con.workText(list[0]), list[0].Command)
		return nil
	}
	b, commands := strings.Builder{}, []string{}
	if below {
		b.WriteString("\n")
	}
	b.WriteString("Unfinished, each with the command that brings it on:\n")
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
	if err := con.printCheckpoints(list.Checkpoints, more, title); err != nil {
		return err
	}
	if list.Next != "" {
		con.Say("Show more: %s --cursor %s", again, list.Next)
	}
	return nil
}

func (con console) printCheckpoints(list []piton.Checkpoint, more int, title string) error {
	if !con.ForPerson() {
		return con.PrintTable(con.checkpoints(list))
	}
	if err := con.Print(title + "\n\n"); err != nil {
		return err
	}
	if err := con.PrintTable(con.checkpoints(list)); err != nil {
		return err
	}
	rest := "\nResume: piton resume <id>\nInspect: piton inspect <id>\n"
	if more > 0 {
		rest = fmt.Sprintf("and %d more: piton list --open --limit 0\n", more) + rest
	}
	return con.Print(rest)
}

// checkpoints is the table of checkpoints: what they are and how old, and then what
// tells apart those of the same step.
func (con console) checkpoints(list []piton.Checkpoint) screen.Table {
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
