package sqlite

import (
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// TestOwnMark: a process looks into the store for a mark that is not its own, and
// notices in each case that the store has gone back.
func TestOwnMark(t *testing.T) {
	at := piton.At(time.UnixMilli(1767323045000))
	event := func(id int64) store.LogEvent { return store.LogEvent{ID: id, At: at} }
	mine, others := event(7), event(9)
	for _, c := range []struct {
		name     string
		own      *ownMark
		file     string
		last     int64
		stored   store.LogEvent // what the store has under the mark's number
		ok, back bool
		looks    bool
	}{
		{"the first write, of a mark that holds", nil, string(formMark(mine)), 8, mine, true, false, true},
		{"the first write, of another store's mark", nil, string(formMark(mine)), 8, store.LogEvent{ID: 7, At: piton.At(at.Add(time.Second))}, true, true, true},
		{"no mark", nil, "", 8, mine, false, false, false},
		{"its own", &ownMark{formMark(mine), mine}, string(formMark(mine)), 8, mine, true, false, false},
		{"its own, and the store gives out the number again", &ownMark{formMark(mine), mine}, string(formMark(mine)), 7, mine, true, true, false},
		{"another process has moved it", &ownMark{formMark(mine), mine}, string(formMark(others)), 10, others, true, false, true},
		{"another process has moved it, and the store is behind", &ownMark{formMark(mine), mine}, string(formMark(others)), 8, store.LogEvent{}, true, true, true},
		{"its own is gone", &ownMark{formMark(mine), mine}, "", 8, mine, false, false, false},
		{"its own is damaged", &ownMark{formMark(mine), mine}, string(formMark(mine)[:markLength-3]) + "xx\n", 8, mine, false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m")
			if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			looked := false
			ok, back, _ := c.own.moved(f, event(c.last), func(id int64) (store.LogEvent, error) {
				looked = true
				if c.stored.ID != id {
					return store.LogEvent{}, errors.New("no such event")
				}
				return c.stored, nil
			})
			if ok != c.ok || back != c.back || looked != c.looks {
				t.Errorf("got ok %v, back %v, looked %v; want %v, %v, %v", ok, back, looked, c.ok, c.back, c.looks)
			}
		})
	}
}

// The table that a mark's sum is taken by is one of its own; its sums are those of IEEE.
func TestMarkSum(t *testing.T) {
	b := formMark(store.LogEvent{ID: 7, At: piton.FromMillis(1700000000000)})
	if m, ok := parseMark(b); !ok || m.ID != 7 {
		t.Errorf("got %+v, %v from %q", m, ok, b)
	}
	if got, want := markSum(b), crc32.ChecksumIEEE(b[:markLength-9]); got != want {
		t.Errorf("got the sum %08x, want %08x", got, want)
	}
}
