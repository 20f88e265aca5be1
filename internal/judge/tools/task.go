package tools

import "strings"

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
