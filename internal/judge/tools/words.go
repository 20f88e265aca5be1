package tools

import "strings"

// Bounds in bytes. An output may be written to be long.
const (
	maxLine = 2000 // of a line: how much is looked at for words
	maxName = 500  // of what is named
)

// lower is the beginning of a line in small letters.
func lower(line string) string { return strings.ToLower(line[:min(len(line), maxLine)]) }

// first is the first word of a text.
func first(text string) string {
	text = strings.TrimLeft(text, " \t")
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i]
	}
	return text
}

// between is what stands between two marks.
func between(text, from, to string) (string, bool) {
	_, text, ok := strings.Cut(text, from)
	if !ok {
		return "", false
	}
	text, _, ok = strings.Cut(text, to)
	return text, ok
}

// place reads the file that a complaint begins with: `a/a.go:3:2: ` or
// `a.c:3: `, of a file with one of these endings, separated by blanks.
func place(text, endings string) (file string, ok bool) {
	text = text[:min(len(text), maxName)]
	for from := 0; ; {
		i := strings.IndexByte(text[from:], ':')
		if i < 0 {
			return "", false
		}
		at := from + i
		from = at + 1
		if from >= len(text) || !isDigit(text[from]) {
			continue
		}
		file = text[:at]
		end := from
		for end < len(text) && isDigit(text[end]) {
			end++
		}
		if end < len(text) && text[end] != ':' && text[end] != ' ' {
			return "", false
		}
		return file, !strings.ContainsAny(file, " \t\"'(") && ends(file, endings)
	}
}

// hasColumn reports whether the place that follows a file has a column: `:3:2: `.
func hasColumn(text string) bool {
	text = strings.TrimLeft(strings.TrimPrefix(text, ":"), digits)
	return len(text) > 1 && text[0] == ':' && isDigit(text[1])
}

// ends reports whether a name has one of some endings, separated by blanks.
func ends(name, endings string) bool {
	for e := range strings.FieldsSeq(endings) {
		if strings.HasSuffix(name, e) && len(name) > len(e) {
			return true
		}
	}
	return false
}

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

// cutBefore is what stands before a mark.
func cutBefore(text, mark string) string {
	before, _, _ := strings.Cut(text, mark)
	return before
}

// numberAfter is the whole number after a mark, -1 if there is none.
func numberAfter(text, mark string) int {
	_, rest, ok := strings.Cut(text, mark)
	if !ok {
		return -1
	}
	return leading(strings.TrimLeft(rest, " "))
}

// numberBefore is the whole number before a mark, -1 if there is none.
func numberBefore(text, mark string) int {
	before, _, ok := strings.Cut(text, mark)
	if !ok {
		return -1
	}
	return trailing(before[max(0, len(before)-20):])
}
