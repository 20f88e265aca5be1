package pack

import (
	"bytes"
	"slices"
)

// NewLayout is the layout of a state that was read back: the content of its
// blobs, in order, and their numbers.
func NewLayout(contents [][]byte, numbers []uint64) *Layout {
	l := &Layout{Numbers: numbers}
	l.State = bytes.Join(contents, nil)
	l.pieces, _ = split(l.State, nil)
	cut := func(at int) (k int, ok bool) {
		if at == len(l.State) {
			return len(l.pieces), true
		}
		return slices.BinarySearchFunc(l.pieces, at, func(p piece, at int) int { return p.from - at })
	}
	at := 0
	for _, c := range contents {
		from, begins := cut(at)
		at += len(c)
		to, ends := cut(at)
		if !begins || !ends {
			to = from
		}
		l.begins, l.ends = append(l.begins, from), append(l.ends, to)
	}
	return l
}

// blob finds the base's blob whose pieces are the next ones from i on: how many
// they are, 0 for none, and its number.
func (l *Layout) blob(same []int, i int) (n int, number uint64) {
	if l == nil || same[i] < 0 {
		return 0, 0
	}
	b, ok := l.beginning(same[i])
	if !ok {
		return 0, 0
	}
	n = l.ends[b] - l.begins[b]
	if n <= 0 || i+n > len(same) {
		return 0, 0
	}
	for k := range n {
		if same[i+k] != same[i]+k {
			return 0, 0
		}
	}
	return n, l.Numbers[b]
}

// beginning finds the blob that begins with the k-th piece.
func (l *Layout) beginning(k int) (b int, ok bool) {
	return slices.BinarySearch(l.begins, k)
}
