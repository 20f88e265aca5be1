package main

import (
	"strings"

	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

func searchCommand(a *app) *cobra.Command {
	var l listFlags
	c := &cobra.Command{
		Use:   "search WORDS...",
		Short: "Find checkpoints by their words",
		Long: `Find the checkpoints that hold every one of the words, newest first: in names,
steps, workflows, tags, descriptions, tasks, and in the state's decisions, todos,
files, phases and plan. Large and small letters are the same, and so are letters
with marks and without; the last word may be unfinished. Paths and identifiers
are found by their parts, too.

It lists as 'piton list' does, with the same filters; without one it searches
all projects.`,
		Example: `  piton search parser buffer
  piton search src/parse.go --project . --since 2w
  piton search retry --workflow import --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give what you remember of it; 'piton list' lists all", "there is no word to search for")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			q, err := l.read(c)
			if err != nil {
				return err
			}
			a.fts5 = fts5.Register
			page, err := a.query(c, q, l.dir, func(q piton.Query) (piton.Page, error) {
				k, err := a.keeper(c.Context(), true)
				if err != nil {
					return piton.Page{}, err
				}
				k.Indexing = a.progress("Reading what is new")
				defer k.Indexing(1, 1)
				return k.Search(c.Context(), strings.Join(args, " "), q)
			})
			if err != nil {
				return err
			}
			return a.printList(page, 0, "Found checkpoints:", "No checkpoints that fit.")
		},
	}
	l.flags(c)
	return c
}
