package debrief

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/proof"
	"github.com/piton-project/piton/internal/judge/tools"
)

// opens are the failures of tests that are open, by the call that showed them
// last; before are those that were red before the turn's first edit.
func (t *turn) opens() (open map[int][]proof.Open, before []proof.Open) {
	m := t.weighed()
	if m.open != nil {
		return m.open, m.before
	}
	open = map[int][]proof.Open{}
	for _, o := range m.Failures() {
		at := m.calls[o.By].at
		switch same := func(x proof.Open) bool { return x.Failure == o.Failure }; {
		case o.Before:
			before = append(before, o)
		case !slices.ContainsFunc(open[at], same):
			open[at] = append(open[at], o)
		}
	}
	m.open, m.before = open, before
	return open, before
}

// judged tells whether the model speaks of a call: it ran tests, and they
// failed.
func (m *model) judged(c *call) bool {
	return slices.ContainsFunc(c.commands, func(cmd *command) bool {
		at, ok := m.of(c, cmd)
		return ok && !m.Checks[at].Build && m.Checks[at].Outcome == proof.Failed
	})
}

// openShown bounds the failures that are named.
const openShown = 3

// openText says what is open of a failed run: all of it, or what it named and no
// later run has shown to pass.
func (t *turn) openText(c *call, opens []proof.Open) string {
	m := t.weighed()
	line := c.summary().Line
	if line == "" {
		_, line = nameError(c.Output(), true)
	}
	name := quote(m.Checks[opens[0].By].Name)
	named := slices.DeleteFunc(slices.Clone(opens), proof.Open.Unnamed)
	text := name + " failed and has not succeeded since"
	if len(named) > 0 && len(named) == len(opens) && len(named) < len(m.Checks[named[0].By].Failures) {
		have := " has"
		if len(named) > 1 {
			have = " have"
		}
		text = name + " failed, and of it " + namesOf(named) + have + " not passed since"
	}
	if line != "" {
		text += " (test failure: " + quote(line) + ")"
	} else {
		text += " (test failure)"
	}
	if len(m.Gone) > 0 && slices.ContainsFunc(opens, func(o proof.Open) bool { return m.Missing(o.Failure) }) {
		text += "; its test file was deleted (" + list(m.Gone) + ")"
	}
	return text
}

func namesOf(opens []proof.Open) string {
	var names []string
	for i, o := range opens {
		if i == openShown {
			names = append(names, fmt.Sprintf("%d more", len(opens)-i))
			break
		}
		name := o.Test
		if name == "" {
			name = o.As
		}
		name = quote(name)
		if where := o.File + o.Package; o.Test != "" && where != "" {
			name += " (" + strings.Trim(quote(where), "`") + ")"
		}
		names = append(names, name)
	}
	return join(names)
}

// asBefore says what was red before the turn's first edit, and still is.
func (t *turn) asBefore() string {
	_, before := t.opens()
	if len(before) == 0 {
		return ""
	}
	return "Failed before the first edit, and still fails: " + namesOf(before)
}

// deletedTests names the test files that the turn deleted.
func (t *turn) deletedTests() string {
	gone := t.weighed().Gone
	if len(gone) == 0 {
		return ""
	}
	return "Test files were deleted: " + list(gone)
}

// slight tells a failure that is worth a word at most: of a program on the line
// itself, of a question (to another machine, or `x status`), of the work's delivery, which is the
// person's to judge, or of what ran outside of the work tree.
func (c *call) slight() bool {
	suspects := c.suspects()
	if len(suspects) > 0 && (c.unreached() || c.refusedPush(suspects)) {
		return true
	}
	return len(suspects) > 0 && !slices.ContainsFunc(suspects, func(cmd *command) bool {
		return !cmd.look().inline && !cmd.look().calls && !cmd.questions() && !cmd.does(tools.Delivers) && !(cmd.look().tests != 0 && c.judge(cmd).counts) && !c.turn.outside(c.Dir, path.Join(cmd.Dir, "."))
	})
}

// questions tells whether the command asks a program that is not known how things
// stand: `x status`, `x session show web`. It is no file of the tree.
func (c *command) questions() bool {
	if c.unreadable || len(c.Words) < 2 || strings.Contains(c.Words[0], "/") || tools.Known(c.Words[0]) || c.look().checks {
		return false
	}
	return slices.ContainsFunc(c.Words[1:min(3, len(c.Words))], func(word string) bool {
		return slices.Contains([]string{"status", "list", "ls", "show", "info", "whoami", "version", "help"}, word)
	})
}

// unreached tells an output which is all that ssh says of a machine that it has not
// reached: nothing ran there.
func (c *call) unreached() bool {
	out := strings.TrimSpace(told(c.Output()))
	return c.ExitCode != nil && *c.ExitCode == 255 && strings.HasPrefix(out, "ssh: ") && !strings.Contains(out, "\n")
}

// refusedPush tells a line whose last word was git's, on a remote that did not take
// what the line pushed: what stood before it has succeeded.
func (c *call) refusedPush(suspects []*command) bool {
	lines := strings.Split(strings.TrimSpace(c.Output()), "\n")
	last := strings.ToLower(lines[len(lines)-1])
	said := strings.HasPrefix(last, "fatal: repository '") || strings.HasPrefix(last, "fatal: unable to access '") || strings.HasPrefix(last, "error: failed to push some refs")
	return said && slices.ContainsFunc(suspects, func(cmd *command) bool { return cmd.matches("git push") })
}
