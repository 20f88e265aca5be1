package debrief

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
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
	if cmd.Away != nil {
		return t.apart(c, cmd)
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

// stashed tells whether all changes were put away before the command, in its line
// or in one before it, and had not been taken back yet: git stash && go test ./...;
// git stash pop.
func (c *call) stashed(cmd *command) bool {
	return c.putAway(c.commands[:cmd.at], c.stashedBefore())
}

// putAway follows what some commands of the call do to the stash.
func (c *call) putAway(commands []*command, away bool) bool {
	for _, x := range commands {
		switch {
		case x.unreadable || !x.matches("git stash"):
		case x.matches("git stash pop", "git stash apply", "git stash branch"):
			away = false
		case !x.matches("git stash list", "git stash show", "git stash drop", "git stash clear", "git stash create", "git stash store"):
			away = tools.StashesAll(x.Words) && !strings.Contains(c.Call.Output, "No local changes to save")
		}
	}
	return away
}

// stashedBefore tells whether the calls before have left the changes put away. An
// edit ends that: what it writes is tested.
func (c *call) stashedBefore() (away bool) {
	for _, x := range c.turn.stashes() {
		switch {
		case x.at >= c.at:
			return away
		case x.Kind == agent.CallEdit:
			away = false
		case x.ok():
			away = x.putAway(x.commands, away)
		}
	}
	return away
}

// stashes are the calls that put changes away or take them back, with the edits
// between them; none where nothing is put away.
func (t *turn) stashes() []*call {
	return t.stashing.get(func() (all []*call) {
		for _, c := range t.calls {
			says := c.Kind == agent.CallShell && strings.Contains(c.Command, "stash")
			if says || len(all) > 0 && c.Kind == agent.CallEdit && len(c.edits) > 0 {
				all = append(all, c)
			}
		}
		return all
	})
}

// builtThere tells whether the command tests what is built in a folder beside
// the tree, as with cmake -B /tmp/build.
func (t *turn) builtThere(cmd *command) bool {
	configures := func(c *call) bool { return c.does(tools.Configures) }
	return cmd.does(tools.Outside) || cmd.does(tools.Configured) && slices.ContainsFunc(t.calls, configures)
}

// ran tells whether a command of a kind stands in one of the calls.
func (t *turn) ran(is func(*call, *command) bool) bool {
	return slices.ContainsFunc(t.calls, func(c *call) bool {
		return slices.ContainsFunc(c.commands, func(cmd *command) bool { return is(c, cmd) })
	})
}

// outside tells whether a path, as seen from a call's folder, certainly lies
// outside of the work tree, or leads there through a link. One that seems to may be a
// link into it.
func (t *turn) outside(dir, p string) bool {
	p = t.atHome(p)
	if strings.ContainsAny(p, "$`") || strings.HasPrefix(p, "~") || strings.ContainsAny(dir, "$`~") {
		return false
	}
	if dir != "" && !path.IsAbs(slashed(dir)) && !strings.Contains(slashed(dir), ":/") {
		dir = t.Root + "/" + dir
	}
	rel, in := t.relative(dir, p)
	if in {
		_, in = t.resolved(rel)
	}
	return !in
}

// leastSaid is how many bytes a text has that nothing else prints by chance.
const leastSaid = 4

// alone tells whether a text stands once in the line, and as a line in the output.
func (c *call) alone(text string) bool {
	return len(text) >= leastSaid && strings.Count(c.Command, text) == 1 && c.prints(regexp.QuoteMeta(text)) != ""
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
	at := slices.IndexFunc(t.Doubts, func(d Doubt) bool {
		return d.Dir == strings.TrimPrefix(rel, ".") && cmd.matches(d.Run) && !t.elseTests(cmd, d)
	})
	if !ok || at < 0 {
		return nil
	}
	return &t.Doubts[at]
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

// apart tells whether a container or machine lacks this tree, as far as the
// line and the project's files say.
func (t *turn) apart(c *call, cmd *command) string {
	a := cmd.Away
	switch {
	case a.Apart:
		return "ran on another machine (" + quote(a.By) + ")"
	case a.Service != "":
		return t.serviceApart(c, cmd)
	case a.Image == "" || t.built(a.Image) || t.mounted(a.Mounts):
		return ""
	}
	return "ran in a container that does not hold this work tree"
}

// mounted tells whether the folders that a container is given hold the tree, or
// a part of it. A place that the shell alone knows may.
func (t *turn) mounted(mounts []string) bool {
	root := slashed(t.Root)
	for _, m := range mounts {
		m = slashed(strings.Trim(m, `"'`))
		switch {
		case m == "" || !path.IsAbs(m) && !strings.HasPrefix(m, ".") && !strings.ContainsAny(m, "$`~:"):
			continue // a volume's name
		case !path.IsAbs(m):
			return true // or one below the folder it ran in
		}
		if m = path.Clean(m); tools.Within(root, m) || tools.Within(m, root) {
			return true
		}
	}
	return false
}

// serviceApart tells whether a service's container lacks this tree. The project's
// compose files say what is mounted there, or that this turn built its image after
// the last edit. Where they cannot be read, an output shows it that names tests
// that passed and paths of this tree. A command that the settings name for the
// tests is vouched for.
func (t *turn) serviceApart(c *call, cmd *command) string {
	a := cmd.Away
	vouched := slices.ContainsFunc(t.Tests, func(x Test) bool { return x.Accepted && strings.Contains(cmd.line, x.Run) })
	if c.own || t.mounted(a.Mounts) || vouched {
		return ""
	}
	s, known := Service{}, false
	if dir, in := t.relative(c.Dir, "."); t.Service != nil && in && !t.outside(c.Dir, ".") {
		s, known = t.Service(strings.TrimPrefix(dir, "."), a.Files, a.Service)
	}
	switch {
	case known && (t.holds(s.Folders) || s.Built && t.builtSince(c, cmd)):
		return ""
	case known:
		return "ran in a container that the project's files do not show to hold this work tree (" + quote(a.Service) + ")"
	case c.summary().Green && c.summary().Passed > 0 && t.speaksOf(c.Output()):
		return ""
	}
	return "ran in a container (" + quote(a.Service) + ") of which nothing shows that it holds this work tree"
}

// code are the agent's files that tests could be about.
func (t *turn) code() []file {
	return keep(t.files, func(f file) bool { return f.ecosystem != "" })
}

// holds tells whether all code that changed lies in one of some folders.
func (t *turn) holds(folders []string) bool {
	return len(folders) > 0 && !slices.ContainsFunc(t.code(), func(f file) bool {
		return !slices.ContainsFunc(folders, func(dir string) bool { return inside(folderOf(f.Path), dir) })
	})
}

// builtSince tells whether images were built between the last edit of code and
// the command, or by its own line.
func (t *turn) builtSince(c *call, cmd *command) bool {
	last, end := newest(t.code()), c.moment(cmd.at)
	return strings.Contains(cmd.line, "--build") || t.ran(func(x *call, b *command) bool {
		builds := b.matches("docker compose build", "docker buildx bake") || b.matches("docker compose up") && slices.Contains(b.Words, "--build")
		at := x.moment(b.at)
		return builds && x.ok() && at.after(last) && end.later(at)
	})
}

// speaksOf tells whether an output names a file that changed, its tests, or its
// folder.
func (t *turn) speaksOf(output string) bool {
	return slices.ContainsFunc(t.code(), func(f file) bool {
		names := append([]string{f.Path}, f.Home.Own...)
		if dir := folderOf(f.Path); dir != "" {
			names = append(names, "/"+dir+"\t", "/"+dir+"/", dir+"/")
		}
		return containsAny(output, names...)
	})
}

// built tells whether this turn built the image, so that it holds the tree.
func (t *turn) built(image string) bool {
	bare := func(name string) string { return strings.TrimSuffix(strings.TrimPrefix(name, "--tag="), ":latest") }
	return t.ran(func(_ *call, cmd *command) bool {
		named := slices.ContainsFunc(cmd.Words, func(w string) bool { return bare(w) == bare(image) })
		return cmd.does(tools.Builds) && (named || strings.Contains(image, "$") || cmd.matches("docker compose build", "docker buildx bake"))
	})
}
