package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
)

func uninstallCommand(con *console) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:     "uninstall",
		Short:   "Remove the hooks and restore the files",
		Long:    "Remove Piton's hooks and its /checkpoint command from the settings of every agent\nclient that has them. The files are restored as they were before 'piton init'.\nWhat was saved stays where it is.",
		Example: "  piton uninstall --dry-run\n  piton uninstall --agent claude\n  piton uninstall --scope project",
		Args:    none("to name the client: --agent %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			x, err := con.app().Uninstall(t.request(c))
			for i, n := range x.Notes {
				x.Notes[i] = commandLine(n)
			}
			return answer(con, x, err, func(x app.Changed) error {
				return con.printChanged(x, "Removed", "Piton's hooks are not in these settings")
			})
		},
	}
	t.flags(c, true, "all that have Piton's hooks")
	return c
}
