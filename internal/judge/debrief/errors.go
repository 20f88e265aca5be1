package debrief

import (
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/proof"
)

// failuresShown bounds the failed commands that are named.
const failuresShown = 3

// failures are the shell calls that failed and have not been made good since: of
// test runs those of which something is open in the model, else those that
// failed by structure and were not meant to be able to. Of the same command the
// newest.
func (t *turn) failures() []*call {
	var left []*call
	seen := map[string]bool{}
	open, _ := t.opens()
	for _, c := range slices.Backward(t.calls) {
		keep := len(open[c.at]) > 0
		if c.Kind != agent.CallShell || c.own || c.takesExit() || seen[c.failing()] && !keep {
			continue
		}
		switch {
		case keep:
		case c.failed():
			contained(func() { keep = !t.weighed().judged(c) && !c.isExpected() && !t.resolved(c) })
		case c.ok():
			contained(func() { keep = c.complains() && !t.resolved(c) })
		}
		if keep {
			seen[c.failing()] = true
			left = append(left, c)
		}
	}
	slices.Reverse(left)
	return left
}

// unresolved words the failures, the ones aside that a demand or a failure of
// Piton's own run already speaks of: as actions, and those that are slight as
// observations.
func (t *turn) unresolved(failures []*call, findings []finding) (actions, slight []string) {
	more := 0
	open, _ := t.opens()
	for _, c := range slices.Backward(failures) {
		if t.spokenOf(c, findings) {
			continue
		}
		texts := &actions
		if len(open[c.at]) == 0 && c.slight() {
			texts = &slight
		}
		if len(*texts) == failuresShown {
			more++
			continue
		}
		text := ""
		if contained(func() { text = t.failureText(c, open[c.at]) }); text != "" {
			*texts = append(*texts, text)
		}
	}
	slices.Reverse(actions)
	slices.Reverse(slight)
	for i := range actions {
		actions[i] += ": make it good, or say why it may stay"
	}
	if more > 0 && len(actions) > 0 {
		actions[len(actions)-1] += fmt.Sprintf("; and %d more failed commands before", more)
	}
	return actions, slight
}

// failureText says what failed.
func (t *turn) failureText(c *call, open []proof.Open) string {
	if len(open) > 0 {
		return t.openText(c, open)
	}
	kind, line := nameError(c.Output(), c.tests() && !c.summary().Green)
	text := quote(c.failing()) + " failed and has not succeeded since (" + kind
	if line != "" {
		text += ": " + quote(line)
	}
	return text + ")"
}

// otherErrors notes the calls of tools that are no shells, of those that come
// from elsewhere (MCP), that failed and have not succeeded since.
func (t *turn) otherErrors() string {
	var names []string
	for i, c := range t.calls {
		if c.Kind != agent.CallOther || !c.failed() || !fromElsewhere(c.Tool) || slices.Contains(names, c.Tool) {
			continue
		}
		again := func(x *call) bool { return x.Tool == c.Tool && !x.failed() && !x.Interrupted && !x.EndedAt.IsZero() }
		if !slices.ContainsFunc(t.calls[i+1:], again) {
			names = append(names, c.Tool)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "A tool failed and has not succeeded since: " + list(names)
}

// fromElsewhere tells a tool that a server of the user's brings: mcp__db__query.
func fromElsewhere(tool string) bool {
	return strings.Contains(tool, "__") || strings.HasPrefix(strings.ToLower(tool), "mcp")
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
