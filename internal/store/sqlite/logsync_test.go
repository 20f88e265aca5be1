package sqlite_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/piton-project/piton/internal/store/sqlite"
)

// counting is a VFS that counts how often a file is written and synced.
type counting struct {
	*disk
	writes, syncs int
}

type countedFile struct {
	vfs.File
	c *counting
}

func (c *counting) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := c.disk.Open(name, flags)
	return countedFile{f, c}, flags, err
}

func (f countedFile) WriteAt(b []byte, at int64) (int, error) {
	f.c.writes++
	return f.File.WriteAt(b, at)
}

func (f countedFile) Sync(flags vfs.SyncFlag) error {
	f.c.syncs++
	return f.File.Sync(flags)
}

// TestLogSyncs writes a log as SQLite does, does something, and syncs it again.
func TestLogSyncs(t *testing.T) {
	const header, head, frame = 32, 24, 24 + page
	write := func(t *testing.T, f vfs.File, what byte, n int, at int64) {
		t.Helper()
		if _, err := f.WriteAt(bytes.Repeat([]byte{what}, n), at); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		name string
		do   func(t *testing.T, own, other vfs.File)
		want int
	}{
		{"nothing was written since", func(*testing.T, vfs.File, vfs.File) {}, 0},
		{"it has gone on", func(t *testing.T, own, _ vfs.File) { write(t, own, 2, frame, header+frame) }, 1},
		{"it has written inside", func(t *testing.T, own, _ vfs.File) { write(t, own, 2, 24, header) }, 1},
		{"it has cut the log off", func(t *testing.T, own, _ vfs.File) {
			if err := own.Truncate(0); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"another has gone on", func(t *testing.T, _, other vfs.File) { write(t, other, 3, frame, header+frame) }, 1},
		{"another has begun it anew", func(t *testing.T, _, other vfs.File) {
			write(t, other, 3, header, 0)
			write(t, other, 3, frame, header)
		}, 1},
		{"another has written over its end", func(t *testing.T, _, other vfs.File) {
			write(t, other, 3, head, header)
			write(t, other, 3, page, header+head)
		}, 1},
		{"another has cut it off", func(t *testing.T, _, other vfs.File) {
			if err := other.Truncate(0); err != nil {
				t.Fatal(err)
			}
		}, 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := &counting{disk: newDisk(t.TempDir())}
			open := func() vfs.File {
				f, _, err := sqlite.LogVFS(c).Open("/x.db-wal", vfs.OPEN_WAL|vfs.OPEN_CREATE|vfs.OPEN_READWRITE)
				if err != nil {
					t.Fatal(err)
				}
				return f
			}
			sync := func(f vfs.File) {
				if err := f.Sync(vfs.SYNC_FULL); err != nil {
					t.Fatal(err)
				}
			}
			own, other := open(), open()
			sync(own)
			if c.syncs != 1 {
				t.Fatalf("got %d syncs of a log that another may have written, want one", c.syncs)
			}
			write(t, own, 1, header, 0)
			write(t, own, 1, head, header)
			write(t, own, 1, page, header+head)
			sync(own)
			if c.syncs != 2 {
				t.Fatalf("got %d syncs after a commit, want two", c.syncs)
			}
			x.do(t, own, other)
			sync(own)
			if got := c.syncs - 2; got != x.want {
				t.Errorf("got %d more syncs, want %d", got, x.want)
			}
		})
	}
}

// TestLogCommits: the pages of a commit reach the log in one write, as they would one by
// one; without a commit, and after one that failed, nothing is held that another could
// have written over since.
func TestLogCommits(t *testing.T) {
	const header, head, frame = 32, 24, 24 + page
	errFailed := errors.New("it failed")
	c := &counting{disk: newDisk(t.TempDir())}
	open := func() vfs.File {
		f, _, err := sqlite.LogVFS(c).Open("/x.db-wal", vfs.OPEN_WAL|vfs.OPEN_CREATE|vfs.OPEN_READWRITE)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	own, other := open(), open()
	commit := func(fn func() error) error { return own.(interface{ Commit(func() error) error }).Commit(fn) }
	put := func(f vfs.File, n int, what byte, last bool) error {
		h := bytes.Repeat([]byte{what}, head)
		binary.BigEndian.PutUint32(h[4:], 0)
		if last {
			h[7] = 9
		}
		at := int64(header + n*frame)
		_, err := f.WriteAt(h, at)
		_, err2 := f.WriteAt(bytes.Repeat([]byte{what}, page), at+head)
		return errors.Join(err, err2)
	}
	is := func(when string, n int, what byte) {
		t.Helper()
		b := make([]byte, page)
		if _, err := other.ReadAt(b, int64(header+n*frame+head)); err != nil || b[0] != what || b[page-1] != what {
			t.Errorf("%s: got %d and %d (%v) as page %d, want %d", when, b[0], b[page-1], err, n, what)
		}
	}
	begun := func() int { n := c.writes; c.writes = 0; return n }
	if err := put(own, 0, 1, false); err != nil || begun() != 2 {
		t.Errorf("got %v, want both writes at once outside of a commit", err)
	}
	is("outside of a commit", 0, 1)
	err := commit(func() error {
		err := errors.Join(put(own, 1, 2, false), put(own, 2, 3, false), put(own, 3, 4, true))
		is("before the commit has ended", 3, 4)
		return err
	})
	if n := begun(); err != nil || n != 1 {
		t.Errorf("got %d writes for a commit, %v, want one", n, err)
	}
	is("after a commit", 1, 2)
	is("after a commit", 2, 3)

	err = commit(func() error { return errors.Join(put(own, 4, 5, false), errFailed) })
	if !errors.Is(err, errFailed) || put(other, 4, 6, true) != nil {
		t.Fatal(err)
	}
	if err := commit(func() error { return put(own, 5, 7, true) }); err != nil {
		t.Fatal(err)
	}
	is("where a commit failed", 4, 6)
	is("behind it", 5, 7)

	begun()
	err = commit(func() error {
		err := errors.Join(put(own, 6, 8, false), put(own, 2, 9, false)) // a page that it had added is written again
		b := make([]byte, page)
		if _, err := own.ReadAt(b, header+6*frame+head); err != nil || b[0] != 8 {
			t.Errorf("its own page: got %d, %v, want 8", b[0], err)
		}
		for n := range 300 {
			err = errors.Join(err, put(own, 7+n, byte(n), n == 299))
		}
		return err
	})
	if n := begun(); err != nil || n < 3 || n > 8 {
		t.Errorf("got %d writes for a large commit, %v, want few", n, err)
	}
	is("after a large commit", 2, 9)
	is("after a large commit", 6, 8)
	is("after a large commit", 150, 143)
}

// TestACommitNeedsNoLog: an index keeps none, and has no journal open where nothing was
// changed.
func TestACommitNeedsNoLog(t *testing.T) {
	for name, path := range map[string]string{"in memory": "", "in a file": filepath.Join(t.TempDir(), "index.db")} {
		s, err := sqlite.OpenIndex(t.Context(), path, sqlite.Options{FTS5: fts5.Register}, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range 2 {
			w, err := s.D.Work(t.Context(), s.DB)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Commit(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
