package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/store/repair"
)

func repairCommand(con console) *cobra.Command {
	var o repair.Options
	var accept bool
	c := &cobra.Command{
		Use:   "repair",
		Short: "Create a new store from what can be read of a damaged one",
		Long: `Create a new store from what can be read of a damaged SQLite file and its -wal.
The file is read page by page and is not changed. Every checkpoint is checked
against its sums, and what was lost is named.

The new store is written beside the old one. --replace puts it in the place of the
old one, which is kept under another name; do that when no agent is at work.
--accept accepts a store that is older than what was acknowledged, such as a
restored copy, and repairs nothing.

Exit status 5 means that something was lost, or that the store is older than what
was acknowledged.`,
		Example: "  piton repair\n  piton repair --replace\n  piton repair --accept",
		Args:    cli.None("to name the store: --store sqlite:%s"),
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case accept && (o.Replace || o.Output != ""):
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give --accept alone, after the repair", "--accept repairs nothing")
			case accept:
				x, err := con.App().Accept(c.Context())
				return cli.Answer(con, x, err, func(x app.Accepted) error { return con.Print(x.File + " is taken as it is.\n") })
			case o.Replace && o.Output != "":
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give one of them", "--replace and --output name two places for the new store")
			}
			o.Progress = con.Progress("Reading")
			r, err := con.App().Repair(c.Context(), o)
			if err == nil && (len(r.Lost)+len(r.Damaged) > 0 || r.Older != "") {
				con.Status = cli.StatusOf(piton.Corrupt)
			}
			return cli.Answer(con, r, err, con.printRepair)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.Replace, "replace", false, "put the new store in the place of the old one, which is kept")
	f.StringVarP(&o.Output, "output", "o", "", "the new store (`FILE`)")
	f.BoolVar(&accept, "accept", false, "accept a store that is older than what was acknowledged")
	return c
}

// printRepair says what was saved and what was lost.
func (con console) printRepair(r repair.Report) error {
	var b strings.Builder
	row := func(mark, format string, args ...any) {
		fmt.Fprintf(&b, "%s "+format+"\n", append([]any{mark}, args...)...)
	}
	for _, l := range r.Lost {
		of := ""
		if l.Workflow != "" {
			of = " of " + l.Workflow
		}
		row(con.Red("lost   "), " %s%s: its record was on a damaged page", l.ID, of)
	}
	for _, d := range r.Damaged {
		row(con.Red("damaged"), " %s  %s: %s", d.ID, screen.Line(d.Label+" / "+d.Step), screen.Line(d.Why))
	}
	for _, s := range r.Saved {
		if s.Damaged+s.Pages > 0 {
			row(con.Yellow("part   "), " %s: %d damaged pages and %d damaged rows were left out, %d rows saved", s.Table, s.Pages, s.Damaged, s.Rows)
		}
	}
	for _, n := range r.Notes {
		row(con.Yellow("note   "), " %s", screen.Line(n))
	}
	if r.Older != "" {
		row(con.Red("older  "), " %s: bring back the newest copy of the file, with its -wal; or take it as it is with 'piton repair --accept'", screen.Line(r.Older))
	}
	if r.Kept == "" && r.File == r.From {
		fmt.Fprintf(&b, "Nothing in %s is damaged, and nothing was written; %s read.\n", r.File, screen.Counted(r.Checked, "checkpoint"))
	} else {
		lost := fmt.Sprintf("%d lost", len(r.Lost))
		if r.Older != "" {
			lost += " that are known by name, and what the file does not have any more"
		}
		fmt.Fprintf(&b, "%s saved, %d intact, %d damaged; %s.\n", screen.Counted(r.Checked, "checkpoint"), r.Intact, len(r.Damaged), lost)
	}
	switch {
	case r.Kept != "":
		fmt.Fprintf(&b, "The new store is in use: %s\nThe old one is kept: %s\n", r.File, r.Kept)
	case r.File != r.From:
		fmt.Fprintf(&b, "The new store: %s\nTo put it in the old one's place: 'piton repair --replace'\n", r.File)
	}
	return con.Print(b.String())
}
