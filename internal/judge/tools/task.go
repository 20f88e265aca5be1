package tools

import "strings"

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

// makeVariables is the variable that make is given by which a tool does nothing: GO=true.
func makeVariables(c Call) string {
	for _, o := range c.Operands {
		name, value, _ := strings.Cut(o, "=")
		if variableOfTool(strings.TrimRight(name, ":?+!")) && Of(first(strings.Trim(value, `"'`))).Does&Idle != 0 {
			return o
		}
	}
	return ""
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
