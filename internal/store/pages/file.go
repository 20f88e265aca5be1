// Package pages reads an SQLite file page by page, without SQLite, so that
// damage costs no more than the pages it hit. The layout is that of
// sqlite.org/fileformat2.html.
package pages

import (
	"encoding/binary"
	"os"
)

// Size is the size of a page of the files Piton makes.
const Size = 4096

const (
	headerSize = 100     // of the file, at the beginning of page 1
	maxPages   = 1 << 26 // 256 GB
	maxAlone   = 1 << 20 // of a log without its file
)

// File is an SQLite file with its log. A page is read from the log where the
// log has it.
type File struct {
	main, wal *os.File
	count     uint32           // pages
	frames    map[uint32]int64 // where a page's newest committed content begins in the log
	Log       Log
	mapped    bool // there are maps of pages: the file was made with auto_vacuum
}

// Log says what was found in the -wal.
type Log struct {
	Frames  int  // pages taken from it
	Damaged int  // frames left out because they do not match their sum
	Header  bool // its header is damaged; SQLite would read nothing of it
	Torn    bool // it ends within a transaction, or in bytes that are not a frame
}

// Close closes the file and its log.
func (f *File) Close() {
	for _, x := range []*os.File{f.main, f.wal} {
		if x != nil {
			x.Close() // it was only read
		}
	}
}

// Pages is how many pages there are. The first one has number 1.
func (f *File) Pages() uint32 { return f.count }

// Page returns the content of a page; what lies behind the end of a file that
// was cut is zero.
func (f *File) Page(n uint32) []byte {
	b := make([]byte, Size)
	if at, ok := f.frames[n]; ok {
		f.wal.ReadAt(b, at)
	} else if f.main != nil && n <= f.count {
		f.main.ReadAt(b, int64(n-1)*Size)
	}
	return b
}

// Kinds of entries in a map of pages.
const (
	mapRoot = 1 + iota
	mapFree
	mapOverflow     // the first page of a chain
	mapOverflowMore // another one
	mapTree
)

// entriesPerMap is how many pages a map describes.
const entriesPerMap = Size / 5

// isMap reports whether a page is a map of pages.
func (f *File) isMap(n uint32) bool {
	return f.mapped && n >= 2 && (n-2)%(entriesPerMap+1) == 0
}

// mapPages reads the maps: for each page its kind and the page that leads to
// it. Kind 0 is unknown.
func (f *File) mapPages() (kind []byte, parent []uint32) {
	kind, parent = make([]byte, f.count+1), make([]uint32, f.count+1)
	if !f.mapped {
		return kind, parent
	}
	for at := uint32(2); at <= f.count; at += entriesPerMap + 1 {
		b := f.Page(at)
		for i := range uint32(entriesPerMap) {
			n := at + 1 + i
			if n > f.count {
				break
			}
			k, p := b[i*5], binary.BigEndian.Uint32(b[i*5+1:])
			if k >= mapRoot && k <= mapTree && p <= f.count {
				kind[n], parent[n] = k, p
			}
		}
	}
	return kind, parent
}

// looksMapped tells by the content of page 2 whether the file has maps: the
// header that says so may be what is damaged.
func (f *File) looksMapped() bool {
	if f.count < 3 {
		return false
	}
	b, good, all := f.Page(2), 0, 0
	for i := range min(uint32(entriesPerMap), f.count-2) {
		k, p := b[i*5], binary.BigEndian.Uint32(b[i*5+1:])
		all++
		orphan := k == mapRoot || k == mapFree
		if k >= mapRoot && k <= mapTree && p <= f.count && (p == 0) == orphan {
			good++
		}
	}
	return good*10 >= all*8
}

// free reads the list of free pages. Whole is false where the list is damaged.
func (f *File) free() (free map[uint32]bool, whole bool) {
	free = map[uint32]bool{}
	head := f.Page(1)
	trunk, total := binary.BigEndian.Uint32(head[32:]), binary.BigEndian.Uint32(head[36:])
	for trunk != 0 {
		if trunk > f.count || free[trunk] || f.isMap(trunk) {
			return free, false
		}
		free[trunk] = true
		b := f.Page(trunk)
		n := binary.BigEndian.Uint32(b[4:])
		if n > Size/4-2 {
			return free, false
		}
		for i := range n {
			leaf := binary.BigEndian.Uint32(b[8+4*i:])
			if leaf == 0 || leaf > f.count {
				return free, false
			}
			free[leaf] = true
		}
		trunk = binary.BigEndian.Uint32(b)
	}
	return free, uint32(len(free)) == total
}
