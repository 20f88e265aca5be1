package filestore

import (
	"errors"
	"io/fs"
	"slices"

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
		j := &journal{}
		switch err := unseal(m.journal, j); {
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
			if unseal(raw, read.w) != nil || read.w.ID != id {
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
