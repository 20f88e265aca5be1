package main

import (
	"fmt"
	"strings"

	"github.com/piton-project/piton/internal/config"
)

// colour gives a text one of the terminal's first eight colours, where output may be
// coloured.
func (con *console) colour(text, number string) string {
	if !con.coloured() {
		return text
	}
	return "\x1b[3" + number + "m" + text + "\x1b[0m"
}

func (con *console) coloured() bool {
	return con.forPerson() && con.getenv("NO_COLOR") == "" && con.getenv("TERM") != "dumb"
}

func (con *console) bold(s string) string {
	if !con.coloured() {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

func (con *console) faint(s string) string {
	if !con.coloured() {
		return s
	}
	return "\x1b[2m" + s + "\x1b[0m"
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

// shortPath writes a path in at most n columns: its end says more than its
// beginning.
func (con *console) shortPath(path string, n int) string { return cutBeginning(con.homePath(path), n) }

// homePath writes a path on one line, with ~ for the user's home.
func (con *console) homePath(path string) string {
	if home := config.UserHome(con.getenv); home != "/" && (path == home || strings.HasPrefix(path, home+"/")) {
		path = "~" + path[len(home):]
	}
	return line(path)
}

// wrapped is a text as a person's terminal shows it: no line is wider than the terminal,
// as far as what people copy allows it. Elsewhere the text stays as it is.
func (con *console) wrapped(text string, indent func(line string) int, keep ...string) string {
	if !con.forPerson() {
		return text
	}
	return wrapping{columns: con.width(), indent: indent, keep: keep}.lines(text)
}

// maxRows bounds each list that is shown under a label, and labelWidth is where its rows
// begin.
const (
	maxRows    = 12
	labelWidth = 14
)

// Bounds of one row: of names and commands, and of sentences.
const (
	maxRow     = 160
	maxTextRow = 800
)

// rows writes a list under a label.
func rows[T any](b *strings.Builder, label string, list []T, text func(T) string) {
	bounded(b, label, list, maxRow, text)
}

func bounded[T any](b *strings.Builder, label string, list []T, most int, text func(T) string) {
	for i, x := range list {
		if i == maxRows {
			fmt.Fprintf(b, "  %-10s  and %d more\n", "", len(list)-i)
			break
		}
		fmt.Fprintf(b, "  %-10s  %s\n", label, short(text(x), most))
		label = ""
	}
}

// textRows are rows of texts as they are. What an action asks for stands at its
// end, behind the names of files, so that they are cut late.
func textRows(b *strings.Builder, label string, list []string) {
	bounded(b, label, list, maxTextRow, func(s string) string { return s })
}
