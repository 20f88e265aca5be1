package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// Edits returns the files that the command names as written, moved or removed,
// joined with Dir; a pattern stays a pattern (*.go), a removed folder stands for
// what is in it.
// Rule: docs/spec.md, "Changed files".
func (c Command) Edits() []string {
	named, _ := c.changes()
	return joinAll(c.Dir, named)
}

// MayEdit reports whether the command can change files at all, named or not:
// false for what only reads (ls, git status, go test), true for programs that
// we do not know.
func (c Command) MayEdit() bool {
	named, more := c.changes()
	return more || len(named) > 0
}

// MayEditOthers reports whether the command can change files that Edits does not
// name.
func (c Command) MayEditOthers() bool {
	_, more := c.changes()
	return more
}

// changes returns the files named and whether there may be others. One that only
// the shell, or the program that runs this one, knows the name of is such.
func (c Command) changes() (named []string, more bool) {
	named = slices.Clone(c.Writes)
	if len(c.Words) == 0 || c.DryRun() {
		return named, false
	}
	call := tools.NewCall(tools.Plain(c.Words))
	call.Stdin = c.Stdin
	files, more := call.Changes()
	for _, f := range files {
		if !isDevice(f) {
			named = append(named, f)
			more = more || strings.Contains(f, "{}") || strings.ContainsAny(f, "$`")
		}
	}
	return named, more
}

// Reads returns the files that the command shows or is fed, joined with Dir:
// cat, head, sed -n, grep, diff and the like, and <.
// Rule: docs/spec.md, "Changed files" (a file edited without having been read).
func (c Command) Reads() []string {
	named := slices.Clone(c.inputs)
	if len(c.Words) > 0 {
		named = append(named, tools.NewCall(tools.Plain(c.Words)).Shown()...)
	}
	named = slices.DeleteFunc(named, func(f string) bool { return f == "-" || f == "." || strings.HasPrefix(f, "<(") })
	return joinAll(c.Dir, named)
}

func joinAll(dir string, names []string) []string {
	var all []string
	for _, n := range names {
		if p := tools.Join(dir, n); p != "" {
			all = append(all, p)
		}
	}
	return all
}

// Projects are the paths by which the command's own flags choose a project, or
// a file with definitions, other than those that lie where it runs: make -f
// x.mk. They are joined with Dir.
func (c Command) Projects() []string {
	var all []string
	if len(c.Words) == 0 {
		return nil
	}
	for _, form := range tools.Forms(c.Words) {
		t := tools.Of(form[0])
		if t.Project == "" {
			continue
		}
		for _, value := range tools.Read(form, t.Takes+" "+t.Project).Values(t.Project) {
			all = append(all, tools.Join(c.Dir, value))
		}
	}
	return slices.Compact(all)
}

// Definitions are those of Projects that hold the targets of a task runner.
func (c Command) Definitions() []string {
	if len(c.Words) == 0 || !tools.Of(tools.Plain(c.Words)[0]).Defines {
		return nil
	}
	return c.Projects()
}

// Targets are the paths of the places that a test runner is told to take, joined
// with Dir: "." for one of this folder, / for Go's own packages.
func (c Command) Targets() (all []string) {
	if len(c.Words) == 0 || !tools.Of(tools.Plain(c.Words)[0]).Paths {
		return nil
	}
	call, patterns := tools.NewCall(c.Words), []tools.Shape{tools.PathPart, tools.PathExpr, tools.PathGlob}
	for _, p := range call.Scope().Places {
		switch {
		case p.Not:
		case p.Shape == tools.Import && tools.Among("std cmd", p.Path):
			all = append(all, "/")
		case slices.Contains(patterns, p.Shape) && (strings.HasPrefix(p.Path, "/") || !slices.Contains(call.Operands, p.Path)):
			all = append(all, ".") // a pattern, which may begin with / and is not a path
		default:
			all = append(all, cmp.Or(tools.Join(c.Dir, p.Path), "."))
		}
	}
	return all
}
