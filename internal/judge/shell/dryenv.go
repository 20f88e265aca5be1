package shell

import "strings"

// idle reports whether a program does nothing but end.
func idle(word string) bool {
	return among("true : echo false printf", program(strings.TrimSpace(word)))
}

// dryByEnv is the variable of the line that keeps a program from doing what it
// is for, as a flag would: GOFLAGS=-n, MAKEFLAGS=n, PYTEST_ADDOPTS=--co.
func (c Command) dryByEnv(form spelled) string {
	if len(c.Env) == 0 {
		return ""
	}
	for _, name := range strings.Fields(flagVariables(form.head)) {
		value, ok := c.variable(name)
		if !ok {
			continue
		}
		words := append([]string{form.head}, strings.Fields(strings.Trim(value, `"'`))...)
		found := false
		switch name {
		case "GOFLAGS":
			found = form.operand(0) == "test" && goDry(read(words, valued("go")).flags) != "" || among("-n", read(words, "").name(0))
		case "MAKEFLAGS", "GNUMAKEFLAGS":
			found = makeVariable("MAKEFLAGS=" + strings.Trim(value, `"'`))
		case "npm_config_script_shell", "NPM_CONFIG_SCRIPT_SHELL":
			found = idle(value)
		case "TOXENV", "NOXSESSION":
			found = onlyLints(spelled{head: form.head, args: read([]string{form.head, "-e", value}, "-e")}) != ""
		default:
			found = dry(canonical(words)) != ""
		}
		if found {
			return name
		}
	}
	if form.head == "cargo" {
		for _, set := range c.Env {
			if name, value, _ := strings.Cut(set, "="); strings.HasPrefix(name, "CARGO_TARGET_") && strings.HasSuffix(name, "_RUNNER") && idle(first(value)) {
				return name
			}
		}
	}
	return ""
}

// flagVariables are those from which a program takes flags.
func flagVariables(head string) string {
	switch head {
	case "go", "gotestsum", "ginkgo":
		return "GOFLAGS"
	case "make":
		return "MAKEFLAGS GNUMAKEFLAGS"
	case "pytest":
		return "PYTEST_ADDOPTS"
	case "npm", "pnpm", "yarn":
		return "npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL"
	case "mvn":
		return "MAVEN_ARGS MAVEN_OPTS JAVA_TOOL_OPTIONS"
	case "rspec":
		return "SPEC_OPTS"
	case "mocha":
		return "MOCHA_OPTIONS"
	case "tox":
		return "TOXENV"
	case "nox":
		return "NOXSESSION"
	}
	return ""
}

// name is the name of the flag at place i, "" if there are fewer.
func (a args) name(i int) string {
	if i < len(a.flags) {
		return a.flags[i].name
	}
	return ""
}

func first(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(strings.Trim(text, `"'`)), " ")
	return word
}

// goDry is the one of go test's flags by which it runs no test.
func goDry(flags []flag) string {
	for _, f := range flags {
		if among(dryFlags("go", "test"), f.name) || goNothing(f) {
			return f.name
		}
	}
	return ""
}

// makeVariable reports whether a variable that make is given keeps it from
// testing: flags that only show, or a tool that is none (GO=true).
func makeVariable(operand string) bool {
	name, value, ok := strings.Cut(operand, "=")
	name = strings.TrimRight(name, ":?+!")
	switch {
	case !ok:
		return false
	case name == "MAKEFLAGS" || name == "GNUMAKEFLAGS" || name == "MFLAGS":
		for i, word := range strings.Fields(value) {
			if among("--just-print --recon --question --touch --dry-run --eval", word) || strings.HasPrefix(word, "--eval=") {
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
	case among("SHELL MAKE GO GOCMD GOTEST PYTHON PY PYTEST CARGO NPM NPX PNPM YARN BUN NODE JEST VITEST MVN GRADLE RUBY RSPEC PHP PHPUNIT CTEST DOTNET TEST TESTCMD TEST_CMD RUNNER TEST_RUNNER", name):
		return idle(first(value))
	}
	for _, word := range strings.Fields(value) { // ARGS=--collect-only
		if among("--collect-only --co --listTests --list-tests --no-run --dry-run -run=^$ --help --version", word) {
			return true
		}
	}
	return false
}
