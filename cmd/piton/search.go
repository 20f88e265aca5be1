package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
)

func searchCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "search WORDS...",
		Short: "Find checkpoints by words",
		Long: `Find the checkpoints that contain all of the words, newest first: in names, steps,
workflows, tags, descriptions, tasks, and in the state's decisions, todos, files,
phases and plan. Case and accents are ignored, and the last word may be incomplete.
Paths and identifiers are also found by their parts.

The output and the filters are those of 'piton list'. Without a filter it searches
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
	}, func(c *cobra.Command, r piton.SearchRequest) error {
		con.Options.Search = true
		list, err := con.App().Search(c.Context(), r)
		return cli.Answer(con, list, err, cli.Paged(con, c, func(list app.Listing) error {
			nothing := "No matching checkpoints."
			if list.NoStore != nil {
				nothing = noStore(list.NoStore)
			}
			return con.printList(list, 0, "Found checkpoints:", nothing, cli.SameAgain(c, c.Flags().Args()))
		}))
	})
}
