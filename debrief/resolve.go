package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/shell"
)

// resolved tells whether a failure has been made good: by a later success of
// the same command or of a broader one, or by a later edit of a file that it
// names or that it complained about, with a success after it.
func (t *turn) resolved(failed call) bool {
	suspects := failed.suspects()
	concerned := failed.concerned()
	edited := false
	for _, c := range t.calls[failed.at+1:] {
		if c.Kind != piton.CallShell {
			edited = edited || slices.ContainsFunc(c.edits, func(e edit) bool { return about(concerned, e.path) })
			continue
		}
		if c.unreadable || failed.unreadable {
			if c.ok() && strings.TrimSpace(c.Command) == strings.TrimSpace(failed.Command) {
				return true
			}
		}
		for i, cmd := range c.commands {
			if len(cmd.Words) == 0 {
				continue
			}
			succeeded := c.judge(cmd).counts || c.expected() && !c.ok()
			for _, s := range suspects {
				if succeeded && t.makesGood(cmd, s) {
					return true
				}
			}
			if edited && succeeded && !trivial(cmd) && !onlyLooks(cmd) && !asks(cmd) {
				return true
			}
			for _, e := range c.edits {
				edited = edited || e.command == i && about(concerned, e.path)
			}
		}
	}
	return false
}

// makesGood tells whether a success of one command takes back the failure of
// another: the same, the same program and subcommand, and for tests nothing
// narrower.
func (t *turn) makesGood(good, bad shell.Command) bool {
	if sameWords(good, bad) {
		return true
	}
	if t.testOf(bad, good) {
		return covers(good, bad)
	}
	g, b := chosen(good), chosen(bad)
	if g == "" || g != b {
		return false
	}
	return !checks(bad) || covers(good, bad)
}

func sameWords(a, b shell.Command) bool {
	return strings.Join(strings.Fields(strings.Join(a.Words, " ")), " ") == strings.Join(strings.Fields(strings.Join(b.Words, " ")), " ")
}

// testOf tells whether both commands run tests of one ecosystem, or one is the
// project's umbrella.
func (t *turn) testOf(a, b shell.Command) bool {
	for _, l := range languages {
		patterns := slices.Concat(l.runners, umbrellas())
		for _, x := range t.Tests {
			if x.Ecosystem == "" || x.Ecosystem == l.ecosystem {
				patterns = append(append(patterns, x.Run), x.Matches...)
			}
		}
		if matchesAny(a, patterns...) && matchesAny(b, patterns...) {
			return true
		}
	}
	return false
}

// checks tells commands that look at part of a project at a time, so that one
// success does not speak for another part.
func checks(c shell.Command) bool {
	return matchesAny(c, "go build", "go vet", "go test", "tsc", "eslint", "mypy", "pyright", "ruff check", "pylint", "flake8", "cargo check", "cargo clippy", "golangci-lint", "staticcheck")
}

// chosen is the program with the part of its arguments that says what it does.
func chosen(c shell.Command) string {
	words := c.Words
	name := path.Base(words[0])
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "-") {
			if w == "-m" || w == "-c" || w == "-e" {
				name += " " + w
				if w == "-m" {
					continue
				}
				return name
			}
			continue
		}
		if subcommanded(path.Base(words[0])) || strings.HasSuffix(name, " -m") {
			return name + " " + w
		}
		break
	}
	return name
}

func subcommanded(program string) bool {
	program = strings.TrimRight(program, "0123456789.")
	return slices.Contains([]string{"go", "git", "npm", "pnpm", "yarn", "bun", "deno", "cargo", "docker", "kubectl", "helm", "terraform", "make", "just", "task", "rake", "mvn", "gradle", "gradlew",
		"pip", "uv", "poetry", "dotnet", "mix", "bundle", "rails", "composer", "gh", "aws", "gcloud", "az", "brew", "apt", "apt-get", "systemctl", "alembic", "flutter", "dart", "swift", "zig",
		"python", "node", "ruby", "perl", "php", "bash", "sh", "zsh"}, program)
}

// covers tells whether a run looks at all that another one did: it names no
// paths, or wider ones, and picks nothing that the other did not.
func covers(wide, narrow shell.Command) bool {
	if pick := picked(wide.Words); pick != "" && pick != picked(narrow.Words) {
		return false
	}
	have := places(wide.Words)
	if len(have) == 0 {
		return true
	}
	for _, place := range places(narrow.Words) {
		if !slices.ContainsFunc(have, func(h string) bool { return within(place, h) }) {
			return false
		}
	}
	return len(places(narrow.Words)) > 0 || slices.ContainsFunc(have, func(h string) bool { return within("./...", h) })
}

// picked is the choice of tests by name.
func picked(words []string) string {
	for i, w := range words {
		for _, flag := range []string{"-run", "-k", "-t", "-g", "--grep", "--filter", "--tests", "--testNamePattern", "--test"} {
			if w == flag && i+1 < len(words) {
				return words[i+1]
			}
			if value, ok := strings.CutPrefix(w, flag+"="); ok {
				return value
			}
		}
	}
	return ""
}

// places are the words that name files or packages.
func places(words []string) []string {
	var all []string
	for i, w := range words {
		if i > 0 && !strings.HasPrefix(w, "-") && (strings.Contains(w, "/") || strings.Contains(w, "::") || ecosystemOf(w) != "" || w == "." || w == "tests" || w == "test" && i > 1) {
			all = append(all, strings.TrimPrefix(w, "./"))
		}
	}
	return all
}

func within(place, wide string) bool {
	place, wide = strings.TrimPrefix(place, "./"), strings.TrimPrefix(wide, "./")
	if place == wide || wide == "..." || wide == "." && !strings.HasSuffix(place, "...") {
		return true
	}
	base := strings.TrimSuffix(strings.TrimSuffix(wide, "..."), "/")
	if place == base {
		return true
	}
	return strings.HasPrefix(place, base+"/") || strings.HasPrefix(place, base+"::")
}

// concerned are the files that a failed call names, in its line or in the
// beginning of its output.
func (c call) concerned() []string {
	var files []string
	add := func(text string) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`()[]{},;=<>|&", r) }) {
			word, _, _ = strings.Cut(word, ":")
			if word = strings.TrimPrefix(word, "./"); len(word) > 2 && !strings.HasPrefix(word, "-") && strings.Contains(path.Base(word)[1:], ".") {
				files = append(files, word)
			}
		}
	}
	add(c.Command)
	add(plain(c.Output[:min(len(c.Output), 4*headShown)]))
	return files
}

// about tells whether an edited file is one of those concerned; one may be
// named from elsewhere in the tree.
func about(concerned []string, edited string) bool {
	return slices.ContainsFunc(concerned, func(f string) bool {
		return f == edited || strings.HasSuffix(edited, "/"+f) || strings.HasSuffix(f, "/"+edited)
	})
}
