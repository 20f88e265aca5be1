package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/setup"
)

// target are the flags that init, uninstall and doctor share.
type target struct {
	agents []string
	scope  string
	dry    bool
	noMCP  bool
	status bool
}

func (t *target) flags(c *cobra.Command, dry bool, all string) {
	c.Flags().StringSliceVar(&t.agents, "agent", nil, "the `CLIENT`s: "+installation.SetupNames()+" (default: "+all+")")
	c.Flags().StringVar(&t.scope, "scope", "user", "whose settings: `user|project`; the project's are for everyone who works on it")
	if dry {
		c.Flags().BoolVar(&t.dry, "dry-run", false, "show the changes as a diff and write nothing")
	}
}

func (t target) request(c *cobra.Command) installation.SetupRequest {
	r := installation.SetupRequest{Scope: setup.Scope(t.scope), DryRun: t.dry, NoMCP: t.noMCP, StatusLine: t.status}
	if c.Flags().Changed("agent") {
		r.Agents = append([]string{}, t.agents...)
	}
	return r
}

// removed begins what is said of a file that Piton was taken out of, or that is gone.
const removed = "Removed"

// printChanged shows what was done, or what a dry run would do. done begins the
// line of each file, idle says why there is none.
func (con console) printChanged(x installation.Changed, done, idle string) error {
	if x.DryRun {
		if len(x.Changes) == 0 {
			con.Say("Nothing would change.")
		}
		con.notes(x.Notes)
		text := x.Diff
		if con.ForPerson() {
			text = con.ColourDiff(screen.Clean(text))
		}
		return con.Print(text)
	}
	if len(x.Changes) == 0 {
		con.Say("Nothing to do: %s.", idle)
	}
	for _, c := range x.Changes {
		text := fmt.Sprintf("%s: %s (%s)", done, screen.Line(c.Path), c.What)
		switch {
		case done == removed && c.Gone:
			text = removed + " " + screen.Line(c.Path)
		case done == removed:
			text = fmt.Sprintf("%s %s from %s", removed, strings.Replace(c.What, "hooks for ", "Piton's hooks for ", 1), screen.Line(c.Path))
		}
		if err := con.Print(text + "\n"); err != nil {
			return err
		}
	}
	con.notes(x.Notes)
	return nil
}

func (con console) notes(list []string) {
	for _, n := range list {
		con.Say("note: %s", screen.Line(n))
	}
}
