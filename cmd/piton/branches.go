package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

func branchesCommand(con *console) *cobra.Command {
	var dir, workflow string
	c := &cobra.Command{
		Use:   "branches WORKFLOW",
		Short: "List the branches of a workflow",
		Long: `List the branches of a workflow, oldest first: the newest checkpoint of each, the
one it was forked from, and how many it holds. 'piton fork' starts a branch.`,
		Example: `  piton branches import
  piton branches wf_3c8d --json`,
		Args: func(c *cobra.Command, args []string) error {
			switch named := c.Flags().Changed("workflow"); {
			case len(args) == 1 && args[0] != "" && !named, len(args) == 0 && workflow != "":
				return nil
			case named && len(args) > 0:
				return piton.Errorf(piton.Invalid, c.CommandPath(), "leave --workflow out", "the workflow is named twice")
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
			list, err := con.app().Branches(c.Context(), append(args, workflow)[0], dir)
			return answer(con, list, err, paged(con, c, con.printBranches))
		},
	}
	c.Flags().StringVar(&workflow, "workflow", "", "the `WORKFLOW`, by id or name, as other commands name it")
	c.Flags().StringVar(&dir, "project", ".", "a folder (`DIR`) of the project that a workflow's name belongs to")
	return c
}

func (con *console) printBranches(list app.BranchList) error {
	t := table{columns: []column{wording("Branch"), whole("Head"), whole("From"), whole("Checkpoints").spared()}}
	for _, b := range list.Branches {
		t.add(line(b.Name), b.HeadID, b.FromID, strconv.Itoa(b.Count))
	}
	return con.printTable(t)
}
