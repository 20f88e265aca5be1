package project

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
)

// Doubt is what speaks against a way to run tests: what its definition says, or
// what this turn has changed in it.
type Doubt struct {
	Run   string // a pattern for shell.Command.Matches
	Dir   string // where it runs, relative to the root with slashes
	Why   string // "runs nothing, as its definition reads (Makefile)"
	Never bool   // no run of it shows anything; else one does that says which tests passed
}

// hollow says how far what a target, script or task does is known to show
// nothing.
type hollow int

const (
	solid    hollow = iota // it runs something, or nobody knows
	forgiven               // it succeeds whatever its commands do
	empty                  // it runs nothing
)

// hollowTarget judges a target by its recipe and by those it needs.
func (s *seeker) hollowTarget(f *folder, tool, name string, hops int) hollow {
	r, ok := f.recipes(tool)[name]
	if !ok || hops <= 0 || f.vague[tool] {
		return solid
	}
	h := empty
	for _, line := range r.lines {
		h = min(h, s.hollowText(line))
	}
	for _, other := range slices.Concat(r.needs, r.beside) {
		h = min(h, s.hollowTarget(f, tool, other, hops-1))
	}
	return h
}

// hollowText judges a shell's text.
func (s *seeker) hollowText(text string) hollow {
	found := s.commands(text)
	if len(found) == 0 {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				return solid // it cannot be read
			}
		}
		return empty
	}
	h := empty
	for _, c := range found {
		switch {
		case len(c.Words) == 0 || idle(c) || c.DryRun():
		case !c.Demanded():
			h = min(h, forgiven)
		default:
			return solid
		}
	}
	return h
}

// idle reports whether a command does nothing that a test would.
func idle(c shell.Command) bool {
	return slices.Contains([]string{"true", ":", "echo", "printf", "exit", "return", "cd", "pwd", "date", "sleep", "set", "export", "test", "["}, c.Words[0])
}

// named tells whether a target is taken for one that runs tests by its name.
func named(name string) bool {
	return strings.Contains(name, "test") || name == "check" || name == "ci" || name == "verify"
}

// called are the patterns of how a target is run.
func called(tool, name string) []string {
	if tool == "npm" {
		return []string{"npm run " + name, "pnpm run " + name, "yarn run " + name, "bun run " + name}
	}
	if tool == "composer" {
		return []string{"composer " + name, "composer run " + name, "composer run-script " + name}
	}
	return []string{tool + " " + name}
}

// fileOf names the file that holds a tool's definitions.
func (f *folder) fileOf(tool string) string {
	names := map[string][]string{"make": makefiles, "just": justfiles, "task": taskfiles, "npm": {"package.json"}, "composer": {"composer.json"}}[tool]
	for _, name := range names {
		if f.has(name) {
			return path.Join(f.dir, name)
		}
	}
	return tool
}

// definers are the tools whose targets are read.
var definers = []string{"make", "just", "task", "npm", "composer"}

// Doubts are those about the definitions as they read now. It reads no file
// that Commands has not read.
func (t *Tests) Doubts(changed ...string) []Doubt {
	var all []Doubt
	for _, f := range append([]*folder{t.top}, t.below(changed)...) {
		for _, tool := range definers {
			all = append(all, f.doubts(tool)...)
		}
	}
	seek := t.top.seek
	for _, file := range sorted(seek.hollow) {
		if !strings.Contains(file, "test") && !named(path.Base(file)) {
			continue
		}
		if why, never := seek.hollow[file].why(); why != "" {
			all = append(all, Doubt{Run: path.Base(file), Why: why + " (" + file + ")", Never: never})
		}
	}
	return all
}

func (f *folder) doubts(tool string) []Doubt {
	var all []Doubt
	for _, name := range sorted(f.known[tool]) {
		if !named(name) {
			continue
		}
		if why, never := f.seek.hollowTarget(f, tool, name, maxHops).why(); why != "" {
			all = append(all, f.doubt(tool, name, why, never)...)
		}
	}
	return all
}

func (h hollow) why() (why string, never bool) {
	switch h {
	case empty:
		return "runs nothing, as its definition reads", true
	case forgiven:
		return "succeeds whatever its tests do, as its definition reads", false
	}
	return "", false
}

func (f *folder) doubt(tool, name, why string, never bool) (all []Doubt) {
	for _, run := range called(tool, name) {
		all = append(all, Doubt{Run: run, Dir: f.dir, Why: why + " (" + f.fileOf(tool) + ")", Never: never})
	}
	return all
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
