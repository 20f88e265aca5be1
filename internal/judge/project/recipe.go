package project

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
)

// runners are the commands that run tests wherever they stand. Which of them a
// project may ask for says the table.
var runners = []string{
	"go test", "gotestsum", "gotest", "ginkgo",
	"npm test", "pnpm test", "yarn test", "bun test", "deno test", "jest", "vitest", "mocha", "ava", "tap", "jasmine", "uvu", "wtr", "karma start", "cypress run", "playwright test",
	"react-scripts test", "ng test", "nx test", "nx run-many test", "nx affected test", "turbo test", "turbo run test", "lerna run test", "node --test", "tsx --test",
	"pytest", "unittest", "nose2", "tox", "nox", "hatch test", "hatch run test", "pdm run test", "pixi run test", "poe test", "manage.py test", "trial",
	"cargo test", "cargo nextest", "cargo llvm-cov", "cargo tarpaulin",
	"mvn test", "mvn verify", "mvn package", "mvn install", "gradle test", "gradle check", "gradle build", "sbt test", "bazel test",
	"rspec", "rake test", "rake spec", "rails test", "cucumber", "phpunit", "pest", "composer test", "artisan test",
	"ctest", "meson test", "ninja test", "dotnet test", "mix test", "swift test", "xcodebuild test", "dart test", "flutter test", "zig build test", "zig test",
	"stack test", "cabal test", "lein test", "bats", "shellspec", "make test", "make check", "just test", "task test", "mage test",
}

// Bounds of the search for tests behind a project's own targets and scripts.
const (
	maxHops  = 4   // a target that calls a target that runs a script
	maxLines = 500 // lines and scripts parsed in all
)

// recipe is what a target, a task or a script of a manifest does.
type recipe struct {
	lines  []string // each for a shell of its own
	needs  []string // others that run before it
	beside []string // others that run before and after it
}

// seeker finds out what runs tests in the end.
type seeker struct {
	left    int             // lines that may still be parsed
	seen    map[string]bool // what was looked at, with the hops that were left
	parsed  map[string][]shell.Command
	hollow  map[string]hollow   // of the scripts that were read, by their paths
	runners map[string][]string // by their first word
}

func newSeeker() *seeker {
	s := &seeker{left: maxLines, seen: map[string]bool{}, parsed: map[string][]shell.Command{}, hollow: map[string]hollow{}, runners: map[string][]string{}}
	for _, r := range runners {
		head, _, _ := strings.Cut(r, " ")
		s.runners[head] = append(s.runners[head], r)
	}
	return s
}

// runs tells whether a target runs tests.
func (s *seeker) runs(f *folder, tool, name string, hops int) bool {
	key := f.dir + "\x00" + tool + "\x00" + name + "\x00" + strconv.Itoa(hops)
	if known, ok := s.seen[key]; ok {
		return known
	}
	s.seen[key] = false
	r, ok := f.recipes(tool)[name]
	found := ok && hops > 0 && (slices.ContainsFunc(r.lines, func(line string) bool { return s.line(f, line, hops) }) ||
		slices.ContainsFunc(r.needs, func(need string) bool { return s.runs(f, tool, need, hops-1) }))
	s.seen[key] = found
	return found
}

// line tells whether a shell's text runs tests.
func (s *seeker) line(f *folder, text string, hops int) bool {
	if !hints(text) {
		return false
	}
	found := s.commands(text)
	return slices.ContainsFunc(found, func(c shell.Command) bool {
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
	for _, word := range []string{"test", "spec", "jest", "mocha", "ava", "tap", "jasmine", "uvu", "wtr", "karma", "cypress", "tox", "nox", "nose", "trial", "cargo", "mvn", "gradle",
		"cucumber", "pest", "bats", "ginkgo", "make", "MAKE", "run", "npm", "yarn", "bun", "just", "task", "check", ".sh"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func (s *seeker) isRunner(c shell.Command) bool {
	spelled := c.Spellings()
	return slices.ContainsFunc(spelled.Programs(), func(name string) bool {
		return slices.ContainsFunc(s.runners[name], func(r string) bool { return spelled.Match(shell.ReadPattern(r)) })
	})
}

// calls tells whether a command runs tests through another target or a script.
func (s *seeker) calls(f *folder, words []string, hops int) bool {
	if f == nil || hops <= 0 {
		return false
	}
	name, args := path.Base(words[0]), operands(words[1:])
	if among := func(tools ...string) bool { return slices.Contains(tools, name) }; among("bash", "sh", "zsh", "dash", "source", ".") {
		return len(args) > 0 && s.script(f, args[0], hops)
	} else if among("run-s", "run-p", "npm-run-all", "npm-run-all2") {
		name = "npm"
	} else if among("npm", "pnpm", "yarn", "bun") {
		name = "npm"
		if len(args) > 0 && (args[0] == "run" || args[0] == "run-script") {
			args = args[1:]
		}
		args = args[:min(len(args), 1)]
	} else if among("gmake") {
		name = "make"
	}
	if !slices.Contains([]string{"make", "just", "task", "npm"}, name) {
		return s.script(f, words[0], hops)
	}
	return slices.ContainsFunc(args, func(target string) bool {
		prefix, any := strings.CutSuffix(target, "*")
		for have := range f.recipes(name) {
			if (have == target || any && strings.HasPrefix(have, prefix)) && s.runs(f, name, have, hops) {
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
	if !strings.Contains(file, "/") && !strings.HasSuffix(file, ".sh") {
		return false // a program
	}
	dir, base := path.Split(path.Clean(file))
	g := f.at(dir)
	if g == nil {
		return false
	}
	key := g.dir + "\x00\x00" + base + "\x00" + strconv.Itoa(hops)
	if known, ok := s.seen[key]; ok {
		return known
	}
	s.seen[key] = false
	text := g.read(base)
	if shellScript(base, text) {
		s.hollow[path.Join(g.dir, base)] = s.hollowText(text)
	}
	// A script is usually started at the root, wherever it lies.
	s.seen[key] = shellScript(base, text) && speaks(text) && s.line(f, text, hops)
	return s.seen[key]
}

func shellScript(name, text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(first, "#!") {
		return strings.HasSuffix(strings.Fields(first + " x")[0], "sh") || strings.Contains(first, "/env ") && strings.Contains(first, "sh")
	}
	return strings.HasSuffix(name, ".sh")
}

// at is a folder as seen from this one; this one where the shell alone knows,
// nil outside of the work tree.
func (f *folder) at(dir string) *folder {
	dir = path.Clean(dir)
	switch {
	case dir == "." || strings.ContainsAny(dir, "$`"):
		return f
	case path.IsAbs(dir) || strings.HasPrefix(dir, "~"):
		return nil
	}
	rel := path.Join(f.dir, dir)
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return nil
	}
	root := strings.TrimSuffix(strings.TrimSuffix(f.path, f.dir), "/")
	if rel == "." {
		rel = ""
	}
	g := open(f.seen, root, rel)
	g.above = f.above
	return g
}
