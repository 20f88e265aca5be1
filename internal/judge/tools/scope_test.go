package tools

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// fields splits a line into words; those in single quotes are one.
func fields(line string) (words []string) {
	var b strings.Builder
	quoted, some := false, false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, some = !quoted, true
		case r == ' ' && !quoted:
			if b.Len() > 0 || some {
				words = append(words, b.String())
			}
			some = false
			b.Reset()
		default:
			b.WriteRune(r)
		}
	}
	if b.Len() > 0 || some {
		words = append(words, b.String())
	}
	return words
}

// shown is a scope in one line.
func shown(s Scope) string {
	if s.Unread {
		return "unread"
	}
	var all []string
	for _, p := range s.Places {
		text := []string{"tree ", "folder ", "file ", "part ", "expr ", "glob ", "dotted ", "import "}[p.Shape] + p.Path
		if p.Under != "" {
			text += " under " + p.Under
		}
		if p.Of != "" {
			text = strings.TrimSpace(text) + " of " + p.Of
		}
		if p.Test != "" {
			text += " test " + p.Test
		}
		if p.Not {
			text = "not " + text
		}
		all = append(all, strings.TrimSpace(text))
	}
	for _, c := range s.Names {
		text := []string{"contains", "exactly", "fits", "levels", "keywords", "globbed"}[c.By] + fmt.Sprintf(" %q", c.Texts)
		if c.Not {
			text = "not " + text
		}
		all = append(all, text)
	}
	for _, m := range s.Marks {
		all = append(all, "mark "+m)
	}
	if s.Tags != "" {
		all = append(all, "tags "+s.Tags)
	}
	if s.Stops {
		all = append(all, "stops")
	}
	if len(all) == 0 {
		return "all"
	}
	return strings.Join(all, "; ")
}

func cases(t testing.TB, file string) (all [][]string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		if line := scan.Text(); line != "" && line[0] != '#' {
			all = append(all, slices.Collect(func(yield func(string) bool) {
				for part := range strings.SplitSeq(line, " | ") {
					if !yield(strings.TrimSpace(part)) {
						return
					}
				}
			}))
		}
	}
	return all
}

// TestScopes compares what each tool is read to take with testdata/scopes.txt.
func TestScopes(t *testing.T) {
	for _, c := range cases(t, "testdata/scopes.txt") {
		want := "all"
		if len(c) > 1 {
			want = c[1]
		}
		if got := shown(NewCall(fields(c[0])).Scope()); got != want {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, want)
		}
	}
}
