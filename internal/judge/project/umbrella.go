package project

import (
	"maps"
	"slices"
	"strings"
)

// makeTests reads the targets of a Makefile.
func makeTests(f *folder) TestCommand {
	return f.umbrella("make", targets(f.makefile()))
}

var (
	makefiles = []string{"GNUmakefile", "makefile", "Makefile"}
	justfiles = []string{"justfile", "Justfile", ".justfile"}
	taskfiles = []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"}
)

// justTests reads the recipes of a justfile.
func justTests(f *folder) TestCommand {
	return f.umbrella("just", targets(f.first(justfiles)))
}

// taskTests reads the tasks of a Taskfile.
func taskTests(f *folder) TestCommand {
	return f.umbrella("task", tasks(f.first(taskfiles)))
}

// umbrella asks for test, else check, else ci, else another name of that kind
// whose recipe runs tests. Any target counts that runs tests, by its name or
// by its recipe: `make all` is not asked for, but proves as much.
func (f *folder) umbrella(tool string, names []string) TestCommand {
	runs := func(name string) bool { return f.seek != nil && f.seek.runs(f, tool, name, maxHops) }
	goal := f.goal(tool, names)
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return named(name) && f.seek != nil && f.seek.hollowTarget(f, tool, name, maxHops) == empty
	})
	var c TestCommand
	for _, name := range []string{"test", "tests", "check", "ci"} {
		if slices.Contains(names, name) {
			c.Run = tool + " " + name
			break
		}
	}
	for _, name := range names {
		if named(name) && c.Run != "" || runs(name) {
			if c.Matches = append(c.Matches, tool+" "+name); c.Run == "" && asked(name) {
				c.Run = tool + " " + name
			}
		}
	}
	if goal != "" && runs(goal) {
		c.Matches = append(c.Matches, tool+" --")
	}
	return c
}

// goal is what the tool does when it is told nothing.
func (f *folder) goal(tool string, names []string) string {
	switch {
	case tool == "task" || len(names) == 0:
		return "default"
	case tool == "make":
		for line := range strings.Lines(f.makefile()) {
			if rest, ok := strings.CutPrefix(line, ".DEFAULT_GOAL"); ok {
				return strings.TrimSpace(strings.TrimLeft(rest, " :?="))
			}
		}
	}
	return names[0]
}

// asked tells a name that says that the target tests and does no more.
func asked(name string) bool {
	return slices.Contains([]string{"check", "ci", "verify", "validate", "unit", "specs", "spec"}, name) || strings.HasPrefix(name, "test")
}

// targets lists what a Makefile or justfile defines: `name: …`, `@name arg='x': …`;
// no variables (:=), no recipe lines, no special targets.
func targets(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		if strings.ContainsRune(" \t#.[", rune(line[0])) {
			continue
		}
		head, rest, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=") {
			continue
		}
		words := strings.Fields(strings.TrimPrefix(head, "@"))
		// A just recipe's parameters look like further targets; they only
		// widen what counts by words that no one runs.
		if len(words) == 0 || len(words) > 1 && (words[1] == "=" || words[0] == "export" || words[0] == "set" || words[0] == "alias") {
			continue
		}
		for _, name := range words {
			if !strings.ContainsAny(name, "$%=/'\"*+") {
				names = append(names, name)
			}
		}
	}
	return names
}

// tasks lists the keys right below `tasks:`.
func tasks(text string) []string {
	var names []string
	inside, indent := false, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		body := strings.TrimLeft(line, " ")
		lead := line[:len(line)-len(body)]
		switch {
		case body == "" || body[0] == '#':
		case lead == "":
			inside, indent = strings.HasPrefix(body, "tasks:"), ""
		case inside && (indent == "" || lead == indent):
			indent = lead
			if name, _, ok := strings.Cut(body, ":"); ok {
				names = append(names, strings.Trim(name, `"'`))
			}
		}
	}
	return names
}

// nodeTests reads package.json: its script "test", unless it is npm's default
// that only fails, run by the package manager that the project uses.
func nodeTests(f *folder) TestCommand {
	manifest := f.manifest()
	script := ""
	hollow := func(name string) bool { return f.seek != nil && f.seek.hollowTarget(f, "npm", name, maxHops) == empty }
	for _, name := range []string{"test", "tests", "test:unit"} {
		if text := manifest.Scripts[name]; text != "" && !strings.Contains(text, "no test specified") && !hollow(name) {
			script = name
			break
		}
	}
	var c TestCommand
	for _, name := range slices.Sorted(maps.Keys(manifest.Scripts)) {
		runs := f.seek != nil && f.seek.runs(f, "npm", name, maxHops)
		if strings.Contains(name, "test") && script != "" && !hollow(name) || runs {
			c.Matches = append(c.Matches, "npm run "+name, "pnpm run "+name, "yarn run "+name, "bun run "+name)
		}
		if script == "" && runs && asked(name) {
			script = name
		}
	}
	if script == "" {
		return c
	}
	c.Run = runScript(manager(f, manifest.Manager), script)
	c.Matches = append(c.Matches, "bun test", "jest", "vitest", "mocha", "ava", "playwright test", "cypress run",
		"react-scripts test", "ng test", "nx test", "turbo test", "turbo run test", "lerna run test", "node --test")
	slices.Sort(c.Matches)
	return c
}

func runScript(manager, script string) string {
	if script == "test" && manager != "bun" { // bun test is a runner of its own
		return manager + " test"
	}
	return manager + " run " + script
}

// manager is the package manager a manifest names, else the one whose lock
// file lies beside it or at the root of the workspace.
func manager(f *folder, named string) string {
	if name, _, _ := strings.Cut(named, "@"); slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name) {
		return name
	}
	for at := f; at != nil; at = at.above {
		switch {
		case at.has("pnpm-lock.yaml|pnpm-workspace.yaml"):
			return "pnpm"
		case at.has("yarn.lock"):
			return "yarn"
		case at.has("bun.lock|bun.lockb"):
			return "bun"
		case at.has("package-lock.json|npm-shrinkwrap.json"):
			return "npm"
		}
	}
	return "npm"
}
