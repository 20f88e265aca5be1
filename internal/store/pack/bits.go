package pack

import "encoding/binary"

// bitWriter writes bits, the lowest first.
type bitWriter struct {
	out  []byte
	bits uint64
	n    uint8 // fewer than 32 of them wait
}

// add writes the lowest n bits of v, of which no higher ones are set.
func (w *bitWriter) add(v uint32, n uint8) {
	w.bits |= uint64(v) << (w.n & 63)
	if w.n += n; w.n >= 32 {
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(w.bits))
		w.bits >>= 32
		w.n -= 32
	}
}

// end writes the bit that marks the end, and what waits.
func (w *bitWriter) end() []byte {
	w.add(1, 1)
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
	}
	return w.out
}
