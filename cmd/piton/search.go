package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func searchCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "search WORDS...",
		Short: "Find checkpoints by words",
		Long: `Find the checkpoints that contain all of the words, newest first: in names, steps,
workflows, tags, descriptions, tasks, and in every text of the state: prompts,
commands, answers, todos, decisions, files. Case and accents are ignored, and the last
word may be incomplete. Paths and identifiers are also found by their parts. Of a
checkpoint the first 64 KiB are searched, of one text 8 KiB, and none of keys and
numbers. Secrets are not in it.

--files finds those whose state names a file, --by those that a person or an agent of
theirs has saved. The other filters are those of 'piton list'. Without a filter it
searches all projects. The output says where the words stand.`,
		Example: `  piton search parser buffer
  piton search parser --files calc.go --agent codex --since 2w
  piton search retry --workflow import --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && !c.Flags().Changed("files") && !c.Flags().Changed("by") {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give what you remember of it, --files or --by; 'piton list' lists all", "there is no word to search for")
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
			if err := con.printList(list, 0, "Found checkpoints:", nothing, cli.SameAgain(c, c.Flags().Args())); err != nil || !con.ForPerson() || len(list.Matches) == 0 {
				return err
			}
			var b strings.Builder
			for _, m := range list.Matches {
				fmt.Fprintf(&b, "%s  %s: %s\n", m.Checkpoint, screen.Line(m.Place), screen.Line(m.Text))
			}
			return con.Print("\nWhere the words stand:\n\n" + con.Wrapped(b.String(), screen.Always(len(screen.Indentation))))
		}))
	})
}
