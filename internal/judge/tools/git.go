package tools

import (
	"slices"
	"strings"
)

// StashesAll reports whether a git stash takes every change, not some of them.
func StashesAll(words []string) bool {
	args := words[slices.Index(words, "stash")+1:]
	for i, w := range args {
		switch {
		case w == "push" && i == 0:
		case w == "save" && i == 0:
			return true // what follows is its message
		case Among("-k --keep-index -S --staged -p --patch --", w) || strings.HasPrefix(w, "--pathspec"):
			return false
		case !strings.HasPrefix(w, "-") && (i == 0 || args[i-1] != "-m" && args[i-1] != "--message"):
			return false // a path
		}
	}
	return true
}
