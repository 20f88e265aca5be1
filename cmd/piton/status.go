package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/cmd/piton/internal/judge"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/verbs"
)

func statusCommand(con console) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show where things stand in this project",
		Long: `Show where things stand in this project: the mode, the clients and whether their hooks
run, the sessions that are open, the unfinished runs and other unfinished work, what
agents left open, the last decision and why, and the commands that matter now. 'piton'
alone shows the same in a project, where Piton is set up, and where something waits.

It starts no client and checks nothing: 'piton doctor' does.`,
		Example: "  piton status\n  piton status --json",
		Args:    cli.None("a status is that of the folder you are in; of a session: piton explain %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			x, err := con.App().Status(c.Context())
			return con.showStatus(c, x, err)
		},
	}
}

// alone is what 'piton' does without a command: the status in a project, where Piton is set
// up or where something waits; else the help.
func (con console) alone(c *cobra.Command) error {
	x, err := con.App().Status(c.Context())
	setUp := slices.ContainsFunc(x.Clients, func(s app.ClientStatus) bool { return s.Hooks })
	known := setUp || len(x.Waiting) > 0 || x.StoreError != ""
	if con.JSON || known || con.inProject() {
		return con.showStatus(c, x, err)
	}
	return c.Help()
}

// inProject tells whether we are in a work tree of git.
func (con console) inProject() bool {
	root, err := con.App().Root()
	if err == nil {
		_, err = os.Lstat(filepath.Join(root, ".git"))
	}
	return err == nil
}

func (con console) showStatus(c *cobra.Command, x app.Status, err error) error {
	x.StoreHint = verbs.CommandLine(x.StoreHint)
	return cli.Answer(con, x, err, cli.Paged(con, c, con.printStatus))
}

func (con console) printStatus(x app.Status) error {
	var b strings.Builder
	const label = 13
	last := "" // rows of one name have it once
	row := func(name, text string) {
		if name == last {
			name = ""
		}
		last = cmp.Or(name, last)
		fmt.Fprintf(&b, "%-*s%s\n", label, name, screen.CutEnd(text, screen.MaxTextRow))
	}
	var commands []string
	show := func(name string, most int, is func(app.Work) bool) (shown, left int) {
		list := slices.DeleteFunc(slices.Clone(x.Work), func(w app.Work) bool { return !is(w) })
		for i, w := range list[:min(len(list), most)] {
			row(name, con.workText(w))
			if last := i+1 == min(len(list), most); last || w.Kind != app.WorkNeed { // one word closes all of them
				row("", "  "+w.Command)
				commands = append(commands, w.Command)
			}
		}
		return len(list), max(len(list)-most, 0)
	}
	if _, more := show("Waiting", maxWaiting, func(w app.Work) bool { return w.Waits }); more > 0 {
		row("", fmt.Sprintf("and %d more: piton status --json has all", more))
	}
	none := func(word string) string {
		if x.StoreError != "" {
			return "not known"
		}
		return word
	}
	if x.StoreError != "" {
		row("Store", screen.Line(screen.Clean(x.StoreError)))
		if x.StoreHint != "" {
			row("", screen.Line(screen.Clean(x.StoreHint)))
		}
	}
	row("Project", con.HomePath(x.Root))
	if x.Unusable != "" {
		row("Settings", screen.Line(screen.Clean(x.Unusable)))
	}
	row("Mode", insight.ModesText(x.Modes))
	for _, c := range x.Clients {
		row("Clients", con.clientWords(c, x.StoreError == ""))
	}
	if len(x.Clients) == 0 {
		row("Clients", none("none is installed"))
	}
	for _, s := range x.Sessions {
		row("Sessions", fmt.Sprintf("%s  %s: %s", s.ID, screen.Line(s.Agent), s.Stands()+con.waitingFor(s)+ofRun(s)))
	}
	if len(x.Sessions) == 0 {
		row("Sessions", none("none is open"))
	}
	if _, more := show("Runs", maxRuns, func(w app.Work) bool { return !w.Waits && strings.HasPrefix(w.ID, piton.RunPrefix) }); more > 0 {
		row("", fmt.Sprintf("and %d more: piton runs list --open --project . --limit 0", more))
	}
	open, _ := show("Open work", maxOpenRows, func(w app.Work) bool { return w.Kind == app.WorkCheckpoint })
	switch {
	case open == 0 && x.AtWork != nil:
		row("Open work", "none but that of a live session, "+x.AtWork.SessionID)
		row("", "if it has died: piton resume "+x.AtWork.ID)
	case len(x.Work) == 0:
		row("Open work", none("none"))
	case x.OpenMore > 0:
		row("", fmt.Sprintf("and %d more: piton list --open", x.OpenMore))
	}
	if _, more := show("Left open", maxNeeds, func(w app.Work) bool { return w.Kind == app.WorkNeed }); more > 0 {
		row("", fmt.Sprintf("and %d more: piton list --open", more))
	}
	if d := x.LastDecision; d != nil {
		row("Last stop", fmt.Sprintf("%s ago, %s: %s, because %s", con.Age(d.At), screen.Line(d.Agent), judge.HeldWords(d.Held), screen.Line(insight.Why(d.Reason))))
	}
	for _, n := range x.Next {
		row("Next", fmt.Sprintf("%-16s %s", n.Command, n.Why))
	}
	return con.Print(con.Wrapped(b.String(), screen.Always(label), commands...))
}

// Bounds of what a status names: of what waits for a person, of runs that wait for nobody,
// and of what work left open.
const maxWaiting, maxRuns, maxOpenRows, maxNeeds = 6, 3, 3, 3

// workText is a piece of unfinished work in a line, without its command.
func (con console) workText(w app.Work) string {
	text := screen.Line(screen.Clean(w.Text))
	switch {
	case (w.Waits || w.Kind == app.WorkNeed) && !w.Since.IsZero():
		text += " (" + con.Age(w.Since) + " ago)"
	case w.Kind == app.WorkCheckpoint:
		text = w.ID + "  " + text + ", " + con.Age(w.Since) + " ago"
	case !w.Waits && strings.HasPrefix(w.ID, piton.RunPrefix):
		text = w.ID + "  " + text
	}
	return text
}

// clientWords says whether the hooks of a client run; known: the store tells when.
func (con console) clientWords(c app.ClientStatus, known bool) string {
	title := setup.Title(c.Agent)
	switch {
	case !c.Hooks && c.Prevented != "":
		return title + ": " + screen.Line(c.Prevented) + "; " + screen.Line(c.Hint)
	case !c.Hooks:
		return title + ": no hooks"
	case c.Prevented != "":
		return title + ": hooks are set up, but " + screen.Line(c.Prevented) + ": " + screen.Line(c.Hint)
	case !known:
		return title + ": hooks are set up"
	case c.SeenAt.IsZero():
		return title + ": hooks are set up and have not run yet"
	}
	return title + ": hooks last ran " + con.Age(c.SeenAt) + " ago"
}
