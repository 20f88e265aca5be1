package debrief

import (
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// judge tells whether a command of the call succeeded.
func (c *call) judge(cmd *command) verdict {
	if c.verdicts == nil {
		c.verdicts = make([]*verdict, len(c.commands))
	}
	if c.verdicts[cmd.at] == nil {
		v := c.verdict(cmd)
		c.verdicts[cmd.at] = &v
	}
	return *c.verdicts[cmd.at]
}

// verdict judges by the exit status. Where that does not tell, the output does
// by its failure marks; with neither it counts: better a false pass than a
// false hold.
func (c *call) verdict(cmd *command) verdict {
	switch {
	case c.Interrupted:
		return verdict{why: "was interrupted"}
	case c.Background || cmd.Status == shell.Background:
		return verdict{why: "was only started in the background"}
	case c.EndedAt.IsZero():
		return verdict{why: "has no result"}
	}
	confirmed := !cmd.unreadable && cmd.Status == shell.Hidden && c.confirmed(cmd)
	if cmd.Silenced() && !confirmed {
		return verdict{why: "has thrown away its status and its output"}
	}
	if slices.Contains(cmd.Words, "--if-present") && strings.TrimSpace(told(c.Output())) == "" {
		return verdict{why: "has said nothing; there may be no such script"}
	}
	d := c.turn.doubtful(c, cmd)
	if d != nil && d.Never {
		return verdict{why: d.Why}
	}
	if why := c.unproven(cmd, d); why != "" {
		if mark := c.failureMark(); mark != "" {
			return verdict{why: why + "; it says " + quote(mark), failed: true}
		}
		return verdict{why: why}
	}
	is := c.succeeded(cmd)
	if cmd.unreadable && !c.ok() {
		is = shell.No
	}
	if is == shell.Unknown && confirmed {
		is = shell.Yes
	}
	switch is {
	case shell.Yes:
		if cmd.look().tests != 0 {
			switch s := c.summary(); {
			case s.None && c.testless(cmd):
				return verdict{counts: true, sure: true, why: "built every package, none of which has tests"}
			case s.None && !(c.trimmed(cmd) && strings.Contains(c.Output(), "[no test files]")): // of one package, and others are cut off
				return verdict{why: "has run no test"}
			case s.Red && c.swallows(cmd):
				return verdict{why: "has hidden the status of its tests, and its output says " + quote(s.Line), failed: true}
			}
		}
		return verdict{counts: true, sure: true, why: "succeeded"}
	case shell.No:
		// In `go test && git push` either may have failed the line.
		later := slices.ContainsFunc(c.commands[cmd.at+1:], (*command).suspect)
		if later && c.failureMark() == "" && c.summary().Green {
			return verdict{counts: true, sure: true, why: "its output says that it passed, a later part of the line failed"}
		}
		return verdict{why: "failed", failed: true}
	}
	return c.byOutput(cmd)
}

// testless tells whether `go test` has taken the whole module and said of every
// package that it has no tests. Each was built, and there is nothing else to run;
// unless there are tests that it did not see, such as those that this turn has
// taken away or that a build tag leaves out.
func (c *call) testless(cmd *command) bool {
	unseen := func(f File) bool {
		isTest := slices.ContainsFunc(testFiles(), func(glob string) bool { return match(glob, f.Path) })
		return tools.EcosystemOf(f.Path) == "go" && (isTest || f.Home != nil && f.Home.Tested)
	}
	if !cmd.matches("go test ./...") || c.Cut || c.trimmed(cmd) || slices.ContainsFunc(c.turn.Files, unseen) {
		return false
	}
	for line := range strings.Lines(told(c.Output())) {
		line = strings.TrimRight(line, " \r\n")
		if line != "" && !strings.HasPrefix(line, "go: downloading ") && !(strings.HasPrefix(line, "?") && strings.HasSuffix(line, "\t[no test files]")) {
			return false
		}
	}
	return true
}

// succeeded judges a command by its line's exit status, as far as the client tells
// it.
func (c *call) succeeded(cmd *command) shell.Verdict {
	is := cmd.Succeeded(c.ok())
	if c.Unsure && is == shell.Yes {
		return shell.Unknown
	}
	return is
}

// byOutput judges by what is printed, where the status is hidden. Of a test run
// the runner's own sum says most. What the client has cut is no proof: the
// failure may stand in what is missing, unless what is left ends in a sum.
func (c *call) byOutput(cmd *command) verdict {
	const hidden = "its exit status is hidden"
	tests := cmd.look().tests != 0 // look is dear
	var s tools.Summary
	if tests {
		s = c.summary()
	}
	mark := c.failureMark()
	part := c.trimmed(cmd) && strings.Contains(strings.TrimSpace(c.Output()), "\n") // the lines with ok may have been left out
	switch {
	case tests && c.red():
		return verdict{why: hidden + " and its output says " + quote(s.Line), failed: true}
	case c.saysFailed(cmd) != "":
		return verdict{why: hidden + " and its output says " + quote(c.saysFailed(cmd)), failed: true}
	case c.Unsure && (tests && !s.Green || !tests && c.Cut):
		return verdict{why: "is not known to have succeeded: the client does not tell how it ended"}
	case tests && c.Cut && !c.endsInSum(cmd):
		return verdict{why: hidden + ", and a part of its output is missing"}
	case s.Green:
		return verdict{counts: true, sure: true, why: hidden + ", its output names no failure"}
	case mark != "" && !(part && strings.Contains(mark, "[no test files]")):
		return verdict{why: hidden + " and its output says " + quote(mark), failed: true}
	case tests && s.None && !part:
		return verdict{why: "has run no test"}
	}
	return verdict{counts: true, sure: c.summary().Green, why: hidden + ", its output names no failure"}
}

// sumLines is how near to the end of an output a runner's sum stands.
const sumLines = 12

// endsInSum reports whether the last lines of an output sum up that tests
// passed. Go sums up nothing: it prints a line for each package.
func (c *call) endsInSum(cmd *command) bool {
	if cmd.matches("go test") {
		return false
	}
	lines := strings.Split(strings.TrimRight(c.Output(), "\n"), "\n")
	lines = slices.DeleteFunc(lines[max(0, len(lines)-sumLines):], func(line string) bool {
		line = strings.TrimSpace(tools.Uncoloured(line))
		return line == "PASS" || strings.HasPrefix(line, "ok")
	})
	s := tools.Summarize(strings.Join(lines, "\n"))
	return s.Green && s.Passed > 0
}

// judgeBare judges a command that shows what others have written, so that its
// output says nothing of itself.
func (c *call) judgeBare(cmd *command) verdict {
	v := c.judge(cmd)
	if v.failed && !cmd.unreadable && c.succeeded(cmd) == shell.Unknown && !unavailable(c.Output()) {
		return verdict{counts: true, why: "its exit status is hidden"}
	}
	return v
}

// failureMark is the mark of a failure in the output. What the client itself
// wrote about a failed line ("Exit code 1") speaks of the line, not of one
// command.
func (c *call) failureMark() string {
	if c.mark == nil {
		mark := c.findMark()
		c.mark = &mark
	}
	return *c.mark
}

func (c *call) findMark() string {
	out := c.Output()
	if !c.ok() {
		out = told(out)
	}
	mark := ""
	if c.tests() {
		mark = c.summary().Line // its runners' own formats are known
	} else {
		mark = failureMark(out)
	}
	if mark != "" {
		return mark
	}
	steps := step().Split(strings.TrimRight(c.Command, "; \n"), -1)
	if (strings.Contains(c.Command, "$?") || strings.Contains(c.Command, "PIPESTATUS")) && strings.Contains(steps[len(steps)-1], "$") {
		lines := strings.Fields(out)
		if n := len(lines); n > 0 && isStatus(lines[n-1]) {
			return lines[n-1]
		}
	}
	return ""
}

// isStatus reports whether a word is an exit status other than 0.
func isStatus(word string) bool {
	n, err := strconv.Atoi(word)
	return err == nil && n > 0
}

// failed tells an error by structure; a person's no is none.
func (c *call) failed() bool {
	if c.Interrupted || !c.Failed && (c.ExitCode == nil || *c.ExitCode == 0) {
		return false
	}
	head := strings.ToLower(c.Call.Output[:min(len(c.Call.Output), 300)])
	for _, no := range []string{"doesn't want to proceed", "doesn't want to take this action", "user rejected", "rejected by user", "rejected by the user", "denied by user",
		"interrupted by user", "has been denied", "blocked by hook", "hook error", "requires approval", "cancelled by user", "canceled by user"} {
		if strings.Contains(head, no) {
			return false
		}
	}
	return true
}

// tried tells a line that hands a text of its own to eval, which the shell could
// not parse: nothing of that text ran.
func (c *call) tried(suspects []*command) bool {
	own := func(cmd *command) bool {
		name := strings.Trim(strings.TrimPrefix(cmd.text, "$"), "{}")
		return strings.HasPrefix(cmd.text, "$") && strings.Contains("\n"+c.Command, "\n"+name+"=")
	}
	return len(suspects) > 0 && mentions(c.Output(), "eval: line") && mentions(c.Output(), "unexpected eof while looking for matching", "syntax error near unexpected token") &&
		!slices.ContainsFunc(suspects, func(cmd *command) bool { return !own(cmd) })
}

// withoutSettings tells tsc on files: it leaves the project's settings out, and here
// its output shows that they are missing.
func (c *call) withoutSettings(suspects []*command) bool {
	onFiles := func(cmd *command) bool {
		named := slices.ContainsFunc(cmd.Words, func(w string) bool {
			return !strings.HasPrefix(w, "-") && (strings.HasSuffix(w, ".ts") || strings.HasSuffix(w, ".tsx"))
		})
		return !cmd.unreadable && cmd.matches("tsc") && named && !slices.ContainsFunc(cmd.Words, func(w string) bool { return w == "-p" || strings.HasPrefix(w, "--project") })
	}
	return len(suspects) > 0 && !slices.ContainsFunc(suspects, func(cmd *command) bool { return !onFiles(cmd) }) &&
		mentions(c.Output(), "error ts17004", "error ts6142", "'esmoduleinterop' flag", "cannot find module '@/", "cannot find module '~/")
}

func (c *call) isExpected() bool {
	if c.expected == nil {
		is := c.findExpected()
		c.expected = &is
	}
	return *c.expected
}

// findExpected tells failures that are answers, or that left nothing behind: a
// search without a hit, a look at what is not there, a program that is not
// installed, a line typed wrong, a limit that struck.
func (c *call) findExpected() bool {
	status := 1
	if c.ExitCode != nil {
		status = *c.ExitCode
	}
	if c.tests() && c.summary().None && !c.summary().Red {
		return true // nothing ran: a filter that fits nothing
	}
	if slices.Contains([]int{124, 127, 130, 141, 143}, status) || unavailable(c.Output()) || misused(c.Output()) || wrong(c.Output()) {
		return true
	}
	if !c.tests() && c.failureMark() == "" && strings.HasSuffix(strings.TrimSpace(c.Output()), "^C") {
		return true // what runs until somebody ends it
	}
	suspects := c.suspects()
	if c.tried(suspects) || c.withoutSettings(suspects) {
		return true
	}
	if len(suspects) == 0 {
		return len(c.commands) == 0 || c.failureMark() == ""
	}
	missing := mentions(c.Output(), "no such file")
	denied := missing || mentions(c.Output(), "permission denied")
	kind, _ := nameError(c.Output(), false)
	quiet := kind == "error" && c.failureMark() == ""
	taken := mentions(c.Output(), "address already in use", "eaddrinuse", "listen eperm") // it runs already, or a sandbox lets nothing listen
	looks := true
	for _, cmd := range suspects {
		n := cmd.look()
		one := status == 1 || status == 123 && strings.Contains(c.Command, "xargs") // as xargs has it
		answers := n.asks && one && !denied || n.probes || cmd.DryRun()
		if answers && quiet || n.inline && (kind == "import error" || quiet && told(c.Output()) == "") {
			return true
		}
		looks = looks && (n.looks || n.calls || missing && n.asks && cmd.does(tools.Mentions) || answers || taken && n.tests == 0 || cmd.idle(c.Output()))
	}
	return looks
}
