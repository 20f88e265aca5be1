package pack

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/s2"
)

// quick compresses a blob as one zstd frame of one block (RFC 8878), so that whatever
// reads zstd reads it, older programs too. The repetitions are those that s2 finds,
// whose table is small: zstd's own is a quarter of a megabyte and more, which leaves
// the caches between two saves. Literals stay plain, and the sequences are written by the
// code tables that the format has ready. Sizes and times: docs/performance.md.
//
// It appends to data; ok is false where it gains nothing or the content is longer than
// a block may be.
func quick(content, data []byte) (out []byte, ok bool) {
	if len(content) > runMax {
		return data, false
	}
	q := quickRooms.Get().(*quickRoom)
	defer quickRooms.Put(q)
	if need := s2.MaxEncodedLen(len(content)); cap(q.found) < need {
		q.found = make([]byte, need)
	}
	q.found = s2.EncodeSnappy(q.found[:cap(q.found)], content)
	return q.frame(content, data)
}

// frame appends a frame of what s2 has found in the content.
func (q *quickRoom) frame(content, data []byte) (out []byte, ok bool) {
	from := len(data)
	data = binary.LittleEndian.AppendUint32(data, zstdMagic)
	data = append(data, singleSegment|sizeIn4)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(content)))
	block := len(data)
	data = append(data, 0, 0, 0) // of the block
	data = append(data, 0, 0, 0) // of its literals
	if data, ok = q.take(content, data); !ok {
		return data[:from], false
	}
	literals := len(data) - block - 6
	put24(data[block+3:], rawLiterals20|literals<<4)
	data = q.sequences(data)
	put24(data[block:], lastCompressed|(len(data)-block-3)<<3)
	return data, len(data)-from < len(content)
}

// Bits of a frame.
const (
	zstdMagic      = 0xFD2FB528
	singleSegment  = 1 << 5
	sizeIn4        = 2 << 6
	lastCompressed = 1 | 2<<1
	rawLiterals20  = 3 << 2 // plain, their length in 20 bits
)

// quickRoom is what quick works in.
type quickRoom struct {
	found []byte // what s2 has written
	seqs  []sequence
}

var quickRooms = sync.Pool{New: func() any { return new(quickRoom) }}

// sequence is some literals, then a copy of what stands before.
type sequence struct{ literals, length, offset uint32 }

// take appends the literals to data and notes the sequences; false where the bytes
// are not such as s2 writes, or there is nothing to copy.
func (q *quickRoom) take(content, data []byte) (out []byte, ok bool) {
	size, n := binary.Uvarint(q.found)
	if n <= 0 || size != uint64(len(content)) {
		return data, false
	}
	q.seqs = q.seqs[:0]
	at, literals := 0, 0 // in the content, and since the last copy
	for b, i := q.found, n; i < len(b); {
		length, offset, head := tag(b[i:])
		if head == 0 || length > len(content)-at {
			return data, false
		}
		i += head
		if offset == 0 {
			if length > len(b)-i {
				return data, false
			}
			if to := len(data); length <= 16 && len(b)-i >= 16 && cap(data)-to >= 16 {
				copy(data[to:to+16], b[i:i+16]) // quicker than as many as there are
				data = data[:to+length]
			} else {
				data = append(data, b[i:i+length]...)
			}
			i, literals = i+length, literals+length
		} else if last := len(q.seqs) - 1; literals == 0 && last >= 0 && q.seqs[last].offset == uint32(offset) {
			q.seqs[last].length += uint32(length) // s2 copies 64 bytes at a time
		} else if length < minMatch || offset > at {
			return data, false
		} else {
			q.seqs = append(q.seqs, sequence{uint32(literals), uint32(length), uint32(offset)})
			literals = 0
		}
		at += length
	}
	return data, at == len(content) && len(q.seqs) > 0
}

// tag reads what begins an element of the snappy format: how long the element is, how
// far back it is copied from, 0 for literals, and the bytes read, 0 for a broken one.
func tag(b []byte) (length, offset, head int) {
	var word uint64
	if len(b) >= 8 {
		word = binary.LittleEndian.Uint64(b)
	} else {
		var end [8]byte
		copy(end[:], b)
		word = binary.LittleEndian.Uint64(end[:])
	}
	n := int(word >> 2 & 63)
	switch word & 3 {
	case 0:
		head = 1
		if n >= 60 {
			head = n - 58
			n = int(word >> 8 & (1<<(8*(n-59)) - 1))
		}
		length = n + 1
	case 1:
		length, offset, head = 4+n&7, int(word>>5&7<<8|word>>8&255), 2
	case 2:
		length, offset, head = n+1, int(word>>8&0xFFFF), 3
	default:
		length, offset, head = n+1, int(word>>8&0xFFFFFFFF), 5
	}
	if head > len(b) || word&3 != 0 && offset == 0 {
		return 0, 0, 0
	}
	return length, offset, head
}

// sequences appends the section of sequences.
func (q *quickRoom) sequences(data []byte) []byte {
	const many = 0x7F00
	switch n := len(q.seqs); {
	case n < 128:
		data = append(data, byte(n))
	case n < many:
		data = append(data, byte(n>>8+128), byte(n))
	default:
		data = append(data, 255, byte(n-many), byte((n-many)>>8))
	}
	data = append(data, 0) // the tables of the format
	codes := ready()
	w := bitWriter{out: data}
	var ll, ml, of uint32
	for i := len(q.seqs) - 1; i >= 0; i-- { // they are read from the end
		s := &q.seqs[i]
		l, m, o := codeOf(&codes.literal, s.literals), codeOf(&codes.length, s.length-minMatch), uint8(bits.Len32(s.offset+3)-1)
		if i == len(q.seqs)-1 {
			ll, ml, of = codes.ll.first(l), codes.ml.first(m), codes.of.first(o)
		} else {
			of = codes.of.next(&w, of, o)
			ml = codes.ml.next(&w, ml, m)
			ll = codes.ll.next(&w, ll, l)
		}
		w.add(s.literals-codes.literal.base[l], codes.literal.bits[l])
		w.add(s.length-minMatch-codes.length.base[m], codes.length.bits[m])
		w.add(s.offset+3-1<<o, o)
	}
	w.add(ml-1<<lengthLog, lengthLog)
	w.add(of-1<<offsetLog, offsetLog)
	w.add(ll-1<<literalLog, literalLog)
	return w.end()
}

func put24(b []byte, v int) { b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16) }
