package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
)

func completionCommand(con console) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
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
		Args:      cli.Takes("bash, zsh, fish or powershell; 'piton help completion' says how to install it"),
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
