package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/piton-project/piton/internal/config"
)

// colour gives a text a colour of the terminal's, where output may be coloured.
func (con *console) colour(text, number string) string {
	if !con.coloured() {
		return text
	}
	return lipgloss.NewStyle().Foreground(lipgloss.Color(number)).Render(text)
}

func (con *console) coloured() bool {
	return con.forPerson() && con.getenv("NO_COLOR") == "" && con.getenv("TERM") != "dumb"
}

func (con *console) bold(s string) string {
	if !con.coloured() {
		return s
	}
	return lipgloss.NewStyle().Bold(true).Render(s)
}

func (con *console) red(s string) string    { return con.colour(s, "1") }
func (con *console) green(s string) string  { return con.colour(s, "2") }
func (con *console) yellow(s string) string { return con.colour(s, "3") }

func (con *console) colourDiff(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "+"):
			lines[i] = con.green(l)
		case strings.HasPrefix(l, "-"):
			lines[i] = con.red(l)
		}
	}
	return strings.Join(lines, "\n")
}

// shortPath writes a path in at most n characters: its end says more than its
// beginning.
func (con *console) shortPath(path string, n int) string {
	if home := config.UserHome(con.getenv); home != "/" && (path == home || strings.HasPrefix(path, home+"/")) {
		path = "~" + path[len(home):]
	}
	return ending(line(path), n)
}

func widthsOf(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], lipgloss.Width(text))
		}
	}
	return widths
}

// minColumn is how narrow a column is made that has to give way.
const minColumn = 8

// fitted cuts the given columns of a table, the widest first, until it fits the
// terminal; of a path the end is kept, which says more.
func (con *console) fitted(rows [][]string, columns ...int) [][]string {
	if con.width() == 0 || !con.forPerson() {
		return rows
	}
	widths := widthsOf(rows)
	over := 2*(len(widths)-1) - con.width()
	for _, w := range widths {
		over += w
	}
	for ; over > 0; over-- {
		widest := slices.MaxFunc(columns, func(i, j int) int { return widths[i] - widths[j] })
		if widths[widest] <= minColumn {
			break
		}
		widths[widest]--
	}
	for _, row := range rows {
		for _, i := range columns {
			cut := short
			if strings.ContainsAny(row[i][:min(len(row[i]), 1)], "/~") || strings.HasPrefix(row[i], "…") {
				cut = ending
			}
			row[i] = cut(row[i], widths[i])
		}
	}
	return rows
}

// table prints rows in columns; the first row is the head.
func (con *console) table(rows [][]string) error { return con.columns(rows, "", "  ", "") }

// markdown prints rows as a table of Markdown, its columns aligned.
func (con *console) markdown(rows [][]string) error {
	var rule []string
	for _, w := range widthsOf(rows) {
		rule = append(rule, strings.Repeat("-", w))
	}
	return con.columns(append([][]string{rows[0], rule}, rows[1:]...), "| ", " | ", " |")
}

// columns writes rows in columns as wide as their widest cell is on a
// terminal.
func (con *console) columns(rows [][]string, left, between, right string) error {
	widths := widthsOf(rows)
	var b strings.Builder
	for n, row := range rows {
		b.WriteString(left)
		for i, text := range row {
			pad := strings.Repeat(" ", widths[i]-lipgloss.Width(text))
			if n == 0 {
				text = con.bold(text)
			}
			switch {
			case i < len(row)-1:
				text += pad + between
			case right != "":
				text += pad
			}
			b.WriteString(text)
		}
		b.WriteString(right + "\n")
	}
	return con.print(b.String())
}

// maxRows bounds each list that is shown under a label.
const maxRows = 12

// rows writes a list under a label.
func rows[T any](b *strings.Builder, label string, list []T, text func(T) string) {
	for i, x := range list {
		if i == maxRows {
			fmt.Fprintf(b, "  %-10s  and %d more\n", "", len(list)-i)
			break
		}
		fmt.Fprintf(b, "  %-10s  %s\n", label, short(text(x), 160))
		label = ""
	}
}

// textRows are rows of texts as they are.
func textRows(b *strings.Builder, label string, list []string) {
	rows(b, label, list, func(s string) string { return s })
}
