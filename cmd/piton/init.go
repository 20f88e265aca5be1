package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/screen"
)

func initCommand(con *console) *cobra.Command {
	var t target
	var verify, noVerify, yes bool
	c := &cobra.Command{
		Use:   "init",
		Short: "Set up the agents' hooks, their /checkpoint command and the MCP server",
		Long: `Add Piton's hooks, the /checkpoint command and the MCP server ('piton mcp') to the
settings of every agent client on this machine. Agents may then call the server's
tools that save, load, list, inspect, search and compare without being asked;
deleting and completing still ask. Nothing else in your files is changed. Running
it again changes nothing, and 'piton uninstall' restores the files.

On a terminal it asks whether the test commands that it found are right. Another one
is repeated, must be here, can be tried, and is taken only after a yes. --verify takes
one too: piton init --verify 'make check'.`,
		Example: "  piton init --dry-run\n  piton init --agent claude,codex\n  piton init --scope project\n  piton init --verify\n  piton init --no-mcp\n  piton init --statusline",
		Args: func(c *cobra.Command, args []string) error {
			if verify && len(args) > 0 {
				return oneLine(c, args)
			}
			if len(args) > 0 && !slices.Contains(strings.Split(app.SetupNames(), ", "), args[0]) {
				return none("to name the test command: --verify %s")(c, args)
			}
			return none("to name the client: --agent %s")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if verify && noVerify {
				return piton.Errorf(piton.Invalid, "", "give one of them", "--verify has Piton run the tests, and --no-verify does not")
			}
			q := testQuestion{command: append(args, "")[0], verify: verify, noVerify: noVerify, yes: yes, setup: t.request(c)}
			if q.command != "" { // before anything is written
				if _, err := con.app().UsableTest(q.command); err != nil {
					return err
				}
			}
			x, err := con.app().Init(c.Context(), q.setup)
			if err == nil && con.JSON && verify && !t.dry {
				x.Test, err = con.tryTest(c.Context(), q)
			}
			return answer(con, x, err, func(x app.Changed) error {
				if err := con.printChanged(x, "Set up", "everything is set up already"); err != nil {
					return err
				}
				if !t.dry {
					con.Say("Piton is set up for %s; open sessions use the hooks at once or at their next start. 'piton doctor' checks the setup.", x.Targets.Titles())
				}
				return con.askTests(c.Context(), q)
			})
		},
	}
	t.flags(c, true, "all that are installed")
	c.Flags().BoolVar(&t.noMCP, "no-mcp", false, "leave the MCP server out, or remove it again")
	c.Flags().BoolVar(&verify, "verify", false, "try the project's test command once, and let Piton run it where an agent did not")
	c.Flags().BoolVar(&noVerify, "no-verify", false, "do not ask whether Piton may run the tests itself")
	c.Flags().BoolVar(&yes, "yes", false, "ask nothing: the test commands that were found are right")
	c.Flags().BoolVar(&t.status, "statusline", false, "show Piton's status line in Claude Code too, if you have none there")
	return c
}

// testQuestion is what init has to find out about the tests.
type testQuestion struct {
	command               string // that was given; "": the first that is found
	verify, noVerify, yes bool
	setup                 app.SetupRequest
}

// maxTests bounds the test commands that a person is asked about.
const maxTests = 4

// askTests names the project's test command and, on a terminal, asks whether it
// is the right one. Another one is accepted as a rule of the project's.
func (con *console) askTests(ctx context.Context, q testQuestion) error {
	found, first, err := con.app().UnnamedTests()
	q.command = cmp.Or(q.command, first)
	switch {
	case err != nil:
		return err
	case q.verify && q.setup.DryRun:
		if q.command != "" {
			con.Say("It would also run this once, and let Piton run it: %s", screen.Line(q.command))
		}
		return nil
	case q.verify:
		_, err := con.tryTest(ctx, q)
		return err
	case q.setup.DryRun:
		return nil
	case len(found) == 0:
		if con.app().NoTests() {
			con.Say(noTests)
		}
		return nil
	}
	if n := len(found) - maxTests; n > 0 {
		found = append(found[:maxTests], fmt.Sprintf("and %d more", n))
	}
	run := screen.Line(strings.Join(found, ", "))
	if q.yes || !con.mayAsk(ctx) {
		con.Say("Test commands found in this project: %s ('piton rules accept CMD' names another; 'piton rules verify CMD' lets Piton run one itself where an agent did not)", run)
		return nil
	}
	ask := con.asking(ctx)
	question := "Tests are run with " + con.Bold(run) + ": right? [Y/n or another command] "
	for again := false; ; again = true {
		text, ok := ask(question)
		if !ok {
			return ctx.Err() // the end of the input is a yes: everything is set up
		}
		switch strings.ToLower(text) {
		case "", "y", "yes":
			switch {
			case again:
				con.Say(stillAsked, run)
				return nil
			case q.noVerify || first == "":
				return nil
			}
			return con.offerTest(ctx, ask, q)
		case "n", "no":
			con.Say(stillAsked, run)
			return nil
		}
		taken, err := con.takeTest(ctx, ask, app.TestRequest{Command: text})
		if taken || piton.CodeOf(err) != piton.Invalid && err != nil {
			return err
		}
		if err != nil {
			con.Say("Not taken: %s", screen.Line(app.Message(err)))
		}
		question = "Which command, then? [to leave it at " + run + ": Enter] "
	}
}

// stillAsked is said where a person has refused what was found and has named nothing.
const stillAsked = "Until you name another command, agents are asked for %s: piton rules accept 'CMD'"

// offerTest asks whether Piton may run the tests itself.
func (con *console) offerTest(ctx context.Context, ask func(string) (string, bool), q testQuestion) error {
	text, ok := ask("Agents are asked for it. May Piton run " + con.Bold(screen.Line(q.command)) + " itself where an agent did not? It is tried once now. [y/N] ")
	switch {
	case !ok:
		return ctx.Err()
	case !isYes(text):
		con.Say("Later: piton rules verify 'CMD'")
		return nil
	}
	_, err := con.tryTest(ctx, q)
	return err
}

// tryTest runs the tests once, has Piton run them where they can run, and gives the
// clients' hooks the time for it.
func (con *console) tryTest(ctx context.Context, q testQuestion) (*app.AcceptedTest, error) {
	if q.command == "" {
		found, first, err := con.app().UnnamedTests()
		switch q.command = first; {
		case err != nil:
			return nil, err
		case len(found) == 0:
			con.Say("There is no test command to try: none was found here, or the settings name one already ('piton rules verify CMD').")
			return nil, nil
		case first == "":
			con.Say("The tests found here lie in folders below. Name the line that runs them: piton rules verify 'CMD'")
			return nil, nil
		}
	}
	tried, err := con.runOnce(ctx, q.command, 0)
	switch {
	case err != nil:
		return nil, err
	case tried.TimedOut:
		con.Say("It %s, so Piton will not run it. Give it more time: piton rules verify --timeout 5m 'CMD'", debrief.Went(tried))
		return nil, nil
	case cannotRun(tried):
		con.Say("It cannot run here (exit status %d), so Piton will not run it. Another command: piton rules verify 'CMD'", tried.ExitCode)
		return nil, nil
	}
	x, err := con.app().VerifyTest(ctx, app.TestRequest{Command: q.command, Confirmed: con.mayAsk(ctx)})
	if err != nil {
		return nil, err
	}
	x.Tried = &tried
	if x.Waits {
		q.setup.Verify = debrief.Verify{}.Limit()
	}
	again, err := con.app().Init(ctx, q.setup) // the hooks have to wait for it
	if err != nil || con.JSON {
		return &x, err
	}
	err = con.printVerify(x)
	if len(again.Changes) > 0 {
		con.Say("The clients' hooks wait long enough for it.")
	}
	return &x, err
}
