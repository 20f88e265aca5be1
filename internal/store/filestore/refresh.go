package filestore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/piton-project/piton"
)

// mark tells whether the folder has changed since an index was read.
type mark struct {
	store, journal []byte
	faults         []string  // why one of them cannot be read
	checkpoints    time.Time // the folder's time
	workflows      time.Time
	// again is when to look a second time: a change within the clock's grain
	// of the last look does not show in the folder's time.
	again time.Time
}

// grain is more than the grain of any local file system's clock in memory.
const grain = 50 * time.Millisecond

func (m mark) same(n mark) bool {
	return bytes.Equal(m.store, n.store) && bytes.Equal(m.journal, n.journal) && m.checkpoints.Equal(n.checkpoints) && m.workflows.Equal(n.workflows)
}

// look reads the mark: four small operations.
func (s *Store) look() (mark, error) {
	var m mark
	for _, dir := range []struct {
		name string
		to   *time.Time
	}{{checkpoints, &m.checkpoints}, {workflows, &m.workflows}} {
		info, err := s.disk.root.Lstat(dir.name)
		if err != nil {
			return m, err
		}
		*dir.to = info.ModTime()
	}
	for _, file := range []struct {
		name  string
		limit int64
		to    *[]byte
	}{{storeFile, maxMeta, &m.store}, {journalFile, maxJournal, &m.journal}} {
		b, err := s.disk.read(file.name, file.limit)
		switch {
		case unusable(err):
			m.faults = append(m.faults, file.name+" is damaged: "+cause(err))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return m, err
		}
		*file.to = b
	}
	newest := m.checkpoints
	if m.workflows.After(newest) {
		newest = m.workflows
	}
	if now := time.Now(); now.Sub(newest) < grain {
		m.again = newest.Add(grain)
	}
	return m, nil
}

// refresh returns the index of what the folder holds now. It reads only files
// that have changed since the last time.
func (s *Store) refresh(ctx context.Context) (*index, error) {
	const op = "read the file store"
	if err := ctx.Err(); err != nil {
		return nil, fail(op, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x, m, err := s.index, mark{}, error(nil)
	if m, err = s.look(); err != nil {
		return nil, fail(op, err)
	}
	if x != nil && x.mark.same(m) && (x.mark.again.IsZero() || time.Now().Before(x.mark.again)) {
		return x, nil
	}
	for try := 0; ; try++ {
		if x, err = s.scan(x, m); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fail(op, err)
		}
		after, err2 := s.look()
		if err2 != nil {
			return nil, fail(op, err2)
		}
		// A transaction that was applied meanwhile may have been seen in parts.
		if err == nil && m.same(after) {
			x.build()
			s.index = x
			return x, nil
		}
		m = after
		if err := ctx.Err(); err != nil {
			return nil, fail(op, err)
		}
		if try == patience {
			return nil, piton.Errorf(piton.Unavailable, op, "others are writing all the time; try again", "no moment of rest in %d looks", patience)
		}
		if try >= patience/2 {
			time.Sleep(time.Millisecond << min(try-patience/2, 5))
		}
	}
}

// patience is how often a reader looks for a moment in which nobody writes.
// Each look after the first costs little: it reads only what has changed.
const patience = 60
