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
	lines, _, _ := strings.Cut(string(script), "\n-- ")
	for _, section := range strings.Split(lines, "\n# row: ")[1:] {
		row, below, _ := strings.Cut(section, "\n")
		tried = append(tried, row)
		if m := regexp.MustCompile(`(?m)^# elsewhere (.*)$`).FindStringSubmatch(below); m != nil {
			runElsewhere(t, m[1])
		} else if !regexp.MustCompile(`(?m)^(! exec|exec|status \d+) `).MatchString(below) {
			t.Errorf("manners.txtar: below the row %q stands no command", row)
		}
	}
	ways := readPageWays(t)
	run := func(m []string) bool { return ways.of(onPage{"docs/manners.md", m[1], false}).not == "" }
	_, table, _ := strings.Cut(docsPage(t, "manners.md"), "|---|---|---|\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		row := strings.TrimPrefix(cells[0], "| ")
		if rows = append(rows, row); !slices.Contains(tried, row) && !slices.ContainsFunc(inText.FindAllStringSubmatch(line, -1), run) {
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
