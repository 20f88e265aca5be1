package tools

import (
	"path"
	"slices"
	"strings"
)

// Args are a command's arguments, sorted by the conventions of command lines.
type Args struct {
	Flags    []Flag
	Operands []string // neither flags nor their values
	Rest     []string // the operands after --
}

// Flag is a flag as written, with its value.
type Flag struct{ Name, Value string }

// Read sorts the arguments of words. takes lists the flags that take the next
// word as their value.
func Read(words []string, takes string) (a Args) {
	for i := 1; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			a.Rest = words[i+1:]
			a.Operands = append(a.Operands, a.Rest...)
			break
		}
		if !isFlag(w) {
			a.Operands = append(a.Operands, w)
			continue
		}
		name, value, joined := strings.Cut(w, "=")
		if !joined && Among(takes, w) && i+1 < len(words) {
			i++
			value = words[i]
		}
		a.Flags = append(a.Flags, Flag{name, value})
	}
	return a
}

func isFlag(word string) bool { return len(word) > 1 && word[0] == '-' }

// Among reports whether word is one of list, which has spaces between its words.
func Among(list, word string) bool {
	for list != "" {
		var one string
		if one, list, _ = strings.Cut(list, " "); one == word {
			return true
		}
	}
	return false
}

// oneOf is Among as a function of the word.
func oneOf(list string) func(word string) bool {
	return func(word string) bool { return Among(list, word) }
}

// Has reports whether one of the flags in list was given, as a word of its own.
func (a Args) Has(list string) bool {
	return slices.ContainsFunc(a.Flags, func(f Flag) bool { return Among(list, f.Name) })
}

// letter reports whether a short flag was given, alone or in a group like -rf.
func (a Args) letter(letters string) bool {
	return slices.ContainsFunc(a.Flags, func(f Flag) bool {
		return !strings.HasPrefix(f.Name, "--") && strings.ContainsAny(f.Name, letters)
	})
}

// Values are those given to the flags in list.
func (a Args) Values(list string) (values []string) {
	for _, f := range a.Flags {
		if f.Value != "" && Among(list, f.Name) {
			values = append(values, f.Value)
		}
	}
	return values
}

// lists are the values of flags, of which each may be a list.
func (a Args) lists(flags string) (all []string) {
	for _, value := range a.Values(flags) {
		all = append(all, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	return all
}

// Operand is the operand at place i, "" if there are fewer.
func (a Args) Operand(i int) string {
	return at(a.Operands, i)
}

// at is the word at a place, "" where there is none.
func at(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return ""
}

// From are the operands from place i on.
func (a Args) From(i int) []string {
	return a.Operands[min(i, len(a.Operands)):]
}

// begins is the phrase that the operands begin with, "" if there is none.
func (a Args) begins(phrases string) string {
	for phrase := range strings.SplitSeq(phrases, "|") {
		words := strings.Fields(phrase)
		if n := len(words); n > 0 && n <= len(a.Operands) && slices.EqualFunc(words, a.Operands[:n], fitsWord) {
			return phrase
		}
	}
	return ""
}

// fitsWord reports whether a word is a pattern's, in which * stands for any text:
// */agent-restart*.
func fitsWord(pattern, word string) bool {
	before, after, starry := strings.Cut(pattern, "*")
	if strings.Contains(after, "*") {
		return fits("(?s)^"+starred(pattern, ".*")+"$", word)
	}
	inside, begins := strings.CutPrefix(word, before) // of one star no expression is made: a stop asks it of every file
	return pattern == word || starry && begins && strings.HasSuffix(inside, after)
}

// NextOperand is the place of the first word from at on that is neither a flag
// nor the value of one.
func NextOperand(words []string, at int, takes string) int {
	for at < len(words) && isFlag(words[at]) {
		if Among(takes, words[at]) {
			at++
		}
		at++
	}
	return at
}

// Assignment reports whether a word is NAME=value.
func Assignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/.-$ ")
}

// Join is name seen from dir. A name that starts elsewhere (/, ~, $X) is its own.
func Join(dir, name string) string {
	switch {
	case name == "":
		return dir
	case strings.ContainsRune("/~", rune(name[0])), fits(`^.:[/\\]`, name):
		return name
	case !strings.ContainsAny(name, "$`"):
		return slashless(path.Join(dir, name))
	case dir == "", strings.ContainsRune("$`", rune(name[0])):
		return name
	}
	return dir + "/" + name
}

// slashless is a cleaned path as places have it: "" for the folder itself.
func slashless(path string) string {
	if path == "." {
		return ""
	}
	return path
}
