package filestore

import (
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// mark reports whether the folder has changed since it was read.
type mark struct {
	key     int64 // of store.json, the folder and the times of its folders; even
	store   []byte
	fault   string    // why store.json cannot be read
	changed time.Time // when a folder was changed last

	// Of the names in the checkpoints' folder, where they were read:
	names int64    // the sum of their keys
	stale []string // staged files, which no transaction names
	rests bool     // the next process need not read them
}

// grain is more than the grain of any local file system's clock in memory: a
// change so soon after another need not show in the folder's time.
const grain = 50 * time.Millisecond

// atRest reports whether every change of the folder from now on gives it another
// mark.
func (m mark) atRest() bool { return time.Since(m.changed) > grain }

// look reads the mark: five small operations. It fails where a journal is there.
func (d *disk) look() (m mark, err error) {
	var parts []string
	for _, dir := range []string{".", checkpoints, workflows} {
		info, err := d.stat(dir)
		if err != nil {
			return m, err
		}
		parts = append(parts, strconv.FormatInt(localfs.Inode(info), 10))
		if dir == "." {
			continue
		}
		parts = append(parts, stampOf(info))
		if at := info.ModTime(); at.After(m.changed) {
			m.changed = at
		}
	}
	m.store, err = d.read(storeFile, maxMeta)
	switch {
	case unusable(err):
		m.fault = storeFile + " is damaged: " + cause(err)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return m, err
	}
	if d.looked(); d.exists(journalFile) {
		return m, errUnsettled
	}
	m.key = keyOf(append(parts, string(m.store))...)
	return m, nil
}

// readNames reads the names in the checkpoints' folder.
func (m *mark) readNames(d *disk) error {
	list, err := d.names(checkpoints)
	m.names, m.stale = 0, nil
	for _, name := range list {
		if isCheckpointName(name) {
			m.names += nameKey(name)
		} else if isStaged(name) {
			m.stale = append(m.stale, checkpoints+"/"+name)
		}
	}
	return err
}

// listing is what lies in the folder.
type listing struct {
	stamps map[string]string // by path
	names  int64             // mark.names
	store  meta
	faults []string // of store.json
}

// list looks at every file. It returns fs.ErrNotExist when one went meanwhile.
func (d *disk) list(m mark) (l listing, err error) {
	l.stamps = map[string]string{}
	if l.store, err = readMeta(m.store); m.fault != "" {
		l.faults = []string{m.fault}
	} else if len(m.store) > 0 && err != nil {
		l.faults = []string{storeFile + " is damaged; counters are lost, numbers go on behind the highest that is there"}
	}
	if err := d.stamps(checkpoints, isCheckpointName, l.stamps); err != nil {
		return l, err
	}
	for path := range l.stamps {
		l.names += nameKey(strings.TrimPrefix(path, checkpoints+"/"))
	}
	return l, d.stamps(workflows, func(name string) bool { return workflowID(name) != "" }, l.stamps)
}

// stamps looks at the files of a folder whose names fit.
func (d *disk) stamps(folder string, fits func(string) bool, into map[string]string) error {
	names, err := d.names(folder)
	if err != nil {
		return err
	}
	dir, err := d.root.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	for _, name := range names {
		if !fits(name) {
			continue
		}
		d.looked()
		info, err := dir.Lstat(name)
		if err != nil {
			return err
		}
		into[folder+"/"+name] = stampOf(info)
	}
	return nil
}

// moved reports whether a checkpoint's file is not the one that was read.
func (d *disk) moved(c piton.Checkpoint) bool {
	file, was := fileOf(c)
	if was == "" {
		return false // it is not there yet, or could not be read
	}
	info, err := d.stat(file)
	return err != nil || stampOf(info) != was
}

// headBytes is what is read of a checkpoint file to list it. A longer record
// costs reading the whole file.
const headBytes = 8 << 10

// file reads a checkpoint's file: its record, and its state where that is asked for. It
// fails where the file is not there. What cannot be read is damaged; where the state is
// asked for only what would be so at another time too.
func (d *disk) file(name string, state bool) (*entry, error) {
	d.looked()
	f, info, err := localfs.OpenIn(d.root, checkpoints+"/"+name)
	e := &entry{}
	if err == nil {
		defer f.Close()
		*e, err = read(f, info.Size(), state)
		e.stamp = stampOf(info)
	}
	if errors.Is(err, fs.ErrNotExist) || err != nil && state && !unusable(err) {
		return nil, err
	}
	if err != nil {
		e.why = cannotRead(err)
	}
	e.name = name
	if e.alias != "" || e.why == "" && !e.own && !e.ours {
		e.c.ID = derived(piton.CheckpointPrefix, name)
	}
	return e, nil
}

// read reads an open file of a size. Of one that is written as encode writes it the
// beginning is enough where the state is not asked for.
func read(f io.ReaderAt, size int64, state bool) (entry, error) {
	if !state && size <= maxCheckpoint {
		head, end := make([]byte, min(headBytes, size)), make([]byte, min(int64(len(tail)), size))
		_, err1 := f.ReadAt(head, 0)
		_, err2 := f.ReadAt(end, size-int64(len(end)))
		c, _, ok := decodeHead(head, size)
		if ok && errors.Join(err1, err2) == nil && string(end) == tail {
			return entry{c: c, own: true}.named(), nil
		}
	}
	raw, err := localfs.ReadAll(f, size, maxCheckpoint)
	if err != nil {
		return entry{}, err
	}
	return decode(raw), nil
}

// flow reads a workflow's file; where there is none, or it is damaged, the workflow is
// lost.
func (d *disk) flow(id string) (*workflow, error) {
	w := &workflow{}
	raw, err := d.read(workflowName(id), maxJournal)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &workflow{lost: true}, nil
	case err != nil && !unusable(err):
		return nil, err
	case err != nil || unseal(raw, w) != nil || w.ID != id:
		return &workflow{lost: true, damaged: true}, nil
	}
	return w, nil
}
