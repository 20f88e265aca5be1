package project

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// Bounds of the search for tests behind a project's own targets and scripts.
const (
	maxHops     = 4   // a target that calls a target that runs a script
	maxLines    = 500 // lines and scripts parsed in all
	maxGathered = 50  // runners of one target
)

// seeker finds out what runs tests in the end.
type seeker struct {
	left    int             // lines that may still be parsed
	seen    map[string]bool // what was looked at, with the hops that were left
	parsed  map[string][]shell.Command
	hollow  map[string]hollow          // of the scripts that were read, by their paths
	runners map[string][]shell.Pattern // by their first word
}

func newSeeker() *seeker {
	s := &seeker{left: maxLines, seen: map[string]bool{}, parsed: map[string][]shell.Command{}, hollow: map[string]hollow{}, runners: map[string][]shell.Pattern{}}
	for _, r := range tools.Patterns(tools.Runner) {
		head, _, _ := strings.Cut(r, " ")
		s.runners[head] = append(s.runners[head], shell.ReadPattern(r))
	}
	return s
}

// once remembers the answer to a question by its key. While it is being asked,
// the answer is no.
func (s *seeker) once(key string, hops int, ask func() bool) bool {
	key += "\x00" + strconv.Itoa(hops)
	known, ok := s.seen[key]
	if !ok {
		s.seen[key] = false
		known = ask()
		s.seen[key] = known
	}
	return known
}

// runs tells whether a target runs tests.
func (s *seeker) runs(f *folder, tool, name string, hops int) bool {
	return s.once(f.dir+"\x00"+tool+"\x00"+name, hops, func() bool {
		r, ok := f.define(tool).recipes[name]
		at := f.at(r.dir)
		return ok && hops > 0 && at != nil && (slices.ContainsFunc(r.lines, func(line string) bool { return s.line(at, line, hops) }) ||
			slices.ContainsFunc(r.needs, func(need string) bool { return s.runs(f, tool, need, hops-1) }))
	})
}

// line tells whether a shell's text runs tests.
func (s *seeker) line(f *folder, text string, hops int) bool {
	return hints(text) && slices.ContainsFunc(s.commands(text), func(c shell.Command) bool {
		return len(c.Words) > 0 && c.Demanded() && (s.isRunner(c) || s.calls(f.at(c.Dir), c.Words, hops-1))
	})
}

// commands are what a shell's text runs, nothing where it cannot be parsed or
// too much was parsed before.
func (s *seeker) commands(text string) []shell.Command {
	found, ok := s.parsed[text]
	if !ok {
		if s.left--; s.left < 0 {
			return nil
		}
		found, _ = shell.Parse(text) // what cannot be parsed, make or the shell could not run
		s.parsed[text] = found
	}
	return found
}

// hints leaves out what can run no test, by its words; parsing is dear.
func hints(text string) bool {
	return strings.Contains(text, "/") || speaks(text)
}

// speaks leaves out more: a script nearly always holds a path.
func speaks(text string) bool {
	return slices.ContainsFunc(testWords(), func(word string) bool { return strings.Contains(text, word) })
}

// testWords are words of which every text that runs tests holds one.
var testWords = sync.OnceValue(func() []string {
	words := []string{"test", "spec", "make", "MAKE", "run", "npm", "yarn", "bun", "just", "task", "check", ".sh"}
	for _, r := range tools.Patterns(tools.Runner) {
		if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(r, word) }) {
			head, _, _ := strings.Cut(r, " ")
			words = append(words, head)
		}
	}
	return words
})

func (s *seeker) isRunner(c shell.Command) bool {
	spelled := c.Spellings()
	return slices.ContainsFunc(spelled.Programs(), func(name string) bool { return slices.ContainsFunc(s.runners[name], spelled.Match) })
}

// sameRunner tells whether two commands are runs of one runner.
func (s *seeker) sameRunner(a, b shell.Command) bool {
	x, y := a.Spellings(), b.Spellings()
	return slices.ContainsFunc(x.Programs(), func(name string) bool {
		return slices.ContainsFunc(s.runners[name], func(p shell.Pattern) bool { return x.Match(p) && y.Match(p) })
	})
}

// called are the targets that a command's words name, and the folder in which
// the tool finds them: this one, or one above.
func (f *folder) called(words []string) (at *folder, tool string, names []string) {
	tool, names = f.targetsOf(words)
	if t := tools.Find(tool).Targets; tool != "" && t.Climbs {
		at = f.nearest(func(at *folder) bool { return at.defines(t) })
	}
	return cmp.Or(at, f), tool, names
}

// defines tells whether a file that may hold a tool's targets is there.
func (f *folder) defines(t *tools.Targets) bool {
	return slices.ContainsFunc(strings.Fields(t.Files+" "+t.Folders), f.hasPath)
}

func (f *folder) targetsOf(words []string) (tool string, names []string) {
	t := tools.Of(words[0])
	if tool = t.TargetsOf; tool == "" {
		tool = tools.Name(words[0])
	}
	targets := tools.Find(tool).Targets
	if targets == nil {
		return "", nil
	}
	names = operands(words[1:])
	if targets.Verb != "" && t.Chooses > 0 { // what follows the script's name is for the script
		if len(names) > 0 && tools.Among(targets.Verb, names[0]) {
			names = names[1:]
		} else if targets.Must {
			return "", nil
		}
		names = names[:min(len(names), 1)]
	}
	return tool, names
}

// calls tells whether a command runs tests through another target or a script.
func (s *seeker) calls(f *folder, words []string, hops int) bool {
	if f == nil || hops <= 0 {
		return false
	}
	f, tool, names := f.called(words)
	if tool == "" {
		return s.script(f, scriptOf(words), hops)
	}
	return slices.ContainsFunc(names, func(target string) bool {
		prefix, any := strings.CutSuffix(target, "*")
		for _, have := range f.define(tool).names {
			if (have == target || any && strings.HasPrefix(have, prefix)) && s.runs(f, tool, have, hops) {
				return true
			}
		}
		return false
	})
}

// operands are the words that are no flags; a flag's value passes for one.
func operands(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" || w[0] == '-' })
}

// script tells whether a shell script of the work tree runs tests.
func (s *seeker) script(f *folder, file string, hops int) bool {
	g, base, text, isShell := f.script(file)
	return g != nil && s.once(g.dir+"\x00\x00"+base, hops, func() bool {
		if isShell {
			s.hollow[path.Join(g.dir, base)] = s.hollowText(text)
		}
		// A script is usually started at the root, wherever it lies.
		return isShell && speaks(text) && s.line(f, text, hops)
	})
}

// gather collects the test runners that a target comes to.
func (s *seeker) gather(f *folder, tool, name string, hops int, found *[]shell.Command) {
	r, ok := f.define(tool).recipes[name]
	if !ok || hops <= 0 || len(*found) > maxGathered {
		return
	}
	for _, line := range r.lines {
		s.gatherText(f, line, hops, found)
	}
	for _, need := range r.needs {
		s.gather(f, tool, need, hops-1, found)
	}
}

func (s *seeker) gatherText(f *folder, text string, hops int, found *[]shell.Command) {
	if hops <= 0 || !hints(text) {
		return
	}
	for _, c := range s.commands(text) {
		if len(c.Words) == 0 || !c.Demanded() {
			continue
		}
		if s.isRunner(c) {
			*found = append(*found, c)
		} else if at := f.at(c.Dir); at != nil {
			at, tool, names := at.called(c.Words)
			for _, target := range names {
				s.gather(at, tool, target, hops-1, found)
			}
		}
	}
}

// hollow says how far what a target, script or task does is known to show
// nothing.
type hollow int

const (
	solid    hollow = iota // it runs something, or nobody knows
	forgiven               // it succeeds whatever its commands do
	empty                  // it runs nothing
)

func (h hollow) why() (why string, never bool) {
	switch h {
	case empty:
		return "runs nothing, as its definition reads", true
	case forgiven:
		return "succeeds whatever its tests do, as its definition reads", false
	}
	return "", false
}

// hollowTarget judges a target by its recipe and by those it needs.
func (s *seeker) hollowTarget(f *folder, tool, name string, hops int) hollow {
	d := f.define(tool)
	r, ok := d.recipes[name]
	if !ok || hops <= 0 || d.vague {
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
		case len(c.Words) == 0 || idle(c) && !s.isRunner(c) || c.DryRun(): // pdm run test is no test of the shell's
		case !c.Demanded():
			h = min(h, forgiven)
		default:
			return solid
		}
	}
	return h
}

// hollowCall judges what a command calls: targets or a script.
func (s *seeker) hollowCall(f *folder, c shell.Command) hollow {
	f, tool, names := f.called(c.Words)
	if tool == "" {
		if _, _, text, ok := f.script(scriptOf(c.Words)); ok && text != "" {
			return s.hollowText(text)
		}
		return solid
	}
	h := empty
	for _, target := range names {
		h = min(h, s.hollowTarget(f, tool, target, maxHops))
	}
	if len(names) == 0 {
		return solid
	}
	return h
}

// scriptOf is the path of the script that a command runs, if it runs one.
func scriptOf(words []string) string {
	if t := tools.Of(words[0]); t.Script != nil && t.Script.Files {
		return append(operands(words[1:]), "")[0]
	}
	return words[0]
}

// idle reports whether a command does nothing that a test would.
func idle(c shell.Command) bool { return tools.Find(c.Words[0]).Does&tools.Nothing != 0 }
