package main

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

func completionCommand(con *console) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a completion script for your shell",
		Long: `Print the script with which your shell completes commands, flags and the ids of
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
				return root.GenBashCompletionV2(con.Out, true)
			case "zsh":
				return root.GenZshCompletion(con.Out)
			case "fish":
				return root.GenFishCompletion(con.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(con.Out)
			}
			return piton.Errorf(piton.Invalid, c.CommandPath(), "bash, zsh, fish or powershell", "there is no completion for %q", args[0])
		},
	}
}

// completions offers words for the beginning that was typed.
type completions = func(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective)

// maxOffered bounds what a shell is given to choose from.
const maxOffered = 50

// completeIDs offers the newest checkpoints; of a beginning that says more
// than the prefix, all that fit.
func (con *console) completeIDs(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	limit := maxOffered
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
	return ids[:min(len(ids), maxOffered)], cobra.ShellCompDirectiveNoFileComp
}

// newest are the newest checkpoints; none where they cannot be read: a completion
// has no place for an error.
func (con *console) newest(c *cobra.Command, limit int) []piton.Checkpoint {
	list, _ := con.app().List(c.Context(), piton.ListRequest{Limit: limit})
	return list.Checkpoints
}

// completeTwoIDs offers ids for the first argument and the second.
func (con *console) completeTwoIDs(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
	return con.completeIDs(c, args[min(len(args), 1):], begin)
}

func (con *console) completeWorkflows(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	seen := map[string]bool{}
	for _, x := range con.newest(c, 500) {
		if !seen[x.WorkflowID] && len(names) < maxOffered {
			names = append(names, x.Label()+"\t"+screen.Short(x.WorkflowType+": "+x.Step(), 60))
		}
		seen[x.WorkflowID] = true
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (con *console) completeSessions(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, _ := con.app().Sessions(c.Context(), piton.SessionsRequest{Limit: maxOffered})
	var ids []string
	for _, s := range list.Sessions {
		ids = append(ids, s.ID+"\t"+screen.Short(cmp.Or(s.Agent, "caller")+" "+s.Root, 60))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeFlags gives every flag that takes a value its words. Without them a
// shell would offer the names of files.
func (con *console) completeFlags(root *cobra.Command) {
	fixed := func(how cobra.ShellCompDirective, words ...string) completions {
		return cobra.FixedCompletions(words, how)
	}
	const only = cobra.ShellCompDirectiveNoFileComp
	file := fixed(cobra.ShellCompDirectiveDefault)
	words := map[string]completions{ // of the tag complete, and of flags that are not fields
		"workflow": con.completeWorkflows, "session": con.completeSessions,
		"checkpoint": func(c *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
			return con.completeIDs(c, nil, begin)
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
