package pack

import (
	"math/bits"
	"sync"
)

// The codes of sequences, as RFC 8878 has them ready (3.1.1.3.2).
const (
	minMatch   = 3 // a copy's length is written less this
	literalLog = 6
	lengthLog  = 6
	offsetLog  = 5
)

var (
	literalNorm = []int8{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1}
	lengthNorm  = []int8{1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1}
	offsetNorm  = []int8{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}

	// How many bits stand behind each code for a length.
	literalBits = []uint8{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	lengthBits  = []uint8{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
)

// quickCodes are the tables by which sequences are written.
type quickCodes struct {
	literal, length lengths
	ll, ml, of      stateTable
}

var ready = sync.OnceValue(func() *quickCodes {
	return &quickCodes{
		literal: newLengths(literalBits), length: newLengths(lengthBits),
		ll: newStateTable(literalNorm, literalLog), ml: newStateTable(lengthNorm, lengthLog), of: newStateTable(offsetNorm, offsetLog),
	}
})

// lengths says how a length is written: a code, and bits that are added to its base.
type lengths struct {
	bits  [64]uint8
	base  [64]uint32
	small [128]uint8 // the codes of short lengths
	large int        // the code of 128 less the bits that 128 has
}

func newLengths(of []uint8) (l lengths) {
	next := uint32(0)
	for c, n := range of {
		l.bits[c], l.base[c] = n, next
		for v := next; v < min(next+1<<n, 128); v++ {
			l.small[v] = uint8(c)
		}
		if next <= 128 && 128 < next+1<<n {
			l.large = c - 8
		}
		next += 1 << n
	}
	return l
}

// codeOf is a length's code. From 128 on each code has twice the lengths of the one
// before it.
func codeOf(l *lengths, v uint32) uint8 {
	if v < 128 {
		return l.small[v]
	}
	return uint8(bits.Len32(v) + l.large)
}

// stateTable writes symbols by the states of a finite state entropy code.
type stateTable struct {
	log    uint8
	states [64]uint16
	delta  [64]symbolDelta
}

// symbolDelta leads from a state to the one after a symbol.
type symbolDelta struct {
	bits uint32 // added to the state: how many bits are written, in its upper half
	find int32
}

// newStateTable makes the table of a distribution, as every decoder does too.
func newStateTable(norm []int8, log uint8) stateTable {
	t := stateTable{log: log}
	size := 1 << log
	var symbols [64]uint8
	high := size - 1
	var first [65]int
	for s, n := range norm {
		first[s+1] = first[s] + max(int(n), -int(n))
		if n == -1 { // rarer than one in size
			symbols[high] = uint8(s)
			high--
		}
	}
	at, step := 0, size>>1+size>>3+3
	for s, n := range norm {
		for range n {
			symbols[at] = uint8(s)
			for at = (at + step) & (size - 1); at > high; {
				at = (at + step) & (size - 1)
			}
		}
	}
	place := first
	for u := range size {
		s := symbols[u]
		t.states[place[s]] = uint16(size + u)
		place[s]++
	}
	for s, n := range norm {
		if n == -1 || n == 1 {
			t.delta[s] = symbolDelta{uint32(log)<<16 - uint32(size), int32(first[s] - 1)}
			continue
		}
		out := uint32(log) - uint32(bits.Len8(uint8(n-1))-1)
		t.delta[s] = symbolDelta{out<<16 - uint32(n)<<out, int32(first[s]) - int32(n)}
	}
	return t
}

// first is the state that stands for a symbol alone.
func (t *stateTable) first(symbol uint8) uint32 {
	d := &t.delta[symbol&63]
	n := (d.bits + 1<<15) >> 16
	return uint32(t.states[(n<<16-d.bits)>>n+uint32(d.find)])
}

// next writes what leads back from the state for a symbol to this one, and returns
// that.
func (t *stateTable) next(w *bitWriter, state uint32, symbol uint8) uint32 {
	d := &t.delta[symbol&63]
	n := (state + d.bits) >> 16
	w.add(state&(1<<n-1), uint8(n))
	return uint32(t.states[(state>>n+uint32(d.find))&63])
}
