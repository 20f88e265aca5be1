package main

import (
	"fmt"
	"strings"

	"github.com/wI2L/jsondiff"

	"github.com/piton-project/piton/internal/screen"
)

// Bounds of the changes that a person is shown: of one top key, and in all.
const (
	maxOfKey   = 20
	maxChanges = 200
	maxValue   = 80 // characters of a value
)

// changes writes operations for people, a line each, at most so many, by the top keys of
// the state: the form of 'diff' and of 'inspect'. all: none was left out.
func (con console) changes(patch jsondiff.Patch, left int) (text string, all bool) {
	var b strings.Builder
	all = len(patch) <= left
	for _, group := range byTopKey(patch) {
		shown := min(len(group), maxOfKey, left)
		left -= shown
		for _, o := range group[:shown] {
			b.WriteString(screen.Indentation + con.operation(o) + "\n")
		}
		if n := len(group) - shown; n > 0 && shown > 0 {
			fmt.Fprintf(&b, "  … and %d more at %s\n", n, screen.Short(topKey(group[0].Path), maxValue))
			all = false
		}
		if left == 0 && !all {
			b.WriteString("  … and more\n")
			break
		}
	}
	return b.String(), all
}

// operation is one change on a line.
func (con console) operation(o jsondiff.Operation) string {
	path := screen.Short(string(screen.CleanJSON([]byte(o.Path))), 120)
	old, now := value(o.OldValue), value(o.Value)
	switch o.Type {
	case jsondiff.OperationAdd:
		return con.Green("+ " + path + ": " + cut(now, 0))
	case jsondiff.OperationRemove:
		return con.Red("- " + path + ": " + cut(old, 0))
	}
	from := common(old, now)
	return fmt.Sprintf("%s %s: %s → %s", con.Yellow("~"), path, con.Red(cut(old, from)), con.Green(cut(now, from)))
}

// value writes a value as JSON that is safe on a terminal.
func value(v any) []rune {
	var b strings.Builder
	if err := screen.WriteJSON(&b, v); err != nil {
		return []rune("?")
	}
	return []rune(string(screen.CleanJSON([]byte(strings.TrimRight(b.String(), "\n")))))
}

// common is how much two long values have in common at their beginning.
func common(x, y []rune) int {
	if max(len(x), len(y)) <= maxValue {
		return 0
	}
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return max(n-maxValue/4, 0)
}

// cut shows a value from a place on, as far as there is room.
func cut(v []rune, from int) string {
	left, right := "", ""
	if from > 0 {
		left = "…"
	}
	v = v[min(from, len(v)):]
	if len(v) > maxValue {
		v, right = v[:maxValue], "…"
	}
	return left + string(v) + right
}

// byTopKey groups operations by the state's keys, in their order.
func byTopKey(patch jsondiff.Patch) []jsondiff.Patch {
	var groups []jsondiff.Patch
	for i, o := range patch {
		if i == 0 || topKey(o.Path) != topKey(patch[i-1].Path) {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], o)
	}
	return groups
}

func topKey(path string) string {
	key, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return "/" + key
}
