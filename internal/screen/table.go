package screen

import (
	"slices"
	"strings"
)

// Table is a list of things, one a row, in columns. All lists of all commands are
// printed with it, so that they look alike. On a terminal it is no wider than that:
// first columns move below their rows, the last first, then texts are cut. Where no
// Person reads, every column stays and nothing is cut. Ids are never cut: people and
// scripts copy them.
type Table struct {
	Columns []Column
	Rows    [][]string
	below   [][]string // of each row, what had no room beside it
}

// Column is a column of a table.
type Column struct {
	head string
	// cut shortens a text to so many columns of the terminal; a column without it is
	// never cut.
	cut func(text string, columns int) string
	// spare: on a terminal the column is left out where no row says anything in it,
	// and where there is no room for it, what it says stands below the row.
	spare bool
	// below: on a terminal what the column says stands below the row, wrapped and Whole.
	below bool
}

// Kinds of columns: what must stay Whole (ids, numbers, ages), texts, and paths,
// whose end says more than their beginning.
func Whole(head string) Column    { return Column{head: head} }
func Wording(head string) Column  { return Column{head: head, cut: CutEnd} }
func PathWise(head string) Column { return Column{head: head, cut: CutBeginning} }

// Spared is the column as one that gives way on a narrow terminal.
func (c Column) Spared() Column {
	c.spare = true
	return c
}

// Under is the column as one whose texts are too long to stand beside others.
func (c Column) Under() Column {
	c.spare, c.below = true, true
	return c
}

// NewTable is a table with these columns, and no row yet.
func NewTable(columns ...Column) Table { return Table{Columns: columns} }

// Add adds a row: a text for each column, "" for none.
func (t *Table) Add(texts ...string) {
	row := make([]string, len(texts))
	for i, s := range texts {
		row[i] = OrDash(s)
	}
	t.Rows = append(t.Rows, row)
}

const (
	gapWidth  = 2  // between two columns
	comfort   = 12 // how wide a column of texts is at least while another can move
	minColumn = 8  // how narrow a column is made that has to give way
	maxColumn = 60 // how wide a text makes its column at most on a terminal
)

// PrintTable prints a table, with its head.
func (s *Screen) PrintTable(t Table) error {
	if s.ForPerson() {
		for i, c := range t.Columns {
			if c.cut != nil && !c.below {
				t.cut(i, maxColumn)
			}
		}
		t.move(s.Width())
		t.fit(s.Width())
	}
	return s.Print(t.text(s.Bold, s.Faint))
}

// widths are the widths of the columns.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = Columns(c.head)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], Columns(row[i]))
		}
	}
	return widths
}

// least is how wide the table is when each text takes at most so many columns.
func (t *Table) least(text int) int {
	sum := gapWidth * (len(t.Columns) - 1)
	for i, w := range t.widths() {
		if t.Columns[i].cut != nil {
			w = min(w, max(text, Columns(t.Columns[i].head)))
		}
		sum += w
	}
	return sum
}

// move takes out the columns that are empty, and from the right those that a terminal
// so wide has no room for; what these say goes below the rows.
func (t *Table) move(width int) {
	below := make([][]string, len(t.Rows))
	for i := len(t.Columns) - 1; i >= 0; i-- {
		c := t.Columns[i]
		empty := !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[i] != OrDash("") })
		fits := width <= 0 || t.least(comfort) <= width
		if !c.spare || fits && !empty && !c.below {
			continue
		}
		for n, row := range t.Rows {
			if row[i] != OrDash("") {
				below[n] = slices.Insert(below[n], 0, c.labelled(row[i], width-len(Indentation)))
			}
			t.Rows[n] = slices.Delete(row, i, i+1)
		}
		t.Columns = slices.Delete(t.Columns, i, i+1)
	}
	for _, parts := range below {
		t.below = append(t.below, wrapped(parts, width-len(Indentation)))
	}
}

// labelled is what a column says of a row, with the column's name.
func (c Column) labelled(text string, columns int) string {
	label := strings.ToLower(c.head) + " "
	if c.below {
		return wrapping{columns: columns, indent: Always(len(Indentation))}.line(label + text)
	}
	if c.cut != nil {
		text = c.cut(text, columns-Columns(label))
	}
	return label + text
}

// Wrapped joins parts to lines of so many columns.
func wrapped(parts []string, columns int) (lines []string) {
	for i, part := range parts {
		if strings.Contains(part, "\n") {
			lines = append(lines, strings.Split(part, "\n")...)
			continue
		}
		if last := len(lines) - 1; i > 0 && Columns(lines[last]+", "+part) <= columns {
			lines[last] += ", " + part
			continue
		}
		lines = append(lines, part)
	}
	return lines
}

// fit cuts texts, the widest column first, until the table fits.
func (t *Table) fit(width int) {
	widths := t.widths()
	over := gapWidth*(len(widths)-1) - width
	for _, w := range widths {
		over += w
	}
	for ; width > 0 && over > 0; over-- {
		widest := -1
		for i, c := range t.Columns {
			if c.cut != nil && widths[i] > max(minColumn, Columns(c.head)) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	for i, c := range t.Columns {
		if c.cut != nil {
			t.cut(i, widths[i])
		}
	}
}

// cut cuts the texts of a column.
func (t *Table) cut(i, columns int) {
	for _, row := range t.Rows {
		row[i] = t.Columns[i].cut(row[i], columns)
	}
}

// text is the table as it is printed, its head and what stands below rows in a style of
// their own. The last column has no blanks behind it.
func (t *Table) text(head, below func(string) string) string {
	widths := t.widths()
	var b strings.Builder
	write := func(row []string, style func(string) string) {
		for i, s := range row {
			pad := strings.Repeat(" ", widths[i]-Columns(s)+gapWidth)
			if i == len(row)-1 {
				pad = ""
			}
			b.WriteString(style(s) + pad)
		}
		b.WriteString("\n")
	}
	heads := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		heads[i] = c.head
	}
	write(heads, head)
	for n, row := range t.Rows {
		write(row, func(s string) string { return s })
		if n < len(t.below) {
			for _, s := range t.below[n] {
				b.WriteString(Indentation + below(s) + "\n")
			}
		}
	}
	return b.String()
}
