package sqlite_test

import (
	"bytes"
	"testing"

	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/piton-project/piton/internal/store/sqlite"
)

// counting is a VFS that counts how often a file is synced.
type counting struct {
	*disk
	syncs int
}

type countedFile struct {
	vfs.File
	c *counting
}

func (c *counting) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := c.disk.Open(name, flags)
	return countedFile{f, c}, flags, err
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
