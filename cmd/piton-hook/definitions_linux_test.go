//go:build linux && amd64

package main

import (
	"slices"
	"strings"
	"testing"
)

// TestStopCostOfDefinitions counts what a stop asks of the system in a project
// that has settings and definitions of tests: as much as without them, but for
// the files themselves, unless this turn changed one. Only then git is asked how
// it was before.
func TestStopCostOfDefinitions(t *testing.T) {
	files := []string{"go.mod", "module shop\n", "main.go", "package shop\n", "main_test.go", "package shop\n", "Makefile", "test:\n\tgo test ./...\n",
		"package.json", `{"scripts":{"test":"jest"}}`, "scripts/test.sh", "#!/bin/sh\ngo test ./...\n", "pytest.ini", "[pytest]\n", ".piton.yaml", "debrief: {min_turn: 0s, tests: [just ci]}\n"}
	for _, x := range []struct {
		name, file, text string
		started          []string
		read             []string // beside the definitions, also for the mark; nil: not looked at
	}{
		{"none changed, and held", "main.go", "package shop\n\nvar mended = true\n", []string{" status --porcelain=v2 ", " cat-file --batch"}, []string{"project/main.go", "project/main.go"}},
		{"none changed, and let go", "README.md", "more\n", []string{" status --porcelain=v2 "}, []string{"project/README.md"}},
		{"a Makefile changed", "Makefile", "test:\n\ttrue\n", []string{" status --porcelain=v2 ", " cat-file --batch"}, nil},
		{"the settings changed", ".piton.yaml", "debrief: {min_turn: 0s}\n", []string{" status --porcelain=v2 ", " cat-file --batch"}, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			var got trace
			c := undisturbed(t, func(c *client) {
				c.repository(files...)
				c.set("PITON_DEBRIEF_MIN_TURN", "0s")
				c.hook(c.event("UserPromptSubmit", map[string]any{"prompt": "mend it"}))
				c.edits(x.file, x.text)
				got = c.traced(c.event("Stop", nil))
			})
			if !slices.EqualFunc(got.started, x.started, strings.Contains) {
				t.Errorf("got the programs %q, want %q", got.started, x.started)
			}
			if x.read == nil {
				return
			}
			opened := slices.DeleteFunc(c.below(got.opened), func(f string) bool { return !strings.HasPrefix(f, "project") || strings.HasPrefix(f, "project/.git") })
			want := slices.Sorted(slices.Values(append(x.read, "project", "project", "project", "project/.piton.yaml", "project/Makefile", "project/package.json", "project/scripts", "project/scripts/test.sh")))
			if !slices.Equal(opened, want) {
				t.Errorf("got these files opened\n\t%s\nwant\n\t%s", strings.Join(opened, "\n\t"), strings.Join(want, "\n\t"))
			}
		})
	}
}
