package main

import (
	"regexp"
	"slices"
	"strings"
)

// The verbs and options that hints name (piton.Error), and that are commands
// and flags here.
var (
	remedyVerbs   = []string{"delete", "diff", "export", "fork", "import", "inspect", "list", "load", "repair", "resume", "rules", "save", "sessions", "trust", "uninstall", "verify"}
	remedyOptions = []string{"accept", "agent", "all", "branch", "list", "name", "nearest", "older_than", "parent", "phase", "phase_number", "phase_total", "project", "repair", "save", "scope", "session", "show", "step", "store", "type", "workflow"}
)

// remedy is a phrase in single quotes, with what stands before it.
var remedy = regexp.MustCompile(`(^|[\s(:;,])'([a-z_]+)((?: [^']*)?)'`)

// commandLine writes a hint for the command line: 'verify' becomes
// 'piton verify', 'fork ID branch NAME' becomes 'piton fork ID --branch NAME',
// and 'workflow NAME' becomes --workflow NAME.
func commandLine(hint string) string {
	return remedy.ReplaceAllStringFunc(hint, func(s string) string {
		m := remedy.FindStringSubmatch(s)
		words := strings.Split(m[2]+m[3], " ")
		verb := slices.Contains(remedyVerbs, words[0])
		setting := words[0] == "store" && len(words) == 1
		if !verb && (setting || !slices.Contains(remedyOptions, words[0])) {
			return s
		}
		for i, w := range words {
			value := i > 0 && words[i-1] == "--scope" // project is an option's name too
			if slices.Contains(remedyOptions, w) && !(i == 0 && verb) && !value {
				words[i] = "--" + strings.ReplaceAll(w, "_", "-")
			}
		}
		if verb {
			return m[1] + "'piton " + strings.Join(words, " ") + "'"
		}
		return m[1] + strings.Join(words, " ")
	})
}
