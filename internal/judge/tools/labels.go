package tools

import "strings"

// unlabelled is a line without what others put before it: a time, the name of
// the service, the package or the task that it comes from.
//
//	2026-01-02T03:04:05.678Z FAIL src/a.test.ts
//	web-1  | FAIL src/a.test.ts
//	web:test: FAIL src/a.test.ts
//	packages/web test: FAIL src/a.test.ts
//	[0] FAIL src/a.test.ts
func unlabelled(line string) string {
	for range 3 {
		n := label(line)
		if n == 0 || strings.TrimSpace(line[n:]) == "" {
			break
		}
		line = line[n:]
	}
	return line
}

// maxLabel is how long a label may be, in bytes.
const maxLabel = 80

// label is how long the label is that a line begins with; 0: it has none.
func label(line string) int {
	end := strings.IndexByte(line[:min(len(line), maxLabel)], ' ')
	if end <= 0 || end+1 >= len(line) {
		return 0
	}
	word := line[:end]
	switch {
	case isTime(word):
		return end + 1
	case word[0] == '[':
		inner, ok := strings.CutSuffix(word[1:], "]")
		if ok && inner != "" && !Among("error info warn success debug", inner) && !strings.HasPrefix(line[end+1:], "›") && (isTime(inner) || strings.Trim(inner, digits) == "" || isSlug(inner)) {
			return end + 1
		}
		return 0
	case word[len(word)-1] == ':':
		name, task, ok := strings.Cut(word[:len(word)-1], ":")
		if ok && isSlug(task) && isPackage(name) {
			return end + 1 // turbo
		}
		return 0
	}
	rest := line[end:]
	if after := strings.TrimLeft(rest, " "); strings.HasPrefix(after, "| ") && isPackage(word) && strings.ContainsAny(word, "-_") && isDigit(word[len(word)-1]) {
		return len(line) - len(after) + 2 // docker compose
	}
	if word == "." || strings.Contains(word, "/") && isPackage(word) {
		if task, _, ok := strings.Cut(rest[1:min(len(rest), maxLabel)], ": "); ok && isSlug(task) {
			return end + 1 + len(task) + 2 // pnpm -r
		}
	}
	return 0
}

// isTime reports whether a word is a date or a time: 2026-01-02T03:04:05Z,
// 03:04:05.678.
func isTime(word string) bool {
	if len(word) < 8 || !isDigit(word[0]) || !isDigit(word[1]) {
		return false
	}
	if strings.Trim(word, "0123456789:.,-TZ+/") != "" {
		return false
	}
	return strings.Count(word, ":") == 2 || len(word) >= 10 && word[4] == '-' && word[7] == '-'
}

// isSlug reports whether a word may name a task: test, test:unit, type-check.
func isSlug(word string) bool {
	if word == "" || word[0] < 'a' || word[0] > 'z' {
		return false
	}
	for i := range len(word) {
		if b := word[i]; !isDigit(b) && (b < 'a' || b > 'z') && b != '-' && b != '_' && b != ':' && b != '.' && b != '/' {
			return false
		}
	}
	return true
}

// isPackage reports whether a word may name a package or a service: @scope/web,
// packages/web, web-1. Numbers are a listing's lines.
func isPackage(word string) bool {
	letter := false
	for i := range len(word) {
		b := word[i]
		letter = letter || b >= 'a' && b <= 'z'
		if !isDigit(b) && !inWord(b) && b != '-' && b != '.' && b != '/' && b != '@' {
			return false
		}
	}
	return letter
}
