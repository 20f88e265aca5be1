package main

import (
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"golang.org/x/term"
)

// outTerminal tells whether a person reads our output.
func (a *app) outTerminal() bool { return isTerminal(a.out) && !a.json }

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is how many columns the terminal has; 0 where that is not known.
func (a *app) width() int {
	f, ok := a.out.(*os.File)
	if !ok {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// colour tells whether output may be coloured.
func (a *app) colour() bool {
	return a.outTerminal() && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

func (a *app) style(s lipgloss.Style, text string) string {
	if !a.colour() {
		return text
	}
	return s.Render(text)
}

func (a *app) bold(s string) string { return a.style(lipgloss.NewStyle().Bold(true), s) }

func (a *app) green(s string) string {
	return a.style(lipgloss.NewStyle().Foreground(lipgloss.Color("2")), s)
}

func (a *app) red(s string) string {
	return a.style(lipgloss.NewStyle().Foreground(lipgloss.Color("1")), s)
}

func (a *app) yellow(s string) string {
	return a.style(lipgloss.NewStyle().Foreground(lipgloss.Color("3")), s)
}

// table prints rows in columns; the first row is the head.
func (a *app) table(rows [][]string) error { return a.columns(rows, "", "  ", "") }

// leastShown is how narrow a column is made that has to give way.
const leastShown = 8

// fitted cuts the given columns of a table, the widest first, until it fits the
// terminal; of a path the end is kept, which says more.
func (a *app) fitted(rows [][]string, columns ...int) [][]string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	over := 2*(len(widths)-1) - a.width()
	for _, w := range widths {
		over += w
	}
	if a.width() == 0 || !a.outTerminal() {
		return rows
	}
	for ; over > 0; over-- {
		widest := slices.MaxFunc(columns, func(i, j int) int { return widths[i] - widths[j] })
		if widths[widest] <= leastShown {
			break
		}
		widths[widest]--
	}
	for _, row := range rows {
		for _, i := range columns {
			if strings.HasPrefix(row[i], "/") || strings.HasPrefix(row[i], "~") || strings.HasPrefix(row[i], "…") {
				row[i] = ending(row[i], widths[i])
			} else {
				row[i] = short(row[i], widths[i])
			}
		}
	}
	return rows
}

// markdown prints rows as a table of Markdown, its columns aligned.
func (a *app) markdown(rows [][]string) error {
	rule := make([]string, len(rows[0]))
	for i := range rule {
		for _, row := range rows {
			rule[i] = strings.Repeat("-", max(len(rule[i]), lipgloss.Width(row[i])))
		}
	}
	ruled := append([][]string{rows[0], rule}, rows[1:]...)
	return a.columns(ruled, "| ", " | ", " |")
}

// columns writes rows in columns as wide as their widest cell is on a
// terminal.
func (a *app) columns(rows [][]string, left, between, right string) error {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	var b strings.Builder
	for n, row := range rows {
		b.WriteString(left)
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-lipgloss.Width(cell))
			if n == 0 {
				cell = a.bold(cell)
			}
			last := i == len(row)-1
			switch {
			case last && right == "":
				pad = ""
			case !last:
				pad += between
			}
			b.WriteString(cell + pad)
		}
		b.WriteString(right + "\n")
	}
	_, err := a.out.Write([]byte(b.String()))
	return err
}
