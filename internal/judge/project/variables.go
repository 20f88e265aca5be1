package project

import (
	"maps"
	"regexp"
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
	if c.open > 0 && strings.Trim(value, " ") != "" && !onlyFlags(value) {
		if c.doubt == nil {
			c.doubt = map[string]bool{}
		}
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
	for word := range strings.FieldsSeq(value) {
		if word[0] != '-' {
			return false
		}
	}
	return true
}

// params are the parameters that the first line of a just recipe names.
func params(line string) (all []string) {
	quote, from := byte(0), 0
	line = strings.TrimPrefix(strings.TrimSpace(line), "@")
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == ' ' || c == ':':
			if i > from {
				all = append(all, line[from:i])
			}
			if from = i + 1; c == ':' {
				return all[min(1, len(all)):]
			}
		}
	}
	return nil
}

// make's value of a variable: what the caller gives it, what the file says, the
// program that it is named after, nothing.
func valueOf(name string, given, vars map[string]string) string {
	if value, ok := given[name]; ok {
		return value
	}
	if value, ok := vars[name]; ok {
		return value
	}
	if low := strings.ToLower(name); low == "make" || tools.Find(low).Does&tools.Variable != 0 {
		return low
	}
	return ""
}

// filled puts values in the place of a Makefile's or a justfile's variables. What
// is computed stays, as something that nobody can tell.
func filled(text string, given, vars map[string]string) string {
	for range 4 {
		if !strings.Contains(text, "$(") && !strings.Contains(text, "${") && !strings.Contains(text, "{{") || len(text) > maxRead {
			break
		}
		was := text
		text = reference().ReplaceAllStringFunc(text, func(ref string) string {
			return valueOf(strings.Trim(ref, "${}(). "), given, vars)
		})
		if text == was {
			break
		}
	}
	for {
		begin := strings.Index(text, "{{")
		if begin < 0 {
			break
		}
		end := strings.Index(text[begin:], "}}")
		if end < 0 {
			break
		}
		text = text[:begin] + unknownValue + text[begin+end+2:]
	}
	return strings.ReplaceAll(text, "$$", "$")
}

var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\(([A-Za-z0-9_]+)\)|\$\{([A-Za-z0-9_]+)\}|\{\{\s*\.?([A-Za-z0-9_]+)\s*\}\}`)
})

// expanded puts values in the place of variables. One that nobody set is taken
// for the program it is named after: $(GO) is go, $(MAKE) is make.
func expanded(text string, vars map[string]string) string {
	for range 3 {
		if !strings.Contains(text, "$") && !strings.Contains(text, "{{") || len(text) > maxRead {
			break
		}
		text = reference().ReplaceAllStringFunc(text, func(ref string) string {
			name := strings.Trim(ref, "${}(). ")
			if value, ok := vars[name]; ok {
				return value
			}
			return strings.ToLower(name)
		})
	}
	return strings.ReplaceAll(text, "$$", "$")
}
