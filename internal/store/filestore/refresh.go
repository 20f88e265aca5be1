package filestore

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/piton-project/piton"
)

// look reads the mark: four small operations.
func (s *Store) look() (mark, error) {
	var m mark
	for _, dir := range []struct {
		name string
		to   *int64
	}{{checkpoints, &m.checkpoints}, {workflows, &m.workflows}} {
		info, err := s.disk.stat(dir.name)
		if err != nil {
			return m, err
		}
		*dir.to = info.ModTime().UnixNano()
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
	return m, nil
}

// refresh returns the index of what the folder holds now. Where the folder has
// not changed no file is opened or looked at, however many there are: the index is
// the one in memory or in the cache. Else every file is looked at, and read where
// it has changed.
//
// The folder's time alone does not say so. Another program may have added a file
// in the moment in which we changed that time, or while a transaction ran that then
// noted it. So the names are compared too: by every process once, and until the
// folder has been at rest.
func (s *Store) refresh(ctx context.Context) (*index, error) {
	const op = "read the file store"
	if err := ctx.Err(); err != nil {
		return nil, fail(op, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.look()
	if err != nil {
		return nil, fail(op, err)
	}
	if x := s.index; x != nil && s.rested && !s.doubt && x.mark.same(m) {
		return x, nil
	}
	rested := m.atRest()
	have, staged, err := s.listed()
	if err != nil {
		return nil, fail(op, err)
	}
	if s.index == nil && !s.unread {
		s.index, s.sure = s.cache.load(s.disk.root, have.count), false
	}
	if x := s.index; x != nil && !s.doubt && x.mark.same(m) && x.names == have && !staged {
		s.rested = rested
		return x, nil
	}
	return s.reread(ctx, op, m)
}

// reread looks at every file until nothing has changed meanwhile.
func (s *Store) reread(ctx context.Context, op string, m mark) (*index, error) {
	x := s.index
	if x != nil && x.base != nil {
		x = x.clone()
		x.fill()
	}
	for try := 0; ; try++ {
		rested := m.atRest() // before the scan: what comes in the meantime may not show
		next, err := s.scan(x, m)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fail(op, err)
		}
		after, err2 := s.look()
		if err2 != nil {
			return nil, fail(op, err2)
		}
		// A transaction that was applied meanwhile may have been seen in parts.
		if err == nil && m.same(after) {
			next.build(nil)
			s.index, s.rested, s.sure, s.doubt, s.unread = next, rested, rested, false, false
			s.cache.keepAll(s.disk.root, next)
			return next, nil
		}
		if x = next; x == nil {
			x = s.index
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

// patience is how many times a reader scans to find a moment without a writer.
// Each scan after the first is cheap: it reads only what has changed.
const patience = 60

// listed lists the checkpoints' folder without a look at any file, and reports
// whether files of a transaction are staged there.
func (s *Store) listed() (have names, staged bool, err error) {
	list, err := s.disk.unsorted(checkpoints)
	for _, name := range list {
		if isCheckpointName(name) {
			have.add(name)
		} else if _, ok := stagedFor(name); ok {
			staged = true
		}
	}
	return have, staged, err
}

// filled returns the index with everything that the cache holds.
func (s *Store) filled(x *index) *index {
	s.mu.Lock()
	defer s.mu.Unlock()
	y := x.clone()
	y.fill()
	if s.index == x {
		s.index = y
	}
	return y
}

// asRead reports whether a checkpoint's file is the one that was read.
func (s *Store) asRead(e *entry) bool {
	if e.stamp == (stamp{}) {
		return true // it is not there yet, or could not be read
	}
	info, err := s.disk.stat(checkpoints + "/" + e.name)
	return err == nil && stampOf(info) == e.stamp
}

// stands reports whether the files that an answer came from are still the same.
func (s *Store) stands(x *index, list []*entry) bool {
	s.mu.Lock()
	sure := s.sure && s.index == x || len(x.mark.journal) > 0 // then all was read just now
	s.mu.Unlock()
	return sure || !slices.ContainsFunc(list, func(e *entry) bool { return !s.asRead(e) })
}

// surely is refresh, but it has looked at every file since the last change.
func (s *Store) surely(ctx context.Context) (*index, error) {
	x, err := s.refresh(ctx)
	s.mu.Lock()
	sure := s.sure
	s.mu.Unlock()
	if err != nil || sure {
		return x, err
	}
	s.suspect()
	return s.refresh(ctx)
}

// suspect makes the next call look at every file.
func (s *Store) suspect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubt = true
}

// forget makes the next call read every file.
func (s *Store) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index, s.unread = nil, true
}

// distrust throws a cache away whose records do not fit together, and makes the
// next call read every file.
func (s *Store) distrust() {
	s.forget()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cache.drop()
}
