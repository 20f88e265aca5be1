package debrief

import (
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// went tells how a check went, and why it is taken for that.
// Rule: docs/spec.md, "How a check went".
func (c *call) went(cmd *command, kind kind) (is outcome, why string) {
	switch {
	case c.NeverRan:
		return unrun, "never ran"
	case c.Interrupted:
		return unrun, "was interrupted"
	case c.Background || cmd.Status == shell.Background:
		return unseen, "was only started in the background"
	case c.EndedAt.IsZero():
		return unseen, "has no result"
	}
	d := c.turn.doubtful(c, cmd)
	if d != nil && d.Never {
		return unrun, d.Why
	}
	said := c.said(cmd)
	if why := c.doubt(cmd, d); why != "" && !(said.Green && said.Passed > 0) {
		if said.Red {
			return failed, why + "; it says " + quote(said.Line)
		}
		return unseen, why
	}
	switch c.status(cmd) {
	case shell.Yes:
		return c.wentWell(cmd, kind, said)
	case shell.No:
		return c.wentWrong(cmd, kind, said)
	}
	return c.hidden(cmd, kind, said)
}

// status judges a command by its line's exit status, as far as the client tells it,
// and by what the line prints of it (`; echo rc=$?`, `&& echo fine`).
func (c *call) status(cmd *command) shell.Verdict {
	is := cmd.Succeeded(c.ok())
	switch {
	case c.Unsure && is == shell.Yes:
		is = shell.Unknown
	case cmd.unreadable && !c.ok():
		is = shell.No
	}
	if is != shell.Unknown || cmd.unreadable {
		return is
	}
	switch {
	case c.saysFailed(cmd) != "":
		return shell.No
	case cmd.Status == shell.Hidden && c.confirmed(cmd), c.saysDone(cmd):
		return shell.Yes
	}
	return shell.Unknown
}

// wentWell is for a status that says that all went well.
func (c *call) wentWell(cmd *command, kind kind, said tools.Summary) (outcome, string) {
	switch {
	case kind != kindTests:
		return passed, "succeeded"
	case said.None && c.testless(cmd):
		return passed, "built every package, none of which has tests"
	case said.None && strings.Contains(cmd.line, "|") && strings.Contains(c.Output(), "[no test files]"): // of the other packages nothing is known
		return unseen, "shows no more than that a package has no tests"
	case said.None:
		return nothing, "has run no test"
	case said.Red && said.Failed > 0 && !c.swallows(cmd):
		return unseen, "ended well, and its output says " + quote(said.Line)
	case said.Red && c.swallows(cmd):
		return failed, "has hidden the status of its tests, and its output says " + quote(said.Line)
	case slices.Contains(cmd.Words, "--if-present") && strings.TrimSpace(told(c.Output())) == "":
		return unrun, "has said nothing; there may be no such script"
	}
	return passed, "succeeded"
}

// wentWrong is for a status that says that the line failed: this command, unless
// its own output says that it passed, or that it could not even begin.
func (c *call) wentWrong(cmd *command, kind kind, said tools.Summary) (outcome, string) {
	others := slices.ContainsFunc(c.suspects(), func(x *command) bool { return x.at != cmd.at })
	switch {
	case c.impossible() && !namesTests(said):
		return unrun, "could not run here"
	case said.Red && kind == kindTests:
		return failed, "failed"
	case c.saysFailed(cmd) != "":
		return failed, "its line says that it failed"
	case said.Green && others:
		return passed, "its output says that it passed, another part of the line failed"
	case said.None:
		return nothing, "has run no test"
	case others && !said.Red:
		return unseen, "may have failed, or another part of its line"
	}
	return failed, "failed"
}

// hidden is for a status that something hides: only a runner's own lines count.
func (c *call) hidden(cmd *command, kind kind, said tools.Summary) (outcome, string) {
	const hidden = "its exit status is hidden"
	switch {
	case said.Red && c.impossible() && !namesTests(said):
		return unrun, "could not run here"
	case said.Red && kind == kindTests && allPassed(said) && c.ofAnother(cmd, said.Line):
		return unseen, hidden + ", and another part of its line failed"
	case said.Red && (kind == kindTests || c.names(said.Line)):
		return failed, hidden + " and its output says " + quote(said.Line)
	case kind != kindTests:
		return unseen, hidden
	case c.Cut && !c.endsInSum(cmd):
		return unseen, hidden + ", and a part of its output is missing"
	case said.Green && said.Passed > 0 && !c.filtered(cmd):
		return passed, hidden + ", its output says that tests passed"
	case said.None:
		return nothing, "has run no test"
	}
	return unseen, hidden + ", and its output does not say how the tests went"
}

// allPassed reports whether a runner counts tests that passed and none that failed: what
// is red in the output may be of something else.
func allPassed(said tools.Summary) bool {
	return said.Passed > 0 && said.Failed == 0 && len(said.Failures) == 0
}

// ofAnother reports whether a line names what another check of the call runs, and this
// one does not: `error: script "lint" exited with code 1`.
func (c *call) ofAnother(cmd *command, line string) bool {
	named := func(word string) bool {
		return strings.Contains(line, `"`+word+`"`) || strings.Contains(line, "`"+word+"`") || strings.Contains(line, "'"+word+"'")
	}
	return slices.ContainsFunc(c.commands, func(x *command) bool {
		return x.at != cmd.at && c.turn.kindOf(x) != kindTests && slices.ContainsFunc(x.Words, func(word string) bool {
			return named(word) && !slices.Contains(cmd.Words, word)
		})
	})
}

// namesTests reports whether a runner names a test that failed: then it ran.
func namesTests(said tools.Summary) bool {
	return said.Passed > 0 || slices.ContainsFunc(said.Failures, func(f tools.Failure) bool { return f.Test != "" })
}

// doubt tells why neither the line's success nor silence shows that a command did
// what it is for; "" if nothing does.
func (c *call) doubt(cmd *command, d *Doubt) string {
	if cmd.unreadable || c.own {
		return ""
	}
	if cmd.Silenced() && !c.confirmed(cmd) {
		return "has thrown away its status and its output"
	}
	why := cmd.Doubt(c.reached(cmd), c.confirmed(cmd))
	if why == "" && d != nil {
		why = d.Why
	}
	return why
}

// said is what the runner says in the call's output and, where it wrote that into a
// file, in what later calls showed of the file.
func (c *call) said(cmd *command) tools.Summary {
	if later := c.shownLater(cmd); later != "" {
		return tools.Summarize(c.printed()+"\n"+later, c.runners()...)
	}
	return c.summary()
}

// names reports whether a line names a file that the turn changed.
func (c *call) names(line string) bool {
	return slices.ContainsFunc(c.turn.files, func(f file) bool { return strings.Contains(line, f.Path) || strings.Contains(line, baseName(f.Path)) })
}

// shownLater is what later calls print of the file that a command wrote its output
// into, until something else writes it.
func (c *call) shownLater(cmd *command) string {
	if cmd.unreadable || len(cmd.Command.Writes) == 0 {
		return ""
	}
	files := map[string]bool{}
	for _, w := range cmd.Command.Writes {
		files[c.turn.absolute(c.Dir, joined(cmd.Dir, w))] = true
	}
	var text strings.Builder
	for _, x := range c.turn.calls[c.at:] {
		for _, other := range x.commands {
			if x == c && other.at <= cmd.at || other.unreadable {
				continue
			}
			if slices.ContainsFunc(other.Command.Writes, func(w string) bool { return files[c.turn.absolute(x.Dir, joined(other.Dir, w))] }) {
				return text.String() // it is written anew
			}
			if slices.ContainsFunc(other.Reads(), func(r string) bool { return files[c.turn.absolute(x.Dir, r)] }) && !partial(other) {
				text.WriteString(x.printed() + "\n")
			}
		}
		if slices.ContainsFunc(x.Paths, func(p string) bool { return files[c.turn.absolute(x.Dir, p)] }) {
			text.WriteString(x.printed() + "\n")
		}
	}
	return text.String()
}

// testless reports whether `go test` has taken the whole module and said of every
// package that it has no tests. Each was built, and there is nothing else to run;
// unless there are tests that it did not see, such as those that this turn has
// taken away or that a build tag leaves out.
func (c *call) testless(cmd *command) bool {
	hiding := func(f File) bool {
		isTest := slices.ContainsFunc(testFiles, func(glob string) bool { return match(glob, f.Path) })
		return tools.EcosystemOf(f.Path) == "go" && (isTest || f.Home != nil && f.Home.Tested)
	}
	if !cmd.matches("go test ./...") || c.Cut || c.filtered(cmd) || slices.ContainsFunc(c.turn.Files, hiding) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(told(c.Output()), "\n"), func(line string) bool {
		line = strings.TrimRight(line, " \r")
		none := strings.HasPrefix(line, "?") && strings.HasSuffix(line, "\t[no test files]")
		return line != "" && !none && !strings.HasPrefix(line, "go: downloading ")
	})
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

// swallows reports whether a command that runs tests may end well though they
// failed, because it is not their runner: a script or a target that goes on after
// them, or hands on the status of something else.
func (c *call) swallows(cmd *command) bool {
	dir, in := c.turn.folder(c, cmd)
	if cmd.unreadable || c.turn.Expand == nil || !in {
		return false
	}
	runs, _ := c.turn.Expand(dir, cmd.Words)
	return len(runs) > 0 && !slices.ContainsFunc(runs, func(r Run) bool { return slices.Equal(r.Words, cmd.Words) })
}

// reached reports whether the call has printed what its line prints right before
// the command, and nowhere else: then the line has come to it.
func (c *call) reached(cmd *command) bool { return c.alone(cmd.After()) }

// confirmed reports whether the call has printed what its line prints if the
// command succeeded, and nowhere else. What the command itself prints says more.
func (c *call) confirmed(cmd *command) bool {
	return c.alone(cmd.Then()) && (cmd.Silenced() || !c.summary().Red)
}
