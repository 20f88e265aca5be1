package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/cmd/piton/internal/files"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/diff"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/screen"
)

func diffCommand(con console) *cobra.Command {
	var ofFiles bool
	c := cli.Asks(&cobra.Command{
		Use:   "diff ID|NAME [ID|NAME]",
		Short: "Show what changed from one checkpoint to another",
		Long: `Show what changed from one checkpoint to another; with one id, from its parent to
it. A name is the one given by 'piton save --name'. The records are compared
first, then the states: + added, - removed, ~ changed. Long values are cut. With
--json the change of the states is RFC 6902. --files compares the files that were
not committed: those of one checkpoint with now, or of two.

The exit status is 0 also when they differ.`,
		Example:           "  piton diff chk_1a6b chk_7m2k\n  piton diff chk_7m2k --json | jq .patch",
		Args:              oneOrTwo,
		ValidArgsFunction: con.CompleteTwoIDs,
	}, func(c *cobra.Command, r piton.DiffRequest) error {
		if ofFiles {
			x, err := con.App().CompareFiles(c.Context(), piton.FilesRequest(r))
			return cli.Answer(con, x, err, func(x marks.FilesDiff) error { return files.PrintDiff(con.Console, x) })
		}
		if con.JSON {
			x, err := con.App().Compare(c.Context(), r)
			return cli.Answer(con, x, err, nil)
		}
		// The values that were replaced are shown too.
		x, err := con.App().Pair(c.Context(), r)
		if err != nil {
			return err
		}
		return con.InPager(c.Context(), func() error { return con.printDiff(x) })
	})
	c.Flags().BoolVar(&ofFiles, "files", false, "compare the files that were marked with them")
	return c
}

// oneOrTwo takes one id or two.
func oneOrTwo(c *cobra.Command, args []string) error {
	if len(args) > 2 {
		return piton.Errorf(piton.Invalid, c.CommandPath(), cli.SeeHelp(c), "two ids at most, not %d", len(args))
	}
	check := cli.AtMostOne(piton.CheckpointPrefix)
	for i := range args {
		if err := check(c, args[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// printDiff writes a comparison for people: the records first, then the states
// by their top keys.
func (con console) printDiff(x history.Pair) error {
	patch, err := diff.Operations(x.FromState, x.State)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", con.Bold(fmt.Sprintf("%s → %s", x.From.ID, x.To.ID)))
	if rows := con.recordChanges(x.From, x.To); len(rows) > 0 {
		fmt.Fprintf(&b, "\n%s\n", con.Bold("Record"))
		for _, r := range rows {
			fmt.Fprintf(&b, "  %s %s: %s → %s\n", con.Yellow("~"), r[0], screen.OrDash(r[1]), screen.OrDash(r[2]))
		}
	}
	if len(patch) == 0 {
		b.WriteString("\nThe states are the same.\n")
		return con.Print(b.String())
	}
	shown, all := con.changes(patch, maxChanges)
	fmt.Fprintf(&b, "\n%s\n%s", con.Bold("State"), shown)
	if !all {
		fmt.Fprintf(&b, "All of it: piton diff %s %s --json\n", x.From.ID, x.To.ID)
	}
	return con.Print(con.Wrapped(b.String(), screen.Always(2*len(screen.Indentation))))
}

// recordChanges lists what two records say differently: what, was, is.
func (con console) recordChanges(x, y piton.Checkpoint) [][3]string {
	var rows [][3]string
	was, is := con.recordRows(x), con.recordRows(y)
	for i := range was {
		if was[i][1] != is[i][1] {
			rows = append(rows, [3]string{was[i][0], screen.Short(was[i][1], maxValue), screen.Short(is[i][1], maxValue)})
		}
	}
	return rows
}

func (con console) recordRows(c piton.Checkpoint) [][2]string {
	number, phase := "", ""
	if c.StepNumber != nil {
		number = strconv.Itoa(*c.StepNumber)
	}
	if c.PhaseNumber > 0 {
		phase = fmt.Sprintf("%d of %d", c.PhaseNumber, c.PhaseTotal)
	}
	return [][2]string{
		{"Workflow", c.Label()}, {"Type", c.WorkflowType}, {"Branch", c.Branch}, {"Step", c.StepName}, {"Step number", number},
		{"Phase", phase}, {"Progress", screen.Percent(c.Progress)}, {"Name", c.Name}, {"Description", c.Description}, {"Task", c.TaskSummary},
		{"Tags", strings.Join(c.Tags, ", ")}, {"Trigger", string(c.Trigger)}, {"Completed", con.When(c.CompletedAt)}, {"Session", c.SessionID},
		{"Made by", madeBy(c)}, {"Git", gitOf(c)},
	}
}
