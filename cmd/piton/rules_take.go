package main

import (
	"context"
	"fmt"
	"os"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/screen"
)

// noTests is said where no test command is known.
const noTests = "No test command was found: 'piton rules accept CMD' names one."

// asking returns what asks a person a question; false at the end of the input. What was
// typed before a question was there is no answer to it.
func (con *console) asking(ctx context.Context) func(question string) (string, bool) {
	next := con.lines(ctx)
	return func(question string) (string, bool) {
		if f, ok := con.In.(*os.File); ok {
			discardTyped(f)
		}
		fmt.Fprint(con.Err, question)
		text, err := next()
		if err != nil {
			con.Say("")
		}
		return text, err == nil
	}
}

// takeTest accepts a command that a person has typed, once it is known to be one and
// the person has agreed to it. False: it was not taken. Invalid: it cannot be.
func (con *console) takeTest(ctx context.Context, ask func(string) (string, bool), r app.TestRequest) (bool, error) {
	x, err := con.app().UsableTest(r.Command)
	if err != nil {
		return false, err
	}
	if x.Warning != "" {
		con.Say("Piton cannot tell whether it runs tests: %s.", screen.Clean(x.Warning))
	}
	whose := "this project's tests"
	if r.User {
		whose = "the tests of all your projects"
	}
	if text, _ := ask("Take " + con.Bold(screen.Line(x.Command)) + " as the command that runs " + whose + "? [y/N] "); !isYes(text) {
		con.Say("Not taken.")
		return false, ctx.Err()
	}
	if text, ok := ask("Run it once now, to see that it works? [Y/n] "); ok && (text == "" || isYes(text)) {
		tried, err := con.runOnce(ctx, x.Command, 0)
		if err != nil {
			return false, err
		}
		if cannotRun(tried) {
			con.Say("Not taken: it cannot run here (exit status %d).", tried.ExitCode)
			return false, nil
		}
		con.sayTried(tried)
	}
	r.Confirmed = true
	x, err = con.app().AcceptTest(ctx, r)
	x.Warning = "" // it was said
	return true, answer(con, x, err, con.printAccepted)
}

func (con *console) printAccepted(x app.AcceptedTest) error {
	con.warnOfTest(x)
	said := screen.Line(x.File) + " has it already.\n"
	if x.Changed {
		said = fmt.Sprintf("Added to debrief.tests in %s: %s\n", screen.Line(x.File), screen.Line(x.Command))
	}
	err := con.Print(said)
	switch {
	case x.NeedsTrust && x.Known:
		con.Say("A run of it counts already, because Piton knows that it runs tests. The file is not trusted as it is now: with 'piton trust' agents are asked for this command before others.")
	case x.NeedsTrust:
		con.Say("It does not count yet: the file is not trusted as it is now. 'piton trust' shows the file and asks.")
	case x.Trusted && x.Changed:
		con.Say("It counts from now on. Another change of the file needs 'piton trust' again.")
	case x.Trusted:
		con.Say("It counts already.")
	}
	if x.Changed && x.Line > 0 {
		then := ""
		if x.Trusted {
			then = ", then 'piton trust': until then it counts as the file was trusted"
		}
		con.Say("To take it back, remove it from line %d of that file%s.", x.Line, then)
	}
	return err
}
