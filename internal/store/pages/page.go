package pages

import "encoding/binary"

// Kinds of pages of a tree.
const (
	interiorIndex = 2
	interiorTable = 5
	leafIndex     = 10
	leafTable     = 13
)

// treePage is a page of a tree as it lies there.
type treePage struct {
	n     uint32
	b     []byte
	kind  byte
	cells []int  // where they begin
	right uint32 // the last child of an interior page
}

// parse reads a page as one of a tree. Cells that cannot be are left out; ok
// is false where the page is not part of a tree.
func (f *File) parse(n uint32) (p treePage, ok bool) {
	return parse(n, f.Page(n), 0)
}

// parse with a kind reads the page as one of that kind, whatever it says.
func parse(n uint32, b []byte, kind byte) (p treePage, ok bool) {
	head := 0
	if n == 1 {
		head = headerSize
	}
	p = treePage{n: n, b: b, kind: b[head]}
	if kind != 0 {
		p.kind = kind
	}
	array := head + 8
	switch p.kind {
	case interiorIndex, interiorTable:
		p.right = binary.BigEndian.Uint32(b[head+8:])
		array += 4
	case leafIndex, leafTable:
	default:
		return p, false
	}
	count := p.count(head, array)
	end := array + 2*count
	if end > Size {
		return p, false
	}
	for i := range count {
		if at := int(binary.BigEndian.Uint16(b[array+2*i:])); at >= end && at <= Size-4 {
			p.cells = append(p.cells, at)
		}
	}
	return p, true
}

// count is how many cells the page has. Cells, free blocks and fragments fill its content to
// the last byte: where as many as the header says do not, it is as many as do.
func (p treePage) count(head, array int) int {
	u16 := func(at int) int { return int(binary.BigEndian.Uint16(p.b[at:])) }
	said, content := u16(head+3), u16(head+5)
	left := Size - content - int(p.b[head+7])
	for block, after := u16(head+1), 0; block > after && block <= Size-4; block, after = u16(block), block {
		left -= u16(block + 2)
	}
	n := 0
	for ; left > 0 && array+2*n < min(content, Size-1); n++ {
		at := u16(array + 2*n)
		if at < content || at > Size-4 {
			return said
		}
		left -= p.size(at)
	}
	if left != 0 {
		return said
	}
	if over := array+2*said > content || u16(array+2*n) < content; n > said || over {
		return n
	}
	return said // a cell's own size may be what is wrong
}

// size is how many bytes of the page a cell takes.
func (p treePage) size(at int) int {
	cell := p.b[at:]
	n := 0
	if !p.leaf() {
		n = 4
	}
	size, digits := varint(cell[n:])
	n += digits
	if p.kind == interiorTable {
		return n
	}
	if p.kind == leafTable {
		_, digits = varint(cell[n:])
		n += digits
	}
	local := p.local(int(size))
	if local < int(size) {
		local += 4 // the page that it goes on in
	}
	return max(4, n+local)
}

// local is how many bytes of a record lie in its cell.
func (p treePage) local(size int) int {
	most := (Size-12)*64/255 - 23
	if p.kind == leafTable {
		most = Size - 35
	}
	if size <= most {
		return size
	}
	least := (Size-12)*32/255 - 23
	if local := least + (size-least)%(Size-4); local <= most {
		return local
	}
	return least
}

func (p treePage) leaf() bool { return p.kind == leafIndex || p.kind == leafTable }

// children are the pages an interior page leads to, in order.
func (p treePage) children() []uint32 {
	if p.leaf() {
		return nil
	}
	var list []uint32
	for _, at := range p.cells {
		list = append(list, binary.BigEndian.Uint32(p.b[at:]))
	}
	return append(list, p.right)
}

// Row is a row of a table, or an entry of an index, whose key is 0.
type Row struct {
	Key    int64
	Values []any
}

// rows reads the rows of a page and returns how many of its cells are none. A
// key that is not between its neighbours' is damaged. The interior pages of an
// index hold entries too.
func (f *File) rows(p treePage) (list []Row, bad int) {
	for _, at := range p.cells {
		r, err := f.row(p, p.b[at:])
		if err != nil {
			bad++
			continue
		}
		list = append(list, r)
	}
	if p.kind != leafTable {
		return list, bad
	}
	kept := list[:0]
	for i, r := range list {
		after := len(kept) == 0 || r.Key > kept[len(kept)-1].Key
		jumps := i+1 < len(list) && r.Key >= list[i+1].Key && (len(kept) == 0 || list[i+1].Key > kept[len(kept)-1].Key)
		if !after || jumps {
			bad++
			continue
		}
		kept = append(kept, r)
	}
	return kept, bad
}

func (f *File) row(p treePage, cell []byte) (r Row, err error) {
	if p.kind == interiorTable {
		return r, errRecord
	}
	if p.kind == interiorIndex {
		cell = cell[4:]
	}
	size, n := varint(cell)
	if size <= 0 || size > maxPayload { // 0 where there is no number
		return r, errRecord
	}
	cell = cell[n:]
	if p.kind == leafTable {
		if r.Key, n = varint(cell); n == 0 {
			return r, errRecord
		}
		cell = cell[n:]
	}
	payload, err := f.payload(cell, int(size), p.local(int(size)))
	if err != nil {
		return r, err
	}
	r.Values, err = decode(payload)
	return r, err
}

// maxPayload bounds a row: a state's blob is much smaller.
const maxPayload = 256 << 20

// payload puts a record together that may go on in a chain of pages.
func (f *File) payload(cell []byte, size, local int) ([]byte, error) {
	if local == size {
		if size > len(cell) {
			return nil, errRecord
		}
		return cell[:size], nil
	}
	if local+4 > len(cell) || (size-local)/(Size-4) > int(f.count) {
		return nil, errRecord
	}
	b := append(make([]byte, 0, size), cell[:local]...)
	for next := binary.BigEndian.Uint32(cell[local:]); len(b) < size; {
		if next == 0 || next > f.count || f.isMap(next) {
			return nil, errRecord
		}
		page := f.Page(next)
		b = append(b, page[4:min(Size, 4+size-len(b))]...)
		next = binary.BigEndian.Uint32(page)
	}
	return b, nil
}
