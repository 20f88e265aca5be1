package project

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// find lists the ways to run the folder's tests: what it defines itself, and of
// each ecosystem the first project that is there.
func (t *Tests) find(f *folder) (found []TestCommand) {
	add := func(ecosystem string, c TestCommand) bool {
		if c.Run != "" || len(c.Matches) > 0 {
			c.Ecosystem, c.Dir = ecosystem, f.dir
			found = append(found, c)
		}
		return c.Run != ""
	}
	for _, tool := range tools.TargetRunners() {
		if has := tools.Find(tool); has.Targets.Form != tools.PackageJSON && f.defines(has.Targets) {
			add(has.Ecosystem, t.umbrella(f, tool))
		}
	}
	add("", t.scriptTests(f))
	for _, p := range tools.Umbrellas {
		add("", t.project(f, nil, &p))
	}
	for _, e := range tools.Ecosystems {
		for i := range e.Projects {
			if add(e.Name, t.project(f, e, &e.Projects[i])) {
				break
			}
		}
	}
	return found
}

// project returns the project's command where the folder has what it needs.
func (t *Tests) project(f *folder, e *tools.Ecosystem, p *tools.Project) TestCommand {
	switch {
	case p.Form == tools.PackageJSON:
		return t.packageTests(f, p)
	case p.Form == tools.Scattered:
		return looseTests(f, e, p)
	case slices.ContainsFunc(p.Files, func(names string) bool { return !f.has(names) }),
		p.Whole != "" && f.at("..").nearest(func(at *folder) bool { return at.has(p.Whole) }) != nil,
		p.Mentions != "" && !f.says(p.Files[0], p.Mentions),
		p.TestFiles && !f.below(e.TestFile, p.Nested):
		return TestCommand{}
	}
	return TestCommand{Run: p.Run, Matches: tools.Phrases(p.Counts)}
}

// named tells whether a target is taken for one that runs tests by its name.
func named(name string) bool {
	return strings.Contains(name, "test") || tools.Among("check ci verify", name)
}

// asked tells a name that says that the target tests and does no more.
func asked(name string) bool {
	return tools.Among("check ci verify validate unit specs spec", name) || strings.HasPrefix(name, "test")
}

// umbrella asks for test, else check, else ci, else another name of that kind
// whose recipe runs tests. Any target counts that runs tests, by its name or
// by its recipe: `make all` is not asked for, but proves as much.
func (t *Tests) umbrella(f *folder, tool string) (c TestCommand) {
	targets := tools.Find(tool).Targets
	first, counts := t.testTargets(f, tool, "test tests check ci", named)
	if c.Matches = counts; first != "" && !targets.Quiet {
		c.Run = calls(tool, first)[0]
	}
	switch {
	case !t.runs(f, tool, f.goal(tool)):
	case targets.Must:
		c.Matches = append(c.Matches, calls(tool, "--")[0])
	default:
		c.Matches = append(c.Matches, tool+" --")
	}
	return c
}

// testTargets are the target to ask for, one of customary if it is there, and
// the calls of all that count: those that run tests, and where one is asked for
// also those that a name says so of. One that is named so and runs nothing is none.
func (t *Tests) testTargets(f *folder, tool, customary string, named func(name string) bool) (first string, counts []string) {
	names := slices.DeleteFunc(slices.Clone(f.define(tool).names), func(name string) bool {
		return named(name) && t.hollowTarget(f, tool, name, maxHops) == empty
	})
	for name := range strings.FieldsSeq(customary) {
		if slices.Contains(names, name) {
			first = name
			break
		}
	}
	for _, name := range names {
		if named(name) && first != "" || t.runs(f, tool, name) {
			if counts = append(counts, calls(tool, name)...); first == "" && asked(name) {
				first = name
			}
		}
	}
	return first, counts
}

// packageTests reads package.json: its script "test", unless it is npm's default
// that only fails, run by the package manager that the project uses.
func (t *Tests) packageTests(f *folder, p *tools.Project) (c TestCommand) {
	script, counts := t.testTargets(f, "npm", "test tests test:unit", func(name string) bool { return strings.Contains(name, "test") })
	if c.Matches = counts; script == "" {
		return c
	}
	c.Run = runScript(manager(f, p), script)
	c.Matches = append(c.Matches, tools.Phrases(p.Counts)...)
	slices.Sort(c.Matches)
	return c
}

// calls are the patterns of how a target is run. One that bears the name of the
// program's own command needs a verb before it.
func calls(tool, name string) (all []string) {
	for _, call := range tools.Phrases(tools.Find(tool).Targets.Calls) {
		if own := tools.Find(call).Own; own == "" || !tools.Among(own, name) {
			all = append(all, call+" "+name)
		}
	}
	return all
}

func runScript(manager, script string) string {
	if script == "test" && tools.Find(manager).Spell != nil { // bun test is a runner of its own
		return manager + " test"
	}
	return manager + " run " + script
}

// manager is the package manager a manifest names, else the one whose lock
// file lies beside it or above, as in a workspace.
func manager(f *folder, p *tools.Project) string {
	named, _, _ := strings.Cut(readManifest(f.read("package.json")).Manager, "@")
	if slices.ContainsFunc(p.Locks, func(lock tools.Lock) bool { return lock.Run == named }) {
		return named
	}
	for at := range f.up() {
		if run := at.locked(p); run != "" {
			return run
		}
	}
	return p.Run
}

// locked is how a project is run whose lock file lies in the folder; "" for none.
func (f *folder) locked(p *tools.Project) string {
	for _, lock := range p.Locks {
		if f.has(lock.File) {
			return lock.Run
		}
	}
	return ""
}

// looseTests recognises a project by its runner's files, or by files that mention
// the runner. Test files must exist: the runner fails where it finds none.
func looseTests(f *folder, e *tools.Ecosystem, p *tools.Project) TestCommand {
	l := p.Loose
	top := f.dir == "" // further down, only a sub-project's own files make one
	named := f.has(l.Config) || top && f.has(l.Top) || f.says(l.Configs, p.Run)
	hasTest := func(n names) bool { return slices.ContainsFunc(n.files, e.TestFile) }
	switch {
	case named || f.has(l.Configs+"|"+l.Marks):
		if !f.below(e.TestFile, "") {
			return TestCommand{}
		}
	case !top || !hasTest(f.names) && !hasTest(f.seen.list(filepath.Join(f.path, "tests"))):
		return TestCommand{}
	}
	c := TestCommand{Run: cmp.Or(f.locked(p), p.Run), Matches: tools.Phrases(p.Counts)}
	if f.has(l.Own.File) && !named {
		c.Run = l.Own.Run
	} else if !named && !f.has(l.Top) {
		if run := f.byLibrary(e, l.Library, p.Run); run != "" {
			c.Run = strings.TrimSuffix(c.Run, p.Run) + run
		}
	}
	return c
}

// maxLibrary bounds the tests that are read to learn what they are written for.
const maxLibrary = 5

// byLibrary is how tests are run that are written for the runner that the
// language brings along, and of which none mentions the usual one; "" for
// others.
func (f *folder) byLibrary(e *tools.Ecosystem, l tools.Library, usual string) string {
	if l.Run == "" {
		return ""
	}
	for _, dir := range []string{"", "tests", "test"} {
		at := f.at(dir)
		tests := slices.DeleteFunc(slices.Clone(at.files), func(name string) bool { return !e.TestFile(name) })
		speak := func(of string) bool {
			return slices.ContainsFunc(tests[:min(len(tests), maxLibrary)], func(name string) bool { return strings.Contains(at.read(name), of) })
		}
		switch {
		case speak(usual):
			return ""
		case !speak(l.Mentions):
		case dir == "" || at.has(l.Marks):
			return l.Run
		default:
			return l.Folder + " " + dir
		}
	}
	return ""
}

// testScripts are the customary places of a script that runs all tests.
const testScripts = "test check ci verify run-tests run_tests runtests test-all test.sh check.sh ci.sh run_tests.sh run-tests.sh runtests.sh scripts/test.sh script/test.sh scripts/test script/test bin/test"

// scriptTests is a test script at a customary place of the root. One that a
// shell reads must not be seen to run no test; of one in another language the
// name is believed.
func (t *Tests) scriptTests(f *folder) TestCommand {
	if f.dir != "" {
		return TestCommand{}
	}
	c := TestCommand{Matches: t.testingScripts(f)}
	for script := range strings.FieldsSeq(testScripts) {
		if f.hasPath(script) && t.testScript(f, script) {
			c.Run, c.Matches = "./"+script, append(c.Matches, scriptCalls(script)...)
			break
		}
	}
	return c
}

// scriptCalls are the patterns of how a script is run: by its name, which alone is
// the shell's where it is test.
func scriptCalls(script string) []string {
	switch base := path.Base(script); {
	case base != "test":
		return []string{base}
	case base == script:
		return []string{"./" + script}
	}
	return []string{"./" + script, script}
}

// testScript tells whether a file that bears the name of a test script is one.
func (t *Tests) testScript(f *folder, script string) bool {
	text, base := f.read(script), path.Base(script)
	if !shellScript(base, text) {
		return strings.HasPrefix(text, "#!")
	}
	runs := len(t.scriptRunners(f, "./"+script, maxHops)) > 0
	return t.scripts[script] != empty && (runs || strings.Contains(base, "test"))
}

// isProgram tells a name that runners begin with.
func isProgram(name string) bool {
	return slices.ContainsFunc(tools.Patterns(tools.Runner), func(r string) bool { return strings.HasPrefix(r+" ", name+" ") })
}

// testingScripts are the names of the shell scripts that run tests, at the root and in
// the folders where scripts lie. Names of programs are left out.
func (t *Tests) testingScripts(f *folder) (names []string) {
	left := maxScripts
	for _, dir := range []string{"", "scripts", "script", "bin", "tools", "hack", "ci", "dev"} {
		if dir != "" && !f.has(dir+"/") {
			continue
		}
		for _, name := range f.at(dir).files {
			unlikely := strings.Contains(name, ".") || dir == "" && !named(name)
			if !strings.HasSuffix(name, ".sh") && (unlikely || isProgram(name)) {
				continue
			}
			if left--; left < 0 {
				return names
			}
			if script := path.Join(dir, name); len(t.scriptRunners(f, "./"+script, maxHops)) > 0 && !slices.Contains(names, name) {
				names = append(names, scriptCalls(script)...)
			}
		}
	}
	return names
}
