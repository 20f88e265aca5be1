package tools

import "strings"

// Bounds in bytes. An output may be written to be long.
const (
	maxLine = 2000 // of a line: how much is looked at for words
	maxName = 500  // of what is named
)

// lower is the beginning of a line in small letters.
func lower(line string) string { return strings.ToLower(line[:min(len(line), maxLine)]) }

// ExitNamed reports whether a line in small letters names an exit status other
// than 0: exit status 1, exited with code 2, EXIT=1, rc: 3.
func ExitNamed(low string) bool {
	for _, word := range [...]string{"exit", "rc"} {
		for from := 0; ; {
			i := strings.Index(low[from:], word)
			if i < 0 {
				break
			}
			at := from + i
			from = at + len(word)
			if at > 0 && (inWord(low[at-1]) && low[at-1] != '_' || low[at-1] == '.') {
				continue
			}
			if named := statusAfter(low[from:]); named > 0 {
				return true
			}
		}
	}
	return false
}

// statusAfter is the number that follows exit or rc: `ed with code 2` has 2, -1
// stands for none.
func statusAfter(rest string) int {
	before := rest
	for {
		trimmed := strings.TrimLeft(rest, " :=_()$?'\"`")
		for _, filler := range [...]string{"status", "code", "with", "value", "was", "non-zero", "ed"} {
			trimmed = strings.TrimPrefix(trimmed, filler)
		}
		if trimmed == rest {
			break
		}
		rest = trimmed
	}
	if rest == before {
		return -1
	}
	return leading(rest)
}

// cutLast cuts a text around the last occurrence of a mark.
func cutLast(text, mark string) (before, after string, ok bool) {
	if i := strings.LastIndex(text, mark); i >= 0 {
		return text[:i], text[i+len(mark):], true
	}
	return text, "", false
}
