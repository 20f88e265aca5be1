package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/repair"
	"github.com/piton-project/piton/internal/store/sqlite"
)

func repairCommand(a *app) *cobra.Command {
	var o repair.Options
	var accept bool
	c := &cobra.Command{
		Use:   "repair",
		Short: "Make a new store out of what can be read of a damaged one",
		Long: `Make a new store out of what can be read of a damaged SQLite file and its -wal.
The file is read page by page and is not changed. Every checkpoint is checked
against its sums; what was lost is named.

The new store is written beside the old one. --replace puts it in the old one's
place and keeps the old one under another name; do that when no agent is at work.
--accept takes a store as it is that is older than what was acknowledged, such
as a copy you brought back, and repairs nothing.

Exit status 5 when something was lost, or the store is older than what was
acknowledged.`,
		Example: "  piton repair\n  piton repair --replace\n  piton repair --accept",
		Args:    none("to name the store: --store sqlite:%s"),
		RunE: func(c *cobra.Command, _ []string) error {
			path, err := a.storePath()
			if err != nil {
				return err
			}
			if accept {
				if o.Replace || o.Output != "" {
					return piton.Errorf(piton.Invalid, c.CommandPath(), "give --accept alone, after the repair", "--accept repairs nothing")
				}
				return a.acceptStore(c, path)
			}
			if o.Replace && o.Output != "" {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give one of them", "--replace and --output name two places for the new store")
			}
			info, err := os.Stat(path)
			_, errLog := os.Stat(path + "-wal")
			if errors.Is(err, fs.ErrNotExist) && errLog != nil {
				return piton.Errorf(piton.NotFound, c.CommandPath(), "name the store with --store sqlite:PATH or PITON_HOME", "there is no %s", path)
			}
			if err == nil && !info.Mode().IsRegular() {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "name the store with --store sqlite:PATH", "%s is not a regular file", path)
			}
			if o.Archive, err = a.archive(""); err != nil {
				return err
			}
			o.Progress = a.progress("Reading")
			r, err := repair.Run(c.Context(), path, o)
			if err != nil {
				return err
			}
			if len(r.Lost)+len(r.Damaged) > 0 || r.Older != "" {
				a.status = 5
			}
			return a.printRepair(r)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.Replace, "replace", false, "put the new store in the place of the old one, which is kept")
	f.StringVarP(&o.Output, "output", "o", "", "the new store (`FILE`)")
	f.BoolVar(&accept, "accept", false, "take a store that is older than what was acknowledged as it is")
	return c
}

// acceptStore takes the store as it is.
func (a *app) acceptStore(c *cobra.Command, path string) error {
	a.accepting = true
	st, err := a.open(c.Context(), true)
	if err != nil && !missing(err) {
		return err
	}
	if err := sqlite.Accept(c.Context(), path, st); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"file": path, "accepted": true})
	}
	_, err = fmt.Fprintf(a.out, "%s is taken as it is.\n", path)
	return err
}

// printRepair says what was saved and what was lost.
func (a *app) printRepair(r repair.Report) error {
	if a.json {
		return a.printJSON(r)
	}
	var b strings.Builder
	for _, l := range r.Lost {
		fmt.Fprintf(&b, "%s     %s%s: its record was on a damaged page\n", a.red("lost"), l.ID, in(l.Workflow))
	}
	for _, d := range r.Damaged {
		fmt.Fprintf(&b, "%s  %s  %s: %s\n", a.red("damaged"), d.ID, line(d.Label+" / "+d.Step), line(d.Why))
	}
	for _, s := range r.Saved {
		if s.Damaged+s.Pages > 0 {
			fmt.Fprintf(&b, "%s     %s: %d damaged pages and %d damaged rows were left out, %d rows saved\n", a.yellow("part"), s.Table, s.Pages, s.Damaged, s.Rows)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s     %s\n", a.yellow("note"), line(n))
	}
	if r.Older != "" {
		fmt.Fprintf(&b, "%s    %s: bring back the newest copy of the file, with its -wal; or take it as it is with 'piton repair --accept'\n", a.red("older"), line(r.Older))
	}
	if r.Kept == "" && r.File == r.From {
		fmt.Fprintf(&b, "Nothing in %s is damaged, and nothing was written; %d checkpoints were read.\n", r.File, r.Checked)
	} else {
		fmt.Fprintf(&b, "%d checkpoints saved, %d intact, %d damaged; %d lost.\n", r.Checked, r.Intact, len(r.Damaged), len(r.Lost))
	}
	switch {
	case r.Kept != "":
		fmt.Fprintf(&b, "The new store is in use: %s\nThe old one is kept: %s\n", r.File, r.Kept)
	case r.File != r.From:
		fmt.Fprintf(&b, "The new store: %s\nTo put it in the old one's place: piton repair --replace\n", r.File)
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

func in(workflow string) string {
	if workflow == "" {
		return ""
	}
	return " of " + workflow
}
