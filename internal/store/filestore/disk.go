package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/piton-project/piton"
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

// do runs one operation and reports it to step.
func (d *disk) do(name string, op func() error) error {
	if d.dead != nil {
		return d.dead
	}
	if err := op(); err != nil {
		return err
	}
	if d.step != nil {
		d.dead = d.step(name)
	}
	return d.dead
}

// mkdir makes a folder that may be there. What else has its name is an error:
// a link, too, could lead anywhere.
func (d *disk) mkdir(name string) error {
	return d.do("mkdir "+name, func() error {
		err := d.root.Mkdir(name, 0o700)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		if folder, err := localfs.FolderIn(d.root, name); err != nil || !folder {
			return errors.Join(errNoFolder(name), err)
		}
		return nil
	})
}

// errNoFolder is the error for what stands where a folder of the store belongs.
type errNoFolder string

func (e errNoFolder) Error() string { return string(e) + " is no folder in the store's folder" }

// read reads a regular file of at most limit bytes.
func (d *disk) read(name string, limit int64) ([]byte, error) {
	d.looked()
	return localfs.ReadIn(d.root, name, limit)
}

// unusable reports whether read's error says that the file is not ours,
// whatever is tried again.
func unusable(err error) bool {
	return errors.Is(err, localfs.ErrIrregular) || errors.Is(err, localfs.ErrTooLarge)
}

// names are what lies in a folder, in order.
func (d *disk) names(dir string) ([]string, error) {
	names, err := d.unsorted(dir)
	slices.Sort(names)
	return names, err
}

// unsorted is names in the order in which the system gives them.
func (d *disk) unsorted(dir string) ([]string, error) {
	f, err := d.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// replace gives a file new content under a temporary name, synced, and then
// the name. The folder is the caller's to sync.
func (d *disk) replace(name string, content []byte, mode fs.FileMode) error {
	staged := stagedName(name)
	if err := d.write(staged, content, mode); err != nil {
		return err
	}
	return d.rename(staged, name)
}

// write makes a staged file of the content and syncs it. The file is new: what
// has its name may be a link to another.
func (d *disk) write(name string, content []byte, mode fs.FileMode) error {
	err := d.do("write "+name, func() error {
		create := func() (*os.File, error) {
			return d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		}
		f, err := create()
		if errors.Is(err, fs.ErrExist) {
			if err := d.clear(name); err != nil {
				return err
			}
			f, err = create()
		}
		if err != nil {
			return err
		}
		_, err = f.Write(content)
		return errors.Join(err, f.Close())
	})
	if err != nil {
		return err
	}
	return d.sync(name)
}

// append adds one line in one write.
func (d *disk) append(name string, line []byte) error {
	return d.do("append "+name, func() error {
		f, err := localfs.AppendIn(d.root, name)
		if err != nil {
			return err
		}
		_, err = f.Write(line)
		return errors.Join(err, f.Close())
	})
}

func (d *disk) sync(name string) error {
	return d.do("sync "+name, func() error {
		f, err := localfs.AppendIn(d.root, name)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

func (d *disk) syncDir(name string) error {
	return d.do("syncdir "+name, func() error { return localfs.SyncIn(d.root, name) })
}

// rename gives a file its name. A folder that has the name is set aside.
func (d *disk) rename(from, to string) error {
	return d.do("rename "+from+" "+to, func() error {
		err := d.root.Rename(from, to)
		if folder, _ := localfs.FolderIn(d.root, to); err != nil && folder {
			if err := d.setAside(to); err != nil {
				return err
			}
			err = d.root.Rename(from, to)
		}
		return err
	})
}

// remove removes a file; what is not there is removed.
func (d *disk) remove(name string) error {
	return d.do("remove "+name, func() error { return d.clear(name) })
}

// clear takes a name away: a file or a link is removed, a folder that is not
// empty set aside.
func (d *disk) clear(name string) error {
	err := d.root.Remove(name)
	if folder, _ := localfs.FolderIn(d.root, name); err != nil && folder {
		return d.setAside(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// own makes sure that a file that is going to be appended to is the store's
// own: what is not a regular file is set aside, and one that has another name too,
// which may lie anywhere, is replaced by a copy.
func (d *disk) own(name string) error {
	info, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return d.setAside(name)
	case localfs.Names(info) > 1:
		raw, err := d.read(name, maxEvents)
		if unusable(err) {
			return d.setAside(name)
		}
		if err != nil {
			return err
		}
		return d.replace(name, raw, 0o600)
	}
	return nil
}

// asideMark is in the names of what was found in a file's place and set aside.
const asideMark = ".damaged-"

func (d *disk) setAside(name string) error {
	return d.root.Rename(name, name+asideMark+time.Now().UTC().Format("20060102T150405.000000"))
}

// exists reports whether a file is there.
func (d *disk) exists(name string) bool {
	_, err := d.root.Lstat(name)
	return err == nil
}

// stagedPrefix and stagedSuffix mark a file that has no name of its own yet.
const (
	stagedPrefix = ".piton-"
	stagedSuffix = ".tmp"
)

// stagedName is where a file's next content waits; in the same folder, so that
// the rename is one step.
func stagedName(name string) string {
	dir, base := path.Split(name)
	return dir + stagedPrefix + base + stagedSuffix
}

// stagedFor is the name that a staged file is to get; false for any other file.
func stagedFor(name string) (string, bool) {
	if !strings.HasPrefix(name, stagedPrefix) || !strings.HasSuffix(name, stagedSuffix) || len(name) < len(stagedPrefix+stagedSuffix) {
		return "", false
	}
	return name[len(stagedPrefix) : len(name)-len(stagedSuffix)], true
}

// cannotRead says of a checkpoint's file why it is damaged.
func cannotRead(err error) string {
	switch {
	case errors.Is(err, localfs.ErrIrregular):
		return "it is no regular file"
	case errors.Is(err, localfs.ErrTooLarge):
		return fmt.Sprintf("it is larger than %d MiB", maxCheckpoint>>20)
	}
	return "it cannot be read: " + err.Error()
}

// fail gives an error of the file system its code and what to do next.
func fail(op string, err error) error {
	var known *piton.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) {
		return localfs.NoRoom(op, err)
	}
	hint := "see that the folder can be read and written, and that the disk is not full"
	switch {
	case errors.Is(err, localfs.ErrBusy):
		hint = "another process holds it for long; try again"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		hint = "it took too long; try again"
	case errors.As(err, new(errNoFolder)), unusable(err):
		hint = "look at what stands there and who has put it there; move it away if it is none of yours"
	}
	return &piton.Error{Code: piton.Unavailable, Op: op, Hint: hint, Err: err}
}

// cause is an error of the file system without the path, which the message names
// already.
func cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}
