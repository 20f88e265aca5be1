package runs

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

// oneRun takes a run, and what the usage of a command names after it.
var oneRun = cli.Takes("'piton runs list' shows the ids; the beginning of one will do, and so will a workflow's name")

// completeRuns offers the newest runs, and steps after a run.
func (con console) completeRuns(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	var words []string
	switch len(args) {
	case 0:
		limit := cli.MaxOffered
		if len(begin) > len(piton.RunPrefix) {
			limit = 0
		}
		list, _ := con.App().Runs(c.Context(), piton.RunsRequest{Limit: limit})
		for _, r := range list.Runs {
			if strings.HasPrefix(r.ID, begin) {
				words = append(words, r.ID+"\t"+screen.Short(r.Label()+": "+State(r), 60))
			}
		}
	case 1:
		words = con.stepsOf(c, args[0])
	}
	return words[:min(len(words), cli.MaxOffered)], cobra.ShellCompDirectiveNoFileComp
}

// stepsOf are the steps of a run, as a shell is offered them.
func (con console) stepsOf(c *cobra.Command, run string) []string {
	var words []string
	v, _ := con.App().ShowRun(c.Context(), piton.RunRefRequest{Run: run})
	for _, s := range v.Steps {
		words = append(words, s.ID+"\t"+stepWords(s.Status))
	}
	return words
}

// completeRun offers runs after --resume, else files.
func (con console) completeRun(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	if resume, _ := c.Flags().GetBool("resume"); resume && len(args) == 0 {
		words, _ := con.completeRuns(c, nil, begin)
		return words, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveDefault
}
