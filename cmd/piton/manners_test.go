package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocsManners: the page has at least the 40 manners that it promises, and each of them
// is tried: by a command of its row, which TestPages runs, or in testdata/script/manners.txtar.
func TestDocsManners(t *testing.T) {
	script, err := os.ReadFile("testdata/script/manners.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var tried, rows []string
	for _, m := range regexp.MustCompile(`(?m)^# row: (.*)$`).FindAllStringSubmatch(string(script), -1) {
		tried = append(tried, m[1])
	}
	_, table, _ := strings.Cut(docsPage(t, "manners.md"), "|---|---|---|\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		row := strings.TrimPrefix(cells[0], "| ")
		if rows = append(rows, row); !slices.Contains(tried, row) && !inText.MatchString(line) {
			t.Errorf("nothing tries the row %q", row)
		}
	}
	for _, row := range tried {
		if !slices.Contains(rows, row) {
			t.Errorf("manners.txtar tries %q, which is no row of docs/manners.md", row)
		}
	}
	if len(rows) < 40 {
		t.Errorf("got %d rows, want at least 40", len(rows))
	}
}
