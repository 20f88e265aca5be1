package filestore

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// mark reports whether the folder has changed since it was read.
type mark struct {
	key            int64 // of all that follows, the folder and the times of its folders
	store, journal []byte
	faults         []string  // why one of them cannot be read
	changed        time.Time // when a folder was changed last
}

// grain is more than the grain of any local file system's clock in memory: a
// change so soon after another need not show in the folder's time.
const grain = 50 * time.Millisecond

// atRest reports whether every change of the folder from now on gives it another
// mark.
func (m mark) atRest() bool { return time.Since(m.changed) > grain }

// look reads the mark: five small operations.
func (s *Store) look() (m mark, err error) {
	var parts []string
	for _, dir := range []string{".", checkpoints, workflows} {
		info, err := s.disk.stat(dir)
		if err != nil {
			return m, err
		}
		parts = append(parts, strconv.FormatInt(localfs.Inode(info), 10))
		if dir != "." {
			parts = append(parts, stampOf(info))
			if at := info.ModTime(); at.After(m.changed) {
				m.changed = at
			}
		}
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
		parts = append(parts, string(b))
	}
	m.key = keyOf(parts...)
	return m, nil
}

// keyOf is a number that stands for some texts.
func keyOf(parts ...string) int64 {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return int64(binary.BigEndian.Uint64(sum[:]) >> 1)
}

// lying is what lies in the folder.
type lying struct {
	stamps  map[string]string // by path
	names   int64
	stale   []string // staged files of a transaction that never happened
	store   meta
	pending journal  // counts as applied
	faults  []string // of the store's own files
}

// list looks at every file. It returns fs.ErrNotExist when one went meanwhile.
func (s *Store) list(m mark) (l lying, err error) {
	l = lying{stamps: map[string]string{}, faults: slices.Clone(m.faults)}
	if len(m.store) > 0 {
		if l.store, err = readMeta(m.store); err != nil {
			l.faults = append(l.faults, storeFile+" is damaged; counters are lost, numbers go on behind the highest that is there")
		}
	}
	if len(m.journal) > 0 {
		j := &journal{}
		switch err := unseal(m.journal, j); {
		case err != nil:
			l.faults = append(l.faults, journalFile+" is damaged: "+err.Error())
		case j.Store.Tx > l.store.Tx:
			l.pending, l.store = *j, j.Store
		}
	}
	if err := s.listCheckpoints(&l); err != nil {
		return l, err
	}
	err = s.eachIn(workflows, func(dir *os.Root, name string) error {
		if _, ok := workflowID(name); !ok {
			return nil
		}
		return s.stamp(dir, name, &l, workflows+"/"+name)
	})
	for _, w := range l.pending.Workflows {
		l.stamps[workflowName(w.ID)] = "journal " + w.Sum
	}
	return l, err
}

func (s *Store) listCheckpoints(l *lying) error {
	gone, put := setOf(l.pending.Removes), setOf(l.pending.Puts)
	err := s.eachIn(checkpoints, func(dir *os.Root, name string) error {
		if final, staged := stagedFor(name); staged {
			if !put[final] {
				l.stale = append(l.stale, checkpoints+"/"+name)
			}
			return nil
		}
		if !isCheckpointName(name) {
			return nil
		}
		l.names += nameKey(name)
		if gone[name] || put[name] {
			return nil
		}
		return s.stamp(dir, name, l, checkpoints+"/"+name)
	})
	for name := range put {
		path := checkpoints + "/" + name
		err2 := s.stamp(s.disk.root, stagedName(path), l, path)
		if errors.Is(err2, fs.ErrNotExist) {
			err2 = s.stamp(s.disk.root, path, l, path)
		}
		err = errors.Join(err, err2)
	}
	return err
}

// eachIn calls visit for each name in a folder, in order.
func (s *Store) eachIn(folder string, visit func(dir *os.Root, name string) error) error {
	names, err := s.disk.names(folder)
	if err != nil {
		return err
	}
	dir, err := s.disk.root.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	for _, name := range names {
		if err := visit(dir, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) stamp(dir *os.Root, name string, l *lying, path string) error {
	s.disk.looked()
	info, err := dir.Lstat(name)
	if err == nil {
		l.stamps[path] = stampOf(info)
	}
	return err
}

func setOf(list []string) map[string]bool {
	set := map[string]bool{}
	for _, v := range list {
		set[v] = true
	}
	return set
}

// names is the sum of the keys of the names in the checkpoints' folder, and what is
// staged there.
func (s *Store) names() (sum int64, staged []string, err error) {
	list, err := s.disk.unsorted(checkpoints)
	for _, name := range list {
		if isCheckpointName(name) {
			sum += nameKey(name)
		} else if _, ok := stagedFor(name); ok {
			staged = append(staged, checkpoints+"/"+name)
		}
	}
	return sum, staged, err
}

// asRead reports whether a checkpoint's file is the one that was read.
func (s *Store) asRead(c piton.Checkpoint) bool {
	file, was := fileOf(c)
	if was == "" {
		return true // it is not there yet, or could not be read
	}
	info, err := s.disk.stat(file)
	return err == nil && stampOf(info) == was
}

// differences are where the index does not fit the folder.
type differences struct {
	touched map[string]bool // workflows
	fresh   []string        // checkpoint files, by path
	rows    map[string]row
}

func (d differences) none() bool { return len(d.touched)+len(d.fresh) == 0 }

// compare finds what has changed. Whenever anything has, numbers that stand in no file
// yet are given anew, and files with the id of another are looked at again.
func compare(rows []row, l lying) (d differences) {
	d = differences{touched: map[string]bool{}, rows: make(map[string]row, len(rows))}
	for _, r := range rows {
		d.rows[r.path] = r
		if l.stamps[r.path] != r.stamp {
			d.touched[r.workflow] = true
		}
	}
	for path, stamp := range l.stamps {
		if d.rows[path].stamp == stamp {
			continue
		}
		if name, ok := strings.CutPrefix(path, workflows+"/"); ok {
			id, _ := workflowID(name)
			d.touched[id] = true
		} else {
			d.fresh = append(d.fresh, path)
		}
	}
	for _, r := range rows {
		if (r.loose || r.workflow == strays) && !d.none() {
			d.touched[r.workflow] = true
		}
	}
	return d
}

// flow reads a workflow's file; nil where there is none that can be read.
func (s *Store) flow(id string, l lying) (*workflow, error) {
	for _, w := range l.pending.Workflows {
		if w.ID == id {
			is := *w
			is.Branches = slices.Clone(w.Branches)
			return &is, nil
		}
	}
	raw, err := s.disk.read(workflowName(id), maxWorkflow)
	if unusable(err) || errors.Is(err, fs.ErrNotExist) && l.stamps[workflowName(id)] == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w := &workflow{}
	if unseal(raw, w) != nil || w.ID != id {
		return nil, nil
	}
	return w, nil
}
