package setup

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Apply writes changes in their order, all or none as far as a file system allows: first everything is written beside its target,
// then renamed into place, and if that fails in the middle what was done is undone. A file keeps mode and owner, a link leads to
// the same file as before.
// Conflict: a file is not what the plan saw. Unavailable: one cannot be written. In both cases nothing has changed.
func Apply(changes []Change) error {
	return apply(changes, os.Rename)
}

func apply(changes []Change, rename func(from, to string) error) (err error) {
	var edits []*staged
	defer func() {
		for _, e := range edits {
			e.tidy(err == nil)
		}
	}()
	for _, c := range changes {
		if c.nothing() {
			continue
		}
		e, err := begin(c)
		if err != nil {
			return err
		}
		edits = append(edits, e)
		if err := e.stage(); err != nil {
			return err
		}
	}
	for i, e := range edits {
		if err := e.commit(rename); err != nil {
			for _, done := range edits[:i] {
				err = errors.Join(err, done.undo())
			}
			return err
		}
	}
	return nil
}

// staged is a change on its way to the disk.
type staged struct {
	Change
	file  string      // where Path leads in the end
	info  fs.FileInfo // of the old file, nil where there is none
	temp  string      // the new text, still beside its target
	made  []string    // folders made for it, outermost first
	moved bool
	free  func() // lets the file's lock go; nil where there is none
}

// begin follows links and looks whether the file is what the plan saw.
func begin(c Change) (*staged, error) {
	file, err := follow(c.Path)
	if err != nil {
		return nil, failed(c, err)
	}
	sweep(file)
	e := &staged{Change: c, file: file}
	if e.info, err = os.Stat(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failed(c, err)
	}
	if c.Locked {
		if e.free, err = lock(c.Path); piton.CodeOf(err) == piton.Conflict {
			return nil, err
		} else if err != nil {
			return nil, failed(c, err)
		}
	}
	if err := e.compare(); err != nil {
		e.tidy(false)
		return nil, err
	}
	return e, nil
}

func (e *staged) compare() error {
	text, err := read(e.file)
	if err != nil {
		return err
	}
	if !same(text, e.Before) {
		return piton.Errorf(piton.Conflict, "write "+e.Path, "run it again: it starts from what is there now", "another program has changed the file")
	}
	return nil
}

// stage writes the new text beside the old one.
func (e *staged) stage() (err error) {
	if e.After == nil {
		return nil
	}
	mode := cmp.Or(e.Mode, 0o644)
	if e.made, err = makeFolders(filepath.Dir(e.file), mode); err != nil {
		return failed(e.Change, err)
	}
	if e.temp, err = writeBeside(e.file, e.After, mode, e.info); err != nil {
		return failed(e.Change, err)
	}
	return nil
}

// commit puts the new text into place. What changes the file between the second look and the rename is lost: a moment of
// microseconds that no lock could close, but where the file's own program takes one (lock).
func (e *staged) commit(rename func(from, to string) error) error {
	if err := e.compare(); err != nil {
		return err
	}
	var err error
	if e.After == nil {
		err = os.Remove(e.file)
	} else {
		err = rename(e.temp, e.file)
	}
	if err != nil {
		return failed(e.Change, err)
	}
	e.moved, e.temp = true, ""
	localfs.SyncDir(filepath.Dir(e.file)) // where the system can
	return nil
}

// undo puts the old text back.
func (e *staged) undo() error {
	if e.Before == nil {
		if err := os.Remove(e.file); err != nil {
			return failed(e.Change, err)
		}
		return nil
	}
	temp, err := writeBeside(e.file, e.Before, 0o600, e.info)
	if err == nil {
		err = os.Rename(temp, e.file)
	}
	if err != nil {
		return failed(e.Change, err)
	}
	return nil
}

// tidy removes what the edit leaves lying about: after success the folders of a removed file, else all that was made for it.
// os.Remove takes no folder that has something in it.
func (e *staged) tidy(done bool) {
	if e.free != nil {
		e.free()
	}
	if e.temp != "" {
		os.Remove(e.temp)
	}
	if done && e.After == nil {
		for _, f := range e.Folders {
			removeFolder(f)
		}
	}
	for i := len(e.made) - 1; i >= 0 && !done; i-- {
		removeFolder(e.made[i])
	}
}

// removeFolder removes an empty folder. A link to a folder is the user's: os.Remove would remove the link whatever it leads to.
func removeFolder(path string) {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		os.Remove(path)
	}
}

func failed(c Change, err error) error {
	hint := "see that the folder can be written and has room"
	if errors.Is(err, fs.ErrPermission) {
		hint = "see that the file and its folder are yours, and that the folder can be written"
	}
	return &piton.Error{Code: piton.Unavailable, Op: "write " + c.Path, Hint: hint, Err: err}
}
