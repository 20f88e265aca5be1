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
// not changed it costs the same in a small store and in a large one: the index
// is the one in memory or in the cache. Else every file is looked at, and read
// where it has changed.
func (s *Store) refresh(ctx context.Context) (*index, error) { return s.known(ctx, false) }

// listed is refresh for lists. Another program may have added a file in the same
// moment in which we changed the folder's time, so it compares the names too.
func (s *Store) listed(ctx context.Context) (*index, error) { return s.known(ctx, true) }

func (s *Store) known(ctx context.Context, names bool) (*index, error) {
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
	if s.index == nil && !s.unread {
		if x := s.cache.load(s.disk.root); x != nil {
			s.index, s.again, s.sure = x, time.Unix(0, 1), false
		}
	}
	if x := s.index; x != nil && x.mark.same(m) && !s.doubt {
		if !names || s.again.IsZero() || time.Now().Before(s.again) {
			return x, nil
		}
		if same, err := s.sameNames(x); err != nil {
			return nil, fail(op, err)
		} else if same {
			s.again = m.settles()
			return x, nil
		}
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
		next, err := s.scan(x, m)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fail(op, err)
		}
		again := m.settles()
		after, err2 := s.look()
		if err2 != nil {
			return nil, fail(op, err2)
		}
		// A transaction that was applied meanwhile may have been seen in parts.
		if err == nil && m.same(after) {
			next.build(nil)
			s.index, s.again, s.sure, s.doubt, s.unread = next, again, again.IsZero(), false, false
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

// sameNames reports whether the checkpoints' folder holds the files of an index,
// without a look at any of them.
func (s *Store) sameNames(x *index) (bool, error) {
	list, err := s.disk.names(checkpoints)
	var have names
	for _, name := range list {
		if _, staged := stagedFor(name); staged {
			return false, err
		}
		if isCheckpointName(name) {
			have.add(name)
		}
	}
	return have == x.names, err
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
