package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func branchesCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "branches WORKFLOW",
		Short: "List the branches of a workflow",
		Long: `List the branches of a workflow, oldest first: the newest checkpoint of each, the
one it was forked from, and how many it holds. 'piton fork' starts a branch.`,
		Example: `  piton branches import
  piton branches wf_3c8d --json`,
		ValidArgsFunction: func(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return con.CompleteWorkflows(c, args, begin)
		},
	}, func(c *cobra.Command, r piton.BranchesRequest) error {
		list, err := con.App().Branches(c.Context(), r)
		return cli.Answer(con, list, err, cli.Paged(con, c, con.printBranches))
	})
}

func (con console) printBranches(list app.BranchList) error {
	t := screen.NewTable(screen.Wording("Branch"), screen.Whole("Head"), screen.Whole("From"), screen.Whole("Checkpoints").Spared())
	for _, b := range list.Branches {
		t.Add(screen.Line(b.Name), b.HeadID, b.FromID, strconv.Itoa(b.Count))
	}
	return con.PrintTable(t)
}
