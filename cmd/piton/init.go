package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/project"
	"github.com/piton-project/piton/setup"
)

func initCommand(a *app) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:   "init",
		Short: "Set an agent's hooks and its /checkpoint command up",
		Long: `Add Piton's hooks and the /checkpoint command to an agent client's settings.
Nothing else in your files is touched; doing it again changes nothing; 'piton
uninstall' leaves the files as they were.`,
		Example: "  piton init --dry-run\n  piton init --agent claude\n  piton init --scope project",
		Args:    none("to name the client: --agent %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			target, err := a.resolve(t)
			if err != nil {
				return err
			}
			if _, err := a.settings(target.Project); err != nil {
				return err
			}
			if target.Hook == "" {
				return piton.Errorf(piton.NotFound, "set the hooks up", "install both programs: go install github.com/piton-project/piton/cmd/...", "the program piton-hook is neither beside piton nor in PATH")
			}
			plan, err := setup.Init(target)
			if err != nil {
				return err
			}
			if err := a.carryOut(plan, t.dry, "Set up"); err != nil || a.json {
				return err
			}
			if tests := project.TestCommands(target.Project); len(tests) > 0 && !t.dry {
				fmt.Fprintf(a.err, "This project's tests, as Piton will look for them: %s\n", line(tests[0].Run))
			}
			if !t.dry {
				fmt.Fprintln(a.err, "Sessions that are open take the hooks up by themselves or at their next start. 'piton doctor' checks the chain.")
			}
			return nil
		},
	}
	t.flags(c, true)
	return c
}
