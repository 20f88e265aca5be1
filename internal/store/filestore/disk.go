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

func (d *disk) isFolder(name string) bool {
	folder, _ := localfs.FolderIn(d.root, name)
	return folder
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

// names are what lies in a folder, in the order in which the system gives them.
func (d *disk) names(dir string) ([]string, error) {
	f, err := d.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
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
		if !errors.Is(err, fs.ErrExist) || b.isFolder(name) {
			return err
		}
		return errNoFolder(name)
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

// put gives a file that carries its own sum its content. The folder is the caller's to
// sync.
func (b *batch) put(name string, v sealable) {
	raw, err := seal(v)
	b.fail(err)
	b.replace(name, raw, 0o600)
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

func isStaged(name string) bool {
	return strings.HasPrefix(name, stagedPrefix) && strings.HasSuffix(name, stagedSuffix)
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
	case errors.Is(err, errUnsettled):
		hint = "others are writing all the time; try again"
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
