package debrief

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// filtered reports whether a line that tells of a failure may be missing, because
// the line passes the output on to a program that shows a part of it: head -3, grep
// ok. What ends in a sum is not harmed by tail; one that shows more lines than came
// leaves nothing out.
func (c *call) filtered(cmd *command) bool {
	if cmd.unreadable {
		return strings.Contains(cmd.line, "|")
	}
	if !strings.Contains(cmd.line, "|") {
		return false
	}
	return slices.ContainsFunc(c.commands[min(cmd.at+1, len(c.commands)):], func(next *command) bool {
		n := strings.Count(strings.TrimRight(c.Output(), "\n"), "\n") + 1
		return partial(next) && !(next.name() == "head" && linesAsked(next.Words) > n)
	})
}

// showsPart reports whether an output is only the end, or a part, of what a command
// printed of its packages, so that one of them without tests says nothing of the rest.
func (c *call) showsPart(cmd *command) bool {
	return strings.Contains(cmd.line, "|") && strings.Contains(c.Output(), "[no test files]")
}

// partial reports whether a program shows a part of what it reads in which a failure
// need not be.
func partial(cmd *command) bool {
	fails := strings.Contains(strings.ToLower(cmd.text), "fail") || strings.Contains(strings.ToLower(cmd.text), "error")
	switch cmd.name() {
	case "grep", "egrep", "rg":
		return slices.Contains(cmd.Words, "-v") == fails
	case "head", "wc", "sed", "awk", "cut", "uniq":
		return true
	}
	return false
}

// linesAsked is how many lines head shows; 0 where it does not count in lines, or from
// the other end.
func linesAsked(words []string) int {
	n := 10
	for _, m := range lineCount().FindAllStringSubmatch(strings.Join(words[1:], " "), -1) {
		n, _ = strconv.Atoi(m[1])
	}
	return max(n, 0)
}

var lineCount = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^| )(?:-c|(?:-n ?|--lines[= ]|-)([+-]?\d+)(?: |$))`)
})
