package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/testkit/screentest"
)

// TestDocsWords: docs/words.md is made of the list of words, each of which is there once.
func TestDocsWords(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Words\n\nOne word, one meaning: in messages, in these pages and in the code. `piton help words`\nprints them.\n")
	command := regexp.MustCompile("'(piton [^']+)'")
	seen, group := map[string]bool{}, ""
	for _, w := range words() {
		if seen[w.Word] || w.Group == "" || w.Meaning == "" {
			t.Errorf("%q: got it twice, or without a title or a meaning: %+v", w.Word, w)
		}
		seen[w.Word] = true
		if w.Group != group {
			group = w.Group
			fmt.Fprintf(&b, "\n## %s\n\n| word | meaning |\n|---|---|\n", group)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", w.Word, command.ReplaceAllString(w.Meaning, "`$1`"))
	}
	if lines := strings.Count(strings.TrimSuffix(wordList, "\n"), "\n"); len(seen) < 50 || lines < len(seen) {
		t.Errorf("got %d words of %d lines", len(seen), lines)
	}
	fresh(t, "words.md", b.String(), "TestDocsWords")
}

// fresh compares a page of docs that is made here, or with -update writes it.
func fresh(t *testing.T, page, want, test string) {
	t.Helper()
	path := "../../docs/" + page
	if *screentest.Update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, _ := os.ReadFile(path); string(have) != want {
		t.Errorf("docs/%s is not what the program says: go test ./cmd/piton -run %s -update writes it anew", page, test)
	}
}

// docsPage is a page of docs.
func docsPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
