package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/setup"
)

func uninstallCommand(a *app) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:     "uninstall",
		Short:   "Take the hooks out again and leave the files as they were",
		Long:    "Take Piton's hooks and its /checkpoint command out of the settings of every agent\nclient that has them. The files are left as they were before 'piton init'. What\nwas saved stays where it is.",
		Example: "  piton uninstall --dry-run\n  piton uninstall --agent claude\n  piton uninstall --scope project",
		Args:    none("to name the client: --agent %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := a.resolve(c, t, setup.Installed)
			if err != nil {
				return err
			}
			plans, err := planAll(list, setup.Uninstall)
			if err != nil {
				return err
			}
			stay, err := a.resolve(c, t, func(x setup.Target) bool { return setup.Elsewhere(x) != "" })
			if err != nil {
				return err
			}
			other := setup.User
			if t.scope == string(other) {
				other = setup.Project
			}
			var notes []string
			for _, x := range stay {
				if path := setup.Elsewhere(x); path != "" {
					notes = append(notes, fmt.Sprintf("Piton's hooks stay in %s: 'piton uninstall --scope %s' takes those out", path, other))
				}
			}
			return a.carryOut(plans, t.dry, "Taken out", "Piton's hooks are not in these settings", notes...)
		},
	}
	t.flags(c, true, "all that have hooks of Piton's")
	return c
}
