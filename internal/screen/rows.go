package screen

import (
	"fmt"
	"strings"
)

// Indentation is before what stands below a row.
const Indentation = "  "

// maxRows bounds each list that is shown under a label, and LabelWidth is where its rows
// begin.
const (
	maxRows    = 12
	LabelWidth = 14
)

// Bounds of one row: of names and commands, and of sentences.
const (
	maxRow     = 160
	MaxTextRow = 800
)

// Rows writes a list under a label.
func Rows[T any](b *strings.Builder, label string, list []T, text func(T) string) {
	bounded(b, label, list, maxRow, text)
}

func bounded[T any](b *strings.Builder, label string, list []T, most int, text func(T) string) {
	for i, x := range list {
		if i == maxRows {
			fmt.Fprintf(b, "  %-10s  and %d more\n", "", len(list)-i)
			break
		}
		fmt.Fprintf(b, "  %-10s  %s\n", label, Short(text(x), most))
		label = ""
	}
}

// TextRows are rows of texts as they are. What an action asks for stands at its
// end, behind the names of files, so that they are cut late.
func TextRows(b *strings.Builder, label string, list []string) {
	bounded(b, label, list, MaxTextRow, func(s string) string { return s })
}

// RowIndent is where a row under a label goes on, and every other line.
func RowIndent(l string) int {
	if strings.HasPrefix(l, Indentation) {
		return LabelWidth
	}
	return len(Indentation)
}
