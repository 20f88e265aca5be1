package project

import (
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/shell"
)

// Defines reports whether a file may say how tests are run: a Makefile, a
// manifest, a script.
func Defines(file string) bool {
	base := path.Base(file)
	return slices.Contains(makefiles, base) || slices.Contains(justfiles, base) || slices.Contains(taskfiles, base) ||
		slices.Contains([]string{"package.json", "composer.json", "pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", ".npmrc"}, base) ||
		strings.HasSuffix(base, ".mk") || strings.HasSuffix(base, ".sh") || file == ".cargo/config.toml" || strings.HasSuffix(file, "/.cargo/config.toml")
}

// Before is what the work tree told of its tests before some of its files were
// changed: was has their texts by path relative to root, nil for one that was
// not there.
func Before(root string, was map[string]*string) *Tests {
	seen := newListings()
	seen.was = map[string]*string{}
	for file, text := range was {
		seen.was[filepath.Join(root, filepath.FromSlash(file))] = text
	}
	return atRoot(root, seen)
}

// Since holds the definitions as they read now against those before the files
// of was changed. It returns the commands of both, and what the change makes
// doubtful: a target that ran tests and is not seen to any more, or runs fewer.
func (t *Tests) Since(before *Tests, was map[string]*string, changed ...string) ([]TestCommand, []Doubt) {
	found := t.Commands(changed...)
	for _, c := range before.Commands(changed...) {
		if !slices.ContainsFunc(found, func(x TestCommand) bool { return x.Run == c.Run && x.Dir == c.Dir }) {
			found = append(found, TestCommand{Run: c.Run, Ecosystem: c.Ecosystem, Dir: c.Dir}) // what counts beside it is read as of now
		}
	}
	doubts := t.Doubts(changed...)
	add := func(more []Doubt) {
		for _, d := range more {
			if !slices.ContainsFunc(doubts, func(x Doubt) bool { return x.Run == d.Run && x.Dir == d.Dir && (x.Never || !d.Never) }) {
				doubts = append(doubts, d)
			}
		}
	}
	now, then := append([]*folder{t.top}, t.below(changed)...), append([]*folder{before.top}, before.below(changed)...)
	for i := range min(len(now), len(then)) {
		for _, tool := range definers {
			add(weakened(now[i], then[i], tool))
		}
	}
	for _, file := range sorted(was) {
		add(t.weakenedScript(before, file))
		add(t.switchedOff(file))
	}
	return found, doubts
}

// weakened compares the targets of a folder.
func weakened(now, then *folder, tool string) (all []Doubt) {
	before, after := then.recipes(tool), now.recipes(tool)
	for _, name := range sorted(after) {
		var ran, runs []shell.Command
		then.seek.gather(then, tool, name, maxHops, &ran)
		now.seek.gather(now, tool, name, maxHops, &runs)
		same := reflect.DeepEqual(before[name], after[name]) && reflect.DeepEqual(words(ran), words(runs))
		if same || len(ran) == 0 && !named(name) {
			continue
		}
		if why, never := weaker(ran, runs); why != "" {
			all = append(all, now.doubt(tool, name, why, never)...)
		}
	}
	return all
}

// weaker tells why what runs now may show less than what ran before.
func weaker(ran, runs []shell.Command) (why string, never bool) {
	for _, b := range ran {
		same := slices.DeleteFunc(slices.Clone(runs), func(n shell.Command) bool { return !sameRunner(b, n) })
		switch {
		case len(same) == 0:
			return "was changed in this turn, and does not run what it ran before", false
		case !slices.ContainsFunc(same, func(n shell.Command) bool { return !narrower(n.Words, b.Words) }):
			return "runs fewer tests than before this turn changed it", true
		}
	}
	if len(runs) == 0 {
		return "was changed in this turn", false
	}
	return "", false
}

// weakenedScript compares a shell script.
func (t *Tests) weakenedScript(before *Tests, file string) []Doubt {
	dir, base := path.Split(file)
	now, then := t.top.at(dir), before.top.at(dir)
	if !strings.HasSuffix(file, ".sh") || now == nil || then == nil {
		return nil
	}
	var ran, runs []shell.Command
	before.top.seek.gatherText(before.top, then.read(base), maxHops, &ran)
	t.top.seek.gatherText(t.top, now.read(base), maxHops, &runs)
	why, never := weaker(ran, runs)
	if why == "" || len(ran) == 0 && !named(strings.TrimSuffix(base, ".sh")) {
		return nil
	}
	return []Doubt{{Run: base, Why: why + " (" + file + ")", Never: never}}
}

// switchedOff reads the settings of runners, where this turn changed them.
func (t *Tests) switchedOff(file string) []Doubt {
	dir, base := path.Split(file)
	at := t.top.at(dir)
	if at == nil {
		return nil
	}
	dir = strings.TrimSuffix(strings.TrimSuffix(dir, "/"), ".cargo")
	dir = strings.TrimSuffix(dir, "/")
	for line := range strings.Lines(at.read(base)) {
		if slices.Contains(makefiles, base) || strings.HasSuffix(base, ".mk") {
			if why, never := makeSetting(line); why != "" {
				return []Doubt{{Run: "make", Dir: dir, Why: why + " (" + file + "), which this turn changed", Never: never}}
			}
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.Trim(strings.TrimSpace(value), `"'[]`)
		nothing := path.Base(value) == "true" || path.Base(value) == "echo"
		var runs []string
		switch {
		case key == "addopts" && collects(value):
			runs = []string{"pytest"}
		case base == ".npmrc" && key == "script-shell" && nothing:
			runs = []string{"npm test", "pnpm test"}
		case base == "config.toml" && key == "runner" && nothing:
			runs = []string{"cargo test"}
		}
		var all []Doubt
		for _, r := range runs {
			all = append(all, Doubt{Run: r, Dir: dir, Why: "is kept from running tests by " + file + ", which this turn changed", Never: true})
		}
		if all != nil {
			return all
		}
	}
	return nil
}

// makeSetting tells why a line of a Makefile speaks against all its targets: a
// variable by which they run nothing, or .IGNORE.
func makeSetting(line string) (why string, never bool) {
	if strings.HasPrefix(line, "\t") {
		return "", false
	}
	if rest, ok := strings.CutPrefix(line, ".IGNORE"); ok && strings.HasPrefix(strings.TrimSpace(rest), ":") {
		return "succeeds whatever its commands do, by .IGNORE", false
	}
	key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
	words := strings.Fields(strings.TrimRight(key, " :?+!"))
	if !ok || len(words) == 0 || len(words) > 2 {
		return "", false
	}
	name, value := words[len(words)-1], strings.TrimSpace(value)
	for _, run := range [][]string{{"make", name + "=" + value}, {"go", "test"}, {"pytest"}} {
		c := shell.Command{Words: run}
		if len(words) == 2 && words[0] == "export" {
			c.Env = []string{name + "=" + value}
		}
		if c.DryRun() {
			return "is kept from running tests by " + name, true
		}
	}
	return "", false
}

// collects tells whether options of pytest keep it from running a test.
func collects(options string) bool {
	separators := func(r rune) bool { return strings.ContainsRune(" ,\"'", r) }
	return slices.ContainsFunc(strings.FieldsFunc(options, separators), func(w string) bool {
		return shell.Command{Words: []string{"pytest", w}}.DryRun()
	})
}

// maxGathered bounds the runners of one target.
const maxGathered = 50

// gather collects the test runners that a target comes to.
func (s *seeker) gather(f *folder, tool, name string, hops int, found *[]shell.Command) {
	r, ok := f.recipes(tool)[name]
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
			continue
		}
		name, at := path.Base(c.Words[0]), f.at(c.Dir)
		if slices.Contains([]string{"run-s", "run-p", "npm-run-all", "pnpm", "yarn", "bun"}, name) {
			name = "npm"
		}
		if slices.Contains(definers, name) && at != nil {
			for _, target := range operands(c.Words[1:]) {
				s.gather(at, name, target, hops-1, found)
			}
		}
	}
}

func words(list []shell.Command) (all [][]string) {
	for _, c := range list {
		all = append(all, c.Words)
	}
	return all
}

// sameRunner tells whether two commands are runs of one runner.
func sameRunner(a, b shell.Command) bool {
	x, y := a.Spellings(), b.Spellings()
	return slices.ContainsFunc(runners, func(r string) bool {
		p := shell.ReadPattern(r)
		return x.Match(p) && y.Match(p)
	})
}

// narrower tells whether a run takes less than another: it picks tests by name
// where that did not, or names fewer places.
func narrower(now, before []string) bool {
	if p := picks(now); p != "" && p != picks(before) {
		return true
	}
	have, had := places(now), places(before)
	if len(have) == 0 {
		return false
	}
	return len(had) == 0 || slices.ContainsFunc(had, func(b string) bool {
		return !slices.ContainsFunc(have, func(n string) bool { return within(b, n) })
	})
}

// within tells whether one place lies in another: ./a in ./..., tests/x.py in
// tests.
func within(place, wide string) bool {
	base, all := strings.CutSuffix(wide, "...")
	base = strings.TrimSuffix(strings.TrimPrefix(base, "./"), "/")
	below := strings.TrimPrefix(place, "./")
	switch {
	case place == wide:
		return true
	case all:
		return base == "" || below == base || strings.HasPrefix(below, base+"/")
	}
	return !strings.HasSuffix(place, "...") && (base == "." || strings.HasPrefix(below, base+"/"))
}

// choosers are the flags that choose tests by name.
var choosers = []string{"-run", "--run", "-k", "-t", "-g", "--grep", "--filter", "--tests", "--testNamePattern", "--testPathPattern", "--test", "-short", "--short", "-skip", "--skip",
	"--exclude", "--ignore", "--deselect", "-Dtest", "-x", "--exclude-task"}

// picks are those of a command, with their values.
func picks(words []string) string {
	var all []string
	for i, w := range words {
		name, value, joined := strings.Cut(w, "=")
		if i == 0 || !slices.Contains(choosers, name) || name == "-x" && path.Base(words[0]) != "gradlew" && path.Base(words[0]) != "gradle" {
			continue
		}
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		all = append(all, name+" "+value)
	}
	return strings.Join(all, " ")
}

// places are the paths and packages that a run names; go test alone means its
// own folder.
func places(words []string) (all []string) {
	for i, w := range words {
		if i > 0 && !strings.HasPrefix(w, "-") && (strings.Contains(w, "/") || w == "." || strings.Contains(w, "::")) {
			all = append(all, strings.TrimSuffix(w, "/"))
		}
	}
	if len(all) == 0 && len(words) > 1 && path.Base(words[0]) == "go" {
		return []string{"."}
	}
	return all
}
