package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

func branchesCommand(a *app) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "branches WORKFLOW",
		Short: "List the branches of a workflow",
		Long: `List the branches of a workflow, in the order they began: the newest checkpoint
of each, the one it was forked from, and how many it holds. 'piton fork' starts
a branch.`,
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
			return a.completeWorkflows(c, args, begin)
		},
		RunE: func(c *cobra.Command, args []string) error {
			k, err := a.keeper(c.Context(), true)
			if err != nil {
				return err
			}
			s := history.Selector{Workflow: args[0]}
			if err := a.selector(c, nil, &s, dir); err != nil {
				return err
			}
			list, err := k.Branches(c.Context(), s.Workflow, s.Project)
			if err != nil {
				return err
			}
			return a.printBranches(list)
		},
	}
	c.Flags().StringVar(&dir, "project", ".", "a folder (`DIR`) of the project that a workflow's name belongs to")
	return c
}

func (a *app) printBranches(list []store.Branch) error {
	if a.json {
		if list == nil {
			list = []store.Branch{}
		}
		return a.printJSON(map[string]any{"branches": list})
	}
	rows := [][]string{{"Branch", "Head", "From", "Checkpoints"}}
	for _, b := range list {
		name := short(strings.ReplaceAll(b.Name, "|", "¦"), 40)
		rows = append(rows, []string{name, firstOf(b.HeadID, "-"), firstOf(b.FromID, "-"), strconv.Itoa(b.Count)})
	}
	if a.outTerminal() {
		return a.markdown(rows)
	}
	return a.table(rows)
}
