package debrief

import (
	"fmt"
	"slices"

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
