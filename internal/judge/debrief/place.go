package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// elsewhere tells why a test run says nothing of this work tree: it ran in
// another folder, on another project's definitions, or in a container or on a
// machine that does not hold the tree; "" where nothing says so. What only the
// shell knows ($X, ~) decides nothing.
// Rule: docs/spec.md, "Evidence".
func (t *turn) elsewhere(c *call, cmd *command) string {
	if cmd.unreadable {
		return ""
	}
	if a := cmd.Away; a != nil {
		return t.apart(a)
	}
	if c.stashed(cmd) {
		return "ran while the changes were stashed"
	}
	outside := func(p string) bool { return t.outside(c.Dir, p) }
	switch projects := cmd.Projects(); {
	case outside(path.Join(cmd.Dir, ".")) && !t.builtThere(cmd):
		return "ran in another folder than this work tree"
	case slices.ContainsFunc(projects, outside):
		return "ran with the definitions of another project"
	}
	if targets := cmd.Targets(); len(targets) > 0 && !slices.ContainsFunc(targets, func(p string) bool { return !outside(p) }) {
		return "ran tests that lie outside of this work tree"
	}
	return ""
}

// stashed tells whether the line put all changes away before the command, and
// had not taken them back yet: git stash && go test ./...; git stash pop.
func (c *call) stashed(cmd *command) bool {
	away := false
	for _, x := range c.commands[:cmd.at] {
		switch {
		case x.unreadable || !x.matches("git stash"):
		case x.matches("git stash pop", "git stash apply", "git stash branch"):
			away = false
		case !x.matches("git stash list", "git stash show", "git stash drop", "git stash clear", "git stash create", "git stash store"):
			away = tools.StashesAll(x.Words)
		}
	}
	return away
}

// apart tells whether a container or machine lacks this tree, as far as the
// line says.
func (t *turn) apart(a *shell.Away) string {
	switch {
	case a.Apart:
		return "ran on another machine (" + quote(a.By) + ")"
	case a.By != "docker run" || t.built(a.Image):
		return ""
	}
	root := slashed(t.Root)
	for _, m := range a.Mounts {
		m = slashed(strings.Trim(m, `"'`))
		switch {
		case m == "" || !path.IsAbs(m) && !strings.HasPrefix(m, ".") && !strings.ContainsAny(m, "$`~:"):
			continue // a volume's name
		case !path.IsAbs(m):
			return "" // a place that the shell alone knows, or one below the folder it ran in
		}
		if m = path.Clean(m); tools.Within(root, m) || tools.Within(m, root) {
			return ""
		}
	}
	return "ran in a container that does not hold this work tree"
}

// built tells whether this turn built the image, so that it holds the tree.
func (t *turn) built(image string) bool {
	return t.ran(func(cmd *command) bool {
		return cmd.does(tools.Builds) &&
			(strings.Contains(image, "$") || cmd.matches("docker compose build", "docker buildx bake") || slices.ContainsFunc(cmd.Words, func(w string) bool {
				return strings.TrimSuffix(strings.TrimPrefix(w, "--tag="), ":latest") == strings.TrimSuffix(image, ":latest")
			}))
	})
}

// builtThere tells whether the command tests what is built in a folder beside
// the tree, as with cmake -B /tmp/build.
func (t *turn) builtThere(cmd *command) bool {
	return cmd.does(tools.Outside) || cmd.does(tools.Configured) && t.ran(func(cmd *command) bool { return cmd.does(tools.Configures) })
}

// ran tells whether a command of a kind stands in one of the calls.
func (t *turn) ran(is func(*command) bool) bool {
	return slices.ContainsFunc(t.calls, func(c *call) bool { return slices.ContainsFunc(c.commands, is) })
}

// outside tells whether a path, as seen from a call's folder, certainly lies
// outside of the work tree. One that seems to may be a link into it.
func (t *turn) outside(dir, p string) bool {
	if strings.ContainsAny(p, "$`") || strings.HasPrefix(p, "~") || strings.ContainsAny(dir, "$`~") {
		return false
	}
	if dir != "" && !path.IsAbs(slashed(dir)) && !strings.Contains(slashed(dir), ":/") {
		dir = t.Root + "/" + dir
	}
	rel, in := t.relative(dir, p)
	return !in || t.leadsOut(rel)
}

// leadsOut tells whether a path below the root leads out of the tree, through a
// link in it.
func (t *turn) leadsOut(rel string) bool {
	if t.Resolve == nil || rel == "." {
		return false
	}
	_, in := t.below(t.Resolve(path.Join(t.Root, rel)))
	return !in
}

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// unproven tells why a run of tests needs words of its own to count, though the
// line went well: see shell.Command.Doubt, and whose definition this turn has
// changed so that it may test less.
func (c *call) unproven(cmd *command, d *Doubt) string {
	if cmd.unreadable || c.own {
		return ""
	}
	why := cmd.Doubt()
	if why == "" && d != nil {
		why = d.Why
	}
	if why == "" || cmd.look().tests == 0 || proven(c.Output()) { // look is dear
		return ""
	}
	return why + ", and its output names no test that passed"
}

// doubtful finds what speaks against a command that runs tests through a target
// or a script.
func (t *turn) doubtful(c *call, cmd *command) *Doubt {
	if cmd.unreadable || cmd.Away != nil {
		return nil
	}
	for _, p := range cmd.Definitions() { // make -f x.mk
		at, in := t.relative(c.Dir, p)
		if in && !tools.Among(tools.DefinitionFiles(), path.Base(at)) && slices.ContainsFunc(t.Input.Files, func(f File) bool { return f.Path == at }) {
			return &Doubt{Why: "takes its targets from " + quote(at) + ", which this turn changed"}
		}
	}
	if len(t.Doubts) == 0 {
		return nil
	}
	rel, ok := t.relative(c.Dir, path.Join(cmd.Dir, "."))
	if !ok {
		return nil
	}
	if rel == "." {
		rel = ""
	}
	for i, d := range t.Doubts {
		if d.Dir == rel && cmd.matches(d.Run) && !t.elseTests(cmd, d) {
			return &t.Doubts[i]
		}
	}
	return nil
}

// elseTests tells whether the command runs tests also by another name than the
// doubtful one: make test integration.
func (t *turn) elseTests(cmd *command, d Doubt) bool {
	return slices.ContainsFunc(t.Tests, func(x Test) bool {
		for _, p := range append(x.Matches[:len(x.Matches):len(x.Matches)], x.Run) {
			other := !(shell.Command{Words: strings.Fields(p)}).Matches(d.Run) // npm test is npm run test
			if other && !slices.ContainsFunc(t.Doubts, func(o Doubt) bool { return o.Run == p && o.Dir == d.Dir }) && cmd.matches(p) {
				return true
			}
		}
		return false
	})
}

// proven tells whether an output has a line that sums up tests that passed.
func proven(output string) bool {
	return anyLine(output, func(line string) bool {
		return passLine(line) && !strings.HasSuffix(line, "[no tests to run]") || summed(line)
	})
}

// summed tells a line that counts tests, at least one, and no failure: `12
// examples, 0 failures`, `Passed! - Failed: 0, Passed: 5`, `7 tests passed`.
func summed(line string) bool {
	line = strings.TrimPrefix(line, "ℹ ")
	if strings.HasPrefix(line, "pass ") || strings.HasPrefix(line, "# pass ") { // TAP's and node's
		return leading(line[strings.LastIndexByte(line, ' ')+1:]) > 0
	}
	if whole := strings.TrimLeft(line, "✔✓ "); strings.HasPrefix(whole, "ok 1 ") || beginsAny(whole, tools.Outputs().Proof) {
		return true
	}
	some, none, bad := false, false, false
	count(line, func(word string, n int) {
		switch strings.ToLower(strings.TrimSuffix(word, "s")) {
		case "test", "example", "run", "spec", "scenario", "assertion", "check", "suite", "pass", "passed":
			some = some || n > 0
		case "passing", "succeeded", "ok":
			some = some || n > 0
		case "fail", "failed", "failure", "error", "failing":
			none, bad = none || n == 0, bad || n > 0
		}
	})
	passed := strings.Contains(line, " passed") || strings.Contains(line, " pass") && strings.HasSuffix(line, "pass")
	return some && !bad && (none || passed)
}
