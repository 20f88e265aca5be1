package sqlite_test

import (
	"encoding/binary"
	"testing"

	"github.com/piton-project/piton/internal/store/sqlstore"
)

// owners tells for each page of a whole file which table or index it belongs
// to, and whether it is of the tree; overflow pages too (sqlite.org/fileformat2.html, sections 1.5 and 1.6).
func owners(t testing.TB, s *sqlstore.Store, file []byte) []string {
	t.Helper()
	o := make([]string, len(file)/page+1)
	walk(file, o, "sqlite_schema", 1)
	rows, err := s.DB.QueryContext(t.Context(), `SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var root int
		if err := rows.Scan(&name, &root); err != nil {
			t.Fatal(err)
		}
		walk(file, o, name, root)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return o
}

// inTree marks pages that hold the way to others.
const inTree = " (tree)"

// Kinds of pages of a B-tree.
const (
	interiorIndex = 2
	interiorTable = 5
	leafIndex     = 10
	leafTable     = 13
)

func walk(file []byte, o []string, name string, n int) {
	o[n] = name
	b := file[(n-1)*page:][:page]
	head := 0
	if n == 1 {
		head = 100
	}
	kind, cells, array := b[head], int(binary.BigEndian.Uint16(b[head+3:])), head+8
	interior := kind == interiorIndex || kind == interiorTable
	if interior {
		o[n] = name + inTree
		array += 4
		walk(file, o, name, int(binary.BigEndian.Uint32(b[head+8:])))
	}
	for i := range cells {
		cell := b[binary.BigEndian.Uint16(b[array+2*i:]):]
		if interior {
			walk(file, o, name, int(binary.BigEndian.Uint32(cell)))
			cell = cell[4:]
		}
		if kind == interiorTable {
			continue
		}
		size, length := varint(cell)
		cell = cell[length:]
		most := (page-12)*64/255 - 23
		if kind == leafTable {
			_, length := varint(cell)
			cell, most = cell[length:], page-35
		}
		if size <= most {
			continue
		}
		least := (page-12)*32/255 - 23
		local := least + (size-least)%(page-4)
		if local > most {
			local = least
		}
		for next := int(binary.BigEndian.Uint32(cell[local:])); next != 0; next = int(binary.BigEndian.Uint32(file[(next-1)*page:])) {
			o[next] = name
		}
	}
}

// varint reads SQLite's numbers of variable length.
func varint(b []byte) (n, length int) {
	for i := range 8 {
		n = n<<7 | int(b[i]&0x7f)
		if b[i] < 0x80 {
			return n, i + 1
		}
	}
	return n<<8 | int(b[8]), 9
}
