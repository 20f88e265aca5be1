package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/verbs"
)

func verifyCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "verify",
		Short: "Read everything again, check every sum, and say what is lost",
		Long: `Read everything again, check every sum, and say what is lost and what is reachable.
A damaged checkpoint is kept and marked in lists, and a load names its nearest
intact ancestor. One that is intact again loses its mark.

--repair also creates again what can be derived from the rest (indexes, heads,
references that lead nowhere). 'piton inspect ID --raw' prints what is left of a
damaged state. Exit status 5 means that something is damaged, else 6 means that an
archive file cannot be reached.`,
		Example: "  piton verify\n  piton verify --repair --json",
		Args:    cli.None("to verify a workflow's: --workflow %s"),
	}, func(c *cobra.Command, r piton.VerifyRequest) error {
		v, err := con.App().Verify(c.Context(), r)
		for i, s := range v.Store {
			v.Store[i] = verbs.CommandLine(s)
		}
		print := func(v history.Verification) error { return con.printVerification(v, r.Repair) }
		switch {
		case err != nil && v.Stopped == "":
			if len(v.Repaired) > 0 {
				con.SoFar = "repaired before that: " + strings.Join(v.Repaired, "; ")
			}
			return err
		case err != nil:
			if failed := cli.Answer(con, v, nil, print); failed != nil {
				return failed
			}
			return err
		case len(v.Damaged)+len(v.Store)+len(v.Files) > 0:
			con.Status = cli.StatusOf(piton.Corrupt)
		case len(v.Unreached) > 0:
			con.Status = cli.StatusOf(piton.Unavailable)
		}
		return cli.Answer(con, v, nil, print)
	})
}

func (con console) printVerification(v history.Verification, repair bool) error {
	var b strings.Builder
	for _, d := range v.Damaged {
		fmt.Fprintf(&b, "%s  %s  %s: %s\n", con.Red("damaged"), d.ID, screen.Line(d.Label+" / "+d.Step), screen.Line(d.Why))
		next := "no intact ancestor was found"
		if d.Nearest != "" {
			next = "nearest intact ancestor: " + d.Nearest
		}
		fmt.Fprintf(&b, "         %s; 'piton inspect %s --raw' shows what is left\n", next, d.ID)
	}
	for _, d := range v.Unreached {
		fmt.Fprintf(&b, "%s   %s  %s: %s\n", con.Yellow("absent"), d.ID, screen.Line(d.Label+" / "+d.Step), screen.Line(d.Why))
		fmt.Fprintf(&b, "         see that checkpoints.archive names the place where %s lies\n", screen.Line(d.Archive))
	}
	for _, f := range v.Files {
		fmt.Fprintf(&b, "%s     %s cannot be brought back\n", con.Red("file"), screen.Line(f))
	}
	for _, s := range v.Store {
		fmt.Fprintf(&b, "%s    %s\n", con.Red("store"), screen.Line(s))
	}
	for _, s := range v.Repaired {
		fmt.Fprintf(&b, "%s repaired: %s\n", con.Green("ok"), screen.Line(s))
	}
	fmt.Fprintf(&b, "%d checked, %d intact, %d damaged", v.Checked, v.Intact, len(v.Damaged))
	if n := len(v.Unreached); n > 0 {
		fmt.Fprintf(&b, ", %d out of reach", n)
	}
	if n := len(v.Files); n > 0 {
		fmt.Fprintf(&b, "; %s of marks damaged", screen.Counted(n, "file"))
	}
	b.WriteString(".\n")
	if v.Stopped != "" {
		fmt.Fprintf(&b, "It ended before all was read: %d were not looked at.\n", v.Left)
	}
	err := con.Print(b.String())
	switch {
	case err != nil || len(v.Store) == 0:
	case repair:
		con.Say("What --repair cannot make again is lost to this store: 'piton repair' creates a new one from all that can be read.")
	default:
		con.Say("'piton verify --repair' makes again what can be made from the rest; 'piton repair' creates a new store from all that can be read.")
	}
	return err
}
