package filestore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/piton-project/piton/localfs"
)

// disk does single file operations below a folder. All writing goes through
// it, so that a test can stop after any operation or write down all of them.
type disk struct {
	dir string
	// step is told each operation after it was done ("rename a b", paths below
	// dir); its error ends the transaction where it stands. Tests only.
	step func(name string) error
	dead error // what step has answered: nothing is done any more
}

func (d *disk) path(name string) string { return filepath.Join(d.dir, name) }

// do runs one operation and tells it.
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

func (d *disk) mkdir(name string) error {
	return d.do("mkdir "+name, func() error {
		err := os.Mkdir(d.path(name), 0o700)
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	})
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

// write makes a file of the content and syncs it.
func (d *disk) write(name string, content []byte, mode fs.FileMode) error {
	err := d.do("write "+name, func() error {
		f, err := os.OpenFile(d.path(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
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
		f, err := os.OpenFile(d.path(name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(line)
		return errors.Join(err, f.Close())
	})
}

func (d *disk) sync(name string) error {
	return d.do("sync "+name, func() error {
		f, err := os.OpenFile(d.path(name), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

func (d *disk) syncDir(name string) error {
	return d.do("syncdir "+name, func() error { return localfs.SyncDir(d.path(name)) })
}

func (d *disk) rename(from, to string) error {
	return d.do("rename "+from+" "+to, func() error { return os.Rename(d.path(from), d.path(to)) })
}

// remove removes a file; what is not there is removed.
func (d *disk) remove(name string) error {
	return d.do("remove "+name, func() error {
		if err := os.Remove(d.path(name)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// exists tells whether a file is there.
func (d *disk) exists(name string) bool {
	_, err := os.Lstat(d.path(name))
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
	dir, base := filepath.Split(name)
	return dir + stagedPrefix + base + stagedSuffix
}
