package states

import (
	"regexp"
	"strings"
	"sync"

	"github.com/piton-project/piton"
)

var (
	quotedTask = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\*\*Task\*\*: (.+)$`) })
	quotedID   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^The whole state as it was saved: 'piton load (` + piton.CheckpointPrefix + `[0-9a-z]+)`)
	})
)

// Quoted tells which checkpoint a prompt is the brief of, and what its task is: the
// client was started on it ('piton resume --exec'), or a person has pasted it, with
// words around it or not.
func Quoted(prompt string) (id, task string, ok bool) {
	brief, _ := briefIn(prompt)
	m := quotedID().FindStringSubmatch(brief)
	if m == nil {
		return "", "", false
	}
	return m[1], taskIn(brief), true
}

// QuotedTask is the task of the brief that a prompt holds, or of what is left of one.
func QuotedTask(prompt string) (task string, ok bool) {
	brief, ok := briefIn(prompt)
	return taskIn(brief), ok
}

func taskIn(brief string) string {
	if t := quotedTask().FindStringSubmatch(brief); t != nil {
		return strings.TrimSpace(t[1])
	}
	return ""
}

// briefIn is the brief in a text, from its heading on: also one whose lines were quoted,
// indented, or given the ends of another system.
func briefIn(text string) (brief string, ok bool) {
	if !strings.Contains(text, Heading) {
		return "", false
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimRight(line, " \t\r\n"), "> \t")
		if ok = ok || strings.HasSuffix(line, Heading); ok {
			b.WriteString(line + "\n")
		}
	}
	return b.String(), ok
}

// Task is what the work of a checkpoint is; what is left of a state that cannot be
// read is its record.
func Task(c piton.Checkpoint, state []byte) string {
	s, err := Read(state)
	if err != nil {
		return c.TaskSummary
	}
	return taskOf(c, s)
}
