package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/judge/debrief"
)

func initCommand(con *console) *cobra.Command {
	var t target
	var verify, noVerify bool
	c := &cobra.Command{
		Use:   "init",
		Short: "Set up the agents' hooks, their /checkpoint command and the MCP server",
		Long: `Add Piton's hooks, the /checkpoint command and the MCP server ('piton mcp') to the
settings of every agent client on this machine. Agents may then call the server's
tools that save, load, list, inspect, search and compare without being asked;
deleting and completing still ask. Nothing else in your files is changed. Running
it again changes nothing, and 'piton uninstall' restores the files.`,
		Example: "  piton init --dry-run\n  piton init --agent claude,codex\n  piton init --scope project\n  piton init --verify\n  piton init --no-mcp\n  piton init --statusline",
		Args:    none("to name the client: --agent %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			if verify && noVerify {
				return piton.Errorf(piton.Invalid, "", "give one of them", "--verify has Piton run the tests, and --no-verify does not")
			}
			x, err := con.app().Init(t.request(c))
			return answer(con, x, err, func(x app.Changed) error {
				if err := con.printChanged(x, "Set up", "everything is set up already"); err != nil || t.dry {
					return err
				}
				con.say("Piton is set up for %s; open sessions use the hooks at once or at their next start. 'piton doctor' checks the setup.", x.Targets.Titles())
				return con.askTests(c.Context(), verify, noVerify)
			})
		},
	}
	t.flags(c, true, "all that are installed")
	c.Flags().BoolVar(&t.noMCP, "no-mcp", false, "leave the MCP server out, or remove it again")
	c.Flags().BoolVar(&verify, "verify", false, "try the project's test command once, and let Piton run it where an agent did not")
	c.Flags().BoolVar(&noVerify, "no-verify", false, "do not ask whether Piton may run the tests itself")
	c.Flags().BoolVar(&t.status, "statusline", false, "show Piton's status line in Claude Code too, if you have none there")
	return c
}

// maxTests bounds the test commands that a person is asked about.
const maxTests = 4

// askTests names the project's test command and, on a terminal, asks whether it
// is the right one. Another one is accepted as a rule of the project's.
func (con *console) askTests(ctx context.Context, verify, noVerify bool) error {
	found, first, err := con.app().UnnamedTests()
	if err != nil || len(found) == 0 {
		if err == nil && verify {
			con.say("There is no test command to try: none was found here, or the settings name one already ('piton rules verify CMD').")
		}
		return err
	}
	if verify {
		return con.tryTest(ctx, first)
	}
	if n := len(found) - maxTests; n > 0 {
		found = append(found[:maxTests], fmt.Sprintf("and %d more", n))
	}
	run := line(strings.Join(found, ", "))
	if !cli.IsTerminal(con.in) || !cli.IsTerminal(con.err) {
		con.say("Test commands found in this project: %s ('piton rules accept CMD' names another; 'piton rules verify CMD' lets Piton run one itself where an agent did not)", run)
		return nil
	}
	next := con.lines(ctx)
	question := "Tests are run with " + con.bold(run) + ": right? [Y/n or another command] "
	named := false // another command was named, and is none
	for {
		fmt.Fprint(con.err, question)
		text, err := next()
		if err != nil {
			con.say("")
			return ctx.Err() // the end of the input is a yes: everything is set up
		}
		switch strings.ToLower(text) {
		case "", "y", "yes":
			if noVerify || named || first == "" {
				return nil
			}
			return con.offerTest(ctx, next, first)
		case "n", "no":
			con.say("Then name it: piton rules accept 'CMD'")
			return nil
		}
		x, err := con.app().AcceptTest(ctx, text, false)
		if piton.CodeOf(err) != piton.Invalid {
			return answer(con, x, err, func(x app.AcceptedTest) error { return con.printAccepted(x, false) })
		}
		con.say("%s", line(err.Error()))
		named = true
		question = "Which command, then? [none: Enter] "
	}
}

// offerTest asks whether Piton may run the tests itself.
func (con *console) offerTest(ctx context.Context, next func() (string, error), command string) error {
	fmt.Fprint(con.err, "Agents are asked for it. May Piton run "+con.bold(line(command))+" itself where an agent did not? It is tried once now. [y/N] ")
	text, err := next()
	if err != nil {
		con.say("")
		return ctx.Err()
	}
	if answer := strings.ToLower(text); answer != "y" && answer != "yes" {
		con.say("Later: piton rules verify 'CMD'")
		return nil
	}
	return con.tryTest(ctx, command)
}

// tryTest runs the tests once, and has Piton run them where they can run.
func (con *console) tryTest(ctx context.Context, command string) error {
	if command == "" {
		con.say("The tests found here lie in folders below. Name the line that runs them: piton rules verify 'CMD'")
		return nil
	}
	tried, err := con.runOnce(ctx, command, 0)
	if err != nil {
		return err
	}
	switch {
	case tried.TimedOut:
		con.say("It %s, so Piton will not run it. Give it more time: piton rules verify --timeout 5m 'CMD'", debrief.Went(tried))
		return nil
	case tried.ExitCode == 126 || tried.ExitCode == 127:
		con.say("It cannot run here (exit status %d), so Piton will not run it. Another command: piton rules verify 'CMD'", tried.ExitCode)
		return nil
	}
	con.sayTried(tried)
	x, err := con.app().VerifyTest(ctx, command, 0, false)
	return answer(con, x, err, con.printVerify)
}
