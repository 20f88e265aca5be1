package tools

import (
	"iter"
	"strings"
)

// lines are the lines of an output as a person sees them, without blanks at
// their ends and without colours. A carriage return ends a line too: so end the
// states of a progress bar.
func lines(output string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.FieldsFuncSeq(output, func(r rune) bool { return r == '\n' || r == '\r' }) {
			if line = strings.TrimRight(Uncoloured(line), " \t"); line != "" && !yield(line) {
				return
			}
		}
	}
}

// escapes are a terminal's sequences: parameters and a letter; a title or a link, up to
// a bell or ESC \; and any other character behind ESC.
const escapes = `\x1b(?:\[[^@-~]*[@-~]?|\][^\x07\x1b]*(?:\x07|\x1b(?s:.)?)?|(?s:.)?)`

// Uncoloured is a line without colours and other escape sequences.
func Uncoloured(line string) string {
	if !strings.Contains(line, "\x1b") {
		return line
	}
	return expression(escapes).ReplaceAllLiteralString(line, "")
}

// A label is what others put before a line: a time, the name of the service, the
// package or the task that it comes from.
const (
	labelTime = `(?:\d\d[\d.,TZ+/-]*:[\d.,TZ+/-]{2,}:[\d.,TZ+/-]{2,}|\d{4}-\d\d-[\d:.,TZ+/-]{2,})`
	labelTask = `[a-z][a-z\d_:./-]*`
	labelPart = `[\w./@\x{80}-\x{10ffff}-]*`
	labelName = labelPart + `[a-z]` + labelPart // numbers are a listing's lines

	label = `^(?:` + labelTime + // 2026-01-02T03:04:05.678Z FAIL src/a.test.ts
		`|\[(` + labelTime + `|\d+|` + labelTask + `)\]` + // [0] FAIL src/a.test.ts
		`|` + labelName + `:` + labelTask + `:` + // web:test: FAIL src/a.test.ts
		`|` + labelName + `[-_]` + labelPart + `\d +\|` + // web-1  | FAIL src/a.test.ts
		`|(?:\.|` + labelName + `/` + labelPart + `|` + labelPart + `/` + labelName + `) ` + labelTask + `:` + // packages/web test: FAIL src/a.test.ts
		`) `

	maxLabel = 80 // bytes
)

// unlabelled is a line without its labels, at most three. [info] and the like are none.
func unlabelled(line string) string {
	for range 3 {
		head := line[:min(len(line), maxLabel)]
		if !strings.ContainsAny(head, ":|]-") {
			break
		}
		at := expression(label).FindStringSubmatch(head)
		if at == nil || Among("error info warn success debug", at[1]) {
			break
		}
		rest := line[len(at[0]):]
		if rest == "" || strings.HasPrefix(rest, "›") {
			break
		}
		line = rest
	}
	return line
}
