package turn

import (
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// Bounds of what a description names.
const (
	filesNamed = 5
	maxNamed   = 80
	maxError   = 200
)

// changedSince says which of the agent's files have changed since the last
// checkpoint: they are new to its state, or younger than it.
func changedSince(last piton.Time, known, own []string, f found) string {
	var list []string
	for _, path := range own {
		if !slices.Contains(known, jsonName(path)) || f.changedAt(path).After(last.Time) {
			list = append(list, path)
		}
	}
	since := ""
	if !last.IsZero() {
		since = " since the last checkpoint"
	}
	if len(list) == 0 {
		return "no file changed" + since
	}
	text := count(len(list), "file") + " changed" + since + ": "
	for i, path := range list[:min(len(list), filesNamed)] {
		if i > 0 {
			text += ", "
		}
		text += data(cut(shownName(path), maxNamed))
	}
	if more := len(list) - filesNamed; more > 0 {
		text += " and " + itoa(more) + " more"
	}
	return text
}

// changedAt is when a file was last changed, as far as it is known: by the work
// tree, or by the calls that name it.
func (f found) changedAt(path string) time.Time {
	var at time.Time
	for _, c := range f.changes.Files {
		if c.Path == path {
			at = c.ModTime
		}
	}
	for _, c := range f.script.Calls {
		named := c.Kind == agent.CallEdit && slices.ContainsFunc(c.Paths, func(p string) bool {
			return p == path || strings.HasSuffix(p, "/"+path)
		})
		if named && c.EndedAt.After(at) {
			at = c.EndedAt
		}
	}
	return at
}

// joined puts two parts of a description together.
func joined(first, then string) string {
	if first == "" || then == "" {
		return first + then
	}
	return first + ". " + strings.ToUpper(then[:1]) + then[1:]
}
