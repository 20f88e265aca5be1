package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/store/localfs"
)

func importCommand(con console) *cobra.Command {
	var verbose bool
	c := cli.Asks(&cobra.Command{
		Use:   "import FILE... | --from CLIENT [FOLDER...]",
		Short: "Add checkpoints from files, and sessions from the logs of clients",
		Long: `Add the checkpoints of files: exports of 'piton export', archive files, and
checkpoint files of other programs (docs/format.md lists them). A folder means the
files in it, and - means stdin. Ids, numbers and times are kept. What exists
already stays unchanged, so importing twice changes nothing, and importing a
source that has grown adds what is new. Every entry is checked and redacted, as in
a save. What cannot be read is left out and named, and the rest is imported.

A workflow that has continued here separately keeps its head: the entries that do
not fit go to a branch of their own, which is named.

Ids, sessions, projects and episodes of other programs can still be used: 'piton
load chk_abc123', 'piton list --session sess-123', 'piton list --tag episode:7'.

Checkpoints go to the project with their origin URL. If this machine knows none,
they wait for a clone with that URL. Those that name no URL go to the project here.
--project DIR takes all to the project of that folder.

--from claude, codex or gemini reads the sessions in that client's own logs, or in
those of a FOLDER; --from entire those that Entire has committed to the branch
entire/checkpoints/v1 of the repository here, or of a FOLDER. A session becomes a
workflow with a checkpoint for each of its newest 50 turns. Of a session that Piton
knows, only what came after its newest checkpoint is added; one that is at work now
is left alone. A session belongs to the project of the folder that it worked in. It
counts as finished, unless it broke off or left todos open in the last 7 days.
Nothing of a session is run, and the logs stay as they are.`,
		Example: `  piton import import.jsonl.zst
  piton import ~/.other/checkpoints --project .
  piton import --from claude --since 2w --dry-run`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && !c.Flags().Changed("from") {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give the files, - for stdin, or '--from claude' for sessions", "there is nothing to import")
			}
			return nil
		},
	}, func(c *cobra.Command, asked piton.ImportRequest) error {
		args := c.Flags().Args()
		r := app.ImportRequest{ImportRequest: asked, Files: args}
		if slices.Contains(args, "-") {
			if screen.IsTerminal(con.In) {
				con.Say("Paste the content of an export and end it with Ctrl-D.")
			}
			r.Stdin = localfs.Interruptible(c.Context(), con.In)
		}
		got, err := con.App().Import(c.Context(), r)
		left := len(got.LeftOut) + got.More
		if err != nil && got.Added > 0 && !r.DryRun {
			con.SoFar = fmt.Sprintf("%s imported before that", screen.Counted(got.Added, "checkpoint"))
			if left > 0 {
				con.SoFar += fmt.Sprintf(" and %d left out", left)
			}
			con.SoFar += "; the same command continues from there"
		}
		if err == nil && left > 0 {
			con.Status = cli.StatusOf(got.Worst)
		}
		return cli.Answer(con, got, err, func(got app.Imported) error { return con.printImported(got, verbose) })
	})
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print the id of each checkpoint that was added")
	return c
}

// printImported says how many came, which with verbose, what was set aside and left out, and what
// retention will do.
func (con console) printImported(r app.Imported, verbose bool) error {
	if verbose && len(r.IDs) > 0 {
		if err := con.Print(strings.Join(r.IDs, "\n") + "\n"); err != nil {
			return err
		}
	}
	if r.DryRun {
		con.Say("It would import %s; %d exist already. Nothing was written: --dry-run.", screen.Counted(r.Added, "checkpoint"), r.Known)
	} else {
		con.Say("Imported %s; %d existed already.", screen.Counted(r.Added, "checkpoint"), r.Known)
	}
	if r.Redacted > 0 {
		paths := make([]string, len(r.Paths))
		for i, x := range r.Paths {
			paths[i] = x.ID + x.Path
		}
		text := takenOut(r.Redacted, paths)
		if r.DryRun {
			text = "With an import: " + text
		}
		con.Say("%s", text)
	}
	if r.Sessions != nil {
		con.saySessions(*r.Sessions)
	}
	con.sayAside(r.Aside, "here", "the imported")
	for _, x := range r.Elsewhere {
		con.Say("Not of the project here: %s of %s; a clone of it finds them, and so does a list of all projects.", screen.Counted(x.Count, "checkpoint"), screen.Line(x.Origin))
	}
	for _, x := range r.LeftOut {
		con.Say("piton: left out: %s", screen.Line(strings.TrimSpace(x.File+" "+x.ID)+": "+strings.TrimPrefix(x.Why, x.File+": ")))
	}
	if r.More > 0 {
		con.Say("piton: left out: %d more", r.More)
	}
	if n := len(r.LeftOut) + r.More; n > 0 {
		rest := "The rest is imported."
		if r.DryRun {
			rest = "The rest can be imported."
		}
		con.Say("Left out: %d. %s", n, rest)
	}
	if r.Retention != nil {
		con.Say("%s", outlookText(*r.Retention))
	}
	return nil
}

// logOutcomes say what became of logs, in the order in which that is told.
var logOutcomes = [][2]string{
	{"new", "new"}, {"known", "known"}, {"grown", "known and added to"}, {"adopted", "whose own log is gone"}, {"at_work", "at work now"}, {"empty", "without a prompt"},
	{"older", "older than --since"}, {"copies", "of a session with another log"}, {"other", "without a session of this client, or of a subagent, which is read with its session"},
}

// saySessions says what became of the logs that were found.
func (con console) saySessions(s app.ImportedSessions) {
	var parts []string
	sum := 0
	for _, x := range logOutcomes {
		if n := s.Logs[x[0]]; n > 0 {
			sum += n
			parts = append(parts, fmt.Sprintf("%d %s", n, x[1]))
		}
	}
	con.Say("Of %s: %s.", screen.Counted(sum, "log"), strings.Join(parts, ", "))
	if len(s.Folders) > 0 {
		more := map[bool]string{true: " and others"}[len(s.Folders) > 3]
		con.Say("They worked in %s%s. 'piton list' lists them, 'piton search WORDS' finds what was said and done in them.", screen.Line(strings.Join(s.Folders[:min(len(s.Folders), 3)], ", ")), more)
	}
	if s.Turns > 0 {
		con.Say("Left out: %s that are older than the newest 50 of their session.", screen.Counted(s.Turns, "turn"))
	}
}

// sayAside names the work that has continued separately, and where what came beside
// it lies.
func (con console) sayAside(list []history.Aside, where, came string) {
	for _, x := range list {
		con.Say("piton: workflow %s has continued separately %s and keeps its head%s: %d of %s are on its branch %s.\n'piton list --workflow %s --branch %s' shows them, 'piton fork ID' continues from one.",
			screen.Line(cmp.Or(x.Workflow, x.WorkflowID)), where, map[bool]string{true: " there"}[where != "here"], x.Count, came, screen.Line(strings.Join(x.Branches, ", ")), x.WorkflowID, screen.Line(x.Branches[0]))
	}
}

// outlookText says what retention will do.
func outlookText(o history.Outlook) string {
	var b strings.Builder
	b.WriteString("Retention counts their age from today")
	if o.DeleteAfter != "" {
		b.WriteString(": after " + o.DeleteAfter + " prune deletes those that nothing protects")
	} else {
		b.WriteString(", and deletes none for its age")
	}
	if o.Archive+o.Delete > 0 {
		fmt.Fprintf(&b, ". The next prune keeps %d, archives %d, deletes %d ('piton prune --dry-run' says why)", o.Keep, o.Archive, o.Delete)
	}
	return b.String() + "."
}
