package sqlite_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"sync"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// disk is a VFS in memory that knows what of each file has reached the platter
// and what was only written, and whose power can be cut. A file's first sync
// syncs its folder too, as SQLite's VFS means to on Unix.
type disk struct {
	mu    sync.Mutex
	shm   string            // where the shared index lies: memory, lost with the power
	names map[string]*inode // as programs see them
	kept  map[string]*inode // as the platter has them
	left  int               // writes, syncs and the like until the power goes; negative: it stays
	dead  bool
	steps int
}

// inode is a file without its name.
type inode struct {
	data    []byte   // as programs see it
	synced  []byte   // as of the last sync
	pending []change // since then, in order

	shared, reserved, pendingLock int // locks of the file
}

// change is a write, or a truncation where data is nil.
type change struct {
	at   int64
	data []byte
}

func newDisk(shm string) *disk {
	return &disk{shm: shm, names: map[string]*inode{}, kept: map[string]*inode{}, left: -1}
}

// step counts what touches the platter down to the cut; d.mu is held.
func (d *disk) step() error {
	d.steps++
	if d.left == 0 {
		d.dead = true
	}
	d.left--
	return d.alive()
}

func (d *disk) alive() error {
	if d.dead {
		return sqlite3.IOERR
	}
	return nil
}

// after is the disk as it is when the power comes back: of what was not synced
// nothing is there, or all, or the first part, or any of it, in pieces of a
// sector.
func (d *disk) after(rnd *rand.Rand, shm string) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = true
	next := newDisk(shm)
	names := maps.Clone(d.kept)
	for name := range maps.Clone(d.names) {
		if names[name] != d.names[name] && rnd.IntN(2) == 0 {
			names[name] = d.names[name]
		}
	}
	for name := range d.kept {
		if d.names[name] == nil && rnd.IntN(2) == 0 {
			delete(names, name)
		}
	}
	how, sector := rnd.IntN(5), 512<<(3*rnd.IntN(2))
	for name, old := range names {
		data := old.survive(rnd, how, sector)
		next.names[name] = &inode{data: data, synced: bytes.Clone(data)}
	}
	next.kept = maps.Clone(next.names)
	return next
}

// survive makes the content that is left of a file.
func (f *inode) survive(rnd *rand.Rand, how, sector int) []byte {
	data := bytes.Clone(f.synced)
	first := rnd.IntN(len(f.pending) + 1)
	for i, c := range f.pending {
		switch {
		case how == 0, how == 1 && i > first, how == 2 && rnd.IntN(2) == 0:
			continue
		case c.data == nil && (how < 3 || rnd.IntN(2) == 0):
			data = resize(data, c.at, nil)
			continue
		case c.data == nil:
			continue
		}
		torn := how == 4 || how == 1 && i == first
		for at := 0; at < len(c.data); {
			n := min(sector-int(c.at+int64(at))%sector, len(c.data)-at)
			if !torn || rnd.IntN(2) == 0 {
				data = write(data, c.data[at:at+n], c.at+int64(at), rnd)
			}
			at += n
		}
	}
	return data
}

// write puts b into data. A hole before it has zeros, or with rnd sometimes
// what lay there before.
func write(data, b []byte, at int64, rnd *rand.Rand) []byte {
	if end := at + int64(len(b)); end > int64(len(data)) {
		data = resize(data, end, rnd)
	}
	copy(data[at:], b)
	return data
}

func resize(data []byte, size int64, rnd *rand.Rand) []byte {
	if size <= int64(len(data)) {
		return data[:size:size]
	}
	more := make([]byte, size-int64(len(data)))
	if rnd != nil && rnd.IntN(2) == 0 {
		fill(rnd, more)
	}
	return append(data, more...)
}

// size is a file's size, 0 where there is none.
func (d *disk) size(name string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.names[name]; f != nil {
		return len(f.data)
	}
	return 0
}

// Open opens or makes a file.
func (d *disk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if name == "" || flags&(vfs.OPEN_TEMP_DB|vfs.OPEN_TEMP_JOURNAL|vfs.OPEN_TRANSIENT_DB|vfs.OPEN_SUBJOURNAL) != 0 {
		return &vfsutil.SliceFile{}, flags | vfs.OPEN_MEMORY, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.alive(); err != nil {
		return nil, flags, err
	}
	f := d.names[name]
	if f == nil && flags&vfs.OPEN_CREATE == 0 {
		return nil, flags, sqlite3.CANTOPEN
	}
	if f == nil {
		if err := d.step(); err != nil {
			return nil, flags, err
		}
		f = &inode{}
		d.names[name] = f
	}
	h := &handle{disk: d, inode: f, name: name}
	if flags&vfs.OPEN_MAIN_DB != 0 {
		h.shm = vfs.NewSharedMemory(filepath.Join(d.shm, filepath.Base(name)+"-shm"), flags)
	}
	return h, flags, nil
}

// Delete removes a name; without syncDir it may come back.
func (d *disk) Delete(name string, syncDir bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	if d.names[name] == nil {
		return sqlite3.IOERR_DELETE_NOENT
	}
	delete(d.names, name)
	if syncDir {
		delete(d.kept, name)
	}
	return nil
}

// Access tells whether a file is there.
func (d *disk) Access(name string, _ vfs.AccessFlag) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[name] != nil, d.alive()
}

// FullPathname takes every path as whole.
func (d *disk) FullPathname(name string) (string, error) { return name, nil }
