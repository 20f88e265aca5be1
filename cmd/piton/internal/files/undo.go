// Package files has the commands of marks of files: undo, restore and mark.
package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/screen"
)

// console is what the commands share.
type console struct{ *cli.Console }

// Commands are the commands of this package.
func Commands(of *cli.Console) []*cobra.Command {
	con := console{of}
	return []*cobra.Command{undoCommand(con), restoreCommand(con), markCommand(con)}
}

func undoCommand(con console) *cobra.Command {
	var list, dryRun, goOn, abort bool
	var limit int
	var ask cli.Confirmation
	c := cli.Asks(&cobra.Command{
		Use:   "undo [PATH...]",
		Short: "Bring back files that an agent's command took away",
		Long: `Bring back files that were not committed and that an agent's command removed,
reverted, emptied or wrote over. Without a choice it is what somebody lost in the last
day, else the newest command after which something can be brought back. It shows what
happened and which files come back, and asks.

A file that holds something else since is left, and said. git's index, branches and
stash are never touched. What is written over is kept first: 'piton undo --command ID',
with the id that is printed at the end, takes an undo back.

--dry-run prints what would be done and does nothing. Where nobody can be asked, --yes is
needed; in an agent it only shows. A person undoes.`,
		Example: "  piton undo\n  piton undo --list\n  piton undo src/parser.go --dry-run\n  piton undo --turn",
		Args:    cobra.ArbitraryArgs,
	}, func(c *cobra.Command, r piton.UndoRequest) error {
		ctx := c.Context()
		switch {
		case list:
			x, err := con.App().Undos(ctx, piton.UndosRequest{Limit: limit, InProject: r.InProject})
			return cli.Answer(con, x, err, con.printUndos)
		case goOn || abort:
			x, err := con.App().SettleUndo(ctx, r.Project, abort)
			return con.restored(x, err)
		}
		x, err := con.App().PreviewUndo(ctx, r)
		if err != nil {
			return err
		}
		return con.confirm(c, x, ask, dryRun, r.TheirsToo, con.App().Undo)
	})
	f := c.Flags()
	f.BoolVar(&list, "list", false, "list what agents' commands took away here")
	f.IntVar(&limit, "limit", 20, "with --list: maximum number")
	f.BoolVar(&dryRun, "dry-run", false, "print what would be brought back and change nothing")
	f.BoolVar(&goOn, "continue", false, "end an undo that was interrupted")
	f.BoolVar(&abort, "abort", false, "take back what an interrupted undo has written")
	ask.Flag(c)
	c.MarkFlagsMutuallyExclusive("list", "dry-run", "continue", "abort")
	return c
}

func restoreCommand(con console) *cobra.Command {
	var dryRun bool
	var ask cli.Confirmation
	c := cli.Asks(&cobra.Command{
		Use:   "restore CHECKPOINT [PATH...]",
		Short: "Bring back the files that were marked with a checkpoint",
		Long: `Bring back files that were not committed when a checkpoint was saved: those that are
gone, or as in HEAD, now. Others hold something else and are left, unless they are
named with --theirs-too on a terminal. --to writes them all into a folder instead.

A mark of files is taken with the checkpoints at the end of a turn and before a risky
command; in place of a checkpoint the id or the name of a mark can be given.
'piton diff --files CHK' shows what is different now.`,
		Example: "  piton restore chk_1a6b --dry-run\n  piton restore chk_1a6b --to /tmp/files",
		Args:    cobra.ArbitraryArgs,
	}, func(c *cobra.Command, r piton.RestoreRequest) error {
		x, err := con.App().PreviewRestore(c.Context(), r)
		if err != nil {
			return err
		}
		return con.confirm(c, x, ask, dryRun, r.TheirsToo, con.App().RestoreFiles)
	})
	c.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be brought back and change nothing")
	ask.Flag(c)
	return c
}

func markCommand(con console) *cobra.Command {
	var forget bool
	c := cli.Asks(&cobra.Command{
		Use:   "mark",
		Short: "Keep the files that are not committed, as they are now",
		Long: `Keep the bytes of all files that are not committed, as they are now, so that they can
be brought back ('piton restore ID'). Hooks do the same before what may change files.
A mark with a name stays until --forget is given it; others go as 'piton prune' says.`,
		Example: "  piton mark --name before-the-merge\n  piton mark --forget --name before-the-merge",
		Args:    cli.None("to name it: --name %s"),
	}, func(c *cobra.Command, r piton.MarkRequest) error {
		do := con.App().MarkFiles
		if forget {
			do = con.App().ForgetMark
		}
		x, err := do(c.Context(), r)
		return cli.Answer(con, x, err, func(v marks.MarkView) error {
			if forget {
				con.Say("%s has no name any more. It is removed when it is old, as the others are.", v.ID)
				return nil
			}
			return con.marked(v)
		})
	})
	c.Flags().BoolVar(&forget, "forget", false, "take the name away from the mark that has it")
	return c
}

// marked says what is kept, and what is not.
func (con console) marked(v marks.MarkView) error {
	con.lacks(v)
	kept := v.Files - len(v.Lacks)
	err := con.Print(fmt.Sprintf("%s  %s kept\n", v.ID, screen.Counted(kept, "file")))
	switch {
	case kept > 0:
		con.Advise("'piton restore %s' brings back what is gone by then.", v.ID)
	case v.Files == 0 && v.Partial == "":
		con.Advise("All files are as in HEAD.")
	}
	return err
}

// lacks says which files a mark is without.
func (con console) lacks(v marks.MarkView) {
	for _, l := range v.Lacks {
		con.Advise("Not kept: %s (%s)", screen.Line(l.Path), screen.Line(l.Reason))
	}
	con.partial(v)
}

func (con console) partial(v marks.MarkView) {
	if v.Partial != "" {
		con.Advise("Files may be missing: %s.", screen.Line(v.Partial))
	}
}

// maxAsked bounds the files that a question lists.
const maxAsked = 50

// confirm shows what is to be done, asks, and does it.
func (con console) confirm(c *cobra.Command, x marks.Restoration, ask cli.Confirmation, dryRun, terminal bool, do func(context.Context, marks.Restoration) (marks.Restoration, error)) error {
	shows := dryRun || con.App().AsksNobody(c.Context())
	if shows || x.Returns == 0 {
		return cli.Answer(con, x, nil, func(x marks.Restoration) error { return con.shown(x, dryRun) })
	}
	if terminal && !con.MayAsk(c.Context()) {
		return piton.Errorf(piton.Invalid, c.CommandPath(), "leave --theirs-too out", "only a person at a terminal writes over what something else has written")
	}
	if x.Busy() != nil {
		return x.Busy()
	}
	question := func() (string, error) {
		if err := con.printRestoration(x, maxAsked); err != nil {
			return "", err
		}
		text := deeds(x, "bring back", "remove")
		return strings.ToUpper(text[:1]) + text[1:] + "?", nil
	}
	ok, err := ask.Agreed(c, con, true, question)
	if err != nil || !ok {
		return err
	}
	done, err := do(c.Context(), x)
	return con.restored(done, err)
}

// shown shows what would be done, and that nothing was.
func (con console) shown(x marks.Restoration, dryRun bool) error {
	if err := con.printRestoration(x, len(x.Files)); err != nil {
		return err
	}
	would := fmt.Sprintf("It would %s%s.", deeds(x, "bring back", "remove"), left(x))
	if x.NotNow != "" {
		would += " Not now: " + screen.Line(x.NotNow) + "."
	}
	switch {
	case x.Returns == 0:
		con.nothing(x)
	case dryRun:
		con.Advise("Nothing was done (--dry-run). %s", would)
	default:
		con.Advise("Nothing was done: an agent or a program may only look. %s A person gives the same command in a terminal of their own.", would)
	}
	return nil
}

// deeds says what is written, or was.
func deeds(x marks.Restoration, bring, remove string) string {
	removed := 0
	for _, f := range x.Files {
		if f.Action == mark.Remove {
			removed++
		}
	}
	removes := remove + " " + screen.Counted(removed, "file") + " that the undo wrote"
	brings := bring + " " + screen.Counted(x.Returns-removed, "file")
	switch removed {
	case 0:
		return brings
	case x.Returns:
		return removes
	}
	return brings + " and " + removes
}

// left says how many files are not written.
func left(x marks.Restoration) string {
	switch x.Left {
	case 0:
		return ""
	case 1:
		return "; 1 is left as it is"
	}
	return fmt.Sprintf("; %d are left as they are", x.Left)
}

// nothing says what can be done where nothing is brought back.
func (con console) nothing(x marks.Restoration) {
	con.Say("There is nothing to bring back%s.", left(x))
	kept := func(f marks.Restored) bool {
		return !slices.ContainsFunc(x.Lacks, func(l marks.Lack) bool { return l.Path == f.Path })
	}
	if x.To == "" && !x.Whole && slices.ContainsFunc(x.Files, kept) {
		con.Advise("'piton restore %s --to DIR' writes what is kept into a new folder.", x.ID)
	}
}

// restored says what was brought back, and what was not.
func (con console) restored(x marks.Restoration, err error) error {
	return cli.Answer(con, x, err, func(x marks.Restoration) error {
		if err := con.leaves("left", x.Files); err != nil {
			return err
		}
		undone, where := "", ""
		switch {
		case x.To != "":
			where = " in " + screen.Line(x.To)
		case x.Kind == mark.AtRestore && x.Undo != x.ID: // else it is an undo that was interrupted
			undone = ", an undo is taken back"
		}
		con.Advise("Done%s: %s%s%s.", undone, deeds(x, "brought back", "removed"), where, left(x))
		if x.Undo != "" && x.Returns > 0 {
			con.Say("To take this back: piton undo --command %s", x.Undo)
		}
		return nil
	})
}

// printRestoration shows what is to be done with each file: what is left comes last, and of many files not all.
func (con console) printRestoration(x marks.Restoration, most int) error {
	if err := con.head(x.MarkView, x.Whole); err != nil {
		return err
	}
	t := screen.NewTable(screen.Whole("Action"), screen.PathWise("File"), screen.Whole("Size"), screen.Whole("Was"))
	var leave []marks.Restored
	for _, f := range x.Files {
		switch {
		case f.Action == mark.Leave:
			leave = append(leave, f)
		case len(t.Rows) == most:
		case f.Action == mark.Remove:
			t.Add("remove", screen.Line(f.Path), "", string(f.Lost))
		default:
			t.Add("bring back", screen.Line(f.Path), size(f.Size), string(f.Lost))
		}
	}
	var err error
	if len(t.Rows) > 0 {
		err = con.PrintTable(t)
	}
	shown := leave[:min(len(leave), most-len(t.Rows))]
	if err = errors.Join(err, con.leaves("leave", shown)); err != nil {
		return err
	}
	if more := len(x.Files) - len(t.Rows) - len(shown); more > 0 {
		con.Say("And %d more: --dry-run lists all.", more)
	}
	con.partial(x.MarkView)
	return nil
}

// leaves says why files are not written, of those that are not.
func (con console) leaves(does string, files []marks.Restored) error {
	var b strings.Builder
	for _, f := range files {
		if f.Action != mark.Leave {
			continue
		}
		fmt.Fprintf(&b, "%s  %s: %s\n", con.Yellow(does), screen.Line(f.Path), screen.Line(f.Reason))
	}
	return con.Print(con.Wrapped(b.String(), screen.Always(len(does)+2)))
}

// size is a number of bytes in few characters.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// head says what a mark was taken before, when, and by whom; of a turn's commands together it is that of the first.
func (con console) head(v marks.MarkView, turn bool) error {
	text := screen.Line(v.Says())
	if turn {
		text = "All commands of the turn from " + text + " on"
	}
	text += ", " + con.Age(v.At) + " ago"
	if v.Agent != "" {
		text += ", " + v.Agent
	}
	if v.SessionID != "" {
		text += ", session " + v.SessionID
	}
	return con.Print(con.Wrapped(con.Bold(text)+"\n", screen.Always(len(screen.Indentation))))
}

func (con console) printUndos(x marks.UndoList) error {
	if x.Interrupted != nil {
		con.Advise("An undo was interrupted, %s ago: 'piton undo --continue' ends it, 'piton undo --abort' takes it back.", con.Age(x.Interrupted.At))
	}
	if len(x.Undos) == 0 {
		con.Advise("No command of an agent has taken away or overwritten anything here that was not committed.")
		return nil
	}
	t := screen.NewTable(screen.Whole("N"), screen.Whole("When"), screen.Wording("By"), screen.Whole("Did"), screen.Whole("Can return"), screen.Wording("Command").Spared())
	for _, e := range x.Undos {
		what := cmp.Or(e.Command, e.Tool, "an undo")
		returns := screen.Counted(e.CanReturn, "file")
		if e.Kind == mark.AtRestore {
			returns += " as before it"
		}
		if e.NotKept > 0 {
			returns += fmt.Sprintf(", %d not kept", e.NotKept)
		}
		t.Add(fmt.Sprint(e.N), con.Ago(e.At), e.Agent, did(e), returns, screen.Line(what))
	}
	if err := con.PrintTable(t); err != nil {
		return err
	}
	for _, e := range x.Undos {
		if e.Partial != "" {
			con.Advise("Of %d files may be missing: %s.", e.N, screen.Line(e.Partial))
		}
	}
	if x.Interrupted == nil {
		con.Advise("'piton undo --command N' brings back the files of one. With --dry-run it only shows them, and why one cannot come back.")
	}
	return nil
}

// did says what a command did to how many files.
func did(e marks.UndoEntry) string {
	var all []string
	for _, d := range []struct {
		n    int
		what string
	}{{e.Removed, "removed"}, {e.Reverted, "reverted"}, {e.Emptied, "emptied"}, {e.Overwritten, "overwrote"}, {e.Moved, "moved"}} {
		if d.n > 0 {
			all = append(all, fmt.Sprintf("%s %d", d.what, d.n))
		}
	}
	if e.Unseen && len(all) > 0 {
		all[0] = "since then: " + all[0]
	}
	return strings.Join(all, ", ")
}

// PrintDiff shows what became of a mark's files.
func PrintDiff(of *cli.Console, x marks.FilesDiff) error {
	con := console{of}
	con.lacks(x.From)
	if len(x.Files) == 0 {
		con.Say("The files are the same.")
		return nil
	}
	return con.printChanged(x.Files)
}

// PrintWork shows which command changed which files.
func PrintWork(of *cli.Console, x marks.FilesWork) error {
	con := console{of}
	if len(x.Commands) == 0 {
		con.Advise("No command is known to have changed files that were not committed.")
		return nil
	}
	var err error
	for _, c := range x.Commands {
		err = errors.Join(err, con.head(c.MarkView, false), con.printChanged(c.Changed))
	}
	return err
}

func (con console) printChanged(files []marks.MarkedChange) error {
	t := screen.NewTable(screen.Whole("What"), screen.PathWise("File"), screen.Whole("Size"))
	for _, f := range files {
		sizes := size(f.From) + " → " + size(f.To)
		switch f.Lost {
		case mark.Removed:
			sizes = size(f.From)
		case mark.Made, mark.Changed:
			sizes = size(f.To)
		}
		t.Add(string(f.Lost), screen.Line(f.Path), sizes)
	}
	return con.PrintTable(t)
}
