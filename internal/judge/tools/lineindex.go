package tools

import (
	"math/bits"
	"strings"
	"sync"
)

// Most lines of an output say nothing. A line of a format can fit only where one of
// some texts stands in it, and three bytes of each text are looked for in one pass over
// the line: only what may fit then is tried.

// maxRows bounds the lines of all formats.
const maxRows = 512

// rowSet is a set of lines of formats, by their numbers over all formats.
type rowSet [maxRows / 64]uint64

func (r *rowSet) add(row int) { r[row/64] |= 1 << (row % 64) }

// next is the first line of the set from a number on; end where there is none before it.
func (r *rowSet) next(row, end int) int {
	for row < end {
		if rest := r[row/64] >> (row % 64); rest != 0 {
			return min(row+bits.TrailingZeros64(rest), end)
		}
		row = (row/64 + 1) * 64
	}
	return end
}

// needed is a text that a line must hold to fit one of a format.
type needed struct {
	row  int
	text string
}

// lineIndex finds the lines of formats that may fit.
type lineIndex struct {
	seen   [1 << 10]uint64 // the sums of the three bytes of all texts
	by     map[uint32][]needed
	always rowSet // lines without such texts
}

var (
	indexLines sync.Once
	linesIndex lineIndex
)

// mayFit are the lines of all formats that may fit a line.
func mayFit(line string) rowSet {
	indexLines.Do(linesIndex.make)
	x := &linesIndex
	rows, key := x.always, uint32(0)
	for i := range len(line) {
		key = (key<<8 | uint32(line[i])) & 0xffffff
		if sum := sumOf(key); i < 2 || x.seen[sum/64]&(1<<(sum%64)) == 0 {
			continue
		}
		for _, n := range x.by[key] {
			if strings.Contains(line, n.text) {
				rows.add(n.row)
			}
		}
	}
	return rows
}

func sumOf(key uint32) uint32 { return key * 2654435761 >> 16 }

func (x *lineIndex) make() {
	x.by = make(map[uint32][]needed, maxRows)
	for i := range formats {
		for j := range formats[i].Lines {
			row, l := formats[i].First+j, &formats[i].Lines[j]
			if len(l.Has) == 0 {
				x.always.add(row)
			}
			for _, text := range l.Has {
				key := rarest(text)
				sum := sumOf(key)
				x.seen[sum/64] |= 1 << (sum % 64)
				x.by[key] = append(x.by[key], needed{row, text})
			}
		}
	}
}

// rarest are the three bytes of a text that stand in the fewest lines: those with the
// fewest small letters, digits and blanks.
func rarest(text string) (best uint32) {
	least := 4
	for i := range len(text) - 2 {
		common := 0
		for _, c := range []byte(text[i : i+3]) {
			if strings.IndexByte(" 0123456789abcdefghijklmnopqrstuvwxyz", c) >= 0 {
				common++
			}
		}
		if common < least {
			least, best = common, uint32(text[i])<<16|uint32(text[i+1])<<8|uint32(text[i+2])
		}
	}
	return best
}
