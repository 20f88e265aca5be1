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
		for output != "" {
			line := output
			if i := strings.IndexByte(output, '\n'); i >= 0 {
				line = output[:i]
			}
			if i := strings.IndexByte(line, '\r'); i >= 0 {
				line = line[:i]
			}
			output = output[min(len(line)+1, len(output)):]
			if line = strings.TrimRight(Uncoloured(line), " \t"); line != "" && !yield(line) {
				return
			}
		}
	}
}

// Uncoloured is a line without colours and other escape sequences.
func Uncoloured(line string) string {
	at := strings.IndexByte(line, '\x1b')
	if at < 0 {
		return line
	}
	var b strings.Builder
	b.Grow(len(line))
	for at >= 0 {
		b.WriteString(line[:at])
		line = line[at+escape(line[at:]):]
		at = strings.IndexByte(line, '\x1b')
	}
	b.WriteString(line)
	return b.String()
}

// escape is how long the escape sequence is that s begins with.
func escape(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[': // parameters, then a letter
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']': // a title or a link, up to a bell or ESC \
		for i := 2; i < len(s); i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == '\x1b' {
				return min(i+2, len(s))
			}
		}
		return len(s)
	}
	return 2
}
