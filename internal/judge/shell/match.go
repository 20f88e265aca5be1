package shell

import (
	"slices"
	"strings"
)

// Matches reports whether the command is the one that pattern names, words such
// as `go test`, `make test` or `npm run lint`. The first word must be the name
// of the program that runs; the others must be among its arguments, in order,
// whatever flags stand between. Spellings of one thing are one (`npm t`,
// `python -m pytest`, `./gradlew`). A run that proves nothing (see DryRun)
// matches only a pattern that names its flag, a build that leaves its
// tests out also one that names the program alone. `make --` is make without a target. Of a pattern that is a whole line,
// such as `cd web && CI=1 npm test`, the last command that does something counts.
// Rule: docs/spec.md, "Evidence".
func (c Command) Matches(pattern string) bool {
	return c.Spellings().Match(ReadPattern(pattern))
}

// wanted are the words of a pattern.
func wanted(pattern string) []string {
	if !strings.ContainsAny(pattern, "&|;='\"$(") {
		return strings.Fields(pattern)
	}
	found, err := Parse(pattern)
	if err != nil {
		return strings.Fields(pattern)
	}
	var last []string
	for _, c := range found {
		if len(c.Words) > 0 && (last == nil || !harmless(program(c.Words[0]))) {
			last = c.Words
		}
	}
	return last
}

func mentions(word string) bool {
	return strings.HasPrefix(word, "#") ||
		among("echo printf grep egrep rg ag git cat man which type whereis help tldr history sed awk", program(word))
}

// names reports whether want, a pattern, names have.
func names(want, have spelled) bool {
	if want.head != have.head {
		return false
	}
	for _, f := range want.flags {
		if !slices.ContainsFunc(have.flags, func(h flag) bool {
			return h.name == f.name && (f.value == "" || f.value == h.value)
		}) {
			return false
		}
	}
	fixed := min(len(want.operands), subcommands(have))
	if len(have.operands) < fixed || !slices.Equal(want.operands[:fixed], have.operands[:fixed]) {
		return false
	}
	rest := have.operands[fixed:]
	for _, w := range want.operands[fixed:] {
		at := slices.Index(rest, w)
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// subcommands says how many operands choose what the program does, and so must
// be the pattern's own: `git stash push` is no `git push`. Task runners do all
// that they are told (`make lint test`), of others we know nothing: none.
func subcommands(s spelled) int {
	switch s.head {
	case "docker":
		if among("compose container image volume network system builder buildx", s.operand(0)) {
			return 2
		}
		return 1
	case "git", "go", "cargo", "npm", "pnpm", "yarn", "bun", "deno", "kubectl", "helm", "terraform",
		"dotnet", "mix", "swift", "flutter", "dart", "uv", "poetry", "pdm", "hatch", "pip", "systemctl", "gh",
		"brew", "apt", "apt-get", "bundle", "rails", "buf", "composer", "gem", "zig", "ruff", "biome", "supervisorctl", "pm2", "mise":
		return 1
	}
	return 0
}
