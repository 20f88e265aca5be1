package debrief

import (
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// ok tells whether the line succeeded.
func (c *call) ok() bool { return !c.Failed && (c.ExitCode == nil || *c.ExitCode == 0) }

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
	if cmd.Silenced() {
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
	is := cmd.Succeeded(c.ok())
	if cmd.unreadable && !c.ok() {
		is = shell.No
	}
	switch is {
	case shell.Yes:
		if cmd.matches("go test") && noTests(c.Output()) || ranNothing(c.Output()) && cmd.look().tests != 0 {
			return verdict{why: "has run no test"}
		}
		return verdict{counts: true, why: "succeeded"}
	case shell.No:
		// In `go test && git push` either may have failed the line.
		later := slices.ContainsFunc(c.commands[cmd.at+1:], (*command).suspect)
		if later && c.failureMark() == "" && passes(c.Output()) {
			return verdict{counts: true, why: "its output says that it passed, a later part of the line failed"}
		}
		return verdict{why: "failed", failed: true}
	}
	if mark := c.failureMark(); mark != "" {
		return verdict{why: "its exit status is hidden and its output says " + quote(mark), failed: true}
	}
	if ranNothing(c.Output()) && cmd.look().tests != 0 { // look is dear
		return verdict{why: "has run no test"}
	}
	return verdict{counts: true, why: "its exit status is hidden, its output names no failure"}
}

// noTests tells whether go test says of every package that it had no test to
// run: a choice of tests that fits none.
func noTests(output string) bool {
	none := false
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(plain(line)); strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "ok\t") {
			if none = strings.HasSuffix(line, "[no tests to run]"); !none {
				return false
			}
		}
	}
	return none
}

// ranNothing tells whether a runner says that it found no test, and nothing says
// that one passed.
func ranNothing(output string) bool {
	none := func(line string) bool { return beginsAny(strings.Trim(line, "= "), tools.Outputs().None) }
	return anyLine(output, none) && !proven(output)
}

// judgeBare judges a command that shows what others have written, so that its
// output says nothing of itself.
func (c *call) judgeBare(cmd *command) verdict {
	v := c.judge(cmd)
	if v.failed && !cmd.unreadable && cmd.Succeeded(c.ok()) == shell.Unknown && !unavailable(c.Output()) {
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
	if mark := failureMark(out); mark != "" {
		return mark
	}
	if strings.Contains(c.Command, "$?") || strings.Contains(c.Command, "PIPESTATUS") {
		lines := strings.Fields(out)
		if n := len(lines); n > 0 && number(lines[n-1]) > 0 {
			return lines[n-1]
		}
	}
	return ""
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
	if slices.Contains([]int{124, 127, 130, 141, 143}, status) || unavailable(c.Output()) || misused(c.Output()) {
		return true
	}
	suspects := c.suspects()
	if len(suspects) == 0 {
		return len(c.commands) == 0 || c.failureMark() == ""
	}
	denied := mentions(c.Output(), "permission denied", "no such file")
	kind, _ := nameError(c.Output(), false)
	quiet := kind == "error" && c.failureMark() == ""
	taken := mentions(c.Output(), "address already in use", "eaddrinuse") // it runs already
	looks := true
	for _, cmd := range suspects {
		n := cmd.look()
		one := status == 1 || status == 123 && strings.Contains(c.Command, "xargs") // as xargs has it
		answers := n.asks && one && !denied || n.probes || cmd.DryRun()
		if answers && quiet || n.inline && (kind == "import error" || quiet && told(c.Output()) == "") {
			return true
		}
		looks = looks && (n.looks || n.calls || answers || taken && n.tests == 0 || cmd.idle(c.Output()))
	}
	return looks
}
