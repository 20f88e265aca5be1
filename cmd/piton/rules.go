package main

import (
	"github.com/spf13/cobra"
)

func rulesCommand(con *console) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "Show, test and add to the rules that stops are looked at by",
		Long: `The rules sort changed files into categories, say what is to be done after a
change, and which commands prove it done. There are built-in ones, the user's
and the project's (docs/config.md, "Rules").`,
		Args: knownSubcommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(rulesListCommand(con), rulesAcceptCommand(con), rulesTestCommand(con))
	return c
}
