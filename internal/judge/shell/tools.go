package shell

import (
	"path"
	"strings"
)

// gitChanges reads the git commands that touch the work tree.
func gitChanges(words []string, stdin string) (named []string, more bool) {
	a := read(words, valued("git")+" -s --source -m -b -B -e --exclude")
	rest := a.from(1)
	switch a.operand(0) {
	case "mv":
		return rest, false
	case "rm":
		if a.has("--cached") {
			return nil, false
		}
		return files(rest)
	case "restore":
		if (a.letter("S") || a.has("--staged")) && !a.letter("W") && !a.has("--worktree") {
			return nil, false
		}
		return files(rest)
	case "checkout":
		if len(a.rest) > 0 {
			return files(a.rest)
		}
		return nil, !a.letter("bB") || len(rest) > 0
	case "apply":
		if a.has("--check --stat --numstat --summary --cached") {
			return nil, false
		}
		return patched(stdin), true
	case "reset":
		return nil, a.has("--hard --merge --keep")
	case "clean":
		return nil, !a.letter("n")
	case "stash":
		return nil, !among("list show drop clear", a.operand(1))
	case "bisect", "submodule", "worktree", "sparse-checkout":
		return nil, !among("log list status summary", a.operand(1))
	case "switch", "merge", "rebase", "pull", "cherry-pick", "revert", "am", "clone", "init", "subtree", "lfs", "filter-branch", "filter-repo", "mergetool", "checkout-index", "read-tree":
		return nil, true
	}
	return nil, false // status, diff, log, add, commit, push, fetch …: the files stay as they are
}

// files splits operands into files named and the rest, a folder or everything.
func files(operands []string) (named []string, more bool) {
	for _, f := range operands {
		if b := path.Base(f); b == "." || b == ".." || b == "..." || strings.HasSuffix(f, "/") || strings.HasPrefix(f, ":") {
			more = true
		} else {
			named = append(named, f)
		}
	}
	return named, more || len(operands) == 0
}

// formatted is files for formatters, which are given folders as often: only
// what has an extension is taken for a file.
func formatted(operands []string) (named []string, more bool) {
	for _, f := range operands {
		if b := path.Base(f); strings.Trim(b, ".") == "" || path.Ext(b) == "" {
			more = true
		} else {
			named = append(named, f)
		}
	}
	return named, more || len(operands) == 0
}

// toolChanges reads formatters, linters, test runners, builders and package
// managers.
func toolChanges(name string, words []string) (named []string, more bool) {
	c := canonical(words)
	a := c.args
	checks := a.has("--check --check-only --check-formatted --diff --list-different -d -l --exit-non-zero-on-format")
	switch name {
	case "gofmt", "goimports", "gofumpt", "gci", "shfmt":
		if !a.has("-w --write") {
			return nil, false
		}
		return formatted(a.operands)
	case "prettier":
		if !a.has("-w --write") {
			return nil, false
		}
		return formatted(a.operands)
	case "black", "isort", "rustfmt", "stylua", "docformatter":
		if checks || a.has("-c") && name == "isort" {
			return nil, false
		}
		return formatted(a.operands)
	case "autopep8", "yapf", "clang-format":
		if !a.letter("i") && !a.has("--in-place") {
			return nil, false
		}
		return formatted(a.operands)
	case "ruff", "biome", "dart", "deno", "terraform", "zig", "buf", "dprint", "taplo", "mix", "swift":
		return subTool(name, a, checks)
	case "eslint", "stylelint", "rubocop", "golangci-lint", "ktlint", "swiftlint", "markdownlint", "oxlint", "standard", "tslint", "clippy":
		if !a.has("--fix -a -A --auto-correct --autocorrect --autocorrect-all --format-fix") && !(name == "ktlint" && a.has("-F --format")) && !(name == "golangci-lint" && a.operand(0) == "fmt") {
			return nil, false
		}
		if name == "golangci-lint" || name == "swiftlint" {
			return formatted(a.from(1))
		}
		return formatted(a.operands)
	case "pytest", "jest", "vitest", "playwright", "ava", "tap", "bats", "unittest":
		return nil, updates(a)
	case "tsc":
		return nil, !a.has("--noEmit")
	case "docker":
		return dockerChanges(a)
	}
	return buildChanges(name, words, a)
}

// subTool reads tools that format or fix under a subcommand.
func subTool(name string, a args, checks bool) (named []string, more bool) {
	fixes := a.has("--fix --fix-only --write --apply --apply-unsafe --unsafe -w")
	switch sub := a.operand(0); sub {
	case "format", "fmt":
		if checks || a.has("-check") || (name == "biome" || name == "buf") && !fixes {
			return nil, false
		}
		return formatted(a.from(1))
	case "check", "lint", "ci":
		if !fixes {
			return nil, false
		}
		return formatted(a.from(1))
	case "test", "analyze", "validate", "plan", "show", "output", "version", "doc", "info", "state":
		return nil, updates(a)
	}
	return nil, true
}

// updates reports whether a test run rewrites its snapshots.
func updates(a args) bool {
	for _, f := range a.flags {
		name := strings.TrimLeft(f.name, "-")
		if f.name == "-u" || strings.HasPrefix(name, "update") || strings.Contains(name, "snapshot-update") || name == "force-regen" || name == "inline-snapshot" {
			return f.value != "none"
		}
	}
	return false
}

func dockerChanges(a args) (named []string, more bool) {
	switch a.operand(0) {
	case "cp":
		if to := a.operand(2); to != "" && !strings.Contains(to, ":") {
			return []string{to}, true
		}
		return nil, false
	case "run", "exec", "init":
		return nil, true
	case "compose":
		return nil, among("run exec cp", a.operand(1))
	}
	return nil, false
}

// buildChanges reads what builds and runs tasks.
func buildChanges(name string, words []string, a args) (named []string, more bool) {
	sub := a.operand(0)
	switch name {
	case "go":
		return goChanges(words, a)
	case "cargo":
		if sub == "fmt" {
			return nil, !a.has("--check") && !read(append([]string{""}, a.rest...), "").has("--check")
		}
		known := among("test check clippy build bench doc tree metadata search nextest audit deny llvm-cov version", sub)
		return nil, !known || a.has("--fix")
	case "npm", "pnpm", "yarn", "bun":
		if among("ls list view info outdated why ping whoami search config help", sub) {
			return nil, false
		}
		return nil, !verifies(sub) || updates(read(words, ""))
	case "make", "just", "task", "rake", "gradle", "mvn", "tox", "nox", "invoke", "mage", "sbt", "dotnet", "bundle", "composer":
		if name == "tox" || name == "nox" {
			return nil, false
		}
		for _, target := range a.operands {
			if !verifies(target) && !assignment(target) {
				return nil, true
			}
		}
		return nil, len(a.operands) == 0 || updates(a)
	case "pip", "gh", "brew":
		return nil, !among("list show freeze check pr issue run api auth status view search info", sub) || a.operand(1) == "checkout"
	}
	return nil, true
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

func goChanges(words []string, a args) (named []string, more bool) {
	named = a.values("-o --o -coverprofile -cpuprofile -memprofile -trace")
	switch a.operand(0) {
	case "test":
		for _, f := range a.flags {
			if strings.HasPrefix(strings.TrimLeft(f.name, "-"), "update") && f.value != "false" {
				more = true
			}
		}
		return named, more
	case "vet":
		return named, a.has("-fix")
	case "build", "install", "list", "version", "env", "doc", "help", "clean", "telemetry":
		return named, false
	case "tool":
		return named, !among("cover nm objdump pprof trace vet", a.operand(1))
	case "get":
		return []string{"go.mod", "go.sum"}, false
	case "mod":
		if among("tidy init edit", a.operand(1)) {
			return []string{"go.mod", "go.sum"}, false
		}
		return nil, a.operand(1) == "vendor"
	}
	return named, true
}
