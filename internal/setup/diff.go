package setup

import (
	"fmt"
	"strings"
)

// around is how many unchanged lines a hunk shows around what changed.
const around = 3

// Diff renders changes as a unified diff, without colour: what init --dry-run prints.
func Diff(changes []Change) string {
	var out strings.Builder
	for _, c := range changes {
		if c.nothing() {
			continue
		}
		from, to := c.Path, c.Path
		if c.Before == nil {
			from = "/dev/null"
		}
		if c.After == nil {
			to = "/dev/null"
		}
		fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
		for _, h := range hunks(compare(lines(c.Before), lines(c.After))) {
			h.print(&out)
		}
	}
	return out.String()
}

// line is one line of a comparison: ' ' in both, '-' only before, '+' only after.
type line struct {
	sign byte
	text string // with its line end
}

// hunk is a stretch of lines; a and b are how many lines of each side come before it.
type hunk struct {
	a, b  int
	lines []line
}

func lines(text []byte) []string {
	list := strings.SplitAfter(string(text), "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// compare finds a shortest list of lines that leads from a to b (Myers 1986): v[k] is how far one gets in a on diagonal k
// with d changes. Time grows with the changes, which are few, not with the file.
func compare(a, b []string) []line {
	size := len(a) + len(b) + 1
	v := make([]int, 2*size+1)
	var trace [][]int
	for d := 0; ; d++ {
		trace = append(trace, append([]int(nil), v[size-d:size+d+1]...)) // before this round: diagonals -d..d
		for k := -d; k <= d; k += 2 {
			x := v[size+k-1] + 1
			if k == -d || k != d && v[size+k-1] < v[size+k+1] {
				x = v[size+k+1]
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			v[size+k] = x
			if x >= len(a) && y >= len(b) {
				return walk(a, b, trace)
			}
		}
	}
}

// walk goes back from the end along what compare kept.
func walk(a, b []string, trace [][]int) []line {
	var back []line
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		v := func(k int) int { return trace[d][d+k] }
		k := x - y
		from := k - 1
		if k == -d || k != d && v(k-1) < v(k+1) {
			from = k + 1
		}
		fromX, fromY := 0, 0
		if d > 0 {
			fromX = v(from)
			fromY = fromX - from
		}
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			back = append(back, line{' ', a[x]})
		}
		switch {
		case d == 0:
		case from > k:
			y--
			back = append(back, line{'+', b[y]})
		default:
			x--
			back = append(back, line{'-', a[x]})
		}
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}

// hunks takes out the changed lines with their context; what lies nearer together becomes one hunk.
func hunks(all []line) []hunk {
	var found []hunk
	a, b, end := 0, 0, 0 // lines of each side before i; where the present hunk ends
	for i, l := range all {
		if near(all, i) {
			if i > end || len(found) == 0 {
				found = append(found, hunk{a: a, b: b})
			}
			h := &found[len(found)-1]
			h.lines = append(h.lines, l)
			end = i + 1
		}
		if l.sign != '+' {
			a++
		}
		if l.sign != '-' {
			b++
		}
	}
	return found
}

// near tells whether a changed line is within reach of line i.
func near(all []line, i int) bool {
	for _, l := range all[max(0, i-around):min(len(all), i+around+1)] {
		if l.sign != ' ' {
			return true
		}
	}
	return false
}

func (h hunk) print(out *strings.Builder) {
	a, b := 0, 0
	for _, l := range h.lines {
		if l.sign != '+' {
			a++
		}
		if l.sign != '-' {
			b++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(h.a, a), span(h.b, b))
	for _, l := range h.lines {
		out.WriteByte(l.sign)
		out.WriteString(l.text)
		if !strings.HasSuffix(l.text, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// span is a range of lines as a hunk's head names it; an empty one names the line before it.
func span(before, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, count)
}
