package judge

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/screen"
)

// Tests is what init has to find out about the tests.
type Tests struct {
	Command               string // that was given; "": the first that is found
	Verify, NoVerify, Yes bool
	Setup                 installation.SetupRequest
}

// maxTests bounds the test commands that a person is asked about.
const maxTests = 4

// Ask names the project's test command and, on a terminal, asks whether it
// is the right one. Another one is accepted as a rule of the project's.
func (q Tests) Ask(ctx context.Context, of *cli.Console) error {
	con := console{of}
	found, first, err := con.App().UnnamedTests()
	q.Command = cmp.Or(q.Command, first)
	switch {
	case err != nil:
		return err
	case q.Verify && q.Setup.DryRun:
		if q.Command != "" {
			con.Say("It would also run this once, and let Piton run it: %s", screen.Line(q.Command))
		}
		return nil
	case q.Verify:
		_, err := q.Try(ctx, con.Console)
		return err
	case q.Setup.DryRun:
		return nil
	case len(found) == 0:
		if con.App().NoTests() {
			con.Say(noTests)
		}
		return nil
	}
	if n := len(found) - maxTests; n > 0 {
		found = append(found[:maxTests], fmt.Sprintf("and %d more", n))
	}
	run := screen.Line(strings.Join(found, ", "))
	if q.Yes || !con.MayAsk(ctx) {
		con.Say("Test commands found in this project: %s ('piton rules accept CMD' names another; 'piton rules verify CMD' lets Piton run one itself where an agent did not)", run)
		return nil
	}
	ask := con.Asking(ctx)
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
			case q.NoVerify || first == "":
				return nil
			}
			return q.offer(ctx, con, ask)
		case "n", "no":
			con.Say(stillAsked, run)
			return nil
		}
		taken, err := con.takeTest(ctx, ask, installation.TestRequest{Command: text})
		if taken || piton.CodeOf(err) != piton.Invalid && err != nil {
			return err
		}
		if err != nil {
			con.Say("Not taken: %s", screen.Line(caller.Message(err)))
		}
		question = "Which command, then? [to leave it at " + run + ": Enter] "
	}
}

// stillAsked is said where a person has refused what was found and has named nothing.
const stillAsked = "Until you name another command, agents are asked for %s: piton rules accept 'CMD'"

// offer asks whether Piton may run the tests itself.
func (q Tests) offer(ctx context.Context, con console, ask func(string) (string, bool)) error {
	text, ok := ask("Agents are asked for it. May Piton run " + con.Bold(screen.Line(q.Command)) + " itself where an agent did not? It is tried once now. [y/N] ")
	switch {
	case !ok:
		return ctx.Err()
	case !cli.IsYes(text):
		con.Say("Later: piton rules verify 'CMD'")
		return nil
	}
	_, err := q.Try(ctx, con.Console)
	return err
}

// Try runs the tests once, has Piton run them where they can run, and gives the
// clients' hooks the time for it.
func (q Tests) Try(ctx context.Context, of *cli.Console) (*installation.AcceptedTest, error) {
	con := console{of}
	if q.Command == "" {
		found, first, err := con.App().UnnamedTests()
		switch q.Command = first; {
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
	tried, err := con.runOnce(ctx, q.Command, 0)
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
	x, err := con.App().VerifyTest(ctx, installation.TestRequest{Command: q.Command, Confirmed: con.MayAsk(ctx)})
	if err != nil {
		return nil, err
	}
	x.Tried = &tried
	if x.Waits {
		q.Setup.Verify = debrief.Verify{}.Limit()
	}
	again, err := con.App().Init(ctx, q.Setup) // the hooks have to wait for it
	if err != nil || con.JSON {
		return &x, err
	}
	err = con.printVerify(x)
	if len(again.Changes) > 0 {
		con.Say("The clients' hooks wait long enough for it.")
	}
	return &x, err
}
