package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/setup"
)

func initCommand(a *app) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:   "init",
		Short: "Set the agents' hooks and their /checkpoint command up",
		Long: `Add Piton's hooks and the /checkpoint command to the settings of every agent
client that is on this machine. Nothing else in your files is touched; doing it
again changes nothing; 'piton uninstall' leaves the files as they were.`,
		Example: "  piton init --dry-run\n  piton init --agent claude,codex\n  piton init --scope project",
		Args:    none("to name the client: --agent %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := a.resolve(c, t, here)
			if err != nil {
				return err
			}
			const op = "set the hooks up"
			if len(list) == 0 {
				return piton.Errorf(piton.NotFound, op, "install one, or name it all the same: --agent "+strings.Join(setup.Agents(), ", --agent "), "no agent client is here: neither a program in PATH nor its settings")
			}
			settings, err := a.settings(list[0].Project)
			if err != nil {
				return err
			}
			if list[0].Hook == "" {
				return piton.Errorf(piton.NotFound, op, "install both programs: go install github.com/piton-project/piton/cmd/...", "the program piton-hook is neither beside piton nor in PATH")
			}
			plans, err := planAll(list, setup.Init)
			if err != nil {
				return err
			}
			if err := a.carryOut(plans, t.dry, "Set up", "everything is set up already"); err != nil || a.json || t.dry {
				return err
			}
			fmt.Fprintf(a.err, "Piton is set up for %s; open sessions take the hooks up by themselves or at their next start. 'piton doctor' checks the chain.\n", titles(list))
			if len(settings.Debrief.Tests)+len(settings.Debrief.Besides) > 0 {
				return nil // somebody has said which
			}
			return a.askTests(c.Context(), list[0].Project)
		},
	}
	t.flags(c, true, "all that are here")
	return c
}

// testsShown bounds the test commands that a person is asked about.
const testsShown = 4

// askTests names the project's test command and, on a terminal, asks whether it
// is the right one. Another one is accepted as a rule of the project's.
func (a *app) askTests(ctx context.Context, root string) error {
	found := testsFound(root)
	if len(found) == 0 || root == config.UserHome(a.getenv) {
		return nil // a home is no project
	}
	if n := len(found) - testsShown; n > 0 {
		found = append(found[:testsShown], fmt.Sprintf("and %d more", n))
	}
	run := strings.Join(found, ", ")
	if !isTerminal(a.in) || !isTerminal(a.err) {
		fmt.Fprintf(a.err, "This project's tests, as Piton will look for them: %s ('piton rules accept CMD' names another)\n", run)
		return nil
	}
	in := bufio.NewReader(interruptible(ctx, a.in))
	question := "Tests are run with " + a.bold(run) + ": right? [Y/n or another command] "
	for {
		fmt.Fprint(a.err, question)
		answer, err := in.ReadString('\n')
		if err != nil && answer == "" {
			fmt.Fprintln(a.err)
			return ctx.Err() // the end of the input is a yes: everything is set up
		}
		switch answer = strings.TrimSpace(answer); strings.ToLower(answer) {
		case "", "y", "yes":
			return nil
		case "n", "no":
			fmt.Fprintln(a.err, "Then name it: piton rules accept 'CMD'")
			return nil
		}
		if err = a.accept(root, answer, false); piton.CodeOf(err) != piton.Invalid {
			return err
		}
		fmt.Fprintln(a.err, line(err.Error()))
		question = "Which command, then? [none: Enter] "
	}
}
