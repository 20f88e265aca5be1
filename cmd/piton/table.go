package main

import (
	"slices"
	"strings"
)

// table is a list of things, one a row, in columns. All lists of all commands are
// printed with it, so that they look alike. On a terminal it is no wider than that:
// first columns move below their rows, the last first, then texts are cut. Where no
// person reads, every column stays and nothing is cut. Ids are never cut: people and
// scripts copy them.
type table struct {
	columns []column
	rows    [][]string
	below   [][]string // of each row, what had no room beside it
}

// column is a column of a table.
type column struct {
	head string
	// cut shortens a text to so many columns of the terminal; a column without it is
	// never cut.
	cut func(text string, columns int) string
	// spare: on a terminal the column is left out where no row says anything in it,
	// and where there is no room for it, what it says stands below the row.
	spare bool
	// below: on a terminal what the column says stands below the row, wrapped and whole.
	below bool
}

// Kinds of columns: what must stay whole (ids, numbers, ages), texts, and paths,
// whose end says more than their beginning.
func whole(head string) column    { return column{head: head} }
func wording(head string) column  { return column{head: head, cut: cutEnd} }
func pathWise(head string) column { return column{head: head, cut: cutBeginning} }

// spared is the column as one that gives way on a narrow terminal.
func (c column) spared() column {
	c.spare = true
	return c
}

// under is the column as one whose texts are too long to stand beside others.
func (c column) under() column {
	c.spare, c.below = true, true
	return c
}

// add adds a row: a text for each column, "" for none.
func (t *table) add(texts ...string) {
	row := make([]string, len(texts))
	for i, s := range texts {
		row[i] = orDash(s)
	}
	t.rows = append(t.rows, row)
}

const (
	gapWidth  = 2  // between two columns
	comfort   = 12 // how wide a column of texts is at least while another can move
	minColumn = 8  // how narrow a column is made that has to give way
	maxColumn = 60 // how wide a text makes its column at most on a terminal
)

// printTable prints a table, with its head.
func (con *console) printTable(t table) error {
	if con.forPerson() {
		for i, c := range t.columns {
			if c.cut != nil && !c.below {
				t.cut(i, maxColumn)
			}
		}
		t.move(con.width())
		t.fit(con.width())
	}
	return con.print(t.text(con.bold, con.faint))
}

// widths are the widths of the columns.
func (t *table) widths() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = columnsOf(c.head)
		for _, row := range t.rows {
			widths[i] = max(widths[i], columnsOf(row[i]))
		}
	}
	return widths
}

// least is how wide the table is when each text takes at most so many columns.
func (t *table) least(text int) int {
	sum := gapWidth * (len(t.columns) - 1)
	for i, w := range t.widths() {
		if t.columns[i].cut != nil {
			w = min(w, max(text, columnsOf(t.columns[i].head)))
		}
		sum += w
	}
	return sum
}

// move takes out the columns that are empty, and from the right those that a terminal
// so wide has no room for; what these say goes below the rows.
func (t *table) move(width int) {
	below := make([][]string, len(t.rows))
	for i := len(t.columns) - 1; i >= 0; i-- {
		c := t.columns[i]
		empty := !slices.ContainsFunc(t.rows, func(row []string) bool { return row[i] != orDash("") })
		fits := width <= 0 || t.least(comfort) <= width
		if !c.spare || fits && !empty && !c.below {
			continue
		}
		for n, row := range t.rows {
			if row[i] != orDash("") {
				below[n] = slices.Insert(below[n], 0, c.labelled(row[i], width-len(indentation)))
			}
			t.rows[n] = slices.Delete(row, i, i+1)
		}
		t.columns = slices.Delete(t.columns, i, i+1)
	}
	for _, parts := range below {
		t.below = append(t.below, wrapped(parts, width-len(indentation)))
	}
}

// labelled is what a column says of a row, with the column's name.
func (c column) labelled(text string, columns int) string {
	label := strings.ToLower(c.head) + " "
	if c.below {
		return wrapping{columns: columns, indent: always(len(indentation))}.line(label + text)
	}
	if c.cut != nil {
		text = c.cut(text, columns-columnsOf(label))
	}
	return label + text
}

// wrapped joins parts to lines of so many columns.
func wrapped(parts []string, columns int) (lines []string) {
	for i, part := range parts {
		if strings.Contains(part, "\n") {
			lines = append(lines, strings.Split(part, "\n")...)
			continue
		}
		if last := len(lines) - 1; i > 0 && columnsOf(lines[last]+", "+part) <= columns {
			lines[last] += ", " + part
			continue
		}
		lines = append(lines, part)
	}
	return lines
}

// fit cuts texts, the widest column first, until the table fits.
func (t *table) fit(width int) {
	widths := t.widths()
	over := gapWidth*(len(widths)-1) - width
	for _, w := range widths {
		over += w
	}
	for ; width > 0 && over > 0; over-- {
		widest := -1
		for i, c := range t.columns {
			if c.cut != nil && widths[i] > max(minColumn, columnsOf(c.head)) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	for i, c := range t.columns {
		if c.cut != nil {
			t.cut(i, widths[i])
		}
	}
}

// cut cuts the texts of a column.
func (t *table) cut(i, columns int) {
	for _, row := range t.rows {
		row[i] = t.columns[i].cut(row[i], columns)
	}
}

// indentation is before what stands below a row.
const indentation = "  "

// text is the table as it is printed, its head and what stands below rows in a style of
// their own. The last column has no blanks behind it.
func (t *table) text(head, below func(string) string) string {
	widths := t.widths()
	var b strings.Builder
	write := func(row []string, style func(string) string) {
		for i, s := range row {
			pad := strings.Repeat(" ", widths[i]-columnsOf(s)+gapWidth)
			if i == len(row)-1 {
				pad = ""
			}
			b.WriteString(style(s) + pad)
		}
		b.WriteString("\n")
	}
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.head
	}
	write(heads, head)
	for n, row := range t.rows {
		write(row, func(s string) string { return s })
		if n < len(t.below) {
			for _, s := range t.below[n] {
				b.WriteString(indentation + below(s) + "\n")
			}
		}
	}
	return b.String()
}
