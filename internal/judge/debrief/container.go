package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

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
	return keep(t.files, func(f file) bool { return tools.EcosystemOf(f.Path) != "" })
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
		names := []string{f.Path}
		if f.Home != nil {
			names = append(names, f.Home.Own...)
		}
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
