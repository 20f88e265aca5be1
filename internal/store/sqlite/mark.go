package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// markSuffix is behind the store's name in the name of its mark: a file that
// says what was acknowledged last. It lies outside of the store, so that a
// store that goes back, because its -wal was lost or an older copy came in its
// place, is noticed.
//
// It is written after the commit and not synced, so it may lag behind the store
// (a kill, a power cut, a torn write) and is never ahead of it.
const markSuffix = ".mark"

// markForm is the line in the file; its length never changes, so that writing
// it anew leaves nothing of the old one.
const (
	markForm   = "piton-mark 1 %019d %019d %-20s %08x\n"
	markLength = len("piton-mark 1 ") + 19 + 1 + 19 + 1 + 20 + 1 + 8 + 1
)

// readMark reads the mark of the store at path; ok is false where there is none
// that can be read.
func readMark(path string) (m store.LogEvent, ok bool) {
	f, err := localfs.OpenOwn(path+markSuffix, false)
	if err != nil {
		return m, false
	}
	defer f.Close()
	return scanMark(f)
}

func scanMark(f *os.File) (m store.LogEvent, ok bool) {
	b := make([]byte, markLength)
	if n, err := f.ReadAt(b, 0); n < markLength && err != nil {
		return m, false
	}
	return parseMark(b)
}

func parseMark(b []byte) (m store.LogEvent, ok bool) {
	// By hand: fmt.Sscanf takes 0.1 ms in a process that calls it once.
	f := strings.Fields(string(b))
	if len(f) != 6 || f[0] != "piton-mark" || f[1] != "1" {
		return m, false
	}
	id, err1 := strconv.ParseInt(f[2], 10, 64)
	at, err2 := strconv.ParseInt(f[3], 10, 64)
	sum, err3 := strconv.ParseUint(f[5], 16, 32)
	if err1 != nil || err2 != nil || err3 != nil || uint32(sum) != markSum(b) {
		return m, false
	}
	m.ID, m.At = id, piton.FromMillis(at)
	if f[4] != "-" {
		m.Checkpoint = f[4]
	}
	return m, m.ID > 0 && (m.Checkpoint == "" || piton.IsID(piton.CheckpointPrefix, m.Checkpoint))
}

// markTable is a copy: before its first sum by its own table hash/crc32 makes eight
// more of them, which takes longer than all else that a mark needs.
var markTable = *crc32.IEEETable

func markSum(b []byte) uint32 { return crc32.Update(0, &markTable, b[:markLength-9]) }

func formMark(m store.LogEvent) []byte {
	id := m.Checkpoint
	if !piton.IsWholeID(piton.CheckpointPrefix, id) {
		id = "-"
	}
	b := fmt.Appendf(nil, markForm, m.ID, m.At.Millis(), id, 0)
	return fmt.Appendf(b[:markLength-9], "%08x\n", markSum(b))
}

// same tells whether an event of the store is the one that the mark names.
func same(e, m store.LogEvent) bool {
	return e.At.Millis() == m.At.Millis() && (e.Checkpoint == m.Checkpoint || m.Checkpoint == "")
}

// acknowledge writes the mark once a transaction has landed. It runs while the
// process has the writers' lock. A store that has gone back does not move the
// mark: it stays as a sign of that until a person accepts it. behind is called
// then.
func acknowledge(path string, behind func(store.LogEvent)) func(store.LogEvent, func(int64) (store.LogEvent, error)) func(bool) {
	var own atomic.Pointer[ownMark]
	return func(last store.LogEvent, event func(int64) (store.LogEvent, error)) func(bool) {
		f, err := localfs.OpenOwn(path+markSuffix, true)
		if err != nil {
			return func(bool) {}
		}
		ok, back, m := own.Load().moved(f, last, event)
		if back {
			f.Close()
			behind(m)
			return func(bool) {}
		}
		return func(committed bool) {
			defer f.Close()
			if !committed {
				return
			}
			if !ok { // it may be new: whoever may use the store may use it too
				if info, err := os.Stat(path); err == nil {
					f.Chmod(info.Mode().Perm())
				}
			}
			text := formMark(last)
			if _, err := f.WriteAt(text, 0); err == nil {
				own.Store(&ownMark{text, last})
			}
		}
	}
}

// ownMark is a mark that this process has written.
type ownMark struct {
	text []byte
	of   store.LogEvent
}

// moved reads the mark, which may be another process's by now. ok is false where
// none can be read; back tells that the store does not hold what it says. Of a mark
// of its own a process knows that the store held it: one that has gone back since
// gives out a number again.
func (o *ownMark) moved(f *os.File, last store.LogEvent, event func(int64) (store.LogEvent, error)) (ok, back bool, m store.LogEvent) {
	b := make([]byte, markLength)
	if n, err := f.ReadAt(b, 0); n < markLength && err != nil {
		return false, false, m
	}
	if o != nil && bytes.Equal(b, o.text) {
		return true, o.of.ID >= last.ID, o.of
	}
	if m, ok = parseMark(b); !ok {
		return false, false, m
	}
	e, err := event(m.ID)
	return true, m.ID >= last.ID || err == nil && !same(e, m), m
}

// Behind is Corrupt when the store at path is older than what was acknowledged,
// nil when it is not or nothing says so. s is the open store; nil: there is
// none any more.
func Behind(ctx context.Context, path string, s *sqlstore.Store) error {
	m, ok := readMark(path) // before the store, which only grows
	if !ok {
		return nil
	}
	var newest store.LogEvent
	if s != nil {
		var err error
		if newest, err = s.NewestEvent(ctx); err != nil {
			return err
		}
	}
	if newest.ID == m.ID && same(newest, m) {
		return nil
	}
	if newest.ID >= m.ID {
		e, err := s.Event(ctx, m.ID)
		switch code := piton.CodeOf(err); {
		case err != nil && code != piton.NotFound:
			return err
		case err != nil || same(e, m): // an event is deleted when it is old
			return nil
		}
	}
	return behindError(path, m, s == nil || newest.ID == 0)
}

// Acknowledged is the newest event that was acknowledged of the store at path; ok is
// false where nothing says so.
func Acknowledged(path string) (e store.LogEvent, ok bool) { return readMark(path) }

func behindError(path string, m store.LogEvent, empty bool) error {
	what := "the store is older than what was acknowledged on " + m.At.Local().Format("2006-01-02 15:04:05")
	if empty {
		what = "the store is empty or gone, and something was acknowledged on " + m.At.Local().Format("2006-01-02 15:04:05")
	}
	if m.Checkpoint != "" {
		what += " (" + m.Checkpoint + ")"
	}
	return piton.Errorf(piton.Corrupt, "open the store "+path, "bring back the newest copy of the file, with its -wal; or take it as it is with 'repair accept'", "%s", what)
}

// Accept takes the store at path as it is: what its mark said is forgotten. s
// is the open store; nil where there is none.
func Accept(ctx context.Context, path string, s *sqlstore.Store) error {
	op := "accept the store " + path
	var newest store.LogEvent
	var err error
	if s != nil {
		if newest, err = s.NewestEvent(ctx); err != nil {
			return err
		}
	}
	// What has the mark's name may be a link: the name goes, not what it leads to.
	if err := os.Remove(path + markSuffix); err != nil && !os.IsNotExist(err) {
		return openError(op, path, err)
	}
	if newest.ID == 0 {
		return nil
	}
	f, err := localfs.OpenOwn(path+markSuffix, true)
	if err != nil {
		return openError(op, path, err)
	}
	_, err = f.WriteAt(formMark(newest), 0)
	if err = errors.Join(err, f.Close()); err != nil {
		return openError(op, path, err)
	}
	return nil
}
