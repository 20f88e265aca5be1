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
	_, brief, found := strings.Cut(prompt, Heading+"\n")
	if !found {
		return "", "", false
	}
	m := quotedID().FindStringSubmatch(brief)
	if m == nil {
		return "", "", false
	}
	if t := quotedTask().FindStringSubmatch(brief); t != nil {
		task = strings.TrimSpace(t[1])
	}
	return m[1], task, true
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
