package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

func branchesCommand(con *console) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "branches WORKFLOW",
		Short: "List the branches of a workflow",
		Long: `List the branches of a workflow, oldest first: the newest checkpoint of each, the
one it was forked from, and how many it holds. 'piton fork' starts a branch.`,
		Example: `  piton branches import
  piton branches wf_3c8d --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] != "" {
				return nil
			}
			return piton.Errorf(piton.Invalid, c.CommandPath(), "give a name or an id; 'piton list' shows the workflows", "name one workflow")
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return con.completeWorkflows(c, args, begin)
		},
		RunE: func(c *cobra.Command, args []string) error {
			list, err := con.app().Branches(c.Context(), args[0], dir)
			return answer(con, list, err, con.printBranches)
		},
	}
	c.Flags().StringVar(&dir, "project", ".", "a folder (`DIR`) of the project that a workflow's name belongs to")
	return c
}

func (con *console) printBranches(list app.BranchList) error {
	rows := [][]string{{"Branch", "Head", "From", "Checkpoints"}}
	for _, b := range list.Branches {
		rows = append(rows, []string{cell(b.Name, 40), orDash(b.HeadID), orDash(b.FromID), strconv.Itoa(b.Count)})
	}
	if con.forPerson() {
		return con.markdown(rows)
	}
	return con.table(rows)
}
