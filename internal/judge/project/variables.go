package project

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

// conditions are those of a Makefile that hold at a line, and the variables whose
// values they decide.
type conditions struct {
	open  int
	doubt map[string]bool
}

// follow reports whether a line begins, goes on or ends a condition.
func (c *conditions) follow(line string) bool {
	if line[0] == '\t' {
		return false
	}
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	word, _, _ = strings.Cut(word, "(")
	switch {
	case tools.Among("ifeq ifneq ifdef ifndef", word):
		c.open++
	case word == "endif":
		c.open = max(c.open-1, 0)
	case word != "else" || c.open == 0:
		return false
	}
	return true
}

// set notes what a variable is: op is "" or what stands before the =. Of one that
// a condition decides, nobody knows the value, flags aside.
func (c *conditions) set(name, op, value string, vars map[string]string) {
	if c.open > 0 && !onlyFlags(value) {
		c.doubt[name] = true
	}
	if op == "+" && vars[name] != "" {
		value = vars[name] + " " + value
	}
	vars[name] = value
}

// known are the variables whose values no condition decides; the others are what
// nobody can tell.
func (c *conditions) known(vars map[string]string) map[string]string {
	known := maps.Clone(vars)
	for name := range c.doubt {
		known[name] = unknownValue
	}
	return known
}

// unknownValue stands for what only the shell knows.
const unknownValue = "$UNKNOWN"

func onlyFlags(value string) bool {
	return !slices.ContainsFunc(strings.Fields(value), func(word string) bool { return word[0] != '-' })
}

// params are the parameters that the first line of a just recipe names.
func params(line string) (all []string) {
	for _, word := range justWord().FindAllString(strings.TrimPrefix(strings.TrimSpace(line), "@"), -1) {
		if word == ":" {
			return all[min(1, len(all)):]
		}
		all = append(all, word)
	}
	return nil
}

// justWord is a word with what it quotes, or the colon behind the last.
var justWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?:\"[^\"]*\"|'[^']*'|`[^`]*`|[^ :\"'`])+|:")
})

// filled puts values in the place of the variables of a Makefile, a justfile or a
// Taskfile: given are what the caller says, vars what the file says. One that
// nobody set is the program that it is named after ($(GO) is go), as far as that is
// known to be customary, or a guess is wanted; else it is empty in a Makefile, and
// in a template something that nobody can tell.
func filled(text string, guess bool, given, vars map[string]string) string {
	left := maxRead
	for range 4 {
		was := text
		text = reference().ReplaceAllStringFunc(text, func(ref string) string {
			value := valueOf(ref, guess, given, vars)
			if left -= len(value); left < 0 {
				return ""
			}
			return value
		})
		if text == was {
			break
		}
	}
	return strings.ReplaceAll(text, "$$", "$")
}

func valueOf(ref string, guess bool, given, vars map[string]string) string {
	m := reference().FindStringSubmatch(ref)
	name := m[1] + m[2] + m[3]
	for _, set := range []map[string]string{given, vars} {
		if value, ok := set[name]; ok {
			return value
		}
	}
	switch low := strings.ToLower(name); {
	case guess && name != "", low == "make", tools.Find(low).Does&tools.Variable != 0:
		return low
	case ref[0] == '{':
		return unknownValue
	}
	return ""
}

// reference is a variable, or a template that holds more than one.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\((\w+)\)|\$\{(\w+)\}|\{\{-?\s*\.?(\w+)\s*(?:\|[^}]*)?-?\}\}|(?s:\{\{.*?\}\})`)
})

// finish turns the lines of all recipes into what the shell gets.
func (d definitions) finish(vars map[string]string) {
	for name, r := range d.recipes {
		r.raw = r.lines
		r.lines = commands(r.lines, func(line string) string { return filled(line, true, nil, vars) })
		d.recipes[name] = r
	}
}

// commands are a recipe's lines as the shell gets them, with their variables
// filled in; one script where the first line names a shell.
func commands(lines []string, fill func(string) string) (out []string) {
	if len(lines) > 0 && strings.HasPrefix(lines[0], "#!") {
		if !shellScript("", lines[0]) {
			return nil
		}
		return []string{fill(strings.Join(lines, "\n"))}
	}
	for _, line := range lines {
		line = fill(line)
		bare := strings.TrimLeft(line, "@+- ")
		if strings.Contains(line[:len(line)-len(bare)], "-") {
			bare += " || true" // its failure is forgiven
		}
		out = append(out, bare)
	}
	return out
}
