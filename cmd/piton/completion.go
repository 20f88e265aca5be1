package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

func completionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the script that makes your shell complete commands, flags and ids",
		Long: `Print the script that makes your shell complete commands, flags and the ids of
checkpoints and sessions.

For this shell only:
  bash  source <(piton completion bash)      (needs the package bash-completion)
  zsh   source <(piton completion zsh)       (after: autoload -U compinit; compinit)
  fish  piton completion fish | source

For every new shell:
  bash  piton completion bash > ~/.local/share/bash-completion/completions/piton
  zsh   piton completion zsh > "${fpath[1]}/_piton"
  fish  piton completion fish > ~/.config/fish/completions/piton.fish
  powershell  piton completion powershell >> $PROFILE`,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return piton.Errorf(piton.Invalid, c.CommandPath(), "bash, zsh, fish or powershell; 'piton help completion' says how to install it", "give the name of one shell")
		},
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
			return piton.Errorf(piton.Invalid, c.CommandPath(), "bash, zsh, fish or powershell", "there is no completion for %q", args[0])
		},
	}
}

// completions offers words for the beginning that was typed.
type completions = func(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective)

// idsOffered bounds what a shell is given to choose from.
const idsOffered = 50

// completeIDs offers the newest checkpoints; of a beginning that says more
// than the prefix, all that fit.
func (a *app) completeIDs(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	q := piton.Query{Limit: idsOffered}
	if len(begin) > len(piton.CheckpointPrefix) {
		q.Limit = 0
	}
	var ids []string
	for _, x := range a.stored(c, q) {
		if strings.HasPrefix(x.ID, begin) {
			ids = append(ids, x.ID+"\t"+short(x.Label()+": "+x.Step(), 60))
		}
	}
	return ids[:min(len(ids), idsOffered)], cobra.ShellCompDirectiveNoFileComp
}

// stored lists checkpoints; none where they cannot be read: a completion has
// no place for an error.
func (a *app) stored(c *cobra.Command, q piton.Query) []piton.Checkpoint {
	k, err := a.keeper(c.Context(), true)
	if err != nil {
		return nil
	}
	page, _ := k.List(c.Context(), q)
	return page.Checkpoints
}

func (a *app) completeWorkflows(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	seen := map[string]bool{}
	for _, x := range a.stored(c, piton.Query{Limit: 500}) {
		if !seen[x.WorkflowID] && len(names) < idsOffered {
			names = append(names, x.Label()+"\t"+short(x.WorkflowType+": "+x.Step(), 60))
		}
		seen[x.WorkflowID] = true
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeSessions(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	st, err := a.open(c.Context(), true)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, _ := st.Sessions(c.Context(), store.SessionQuery{Limit: idsOffered})
	var ids []string
	for _, s := range list {
		ids = append(ids, s.ID+"\t"+short(firstOf(s.Agent, "caller")+" "+s.Root, 60))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeFlags gives every flag that takes a value its words. Without them a
// shell would offer the names of files.
func (a *app) completeFlags(c *cobra.Command) {
	words := map[string]completions{
		"workflow": a.completeWorkflows, "session": a.completeSessions,
		"parent": func(c *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
			return a.completeIDs(c, nil, begin)
		},
		"trigger": cobra.FixedCompletions(strings.Split(triggerNames(), ", "), cobra.ShellCompDirectiveNoFileComp),
		"type":    cobra.FixedCompletions([]string{piton.TypePhases, piton.TypeConductor, piton.TypePlan, piton.TypeSession}, cobra.ShellCompDirectiveNoFileComp),
		"agent":   cobra.FixedCompletions(strings.Split(clientNames(), ", "), cobra.ShellCompDirectiveNoFileComp),
		"scope":   cobra.FixedCompletions([]string{"user", "project"}, cobra.ShellCompDirectiveNoFileComp),
		"project": cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
	}
	for _, file := range []string{"state", "output", "turn", "save"} {
		words[file] = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
	visit := func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			return
		}
		fn, ok := words[f.Name]
		if !ok {
			fn = cobra.NoFileCompletions
		}
		_ = c.RegisterFlagCompletionFunc(f.Name, fn) // it is registered once
	}
	c.Flags().VisitAll(visit)
	c.PersistentFlags().VisitAll(visit)
	for _, sub := range c.Commands() {
		a.completeFlags(sub)
	}
}

func triggerNames() string {
	var names []string
	for _, t := range piton.Triggers {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}
