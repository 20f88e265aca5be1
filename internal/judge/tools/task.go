package tools

import "strings"

// taskTools run what a project defines.
var taskTools = []Tool{
	{
		Names: "make", Picks: taskPicks, Aliases: "gmake", Installed: true, Does: Configured | Subject | Variable, Subs: []Sub{{"test|check", Umbrella | Runner}, {"ci", Umbrella}, {"fmt|format", Formats}},
		Takes: "-C -f -I -o -W --directory --file --makefile --old-file --what-if", Folder: "-C --directory", Project: "-f --file --makefile", Defines: true,
		Dry: "--just-print --recon --question --touch --print-data-base --eval -E -h -v", DryCall: makeVariables, DryFlag: makeDryFlag, DryEnv: "MAKEFLAGS GNUMAKEFLAGS", DryValue: makeFlags,
		Writes: taskWrites, Targets: &Targets{Files: "GNUmakefile makefile Makefile", Form: Makefile, Calls: "make"},
	},
	{
		Names: "just", Picks: taskPicks, Installed: true, Does: Subject, Subs: []Sub{{"test", Umbrella | Runner}, {"check|ci", Umbrella}, {"fmt|format", Formats}},
		Takes: "-f --justfile -d --working-directory --dotenv-path", Folder: "-d --working-directory", Project: "-f --justfile", Defines: true,
		Dry: "-l --list -n --summary --show -s --evaluate --choose -h", Writes: taskWrites,
		Targets: &Targets{Files: "justfile Justfile .justfile", Form: Justfile, Calls: "just"},
	},
	{
		Names: "task", Picks: taskPicks, Installed: true, Does: Subject, Subs: []Sub{{"test", Umbrella | Runner}, {"check", Umbrella}},
		Takes: "-t --taskfile -d --dir", Project: "-t --taskfile -d --dir", Defines: true,
		Dry: "-l --list --list-all -n --dry --summary -h", Writes: taskWrites,
		Targets: &Targets{Files: "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml", Form: Taskfile, Goal: "default", Calls: "task"},
	},
	{Names: "mage", Picks: taskPicks, Subs: []Sub{{"test", Umbrella | Runner}, {"check", Umbrella}}, Writes: taskWrites},
	{Names: "bazel", Picks: labelPicks, Aliases: "bazelisk", Dry: "--nobuild", Subs: []Sub{{"test", Umbrella | Runner}, {"coverage", Umbrella}}, Output: Output{Format: "bazel"}},
	{Names: "earthly", Picks: earthlyPicks, Subs: []Sub{{"+test", Umbrella}}},
	{Names: "pants buck2", Picks: labelPicks, Subs: []Sub{{"test", Umbrella}}, Output: Output{Format: "bazel"}},
	{
		Names: "mise", Picks: taskPicks, Chooses: 2, Subs: []Sub{{"run test", Umbrella | Runner}, {"run check|run ci", Umbrella}, {"install|use|ls|current|doctor|tasks", Testless}},
		Takes: "-C --cd -j --jobs -E --env -o --output", Folder: "-C --cd", Dry: "-n --dry-run -h", Spell: miseTask,
		Wraps:   []Wrap{{Sub: "exec", Dashes: true}, {Sub: "x", Dashes: true}},
		Targets: &Targets{Files: miseFiles, Form: Tabled, Tables: "tasks", Mentions: "tasks", Lists: "commands", Folders: "mise-tasks .mise-tasks mise/tasks .mise/tasks .config/mise/tasks", Goal: "default", Calls: "mise run", Verb: "run r", Climbs: true},
	},
	{
		Names: "devbox", Picks: taskPicks, Chooses: 2, Does: Subject, Subs: []Sub{{"run test", Umbrella | Runner}}, Takes: "-c --config -e --env", Dry: "-l --list -h",
		Wraps:   []Wrap{{Sub: "run", Takes: "-c --config -e --env --env-file", Scripts: true}},
		Targets: &Targets{Files: "devbox.json", Form: Tabled, Tables: "shell.scripts", Mentions: "scripts", Lists: "commands", Goal: "default", Calls: "devbox run", Verb: "run", Must: true, Climbs: true},
	},
	{
		Names: "pre-commit", Aliases: "prek", Chooses: 1, Does: Subject, Takes: "--hook-stage --from-ref --to-ref -c --config --color", Dry: "-h", Project: "-c --config",
		Targets: &Targets{Files: ".pre-commit-config.yaml .pre-commit-config.yml", Form: HooksFile, Goal: "default", Calls: "pre-commit run", Verb: "run", Must: true, Quiet: true},
	},
}

const miseFiles = "mise.toml .mise.toml mise/config.toml .mise/config.toml .config/mise.toml .config/mise/config.toml mise.local.toml .mise.local.toml"

// ownMise are mise's own commands; any other word is a task.
const ownMise = "run r exec x activate alias a backends b bin-paths cache completion config cfg current deactivate deps direnv doctor dr edit en env e fmt generate gen help hook-env implode install i install-into latest link ln lock ls list ls-remote mcp outdated plugins p prepare prune registry reshim search self-update set settings shell sh shell-alias sync tasks t test-tool tool tool-alias tool-stub trust uninstall unset unuse upgrade up use u version v watch w where which which"

// miseTask gives mise r X, mise tasks run X and mise X the form of mise run X.
func miseTask(ops []string) []string {
	switch {
	case len(ops) > 1 && Among("tasks t", ops[0]) && Among("run r", ops[1]):
		ops = ops[1:]
	case len(ops) == 0 || Among(ownMise, ops[0]) && !Among("run r", ops[0]):
		return ops
	}
	if Among("run r", ops[0]) {
		ops = ops[1:]
	}
	return append([]string{"run"}, ops...)
}

// makeDryFlag reports a group of short flags that has make's -n, -q or -t; what
// follows -O, -j and the like is their value.
func makeDryFlag(_ Call, f Flag) string {
	if makeShows(f.Name) {
		return f.Name
	}
	return ""
}

func makeShows(group string) bool {
	if strings.HasPrefix(group, "--") {
		return false
	}
	if i := strings.IndexAny(group, "OCfIoWlj"); i >= 0 {
		group = group[:i]
	}
	return strings.ContainsAny(group, "nqt")
}

func makeVariables(c Call) string {
	for _, o := range c.Operands {
		if makeVariable(o) {
			return o
		}
	}
	return ""
}

func makeFlags(_ Call, _, value string) bool {
	return makeVariable("MAKEFLAGS=" + strings.Trim(value, `"'`))
}

// makeVariable reports whether a variable that make is given keeps it from
// testing: flags that only show, or a tool that does nothing (GO=true).
func makeVariable(operand string) bool {
	name, value, ok := strings.Cut(operand, "=")
	name = strings.TrimRight(name, ":?+!")
	switch {
	case !ok:
		return false
	case Among("MAKEFLAGS GNUMAKEFLAGS MFLAGS", name):
		for i, word := range strings.Fields(value) {
			if Among("--just-print --recon --question --touch --dry-run --eval", word) || strings.HasPrefix(word, "--eval=") {
				return true
			}
			if strings.HasPrefix(word, "--") || strings.Contains(word, "=") {
				continue
			}
			if bare, dashed := strings.CutPrefix(word, "-"); (dashed || i == 0) && makeShows(bare) {
				return true
			}
		}
		return false
	case variableOfTool(name):
		return idle(firstWord(value))
	}
	for _, word := range strings.Fields(value) { // ARGS=--collect-only
		if Among("--collect-only --co --listTests --list-tests --no-run --dry-run -run=^$ --help --version", word) {
			return true
		}
	}
	return false
}

// variableOfTool reports whether a variable of a Makefile customarily holds a
// tool: GO, CARGO, TEST_RUNNER.
func variableOfTool(name string) bool {
	return Among("SHELL GOCMD GOTEST TEST TESTCMD TEST_CMD RUNNER TEST_RUNNER", name) ||
		name == strings.ToUpper(name) && Find(strings.ToLower(name)).Does&Variable != 0
}

// taskWrites reads task runners: what a task changes is told by its name.
func taskWrites(c Call) (named []string, others bool) {
	for _, target := range c.Operands {
		if !verifies(target) && !Assignment(target) {
			return nil, true
		}
	}
	return nil, len(c.Operands) == 0 || updates(c.Args)
}

// verifies reports whether the name of a task says that it only looks:
// test:unit and lint-go do, lint:fix does not.
func verifies(task string) bool {
	looks := false
	for part := range strings.FieldsFuncSeq(task, func(r rune) bool { return r == ':' || r == '-' || r == '_' || r == '.' }) {
		switch part {
		case "fix", "write", "update", "fmt", "format", "generate", "gen", "snapshots":
			return false
		case "test", "tests", "check", "lint", "typecheck", "types", "tsc", "vet", "ci", "verify", "unit", "e2e", "integration", "spec", "coverage", "cover", "race":
			looks = true
		}
	}
	return looks
}
