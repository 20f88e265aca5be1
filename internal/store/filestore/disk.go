package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/piton-project/piton/internal/store/localfs"
)

// disk does single file operations below a folder. All of them go through a
// handle on that folder, so that no name and no link leads out of it: others
// may write there. All writing goes through disk, so that a test can stop after
// any operation or write down all of them.
type disk struct {
	dir  string
	root *os.Root
	// step gets each operation after it was done ("rename a b", paths below
	// dir); its error ends the transaction where it stands. Tests only.
	step func(name string) error
	dead error        // what step has answered: nothing is done any more
	work atomic.Int64 // how many files were opened or looked at; for tests
}

// looked counts a file that is opened or looked at.
func (d *disk) looked() { d.work.Add(1) }

// stat looks at a file, not through a link.
func (d *disk) stat(name string) (fs.FileInfo, error) {
	d.looked()
	return d.root.Lstat(name)
}

// stampOf shows whether a file has changed: its length, when it was written last, in
// nanoseconds, its number on the disk, and when the system last saw a change, which
// no program can set back.
func stampOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d %d %d %d", info.Size(), info.ModTime().UnixNano(), localfs.Inode(info), localfs.ChangeTime(info))
}

func (d *disk) isFolder(name string) bool {
	folder, _ := localfs.FolderIn(d.root, name)
	return folder
}

// read reads a regular file of at most limit bytes.
func (d *disk) read(name string, limit int64) ([]byte, error) {
	d.looked()
	return localfs.ReadIn(d.root, name, limit)
}

// names are what lies in a folder, in the order in which the system gives them.
func (d *disk) names(dir string) ([]string, error) {
	f, err := d.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// exists reports whether a file is there.
func (d *disk) exists(name string) bool {
	_, err := d.root.Lstat(name)
	return err == nil
}

// withIn are the names in a folder that have a mark in them, in order.
func (d *disk) withIn(dir, mark string) ([]string, error) {
	names, err := d.names(dir)
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return !strings.Contains(name, mark) }), err
}

// clear takes a name away: a file or a link is removed, a folder that is not
// empty set aside.
func (d *disk) clear(name string) error {
	err := d.root.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if d.isFolder(name) {
		return d.setAside(name)
	}
	return err
}

func (d *disk) setAside(name string) error {
	return d.root.Rename(name, name+asideMark+time.Now().UTC().Format("20060102T150405.000000"))
}

// batch are operations one after the other, which end with the first that fails.
type batch struct {
	*disk
	err error
}

func (d *disk) batch() *batch { return &batch{disk: d, err: d.dead} }

// do runs one operation and reports it to step.
func (b *batch) do(name string, op func() error) {
	if b.err != nil {
		return
	}
	if b.fail(op()) || b.step == nil {
		return
	}
	b.dead = b.step(name)
	b.fail(b.dead)
}

// fail ends the batch with an error, if there is one, and reports whether it has ended.
func (b *batch) fail(err error) bool {
	if b.err == nil {
		b.err = err
	}
	return b.err != nil
}

// mkdir makes a folder that may be there. What else has its name is an error:
// a link, too, could lead anywhere.
func (b *batch) mkdir(name string) {
	b.do("mkdir "+name, func() error {
		err := b.root.Mkdir(name, 0o700)
		if b.isFolder(name) {
			return nil // another process may have been first
		}
		if errors.Is(err, fs.ErrExist) {
			return errNoFolder(name)
		}
		return err
	})
}

// makeFolders makes the store's folders that are missing, durably.
func (d *disk) makeFolders() error {
	missing := slices.DeleteFunc([]string{checkpoints, workflows, events}, d.isFolder)
	b := d.batch()
	for _, name := range missing {
		b.mkdir(name)
	}
	if len(missing) > 0 {
		b.syncDir(".")
	}
	return b.err
}

// replace gives a file new content under a temporary name, synced, and then
// the name. The folder is the caller's to sync.
func (b *batch) replace(name string, content []byte, mode fs.FileMode) {
	staged := stagedName(name)
	b.write(staged, content, mode)
	b.rename(staged, name)
}

// write makes a staged file of the content and syncs it. The file is new: what
// has its name may be a link to another.
func (b *batch) write(name string, content []byte, mode fs.FileMode) {
	b.do("write "+name, func() error {
		if err := b.clear(name); err != nil {
			return err
		}
		f, err := b.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		return fill(f, content, err)
	})
	b.sync(name)
}

// append adds text to a file in one write, and syncs it.
func (b *batch) append(name, text string) {
	b.do("append "+name, func() error {
		f, err := localfs.AppendIn(b.root, name)
		return fill(f, []byte(text), err)
	})
	b.sync(name)
}

// fill writes to a file that was opened, unless that has failed, and closes it.
func fill(f *os.File, content []byte, err error) error {
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

func (b *batch) sync(name string) {
	b.do("sync "+name, func() error {
		f, err := localfs.AppendIn(b.root, name)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

func (b *batch) syncDir(name string) {
	b.do("syncdir "+name, func() error { return localfs.SyncIn(b.root, name) })
}

// rename gives a file its name. A folder that has the name is set aside.
func (b *batch) rename(from, to string) {
	b.do("rename "+from+" "+to, func() error {
		if b.isFolder(to) {
			if err := b.setAside(to); err != nil {
				return err
			}
		}
		return b.root.Rename(from, to)
	})
}

// remove removes a file; what is not there is removed.
func (b *batch) remove(name string) {
	b.do("remove "+name, func() error { return b.clear(name) })
}

// own makes sure that a file that is going to be appended to is the store's
// own: what is not a regular file is set aside, and one that has another name too,
// which may lie anywhere, is replaced by a copy.
func (b *batch) own(name string) {
	info, err := b.root.Lstat(name)
	if err != nil || info.Mode().IsRegular() && localfs.Names(info) == 1 {
		return // an error that stays is met by who appends
	}
	raw, err := b.read(name, maxEvents)
	if unusable(err) {
		b.fail(b.setAside(name))
		return
	}
	b.fail(err)
	b.replace(name, raw, 0o600)
}
