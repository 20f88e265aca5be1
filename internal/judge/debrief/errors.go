package debrief

import (
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// failuresShown bounds the failed commands that are named.
const failuresShown = 3

// failures are the shell calls that failed by structure, were not meant to be
// able to, and have not been made good since. Of the same command the newest.
func (t *turn) failures() []*call {
	var left []*call
	seen := map[string]bool{}
	for _, c := range slices.Backward(t.calls) {
		if c.Kind != agent.CallShell || c.own || !c.failed() || seen[c.failing()] {
			continue
		}
		keep := false
		contained(func() { keep = !c.isExpected() && !t.resolved(c) })
		if keep {
			seen[c.failing()] = true
			left = append(left, c)
		}
	}
	slices.Reverse(left)
	return left
}

// unresolved words the failures as actions, the ones aside that a demand or a
// failure of Piton's own run already speaks of.
func (t *turn) unresolved(failures []*call, findings []finding) []string {
	var texts []string
	more := 0
	for _, c := range slices.Backward(failures) {
		if t.spokenOf(c, findings) {
			continue
		}
		if len(texts) == failuresShown {
			more++
			continue
		}
		test := slices.ContainsFunc(c.commands, func(cmd *command) bool { return cmd.look().tests != 0 })
		kind, line := nameError(c.Output(), test)
		text := quote(c.failing()) + " failed and has not succeeded since (" + kind
		if line != "" {
			text += ": " + quote(line)
		}
		texts = append(texts, text+"): make it good, or say why it may stay")
	}
	slices.Reverse(texts)
	if more > 0 {
		texts[len(texts)-1] += fmt.Sprintf("; and %d more failed commands before", more)
	}
	return texts
}

// spokenOf tells whether something else that is said speaks of the failure.
func (t *turn) spokenOf(c *call, findings []finding) bool {
	if slices.ContainsFunc(findings, func(f finding) bool { return f.instruction != "" && !f.group.rule.added() && f.speaksOf(c) }) {
		return true
	}
	return slices.ContainsFunc(t.ownFailures(), func(own *call) bool {
		return slices.ContainsFunc(own.commands, func(cmd *command) bool {
			return slices.ContainsFunc(c.suspects(), cmd.makesGood)
		})
	})
}

// speaksOf tells whether to do what is demanded is to make the failure good.
func (d demand) speaksOf(failed *call) bool {
	if d.advice {
		return false
	}
	return d.tried == failed || d.testRun && slices.ContainsFunc(failed.suspects(), func(cmd *command) bool { return cmd.matches(d.patterns...) })
}

// suspects are the commands that may have failed the line.
func (c *call) suspects() []*command {
	var all []*command
	for _, cmd := range c.commands {
		if cmd.suspect() {
			all = append(all, cmd)
		}
	}
	return all
}

// failing is the command to name: the only one that can have failed, else the
// line.
func (c *call) failing() string {
	if s := c.suspects(); len(s) == 1 {
		return s[0].text
	}
	return spaced(c.Command)
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
