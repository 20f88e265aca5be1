package tools

import (
	"slices"
	"strings"
)

// Chosen are the flags among choosers that a run was given, with their values:
// those after a = or the next words.
func Chosen(words []string, choosers string) (all []Flag) {
	for i, w := range words {
		name, value, joined := strings.Cut(w, "=")
		if i == 0 || !Among(choosers, name) || name == "-x" && !Among(Of(words[0]).Takes, name) {
			continue
		}
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		all = append(all, Flag{name, value})
	}
	return all
}

// Within reports whether one place lies in another: ./a in ./..., tests/x.py in
// tests, x.py::y in x.py. Folders that stand for all below them (./a/...) lie
// only in such.
func Within(place, wide string) bool {
	place, wide = strings.TrimPrefix(place, "./"), strings.TrimPrefix(wide, "./")
	base, all := strings.CutSuffix(wide, "...")
	base = strings.TrimSuffix(base, "/")
	switch {
	case place == wide || all && (base == "" || place == base):
		return true
	case !all && strings.HasSuffix(place, "..."):
		return false
	}
	return base == "." || strings.HasPrefix(place, base+"/") || strings.HasPrefix(place, base+"::")
}

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
