package shell

import "strings"

// arg is one word of a command.
type arg struct {
	text   string // without its quotes
	unix   string // as a shell of Unix would have it
	quoted bool
}

// literalArg is a word that stands for itself.
func literalArg(text string) arg { return arg{text: text, unix: bare(text)} }

func literalArgs(texts ...string) (all []arg) {
	for _, text := range texts {
		all = append(all, literalArg(text))
	}
	return all
}

// bare is a text without quotes where none are needed.
func bare(text string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:,+@%", r)
	}
	switch text {
	case "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "select", "in", "function", "time", "coproc", "":
		return single(text)
	}
	if strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return single(text)
}

func texts(words []arg) string {
	var all []string
	for _, w := range words {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}

func joined(words []arg) string {
	var all []string
	for _, w := range words {
		all = append(all, w.unix)
	}
	return strings.Join(all, " ")
}
