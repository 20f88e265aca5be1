package config

import (
	_ "embed"
	"strings"
)

// keyList says what each key means: "KEY: meaning", and below it, where there is more to
// say, "  default: …" and "  project: …", what a project's file may set without trust.
//
//go:embed keys.txt
var keyList string

// meaning is what the list says of a key.
type meaning struct{ says, unset, project string }

// meaningOf is the meaning of a key; zero if the list has none.
func meaningOf(name string) (m meaning) {
	_, text, found := strings.Cut(keyList, "\n"+name+": ")
	if !found {
		return m
	}
	m.says, text, _ = strings.Cut(text, "\n")
	for strings.HasPrefix(text, "  ") {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		switch label, said, _ := strings.Cut(strings.TrimSpace(line), ": "); label {
		case "default":
			m.unset = said
		case "project":
			m.project = said
		}
	}
	return m
}
