package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/request"
	"github.com/piton-project/piton/internal/screen"
)

// completions offers words for the beginning that was typed.
type completions = func(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective)

// MaxOffered bounds what a shell is given to choose from.
const MaxOffered = 50

// CompleteIDs offers the newest checkpoints; of a beginning that says more
// than the prefix, all that fit.
func (con *Console) CompleteIDs(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	limit := MaxOffered
	if len(begin) > len(piton.CheckpointPrefix) {
		limit = 0
	}
	var ids []string
	if len(args) == 0 {
		for _, x := range con.newest(c, limit) {
			if strings.HasPrefix(x.ID, begin) {
				ids = append(ids, x.ID+"\t"+screen.Short(x.Label()+": "+x.Step(), 60))
			}
		}
	}
	return ids[:min(len(ids), MaxOffered)], cobra.ShellCompDirectiveNoFileComp
}

// newest are the newest checkpoints; none where they cannot be read: a completion
// has no place for an error.
func (con *Console) newest(c *cobra.Command, limit int) []piton.Checkpoint {
	list, _ := con.App().List(c.Context(), piton.ListRequest{Limit: limit})
	return list.Checkpoints
}

// CompleteTwoIDs offers ids for the first argument and the second.
func (con *Console) CompleteTwoIDs(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	return con.CompleteIDs(c, args[min(len(args), 1):], begin)
}

func (con *Console) CompleteWorkflows(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	seen := map[string]bool{}
	for _, x := range con.newest(c, 500) {
		if !seen[x.WorkflowID] && len(names) < MaxOffered {
			names = append(names, x.Label()+"\t"+screen.Short(x.WorkflowType+": "+x.Step(), 60))
		}
		seen[x.WorkflowID] = true
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (con *Console) CompleteSessions(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, _ := con.App().Sessions(c.Context(), piton.SessionsRequest{Limit: MaxOffered})
	var ids []string
	for _, s := range list.Sessions {
		ids = append(ids, s.ID+"\t"+screen.Short(cmp.Or(s.Agent, "caller")+" "+s.Root, 60))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// CompleteFlags gives every flag that takes a value its words. Without them a
// shell would offer the names of files.
func (con *Console) CompleteFlags(root *cobra.Command) {
	fixed := func(how cobra.ShellCompDirective, words ...string) completions {
		return cobra.FixedCompletions(words, how)
	}
	const only = cobra.ShellCompDirectiveNoFileComp
	file := fixed(cobra.ShellCompDirectiveDefault)
	words := map[string]completions{ // of the tag complete, and of flags that are not fields
		"workflow": con.CompleteWorkflows, "session": con.CompleteSessions,
		"checkpoint": func(c *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
			return con.CompleteIDs(c, nil, begin)
		},
		"type":  fixed(only, piton.TypePhases, piton.TypeConductor, piton.TypePlan, piton.TypeSession),
		"agent": fixed(only, strings.Split(app.ClientNames(), ", ")...),
		"scope": fixed(only, "user", "project"),
		"dir":   fixed(cobra.ShellCompDirectiveFilterDirs), "project": fixed(cobra.ShellCompDirectiveFilterDirs),
		"file": file, "output": file, "turn": file, "save": file,
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		flag := func(f *pflag.Flag) {
			key := f.Name
			v, isField := f.Value.(*flagValue)
			if isField {
				key = cmp.Or(v.field.Tag("complete", request.CLI), f.Name)
			}
			fn, ok := words[key]
			switch {
			case isField && v.field.Enum() != nil:
				fn = fixed(only, v.field.Enum()...)
			case !ok:
				fn = cobra.NoFileCompletions
			}
			if f.Value.Type() != "bool" {
				_ = c.RegisterFlagCompletionFunc(f.Name, fn) // it is registered once
			}
		}
		c.Flags().VisitAll(flag)
		c.PersistentFlags().VisitAll(flag)
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
}
