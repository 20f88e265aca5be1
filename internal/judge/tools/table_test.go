package tools

import (
	"slices"
	"strings"
	"testing"
)

// A program stands in one row.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range table {
		for name := range strings.FieldsSeq(tool.Names + " " + tool.Aliases) {
			if seen[name] {
				t.Errorf("%q stands in two rows", name)
			}
			seen[name] = true
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		place, wide string
		want        bool
	}{
		{"a", "a", true}, {"./a", "a", true}, {"a/b", "./a", true}, {"a/b.py::c", "a/b.py", true}, {"a/b", "...", true}, {"./a", "./...", true}, {"a", "./a/...", true}, {"a/b", "a/...", true}, {"a", ".", true},
		{"a", "b", false}, {"ab", "a", false}, {"a", "a/b", false}, {"ab", "a/...", false}, {"./...", ".", false}, {"./a/...", "./a", false}, {"./...", "./a/...", false},
	} {
		if got := Within(c.place, c.wide); got != c.want {
			t.Errorf("%s within %s: got %t, want %t", c.place, c.wide, got, c.want)
		}
	}
}

func TestChosen(t *testing.T) {
	for _, c := range []struct {
		line, choosers string
		want           []Flag
	}{
		{"go test -run A -v ./...", "-run -k", []Flag{{"-run", "A"}}},
		{"pytest -k=a --deselect b", "-run -k", []Flag{{"-k", "a"}}},
		{"pytest -k=a --deselect b", ByLeaving, []Flag{{"-k", "a"}, {"--deselect", "b"}}},
		{"mvn test -pl core", "-run -pl", []Flag{{"-pl", "core"}}},
		{"gradle test -x lint", ByLeaving, []Flag{{"-x", "lint"}}},
		{"pytest -x", ByLeaving, nil}, // it stops at the first failure
		{"go test -short", ByLeaving, []Flag{{"-short", ""}}},
		{"-k a", "-run -k", nil},
	} {
		if got := Chosen(strings.Fields(c.line), c.choosers); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.line, got, c.want)
		}
	}
}

// Every expression of a row is one that can be compiled.
func TestExpressions(t *testing.T) {
	all := []string{label, escapes, exitNamed, capitals, formattedFolders, gitFolders, writingPart, verifyingPart}
	spots := func(list []Spot) {
		for _, s := range list {
			all = append(all, "(?s)"+s.Re)
		}
	}
	for _, tool := range table {
		all = append(all, tool.DryFits, tool.SpellEach)
		for _, c := range slices.Concat(tool.Writes, tool.Risks) {
			all = append(all, c.Fits)
		}
		for _, c := range tool.Calls {
			all = append(all, c.Fits, c.Part)
		}
		for _, w := range tool.Wraps {
			all = append(all, w.Before)
		}
		if s := tool.Streams; s != nil {
			all = append(all, s.Edits, s.Script)
		}
		for _, p := range tool.Picks {
			spots(p.Operand)
			for _, f := range p.Places {
				spots(f.As)
			}
		}
	}
	for _, text := range all {
		if expression(text) == nil {
			t.Errorf("%q is not an expression, or longer than %d bytes", text, maxPattern)
		}
	}
}
