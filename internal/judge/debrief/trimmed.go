package debrief

import (
	"slices"
	"strconv"
	"strings"
)

// trimmed reports whether lines of a command's output may be missing because
// the line passes it on to a program that shows a part: tail -3, grep ok. One
// that shows more lines than came leaves nothing out.
func (c *call) trimmed(cmd *command) bool {
	if cmd.unreadable {
		return strings.Contains(cmd.line, "|")
	}
	if !strings.Contains(cmd.line, "|") {
		return false
	}
	return slices.ContainsFunc(c.commands[min(cmd.at+1, len(c.commands)):], func(next *command) bool {
		switch next.name() {
		case "tail", "head":
			n := linesAsked(next.Words)
			return n >= 0 && strings.Count(strings.TrimRight(c.Output(), "\n"), "\n")+1 >= n
		case "grep", "egrep", "rg":
			return slices.Contains(next.Words, "-v") || !strings.Contains(strings.ToUpper(next.text), "FAIL")
		case "wc", "sed", "awk", "cut", "uniq":
			return true
		}
		return false
	})
}

// linesAsked is how many lines head or tail shows; -1 where it is not counted
// from that end, or in lines.
func linesAsked(words []string) int {
	n := 10
	for i, w := range words[1:] {
		digits := ""
		switch {
		case w == "-n" || w == "--lines":
			if i+2 < len(words) {
				digits = words[i+2]
			}
		case strings.HasPrefix(w, "--lines="):
			digits = w[len("--lines="):]
		case strings.HasPrefix(w, "-n"):
			digits = w[2:]
		case strings.HasPrefix(w, "-c"):
			return 0
		case strings.HasPrefix(w, "-"):
			digits = w[1:]
		}
		if m, err := strconv.Atoi(digits); err == nil && digits != "" {
			n = max(m, 0)
		}
	}
	return n
}
