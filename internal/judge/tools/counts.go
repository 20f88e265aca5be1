package tools

import (
	"strconv"
	"strings"
)

// eachCount calls f with each word of the line and the number that counts it:
// the one after it in `Failures: 2`, `errors=2` and `# fail 2`, the one before
// it in `2 failed`; -1 if there is none.
func eachCount(line string, f func(word string, n int)) {
	for i := 0; i < len(line); i++ {
		if !inWord(line[i]) {
			continue
		}
		from := i
		for i < len(line) && (inWord(line[i]) || isDigit(line[i])) {
			i++
		}
		after := i
		for after < len(line) && line[after] == ' ' {
			after++
		}
		n := -1
		if after < len(line) && (line[after] == ':' || line[after] == '=') {
			n = leading(strings.TrimLeft(line[after+1:min(after+20, len(line))], " "))
		}
		if n < 0 && from > 0 && line[from-1] == ' ' {
			n = trailing(strings.TrimRight(line[max(0, from-20):from], " "))
		}
		if n < 0 && after > i && line[0] == '#' {
			n = leading(line[after:min(after+20, len(line))])
		}
		f(line[from:i], n)
	}
}

// inWord reports whether a byte is part of a word; those of letters beyond ASCII
// are taken for one.
func inWord(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

const digits = "0123456789"

// leading is the whole number that s begins with, -1 if there is none.
func leading(s string) int { return number(s[:len(s)-len(strings.TrimLeft(s, digits))]) }

// trailing is the whole number that s ends with.
func trailing(s string) int {
	before := strings.TrimRight(s, digits)
	if n := len(before); n > 0 && (before[n-1] == '.' || before[n-1] == '-' || before[n-1] == ':' || inWord(before[n-1])) {
		return -1 // part of 0.5, 2024-01-01, 10:30, v2
	}
	return number(s[len(before):])
}

// number reads a count; -1 if s is none.
func number(s string) int {
	if len(s) > 9 {
		return -1
	}
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return -1
	}
	return int(n)
}
