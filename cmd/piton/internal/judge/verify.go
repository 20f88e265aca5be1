package judge

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/screen"
)

func verifyCommand(con console) *cobra.Command {
	var user bool
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "verify 'CMD'",
		Short: "Let Piton run the tests itself at a stop",
		Long: `Add a command to debrief.verify in the project's .piton.yaml, which Piton then runs
itself when an agent stops and the tests of a changed file are not seen to have
passed. Its result decides: what the agent ran before does not matter for these
files. Of 'go test ./...' the folders with such files are run first, and the others
where these pass; other commands run as they are. A result is kept for the same tree,
so nothing runs twice. The command is tried once now, and how it went is said.

The project's file must be trusted ('piton trust') before Piton runs anything from
it. With --user the command is added to your own file and counts in all projects.`,
		Example: "  piton rules verify 'go test ./...'\n  piton rules verify --timeout 5m 'make check'",
		Args:    cli.OneLine,
		RunE: func(c *cobra.Command, args []string) error {
			if con.MayAsk(c.Context()) {
				if _, err := con.App().UsableTest(args[0]); err != nil {
					return err
				}
			}
			x, err := con.App().VerifyTest(c.Context(), installation.TestRequest{Command: args[0], Timeout: timeout, User: user, Confirmed: con.MayAsk(c.Context())})
			if err == nil && x.Changed {
				if tried, err := con.runOnce(c.Context(), x.Command, timeout); err != nil {
					con.Say("It could not be tried here: %s", screen.Line(err.Error()))
				} else {
					x.Tried = &tried
				}
			}
			return cli.Answer(con, x, err, con.printVerify)
		},
	}
	c.Flags().BoolVar(&user, "user", false, "add it to your own file, for all projects")
	c.Flags().Func("timeout", "end it after this `TIME`, such as 5m (default "+debrief.VerifyTimeout.String()+")", func(text string) (err error) {
		timeout, err = caller.ParseSpan(text)
		return err
	})
	return c
}

func (con console) printVerify(x installation.AcceptedTest) error {
	con.warnOfTest(x)
	said := screen.Line(x.File) + " has it already.\n"
	if x.Changed {
		said = fmt.Sprintf("Added to debrief.verify in %s: %s\n", screen.Line(x.File), screen.Line(x.Command))
	}
	if err := con.Print(said); err != nil {
		return err
	}
	if x.Tried != nil {
		con.sayTried(*x.Tried)
		if !x.Tried.OK {
			con.Say("A failure of it counts as an agent's only where it is known to pass without the agent's changes.")
		}
	}
	if x.Waits {
		con.Say("The file is not trusted, so Piton does not run it yet: 'piton trust' shows the file and asks.")
	} else {
		con.Say("Piton runs it at the next stop with files whose tests are not seen to have passed. 'piton doctor' says whether the clients wait long enough for it.")
	}
	return nil
}

// runOnce tries a command of tests.
func (con console) runOnce(ctx context.Context, command string, limit time.Duration) (agent.Verified, error) {
	con.Say("Piton runs it once: %s", screen.Line(command))
	return con.App().TryTest(ctx, command, limit)
}

// sayTried says how a command of tests went when it was run once.
func (con console) sayTried(tried agent.Verified) {
	con.Say("It %s after %s.", debrief.Went(tried), time.Duration(tried.TookMS)*time.Millisecond)
	if !tried.OK {
		if said := strings.TrimSpace(tried.Output); said != "" {
			con.Say("It said at its end: %s", screen.Line(said[strings.LastIndex(said, "\n")+1:]))
		}
	}
}

// cannotRun tells a command that the shell could not start.
func cannotRun(x agent.Verified) bool { return x.ExitCode == 126 || x.ExitCode == 127 }

// warnOfTest says what speaks against a command that runs the tests.
func (con console) warnOfTest(x installation.AcceptedTest) {
	if x.Warning != "" {
		con.Say("piton: warning: %s. Its success counts as passed tests: make sure that it fails when a test does.", screen.Clean(x.Warning))
	}
	if x.Missing != "" {
		con.Say("piton: warning: %s. Check the spelling, if it should run on this machine.", screen.Clean(x.Missing))
	}
}
