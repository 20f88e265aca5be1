package sqlite

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"

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
	markScan   = "piton-mark 1 %d %d %s %08x\n"
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
	var at int64
	var sum uint32
	if _, err := fmt.Sscanf(string(b), markScan, &m.ID, &at, &m.Checkpoint, &sum); err != nil || sum != crc32.ChecksumIEEE(b[:markLength-9]) {
		return store.LogEvent{}, false
	}
	m.At = piton.FromMillis(at)
	if m.Checkpoint == "-" {
		m.Checkpoint = ""
	}
	return m, m.ID > 0 && (m.Checkpoint == "" || piton.IsID(piton.CheckpointPrefix, m.Checkpoint))
}

func formMark(m store.LogEvent) []byte {
	id := m.Checkpoint
	if !piton.IsWholeID(piton.CheckpointPrefix, id) {
		id = "-"
	}
	b := fmt.Appendf(nil, markForm, m.ID, m.At.Millis(), id, 0)
	return fmt.Appendf(b[:markLength-9], "%08x\n", crc32.ChecksumIEEE(b[:markLength-9]))
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
	return func(last store.LogEvent, event func(int64) (store.LogEvent, error)) func(bool) {
		f, err := localfs.OpenOwn(path+markSuffix, true)
		if err != nil {
			return func(bool) {}
		}
		m, ok := scanMark(f)
		if ok {
			e, err := event(m.ID)
			if m.ID >= last.ID || err == nil && !same(e, m) {
				f.Close()
				behind(m)
				return func(bool) {}
			}
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
			f.WriteAt(formMark(last), 0)
		}
	}
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
		return openError(op, err)
	}
	if newest.ID == 0 {
		return nil
	}
	f, err := localfs.OpenOwn(path+markSuffix, true)
	if err != nil {
		return openError(op, err)
	}
	_, err = f.WriteAt(formMark(newest), 0)
	if err = errors.Join(err, f.Close()); err != nil {
		return openError(op, err)
	}
	return nil
}
