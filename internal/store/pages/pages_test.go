package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// number writes a number of variable length.
func number(n int) []byte {
	b := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		b = append([]byte{byte(n&0x7f) | 0x80}, b...)
	}
	return b
}

// record writes a record of texts and numbers of one byte.
func record(values ...any) []byte {
	var kinds, body []byte
	for _, v := range values {
		switch v := v.(type) {
		case string:
			kinds, body = append(kinds, number(13+2*len(v))...), append(body, v...)
		case int:
			kinds, body = append(kinds, 1), append(body, byte(v))
		default:
			kinds = append(kinds, 0)
		}
	}
	return slices.Concat(number(len(kinds)+1), kinds, body)
}

// page lays out cells on a page, from its end.
func page(kind byte, right uint32, cells ...[]byte) []byte {
	b := make([]byte, Size)
	b[0] = kind
	binary.BigEndian.PutUint16(b[3:], uint16(len(cells)))
	array, end := 8, Size
	if kind == interiorTable || kind == interiorIndex {
		binary.BigEndian.PutUint32(b[8:], right)
		array = 12
	}
	for i, c := range cells {
		end -= max(len(c), 4)
		copy(b[end:], c)
		binary.BigEndian.PutUint16(b[array+2*i:], uint16(end))
	}
	binary.BigEndian.PutUint16(b[5:], uint16(end))
	return b
}

// row is a cell of a table.
func row(key int, values ...any) []byte {
	r := record(values...)
	return slices.Concat(number(len(r)), number(key), r)
}

func child(n uint32, key int) []byte {
	return append(binary.BigEndian.AppendUint32(nil, n), number(key)...)
}

// mapOf is a map of pages: of each its kind and the page that leads to it.
func mapOf(entries ...[2]uint32) []byte {
	b := make([]byte, Size)
	for i, e := range entries {
		b[i*5] = byte(e[0])
		binary.BigEndian.PutUint32(b[i*5+1:], e[1])
	}
	return b
}

// head is page 1, with a list of free pages.
func head(trunk, free uint32) []byte {
	b := make([]byte, Size)
	b[headerSize] = leafTable
	binary.BigEndian.PutUint32(b[32:], trunk)
	binary.BigEndian.PutUint32(b[36:], free)
	return b
}

// trunk lists free pages.
func trunk(next uint32, leaves ...uint32) []byte {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, next), uint32(len(leaves)))
	for _, n := range leaves {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return append(b, make([]byte, Size-len(b))...)
}

func opened(t *testing.T, pages ...[]byte) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, slices.Concat(pages...), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	ff := bytes.Repeat([]byte{0xff}, 8)
	for _, c := range []struct {
		b      []byte
		n      int64
		length int
	}{
		{nil, 0, 0}, {[]byte{0}, 0, 1}, {[]byte{0x7f, 9}, 127, 1}, {[]byte{0x81, 0}, 128, 2}, {[]byte{0x81}, 0, 0}, {ff, 0, 0},
		{append(ff, 0xff), -1, 9}, {append(ff, 1), -255, 9}, {append(ff[:7:7], 1), 1<<56 - 127, 8}, {append(ff[:7:7], 0x80, 2, 3), -32766, 9},
	} {
		if n, length := varint(c.b); n != c.n || length != c.length {
			t.Errorf("%x: got %d, %d", c.b, n, length)
		}
	}
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{record(), "[]"}, {record("a", 7, nil), "[a 7 <nil>]"}, {[]byte{2, 1, 0xff}, "[-1]"}, {[]byte{2, 2, 1, 0}, "[256]"}, {[]byte{2, 3, 1, 0, 0}, "[65536]"}, {[]byte{2, 4, 1, 0, 0, 0}, "[16777216]"},
		{[]byte{2, 5, 0, 0, 0, 0, 1, 0}, "[256]"}, {[]byte{2, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe}, "[-2]"}, {[]byte{2, 7, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0}, "[1.5]"}, {[]byte{3, 8, 9}, "[0 1]"},
		{[]byte{2, 12}, "[[]]"}, {[]byte{2, 14, 5}, "[[5]]"}, {[]byte{2, 13}, "[]"}, {[]byte{2, 15, 'x'}, "[x]"},
		{nil, "no record"}, {[]byte{0}, "no record"}, {[]byte{2}, "no record"}, {[]byte{2, 1}, "no record"}, {[]byte{2, 2, 1}, "no record"}, {[]byte{2, 6, 1, 2, 3, 4, 5, 6, 7}, "no record"}, {[]byte{2, 7, 1, 2, 3, 4, 5, 6, 7}, "no record"},
		{[]byte{2, 10}, "no record"}, {[]byte{2, 11}, "no record"}, {[]byte{2, 14}, "no record"}, {[]byte{2, 15}, "no record"}, {[]byte{2, 1, 1, 1}, "no record"}, {[]byte{2, 0x81}, "no record"}, {[]byte{1, 0}, "no record"},
	} {
		v, err := decode(c.b)
		got := fmt.Sprint(v)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%x: got %s, want %s", c.b, got, c.want)
		}
	}
}

// TestRows: the rows of a page, and how much of what lies there is none.
func TestRows(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 9000)
	whole := record(long)
	local := func(most int) int { // what of a long record lies on the page
		least := (Size-12)*32/255 - 23
		if n := least + (len(whole)-least)%(Size-4); n <= most {
			return n
		}
		return least
	}
	on := local(Size - 35)
	first := slices.Concat(number(len(whole)), number(1), whole[:on])
	spill := func(next uint32, b []byte) []byte {
		p := append(binary.BigEndian.AppendUint32(nil, next), b...)
		return append(p, make([]byte, Size-len(p))...)
	}
	in := local((Size-12)*64/255 - 23)
	entry := slices.Concat(number(len(whole)), whole[:in])
	chained := func(cell []byte, n uint32) []byte { return binary.BigEndian.AppendUint32(slices.Clone(cell), n) }
	little := record(long[:8300]) // so long that the rest takes whole pages, and little stays on the first
	least := (Size-12)*32/255 - 23
	few := slices.Concat(number(len(little)), number(1), little[:least])
	for _, c := range []struct {
		name string
		p    []byte
		more [][]byte // from page 3 on
		want string
		bad  int
	}{
		{"in order", page(leafTable, 0, row(1, "a"), row(2, "b", 3)), nil, "1[a] 2[b 3]", 0},
		{"none", page(leafTable, 0), nil, "", 0},
		{"a row without values", page(leafTable, 0, []byte{1, 5, 1, 0}), nil, "5[]", 0},
		{"as long as a page takes", page(leafTable, 0, row(1, long[:4058])), nil, "1[" + long[:4058] + "]", 0},
		{"to the last byte", page(leafTable, 0, row(1, long[:2000]), row(2, long[:2072])), nil, "1[" + long[:2000] + "] 2[" + long[:2072] + "]", 0},
		{"longer than that", page(leafTable, 0, row(1, long[:4059])), nil, "", 1},
		{"as long as an index takes", page(leafIndex, 0, append(number(1002), record(long[:999])...)), nil, "0[" + long[:999] + "]", 0},
		{"longer than an index takes", page(leafIndex, 0, append(number(1003), record(long[:1000])...)), nil, "", 1},
		{"a key beyond the page", page(leafTable, 0, []byte{4, 0x81, 0x81, 0x81}), nil, "", 1},
		{"a key twice", page(leafTable, 0, row(1, "a"), row(1, "b"), row(2, "c")), nil, "1[b] 2[c]", 1},
		{"a key that jumps", page(leafTable, 0, row(1, "a"), row(90, "b"), row(3, "c")), nil, "1[a] 3[c]", 1},
		{"a key that falls", page(leafTable, 0, row(5, "a"), row(6, "b"), row(3, "c"), row(7, "d")), nil, "5[a] 6[b] 7[d]", 1},
		{"an index", page(leafIndex, 0, append(number(len(record("b", 2))), record("b", 2)...), append(number(len(record("a", 1))), record("a", 1)...)), nil, "0[b 2] 0[a 1]", 0},
		{"inside an index", page(interiorIndex, 9, slices.Concat([]byte{0, 0, 0, 7}, number(len(record("b", 2))), record("b", 2))), nil, "0[b 2]", 0},
		{"no record", page(leafTable, 0, []byte{2, 1, 2, 10}, row(2, "b")), nil, "2[b]", 1},
		{"an empty record", page(leafTable, 0, []byte{0, 1, 0, 0}, row(2, "b")), nil, "2[b]", 1},
		{"longer than the page", page(leafTable, 0, slices.Concat(number(200), number(1), record("a"))), nil, "", 1},
		{"a chain", page(leafTable, 0, chained(first, 3)), [][]byte{spill(4, whole[on:on+Size-4]), spill(0, whole[on+Size-4:])}, "1[" + long + "]", 0},
		{"a chain behind little", page(leafTable, 0, chained(few, 3)), [][]byte{spill(4, little[least:least+Size-4]), spill(0, little[least+Size-4:])}, "1[" + long[:8300] + "]", 0},
		{"a chain of an index", page(leafIndex, 0, chained(entry, 3)), [][]byte{spill(4, whole[in:in+Size-4]), spill(0, whole[in+Size-4:])}, "0[" + long + "]", 0},
		{"a chain that is torn", page(leafTable, 0, chained(first, 3)), [][]byte{spill(0, whole[on:on+Size-4]), spill(0, whole[on+Size-4:])}, "", 1},
		{"a chain that leads out", page(leafTable, 0, chained(first, 3)), [][]byte{spill(9, whole[on:on+Size-4]), spill(0, nil)}, "", 1},
		{"a chain longer than the file", page(leafTable, 0, chained(first, 3)), nil, "", 1},
		{"no page of a tree", page(7, 0, row(1, "a")), nil, "1[a]", 0},
		{"an interior page that is a leaf", func() []byte { b := page(leafTable, 0, row(1, "a")); b[0] = interiorTable; return b }(), nil, "1[a]", 0},
	} {
		f := opened(t, slices.Concat([][]byte{head(0, 0), c.p}, c.more)...)
		var got []string
		bad := f.Rows(2, func(r Row) { got = append(got, fmt.Sprintf("%d%v", r.Key, r.Values)) })
		if s := strings.Join(got, " "); s != c.want || bad != c.bad {
			t.Errorf("%s: got %.80s, %d bad; want %.80s, %d", c.name, s, bad, c.want, c.bad)
		}
	}
	many := page(leafTable, 0)
	binary.BigEndian.PutUint32(many[3:], Size/2<<16|Size/2) // and nothing in its content
	f := opened(t, head(0, 0), many)
	if bad := f.Rows(2, func(Row) { t.Error("got a row") }); bad != 1 {
		t.Errorf("got %d bad", bad)
	}
	if _, ok := f.parse(2); ok {
		t.Error("a page with more cells than it has room for is one")
	}
	inner := page(interiorTable, 7, child(5, 1), child(6, 2))
	p, ok := parse(2, inner, 0)
	if got := p.children(); !ok || p.leaf() || !slices.Equal(got, []uint32{5, 6, 7}) {
		t.Errorf("got the children %v", got)
	}
	binary.BigEndian.PutUint16(inner[12:], 13) // in the list of cells itself
	if p, _ = parse(2, inner, 0); len(p.cells) != 1 {
		t.Errorf("got the cells %v", p.cells)
	}
	binary.BigEndian.PutUint16(inner[12:], Size-3)
	if p, _ = parse(2, inner, 0); len(p.cells) != 1 {
		t.Errorf("got the cells %v", p.cells)
	}
	// However a page's number of cells is damaged, its rows say how many there are.
	for _, b := range [][]byte{
		page(leafTable, 0, row(1, "a"), row(2, long[:400]), row(3, "c")), page(interiorTable, 7, child(5, 1), child(6, 2)),
		page(leafIndex, 0, append(number(1002), record(long[:999])...), append(number(len(record("a", 1))), record("a", 1)...)),
		page(leafTable, 0, row(1, "a"), slices.Concat(first, []byte{0, 0, 0, 3})),
		page(interiorIndex, 9, slices.Concat([]byte{0, 0, 0, 7}, number(len(record("b", 2))), record("b", 2))),
	} {
		want := int(b[4])
		for bit := range 16 {
			bad := bytes.Clone(b)
			bad[4-bit/8] ^= 1 << (bit % 8)
			if p, ok := parse(2, bad, 0); !ok || len(p.cells) != want {
				t.Errorf("kind %d, bit %d: got %d cells, want %d", b[0], bit, len(p.cells), want)
			}
		}
	}
	if p, ok = f.parse(1); !ok || p.kind != leafTable {
		t.Error("page 1 begins behind the header of the file")
	}
}

// TestFree: the list of free pages, and whether it is whole.
func TestFree(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head, trunk []byte
		want        string
		whole       bool
	}{
		"none":                {head(0, 0), trunk(0), "[]", true},
		"two":                 {head(3, 2), trunk(0, 4), "[3 4]", true},
		"a full trunk":        {head(3, 2), trunk(0, slices.Repeat([]uint32{4}, Size/4-2)...), "[3 4]", true},
		"another count":       {head(3, 3), trunk(0, 4), "[3 4]", false},
		"a trunk beyond":      {head(9, 2), trunk(0, 4), "[]", false},
		"a trunk that leads":  {head(3, 2), trunk(9, 4), "[3 4]", false},
		"a trunk to itself":   {head(3, 2), trunk(3, 4), "[3 4]", false},
		"a leaf beyond":       {head(3, 2), trunk(0, 9), "[3]", false},
		"a leaf that is none": {head(3, 2), trunk(0, 0), "[3]", false},
		"too many":            {head(3, 2), func() []byte { b := trunk(0, 4); binary.BigEndian.PutUint32(b[4:], Size/4-1); return b }(), "[3]", false},
	} {
		f := opened(t, c.head, make([]byte, Size), c.trunk, make([]byte, Size), make([]byte, Size))
		free, whole := f.free()
		var list []uint32
		for n := range free {
			list = append(list, n)
		}
		slices.Sort(list)
		if got := fmt.Sprint(list); got != c.want || whole != c.whole {
			t.Errorf("%s: got %s, whole %t; want %s, %t", name, got, whole, c.want, c.whole)
		}
	}
}

// TestFind gives pages to trees by what leads to them, by the map and by their rows.
func TestFind(t *testing.T) {
	t.Parallel()
	of := func(first string) func([]any) bool {
		return func(v []any) bool { return len(v) == 2 && v[0] == first }
	}
	trees := []Tree{{Name: "a", Root: 3, Usual: 3, Fits: of("a")}, {Name: "b", Root: 4, Usual: 4, Fits: of("b")}, {Name: "i", Index: true, Root: 7, Usual: 7}}
	leaf := func(of string, key int) []byte { return page(leafTable, 0, row(key, of, 1), row(key+1, of, 2)) }
	index := page(leafIndex, 0, append(number(len(record("x", 1))), record("x", 1)...))
	// 1 head, 2 map, 3 a, 4 b above 5 and 6, 7 the index, 8 a free page, 9 of b by the map, 10 of nobody
	sound := func() [][]byte {
		return [][]byte{
			head(8, 1), mapOf([2]uint32{mapRoot, 0}, [2]uint32{mapRoot, 0}, [2]uint32{mapTree, 4}, [2]uint32{mapTree, 4}, [2]uint32{mapRoot, 0}, [2]uint32{mapFree, 0}, [2]uint32{mapTree, 4}, [2]uint32{mapTree, 4}),
			leaf("a", 1), page(interiorTable, 6, child(5, 2)), leaf("b", 1), leaf("b", 3), slices.Clone(index), trunk(0), leaf("b", 5), leaf("b", 7),
		}
	}
	for _, c := range []struct {
		name   string
		change func(p [][]byte)
		trees  func(list []Tree)
		want   string
	}{
		{"sound", nil, nil, "3[3][]0 4[5 6][9 10]0 7[7][]0"},
		{"the schema does not say where", nil, func(l []Tree) { l[0].Root, l[1].Root, l[2].Root = 0, 0, 0 }, "3[3][]0 4[5 6][9 10]0 7[7][]0"},
		{"the schema says another's", nil, func(l []Tree) { l[0].Root, l[1].Root = 4, 3 }, "3[3][]0 4[5 6][9 10]0 7[7][]0"},
		{"found by its rows", nil, func(l []Tree) { l[0].Root, l[0].Usual, l[1].Root, l[1].Usual = 0, 0, 99, 0 }, "3[3][]0 4[5 6][9 10]0 7[7][]0"},
		{"found by its rows, at the end of the file", func(p [][]byte) {
			p[1][0], p[1][7*5], p[9] = mapFree, mapRoot, leaf("a", 1)
			binary.BigEndian.PutUint32(p[1][7*5+1:], 0)
		}, func(l []Tree) { l[0].Root, l[0].Usual = 0, 0 }, "10[10][]0 4[5 6][9]0 7[7][]0"},
		{"no page leads there", func(p [][]byte) { p[3] = make([]byte, Size) }, nil, "3[3][]0 4[][5 6 9 10]1 7[7][]0"},
		{"a leaf's kind is damaged", func(p [][]byte) { p[4][0] = 0xee }, nil, "3[3][]0 4[6][5 9 10]1 7[7][]0"},
		{"a leaf is another's", func(p [][]byte) { p[4] = index }, nil, "3[3][]0 4[6][9 10]1 7[7][]0"},
		{"a root's kind is damaged", func(p [][]byte) { p[2][0] = 0xee }, nil, "3[][3]1 4[5 6][9 10]0 7[7][]0"},
		{"the index's kind is damaged", func(p [][]byte) { p[6][0] = 0xee }, nil, "3[3][]0 4[5 6][9 10]0 7[][]1"},
		{"the map leads round", func(p [][]byte) {
			binary.BigEndian.PutUint32(p[1][6*5+1:], 10)
			binary.BigEndian.PutUint32(p[1][7*5+1:], 9)
		}, nil, "3[3][]0 4[5 6][]0 7[7][]0"},
		{"the map leads on", func(p [][]byte) { binary.BigEndian.PutUint32(p[1][7*5+1:], 9) }, nil, "3[3][]0 4[5 6][9 10]0 7[7][]0"},
		{"a child leads out", func(p [][]byte) { p[3] = page(interiorTable, 6, child(99, 1), child(1, 2), child(2, 2), child(5, 2)) }, nil, "3[3][]0 4[5 6][9 10]0 7[7][]0"},
		{"the map knows another parent", func(p [][]byte) { binary.BigEndian.PutUint32(p[1][2*5+1:], 3) }, nil, "3[3][5]0 4[6][9 10]0 7[7][]0"},
		{"the map says free, the list does not", func(p [][]byte) { p[1][7*5] = mapFree }, nil, "3[3][]0 4[5 6][9]0 7[7][]0"},
		{"nothing says whose it is", func(p [][]byte) { p[1][7*5] = 0 }, nil, "3[3][]0 4[5 6][9 10]0 7[7][]0"},
		{"nothing says whose it is, and its rows are mixed", func(p [][]byte) { p[1][7*5] = 0; p[9] = page(leafTable, 0, row(1, "a", 1), row(2, "b", 2)) }, nil, "3[3][]0 4[5 6][9]0 7[7][]0"},
		{"both could have it", func(p [][]byte) { p[1][7*5] = 0 }, func(l []Tree) { l[0].Fits = func(v []any) bool { return len(v) == 2 } }, "3[3][]0 4[5 6][9]0 7[7][]0"},
		{"it is free", func(p [][]byte) { p[7] = trunk(0, 10); p[0] = head(8, 2) }, nil, "3[3][]0 4[5 6][9]0 7[7][]0"},
		{"it is free, by a list that is damaged", func(p [][]byte) { p[7] = trunk(0, 10); p[0] = head(8, 3) }, nil, "3[3][]0 4[5 6][9 10]0 7[7][]0"},
		{"a link alone speaks for it", func(p [][]byte) { p[1][7*5] = mapOverflow; p[3] = page(interiorTable, 10, child(5, 2), child(6, 4)) }, nil, "3[3][]0 4[5 6][9 10]0 7[7][]0"},
	} {
		p, list := sound(), slices.Clone(trees)
		if c.change != nil {
			c.change(p)
		}
		if c.trees != nil {
			c.trees(list)
		}
		var got []string
		for _, x := range opened(t, p...).Find(list) {
			got = append(got, fmt.Sprint(x.Root, x.Linked, x.Adopted, x.Broken))
		}
		if s := strings.NewReplacer(" [", "[", "] ", "]").Replace(strings.Join(got, "; ")); strings.ReplaceAll(s, ";", "") != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, s, c.want)
		}
	}
}

// frame is a frame of a log behind others, whose sum it goes on with.
type frames struct {
	b      []byte
	s0, s1 uint32
}

func newLog(order binary.ByteOrder) *frames {
	l := &frames{b: make([]byte, logHeader)}
	binary.BigEndian.PutUint32(l.b, map[binary.ByteOrder]uint32{binary.LittleEndian: 0x377f0682, binary.BigEndian: 0x377f0683}[order])
	binary.BigEndian.PutUint32(l.b[8:], Size)
	copy(l.b[16:], "saltsalt")
	l.s0, l.s1 = sum(order, 0, 0, l.b[:24])
	binary.BigEndian.PutUint32(l.b[24:], l.s0)
	binary.BigEndian.PutUint32(l.b[28:], l.s1)
	return l
}

func (l *frames) add(order binary.ByteOrder, n, size uint32, content byte) *frames {
	f := make([]byte, frameHeader+Size)
	binary.BigEndian.PutUint32(f, n)
	binary.BigEndian.PutUint32(f[4:], size)
	copy(f[8:], "saltsalt")
	f[frameHeader] = content
	l.s0, l.s1 = sum(order, l.s0, l.s1, f[:8])
	l.s0, l.s1 = sum(order, l.s0, l.s1, f[frameHeader:])
	binary.BigEndian.PutUint32(f[16:], l.s0)
	binary.BigEndian.PutUint32(f[20:], l.s1)
	l.b = append(l.b, f...)
	return l
}

// TestLog: the newest committed content of each page, and what was found in the log.
func TestLog(t *testing.T) {
	t.Parallel()
	at := func(frame int) int { return logHeader + frame*(frameHeader+Size) + frameHeader }
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		three := func() []byte {
			return newLog(order).add(order, 2, 0, 'a').add(order, 3, 3, 'b').add(order, 2, 3, 'c').b
		}
		for _, c := range []struct {
			name   string
			log    func() []byte
			want   string // first bytes of pages 2 and 3
			is     Log
			lost   bool
			little bool // where the header is damaged, the usual order is taken
		}{
			{"whole", three, "cb", Log{Frames: 2}, false, false},
			{"the last is torn", func() []byte { return three()[:at(2)+9] }, "ab", Log{Frames: 2}, false, false},
			{"the last is not committed", func() []byte { return newLog(order).add(order, 2, 3, 'a').add(order, 3, 0, 'b').b }, "a\x00", Log{Frames: 1, Torn: true}, false, false},
			{"the first is damaged", func() []byte { b := three(); b[at(0)] ^= 1; return b }, "cb", Log{Frames: 2, Damaged: 1}, true, false},
			{"the last is damaged", func() []byte { b := three(); b[at(2)] ^= 1; return b }, "ab", Log{Frames: 2}, false, false},
			{"all are damaged", func() []byte { b := three(); b[at(0)] ^= 1; b[at(1)] ^= 1; b[at(2)] ^= 1; return b }, "\x00\x00", Log{}, false, false},
			{"another generation's behind it", func() []byte { b := three(); b[at(2)-frameHeader+8] ^= 1; return b }, "ab", Log{Frames: 2}, false, false},
			{"empty", func() []byte { return nil }, "\x00\x00", Log{}, false, false},
			{"a part of a header", func() []byte { return []byte("x") }, "\x00\x00", Log{Torn: true}, false, false},
			{"a header alone", func() []byte { return newLog(order).b }, "\x00\x00", Log{}, false, false},
			{"a damaged header", func() []byte { b := three(); b[20] ^= 1; return b }, "", Log{Frames: 1, Header: true}, true, true},
			{"a damaged header alone", func() []byte { b := newLog(order).b; b[20] ^= 1; return b }, "\x00\x00", Log{Header: true, Torn: true}, false, false},
		} {
			path := filepath.Join(t.TempDir(), "x.db")
			if err := errors.Join(os.WriteFile(path, slices.Concat(head(0, 0), make([]byte, Size), make([]byte, Size)), 0o600), os.WriteFile(path+"-wal", c.log(), 0o600)); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path, true)
			if err != nil {
				t.Fatal(c.name, err)
			}
			if c.little {
				if !f.Log.Header {
					t.Errorf("%s: got %+v", c.name, f.Log)
				}
			} else if got := string(f.Page(2)[:1]) + string(f.Page(3)[:1]); got != c.want || f.Log != c.is || f.Pages() != 3 {
				t.Errorf("%s: got %q, %+v, %d pages; want %q, %+v", c.name, got, f.Log, f.Pages(), c.want, c.is)
			}
			f.Close()
			if got := LogDamaged(path); got != c.lost && !c.little {
				t.Errorf("%s: got damaged %t", c.name, got)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "alone.db")
	le := binary.LittleEndian
	if err := os.WriteFile(path+"-wal", newLog(le).add(le, 1, 0, 'a').add(le, 2, 9, 'b').b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, true)
	if err != nil || f.Pages() != 2 || f.Page(2)[0] != 'b' || f.Page(9)[0] != 0 {
		t.Fatalf("got %v, want the pages of the log alone", err)
	}
	f.Close()
	for name, path := range map[string]string{"none": filepath.Join(t.TempDir(), "none"), "a folder": t.TempDir()} {
		if _, err := Open(path, false); err == nil {
			t.Errorf("%s: got no error", name)
		}
		if LogDamaged(path) {
			t.Errorf("%s: has no log", name)
		}
	}
	dir := filepath.Join(t.TempDir(), "x.db")
	if err := os.MkdirAll(dir+"-wal", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, true); err == nil {
		t.Error("a folder is a log")
	}
}

// TestMapped: whether a file has maps of pages is told by page 2.
func TestMapped(t *testing.T) {
	t.Parallel()
	good, odd := [2]uint32{mapTree, 3}, [2]uint32{mapTree, 99}
	for _, c := range []struct {
		entries [][2]uint32
		want    bool
	}{
		{[][2]uint32{{mapRoot, 0}, {mapFree, 0}, {mapOverflow, 3}, {mapOverflowMore, 5}, good}, true}, {[][2]uint32{good, good, good, good, odd}, true}, {[][2]uint32{good, good, good, odd, odd}, false},
		{[][2]uint32{good, good, good, {mapRoot, 3}, {mapTree, 0}}, false}, {[][2]uint32{{0, 3}, {6, 3}, good, good, good}, false},
	} {
		f := opened(t, head(0, 0), mapOf(c.entries...), make([]byte, Size), make([]byte, Size), make([]byte, Size), make([]byte, Size), make([]byte, Size))
		if f.mapped != c.want || f.isMap(2) != c.want || f.isMap(3) {
			t.Errorf("%v: got %t, page 2 a map: %t, page 3: %t", c.entries, f.mapped, f.isMap(2), f.isMap(3))
		}
		kind, parent := f.mapPages()
		if c.want && (kind[3] != byte(c.entries[0][0]) || parent[7] != c.entries[4][1] && c.entries[4] != odd || c.entries[4] == odd && kind[7] != 0) || !c.want && slices.Max(kind) != 0 {
			t.Errorf("%v: got %v and %v", c.entries, kind, parent)
		}
	}
	if f := opened(t, head(0, 0), mapOf(good)); f.mapped || f.isMap(2) || f.Pages() != 2 {
		t.Error("a file of two pages has a map")
	}
	if f := opened(t, head(0, 0), []byte{1}); f.Pages() != 2 || f.Page(2)[0] != 1 || f.Page(0)[0] != 0 || f.Page(3)[0] != 0 {
		t.Error("a page that is cut is one, and there are none beyond")
	}
}
