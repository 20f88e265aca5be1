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
		switch {
		case w == "--":
			a.Rest = words[i+1:]
			a.Operands = append(a.Operands, a.Rest...)
			return a
		case len(w) < 2 || w[0] != '-':
			a.Operands = append(a.Operands, w)
		default:
			f := Flag{Name: w}
			if name, value, ok := strings.Cut(w, "="); ok {
				f = Flag{name, value}
			} else if Among(takes, w) && i+1 < len(words) {
				i++
				f.Value = words[i]
			}
			a.Flags = append(a.Flags, f)
		}
	}
	return a
}

// rest are the flags that a program hands on after --.
func (a Args) rest(takes string) []Flag {
	return Read(append([]string{""}, a.Rest...), takes).Flags
}

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

// Operand is the operand at place i, "" if there are fewer.
func (a Args) Operand(i int) string {
	if i < len(a.Operands) {
		return a.Operands[i]
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
		if words := strings.Fields(phrase); len(words) > 0 && len(words) <= len(a.Operands) && slices.Equal(words, a.Operands[:len(words)]) {
			return phrase
		}
	}
	return ""
}

// NextOperand is the place of the first word from at on that is neither a flag
// nor the value of one.
func NextOperand(words []string, at int, takes string) int {
	for at < len(words) && len(words[at]) > 1 && words[at][0] == '-' {
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
	case strings.ContainsAny(name, "$`"):
		if dir == "" || strings.ContainsRune("/~$`", rune(name[0])) {
			return name
		}
		return dir + "/" + name
	case name[0] == '/' || name[0] == '~' || len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\'):
		return name
	}
	if joined := path.Join(dir, name); joined != "." {
		return joined
	}
	return ""
}
