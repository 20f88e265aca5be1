package project

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// AtRoot does the part of Commands that needs no changed files, so that it can be
// done while git is asked for them.
func AtRoot(root string) *Tests { return Before(root, nil) }

// Before is what the work tree told of its tests before some of its files were
// changed: was has their texts by path relative to root, nil for one that was
// not there.
func Before(root string, was map[string]*string) *Tests {
	seen := newListings()
	for file, text := range was {
		seen.was[filepath.Join(root, filepath.FromSlash(file))] = text
	}
	t := &Tests{
		root: root, seen: seen, sub: map[string]*folder{}, of: map[string][]TestCommand{}, left: maxLines, scripts: map[string]hollow{},
		ran: map[string][]shell.Command{}, idle: map[string]hollow{}, parsed: map[string][]shell.Command{},
	}
	t.top = t.folder("")
	t.in("")
	return t
}

// Commands finds how the tests of the work tree are run: its own umbrella (make
// test, just test) first, then one command for each ecosystem. It looks at the
// root and at the folders above the changed files (relative to root), so that
// web/package.json is found; where none are named, one level below the root. A
// command is only named where it exists; what cannot be read is left out.
// Rule: docs/spec.md, "Rules".
func (t *Tests) Commands(changed ...string) []TestCommand {
	var found []TestCommand
	for _, f := range t.folders(changed) {
		found = append(found, t.in(f.dir)...)
	}
	return settled(found)
}

// in are the ways to run the tests of one folder.
func (t *Tests) in(dir string) []TestCommand {
	return once(t.of, dir, func() []TestCommand { return t.find(t.folder(dir)) })
}

// folder is the root, or one below it.
func (t *Tests) folder(dir string) *folder {
	return once(t.sub, dir, func() *folder { return open(t.seen, t.root, dir) })
}

// settled gives what only counts as a test run, but is not to be asked for, to
// the commands of the same folder and of those below it.
func settled(found []TestCommand) []TestCommand {
	named := slices.DeleteFunc(slices.Clone(found), func(c TestCommand) bool { return c.Run == "" })
	for _, c := range found {
		for i, to := range named {
			if c.Run == "" && (to.Dir == c.Dir || under(to.Dir, c.Dir)) {
				named[i].Matches = append(slices.Clip(to.Matches), c.Matches...)
			}
		}
	}
	return named
}

// folders are the root and where sub-projects may lie, nearest to the root first:
// above the changed files, or one level down where there are none.
func (t *Tests) folders(changed []string) []*folder {
	var dirs []string
	for _, file := range changed {
		dir := dirOf(clean(file))
		if len(dirs) >= maxFolders || slices.ContainsFunc(strings.Split(dir, "/"), skipped) {
			continue
		}
		for _, at := range up(dir) {
			if at != "" && !slices.Contains(dirs, at) {
				dirs = append(dirs, at)
			}
		}
	}
	if len(changed) == 0 {
		for _, name := range slices.Sorted(slices.Values(t.top.dirs)) {
			if !skipped(name) {
				dirs = append(dirs, name)
			}
		}
	}
	dirs = dirs[:min(len(dirs), maxFolders)]
	slices.SortStableFunc(dirs, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	list := []*folder{t.top}
	for _, dir := range dirs {
		list = append(list, t.folder(dir))
	}
	return list
}

// Doubts are those about the definitions as they read now. It reads no file
// that Commands has not read.
func (t *Tests) Doubts(changed ...string) []Doubt {
	var all []Doubt
	for _, f := range t.folders(changed) {
		for _, tool := range tools.TargetRunners() {
			for _, name := range sorted(f.known[tool].recipes) {
				if named(name) {
					why, never := t.hollowTarget(f, tool, name, maxHops).why()
					all = append(all, f.doubts(tool, name, why, never)...)
				}
			}
		}
	}
	for _, file := range sorted(t.scripts) {
		if !strings.Contains(file, "test") && !named(path.Base(file)) {
			continue
		}
		if why, never := t.scripts[file].why(); why != "" {
			all = append(all, Doubt{Run: path.Base(file), Why: why + " (" + file + ")", Never: never})
		}
	}
	return all
}

// doubts are one for each way to run a target; none without a reason.
func (f *folder) doubts(tool, name, why string, never bool) (all []Doubt) {
	if why == "" {
		return nil
	}
	file := tool
	if name, _ := f.source(tools.Find(tool).Targets); name != "" {
		file = path.Join(f.dir, name)
	}
	for _, run := range calls(tool, name) {
		all = append(all, Doubt{Run: run, Dir: f.dir, Why: why + " (" + file + ")", Never: never})
	}
	return all
}

// Reading is what can be told of a command line before it runs.
type Reading struct {
	Tests   bool   // it runs tests
	Nothing bool   // it runs none
	Said    string // why, where it runs none or nobody can tell
}

// Read tells whether a command line runs tests in this work tree, as far as its
// words and the targets and scripts that it calls say so.
func (t *Tests) Read(line string) Reading {
	found, err := shell.Parse(line)
	if err != nil {
		return Reading{Said: "it cannot be read"}
	}
	nothing := Reading{Nothing: true, Said: "it runs no test"}
	for _, c := range found {
		if len(c.Words) == 0 {
			continue
		}
		at, runner := t.top.at(c.Dir), isRunner(c)
		hollow, read := solid, ""
		if at != nil {
			hollow = t.hollowCall(at, c)
			if _, _, text, ok := at.script(scriptOf(c.Words)); ok && text != "" {
				read = fmt.Sprintf(", and none of the %d lines of it calls one", strings.Count(strings.TrimRight(text, "\n"), "\n")+1)
			}
		}
		switch words := strings.Join(c.Words, " "); {
		case runner && hollow != empty, !runner && len(t.calledRunners(at, c.Words, maxHops)) > 0:
			return Reading{Tests: true}
		case !runner && testless(c):
		case hollow == empty:
			nothing.Said = fmt.Sprintf("%q runs nothing, as its definition reads", words)
		default:
			return Reading{Said: fmt.Sprintf("%q is not a test runner that Piton knows%s", words, read)}
		}
	}
	return nothing
}

// testless tells whether a command is one that runs no test, whatever the project.
func testless(c shell.Command) bool {
	return idle(c) || len(c.Words) == 1 && tools.Of(c.Words[0]).Script != nil || c.Spellings().MatchAny(shell.Doing(tools.Testless))
}
