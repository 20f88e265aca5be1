package shell

import (
	"slices"
	"strings"
)

// DryRun reports whether the command's own flags keep it from doing what it is
// for: --help, --version, --dry-run, make -n, go test -c or -run '^$', pytest
// --collect-only. Such a run proves nothing.
func (c Command) DryRun() bool { return c.dry() != "" }

// dry is the flag that does so, "" if there is none.
func (c Command) dry() string {
	if len(c.Words) == 0 {
		return ""
	}
	return c.firstDry(spell(c.Words))
}

func (c Command) firstDry(forms []spelled) string {
	for _, form := range forms {
		if flag := dry(form); flag != "" {
			return flag
		}
		if flag := c.dryByEnv(form); flag != "" {
			return flag
		}
	}
	return ""
}

func dry(c spelled) string {
	flags := c.flags
	if c.head == "gotestsum" { // they are go test's
		if flag := goDry(read(append([]string{""}, c.rest...), valued("go")).flags); flag != "" {
			return flag
		}
	}
	if among("npm pnpm yarn bun cargo", c.head) {
		flags = slices.Concat(flags, read(append([]string{""}, c.rest...), "").flags) // they hand on what follows --
	}
	if sub := drySub(c); sub != "" {
		return sub
	}
	exact := dryFlags(c.head, c.operand(0))
	for _, f := range flags {
		switch {
		case among("--help --dry-run --dryrun", f.name) && !among("false none", f.value):
			return f.name
		case f.name == "--version" && !among("helm dotnet gem", c.head): // with those it chooses one
			return f.name
		case among(exact, f.name):
			return f.name
		case c.head == "make" && makeShows(f.name):
			return f.name
		case c.head == "go" && c.operand(0) == "test" && goNothing(f):
			if c.has("-bench --bench") {
				return "-bench" // benchmarks only: evidence for who asks for them
			}
			return f.name
		case skipsTests(c.head, f):
			return f.name
		}
	}
	if c.head == "make" {
		for _, o := range c.operands {
			if makeVariable(o) {
				return o
			}
		}
	}
	return ""
}

// drySub is the subcommand of a test runner that runs no test.
func drySub(c spelled) string {
	none := ""
	if c.head == "tox" || c.head == "nox" {
		return onlyLints(c)
	}
	switch c.head + " " + c.operand(0) {
	case "cargo nextest":
		none = "list show-config self archive help"
	case "cargo llvm-cov":
		none = "report clean show-env"
	case "vitest list", "vitest init", "vitest bench", "playwright install", "playwright codegen", "playwright show-report", "playwright open", "playwright merge-reports",
		"ginkgo build", "ginkgo bootstrap", "ginkgo generate", "ginkgo help", "ginkgo labels", "ginkgo outline", "ginkgo unfocus", "ginkgo version", "gotestsum tool", "gotestsum help",
		"ava debug", "ava reset-cache", "tap report", "tap list", "tap config", "tap plugin", "tap build", "tap dump-config", "tap versions", "tap help", "jest init",
		"tox list", "tox config", "tox devenv", "tox quickstart", "tox depends", "cargo help", "go help", "uvu help", "gradle help", "jasmine init", "jasmine help", "jasmine examples", "karma init":
		return c.operand(0)
	case "swift test", "flutter test", "cargo llvm-cov nextest":
		none = "list last"
	}
	if among(none, c.operand(1)) {
		return c.operand(1)
	}
	return ""
}

// onlyLints is the flag by which tox or nox is told to run environments of which
// none tests, by their names.
func onlyLints(c spelled) string {
	names := c.operands[:len(c.operands)-len(c.rest)]
	chosen := ""
	for _, f := range c.flags {
		if among("-e -s --session --sessions --env", f.name) {
			chosen = f.name
			if f.value != "" {
				names = append(names[:len(names):len(names)], f.value)
			}
		}
	}
	for _, list := range names {
		for name := range strings.SplitSeq(list, ",") {
			if !among("lint linters flake8 ruff black format fmt style isort type types typing mypy pyright typecheck docs doc build pkg publish release pre-commit", name) {
				return ""
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return chosen
}

// makeShows reports whether a group of short flags has make's -n, -q or -t; what
// follows -O, -j and the like is their value.
func makeShows(group string) bool {
	if strings.HasPrefix(group, "--") {
		return false
	}
	if i := strings.IndexAny(group, "OCfIoWlj"); i >= 0 {
		group = group[:i]
	}
	return strings.ContainsAny(group, "nqt")
}

// skipsTests reports whether a flag makes a build leave its tests out. The build
// itself is done: see Matches.
func skipsTests(head string, f flag) bool {
	switch head {
	case "npm", "pnpm", "yarn":
		return among("--script-shell", f.name) && idle(f.value)
	case "cargo":
		return f.name == "--config" && strings.Contains(f.value, "runner") && idle(strings.Trim(f.value[strings.LastIndexByte(f.value, '=')+1:], ` "'[]`))
	case "mvn":
		return among("-DskipTests -Dmaven.test.skip", f.name) && f.value != "false"
	case "gradle":
		return among("-x --exclude-task", f.name) && among("test check :test", f.value)
	}
	return false
}

// goNothing knows the ways to call go test without running a test.
func goNothing(f flag) bool {
	switch strings.TrimPrefix(strings.TrimPrefix(f.name, "-"), "-") {
	case "run":
		return noTest(f.value)
	case "skip":
		return among(". .* ^ ^.* .+ ^.*$ Test ^Test", f.value)
	case "count":
		return f.value == "0"
	case "exec":
		words := strings.Fields(f.value)
		return len(words) > 0 && idle(words[0])
	}
	return false
}

// noTest reports whether -run's pattern fits no test: it asks for a beginning
// behind something, for something behind the end, or for an empty name; or it
// is one of the words that people take for that.
func noTest(pattern string) bool {
	first, _, _ := strings.Cut(pattern, "/")
	if strings.Contains(first, "|") {
		return false
	}
	begin, end := strings.LastIndexByte(first, '^'), strings.IndexByte(first, '$')
	if first == "^$" || begin > 0 && !strings.ContainsAny(first[begin-1:begin], `([\`) || end >= 0 && end < len(first)-1 && !strings.ContainsAny(first[end+1:end+2], `)]`) && (end == 0 || first[end-1] != '\\') {
		return true
	}
	word := strings.ToLower(strings.Trim(first, "^$_"))
	return among("none nothing nomatch nosuchtest notests donotrun dontrun donotmatch doesnotexist nonexistent", word) ||
		len(word) > 1 && (strings.Trim(word, "x") == "" || strings.Trim(word, "z") == "")
}

// dryFlags are the flags of a program that make it show or prepare only.
func dryFlags(head, sub string) string {
	switch head {
	case "go":
		if sub == "test" {
			return "-c --c -list --list -n -h -help"
		}
		return "-n -h -help"
	case "make":
		return "--just-print --recon --question --touch --print-data-base --eval -E -h -v"
	case "ninja":
		return "-n -t"
	case "pytest":
		return "--collect-only --co --fixtures --fixtures-per-test --markers --setup-plan --setup-only --cache-show -h -V"
	case "cargo":
		return "--no-run --list -h -V"
	case "npm", "pnpm", "yarn", "bun":
		return "--listTests --list --collect-only --showConfig --clearCache -h"
	case "jest", "vitest":
		return "--listTests --showConfig --clearCache --clear-cache --init -h"
	case "mocha", "playwright", "rspec", "tap":
		return "--list --list-tests --list-reporters --init -h"
	case "ginkgo":
		return "--dryRun -dryRun -dry-run"
	case "phpunit", "pest", "paratest":
		return "--list-tests --list-suites --list-groups --list-test-files --list-tests-xml --check-version --generate-configuration --migrate-configuration -h"
	case "gotestsum":
		return "-h"
	case "bats":
		return "-c --count -h -v"
	case "node":
		return "-c --check -h -v"
	case "turbo":
		return "--dry -h"
	case "ctest":
		return "-N --show-only --print-labels"
	case "dotnet":
		return "--list-tests -t -h"
	case "gradle":
		return "-m -h --tasks --test-dry-run"
	case "mvn":
		return "-v -h"
	case "swift":
		return "--list-tests --show-bin-path"
	case "tox":
		return "-l -a --listenvs --listenvs-all -n --notest -h"
	case "nox":
		return "-l --list --list-sessions --install-only -h"
	case "just":
		return "-l --list -n --summary --show -s --evaluate --choose -h"
	case "task":
		return "-l --list --list-all -n --dry --summary -h"
	case "rake":
		return "-T --tasks -n -P --prereqs -h"
	case "deno":
		return "--no-run -h"
	case "bazel":
		return "--nobuild"
	case "tsc", "eslint", "ruff", "mypy", "golangci-lint":
		return "--showConfig --print-config --show-files --show-settings --listFilesOnly -h"
	case "terraform":
		return "-help"
	case "rsync":
		return "-n"
	}
	return ""
}
