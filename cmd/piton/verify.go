package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

func verifyCommand(a *app) *cobra.Command {
	var repair bool
	var q piton.Query
	var dir string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Read everything again, check every sum, and say what is lost",
		Long: `Read everything again, check every sum, and say what is lost and what is
reachable. What is damaged is set aside: it stays, is marked in lists, and a
load names its nearest intact ancestor. What is whole again loses its mark.

--repair also makes again what can be derived from the rest (indexes, heads,
references that lead nowhere). What is left of a damaged state is printed by
'piton inspect ID --raw'. Exit status 5 when something is damaged, else 6 when a
file of the archive cannot be reached.`,
		Example: "  piton verify\n  piton verify --repair --json",
		Args:    none("to verify a workflow's: --workflow %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			k, err := a.keeper(c.Context(), true)
			if missing(err) {
				return a.printVerification(history.Verification{Damaged: []history.Damage{}, Store: []string{}})
			}
			if err != nil {
				return err
			}
			if dir != "" || q.Workflow != "" {
				s := history.Selector{Workflow: q.Workflow}
				if err := a.selector(c, nil, &s, firstOf(dir, ".")); err != nil {
					return err
				}
				if q.Project = s.Project; dir != "" && s.Project == "" {
					return piton.Errorf(piton.NotFound, c.CommandPath(), "nothing has been saved for it yet", "Piton has not seen the folder %s", dir)
				}
			}
			v, err := k.Verify(c.Context(), q, repair, a.progress("Verifying"))
			if err != nil && v.Stopped == "" {
				if len(v.Repaired) > 0 {
					a.soFar = "mended before that: " + strings.Join(v.Repaired, "; ")
				}
				return err
			}
			if err != nil {
				if printed := a.printVerification(v); printed != nil {
					return printed
				}
				return err
			}
			switch {
			case len(v.Damaged)+len(v.Store) > 0:
				a.status = 5
			case len(v.Unreached) > 0:
				a.status = 6
			}
			return a.printVerification(v)
		},
	}
	f := c.Flags()
	f.BoolVar(&repair, "repair", false, "make again what can be derived from the rest")
	f.StringVar(&q.Workflow, "workflow", "", "only this `WORKFLOW`, by id or name")
	f.StringVar(&dir, "project", "", "only the project of this folder (`DIR`)")
	return c
}

func (a *app) printVerification(v history.Verification) error {
	if a.json {
		return a.printJSON(v)
	}
	var b strings.Builder
	for _, d := range v.Damaged {
		fmt.Fprintf(&b, "%s  %s  %s: %s\n", a.red("damaged"), d.ID, line(d.Label+" / "+d.Step), line(d.Why))
		next := "no intact ancestor was found"
		if d.Nearest != "" {
			next = "nearest intact ancestor: " + d.Nearest
		}
		fmt.Fprintf(&b, "         %s; what is left: piton inspect %s --raw\n", next, d.ID)
	}
	for _, d := range v.Unreached {
		fmt.Fprintf(&b, "%s   %s  %s: %s\n", a.yellow("absent"), d.ID, line(d.Label+" / "+d.Step), line(d.Why))
		fmt.Fprintf(&b, "         see that checkpoints.archive names the place where %s lies\n", line(d.Archive))
	}
	for _, s := range v.Store {
		fmt.Fprintf(&b, "%s    %s\n", a.red("store"), line(s))
	}
	for _, s := range v.Repaired {
		fmt.Fprintf(&b, "%s mended: %s\n", a.green("ok"), line(s))
	}
	fmt.Fprintf(&b, "%d checked, %d intact, %d damaged", v.Checked, v.Intact, len(v.Damaged))
	if n := len(v.Unreached); n > 0 {
		fmt.Fprintf(&b, ", %d out of reach", n)
	}
	b.WriteString(".\n")
	if v.Stopped != "" {
		fmt.Fprintf(&b, "It ended before all was read: %d were not looked at.\n", v.Left)
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}
