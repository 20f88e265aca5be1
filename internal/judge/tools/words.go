package tools

import (
	"slices"
	"strings"
)

// Bounds in bytes. An output may be written to be long.
const (
	maxLine = 2000 // of a line: how much is looked at for words
	maxName = 500  // of what is named
)

// lower is the beginning of a line in small letters.
func lower(line string) string { return strings.ToLower(line[:min(len(line), maxLine)]) }

// exitNamed is an exit status other than 0: exit status 1, exited with code 2, EXIT=1,
// rc: 3.
const exitNamed = `(?:^|[^a-z.\x{80}-\x{10ffff}])(?:exit|rc)(?:[ :=_()$?'"\x60]|status|code|with|value|was|non-zero|ed)+0*[1-9]\d{0,8}(?:\D|$)`

// ExitNamed reports whether a line in small letters names an exit status other
// than 0.
func ExitNamed(low string) bool {
	return containsAny(low, "exit|rc") && expression(exitNamed).MatchString(low)
}

// first is the first word of a text.
func first(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}

// cutLast is a text before the last occurrence of a mark.
func cutLast(text, mark string) (before string, ok bool) {
	if i := strings.LastIndex(text, mark); i >= 0 {
		return text[:i], true
	}
	return text, false
}

// begins reports whether a text begins with one of some phrases.
func begins(text, phrases string) bool {
	return slices.ContainsFunc(strings.Split(phrases, "|"), func(p string) bool { return strings.HasPrefix(text, p) })
}

// containsAny reports whether a text holds one of some phrases.
func containsAny(text, phrases string) bool {
	return slices.ContainsFunc(strings.Split(phrases, "|"), func(p string) bool { return strings.Contains(text, p) })
}
