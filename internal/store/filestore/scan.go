package filestore

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/piton-project/piton/internal/store/localfs"
)

// scan lists the folder and reads what has changed since old, which may be
// nil. A pending journal counts as applied. It returns fs.ErrNotExist when a
// file went while it looked.
func (s *Store) scan(old *index, m mark) (*index, error) {
	x := &index{mark: m, files: map[string]*entry{}, wfs: map[string]wfFile{}, faults: slices.Clone(m.faults)}
	if len(m.store) > 0 {
		var err error
		if x.store, err = readMeta(m.store); err != nil {
			x.faults = append(x.faults, storeFile+" is damaged; counters are lost, numbers go on behind the highest that is there")
		}
	}
	pending := &journal{}
	if len(m.journal) > 0 {
		j, err := readJournal(m.journal)
		switch {
		case err != nil:
			x.faults = append(x.faults, journalFile+" is damaged: "+err.Error())
		case j.Store.Tx > x.store.Tx:
			pending, x.store = j, j.Store
		}
	}
	if err := s.scanCheckpoints(x, old, pending); err != nil {
		return nil, err
	}
	x.created = nil
	return x, s.scanWorkflows(x, old, pending)
}

func (s *Store) scanCheckpoints(x, old *index, pending *journal) error {
	names, err := s.disk.names(checkpoints)
	if err != nil {
		return err
	}
	dir, err := s.disk.root.OpenRoot(checkpoints)
	if err != nil {
		return err
	}
	defer dir.Close()
	gone, put := setOf(pending.Removes), setOf(pending.Puts)
	for _, name := range names {
		if final, staged := stagedFor(name); staged {
			if !put[final] {
				x.stale = append(x.stale, checkpoints+"/"+name)
			}
			continue
		}
		if !isCheckpointName(name) || gone[name] || put[name] {
			continue
		}
		if old != nil && old.files[name] != nil {
			s.disk.looked()
			info, err := dir.Lstat(name)
			if err != nil {
				return err
			}
			if e := old.files[name]; e.stamp == stampOf(info) {
				x.files[name] = e
				continue
			}
		}
		if x.files[name], err = s.readEntry(x, dir, name, name); err != nil {
			return err
		}
	}
	for name := range put {
		e, err := s.readEntry(x, dir, name, stagedName(name))
		if errors.Is(err, fs.ErrNotExist) {
			e, err = s.readEntry(x, dir, name, name)
		}
		if err != nil {
			return err
		}
		x.files[name] = e
	}
	return nil
}

func (s *Store) scanWorkflows(x, old *index, pending *journal) error {
	names, err := s.disk.names(workflows)
	if err != nil {
		return err
	}
	dir, err := s.disk.root.OpenRoot(workflows)
	if err != nil {
		return err
	}
	defer dir.Close()
	for _, name := range names {
		id, ok := workflowID(name)
		if !ok {
			continue
		}
		s.disk.looked()
		info, err := dir.Lstat(name)
		if err != nil {
			return err
		}
		if old != nil && old.wfs[id].stamp == stampOf(info) {
			x.wfs[id] = old.wfs[id]
		} else {
			raw, err := localfs.ReadIn(dir, name, maxWorkflow)
			if errors.Is(err, fs.ErrNotExist) {
				return err
			}
			read := wfFile{stamp: stampOf(info), w: &workflow{}}
			if fits, err := unseal(raw, read.w, &read.w.Sum); err != nil || !fits || read.w.ID != id || read.w.fits() != nil {
				read.w = nil
			}
			x.wfs[id] = read
		}
		if x.wfs[id].w == nil {
			x.faults = append(x.faults, workflowName(id)+" is damaged; what can be known of it is read off its checkpoints")
		}
	}
	for _, w := range pending.Workflows {
		x.wfs[w.ID] = wfFile{w: w}
	}
	return nil
}

func setOf(list []string) map[string]bool {
	set := map[string]bool{}
	for _, v := range list {
		set[v] = true
	}
	return set
}

// publish makes a transaction's index the store's own, and the cache's, so that
// the next call need not scan the folder again. It runs under the writers' lock.
func (s *Store) publish(t *tx) {
	x := t.x
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index = nil
	var files []*entry
	for name := range t.puts {
		info, err := s.disk.stat(checkpoints + "/" + name)
		if err != nil {
			return
		}
		e := *x.files[name]
		e.stamp, e.size, e.state = stampOf(info), info.Size(), nil
		t.replace(&e)
		files = append(files, &e)
	}
	for id := range t.dirty {
		info, err := s.disk.stat(workflowName(id))
		if err != nil {
			return
		}
		w := *x.workflows[id]
		w.Branches = append([]branch(nil), w.Branches...)
		w.Marks, w.Numbers = maps.Clone(w.Marks), maps.Clone(w.Numbers)
		x.wfs[id] = wfFile{stamp: stampOf(info), w: &w}
	}
	m, err := s.look()
	if err != nil || len(m.journal) > 0 {
		return
	}
	// What another program did meanwhile shows in no time of the folder.
	s.again, s.sure = time.Now().Add(grain), false
	x.mark, x.stale, x.faults = m, nil, nil
	if x.private = false; t.erases || len(t.removes) > 0 || !s.cache.keepMore(s.disk.root, x, files, t.dirty) {
		x.fill()
		s.cache.keepAll(s.disk.root, x)
	}
	s.index = x
}
