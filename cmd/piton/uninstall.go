package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton/setup"
)

func uninstallCommand(a *app) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:     "uninstall",
		Short:   "Take the hooks out again and leave the files as they were",
		Long:    "Take Piton's hooks and its /checkpoint command out of an agent client's\nsettings. The files are left as they were before 'piton init'. What was saved\nstays where it is.",
		Example: "  piton uninstall --dry-run\n  piton uninstall --agent claude",
		Args:    none("to name the client: --agent %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			target, err := a.resolve(t)
			if err != nil {
				return err
			}
			plan, err := setup.Uninstall(target)
			if err != nil {
				return err
			}
			return a.carryOut(plan, t.dry, "Taken out")
		},
	}
	t.flags(c, true)
	return c
}
