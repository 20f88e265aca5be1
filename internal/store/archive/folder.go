package archive

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Folder is an archive in a folder of this machine. Its files are named by the
// day of their newest checkpoint and the sum of what they hold; they are for
// this user alone.
type Folder struct {
	Dir   string // made when the first file is written
	Owner string // see Open
}

var _ store.Archive = Folder{}

// A file that is being written has a name of its own until it is whole. One
// that is this old belongs to a Write that was killed.
const (
	tempPattern = ".piton-archive-*.tmp"
	tempAge     = 24 * time.Hour
)

// Write implements piton.Archive. Invalid when there is no entry. Where
// nothing but the last step failed, to make the file's name durable, the whole
// file may be there; the next Write of the same entries finds it.
func (f Folder) Write(ctx context.Context, entries store.CleanEntries) (string, int64, error) {
	if err := localfs.MakeDir(f.Dir); err != nil {
		return "", 0, f.failed(encodeOp, err)
	}
	f.sweep(time.Now())
	temp, err := os.CreateTemp(f.Dir, tempPattern) // mode 0600
	if err != nil {
		return "", 0, f.failed(encodeOp, err)
	}
	defer os.Remove(temp.Name()) // it is gone by then, if all went well
	c, size, err := writeFile(ctx, temp, entries)
	if err != nil {
		temp.Close()
		return "", 0, err
	}
	if err := errors.Join(temp.Sync(), temp.Close()); err != nil {
		return "", 0, f.failed(encodeOp, err)
	}
	name := fileName(c, f.Owner)
	if !f.holds(ctx, name, c.sum) {
		if err := os.Rename(temp.Name(), filepath.Join(f.Dir, name)); err != nil {
			return "", 0, f.failed(encodeOp, err)
		}
	} else if info, err := os.Lstat(filepath.Join(f.Dir, name)); err == nil {
		size = info.Size()
	}
	// Where the file was there already, its Write may not have come to this.
	if err := localfs.SyncDir(f.Dir); err != nil {
		return "", 0, f.failed(encodeOp, err)
	}
	return name, size, nil
}

// holds reports whether the file is there and whole. A file that is damaged is
// no reason to trust it: Write puts the right bytes in its place.
func (f Folder) holds(ctx context.Context, name, sum string) bool {
	r, err := f.Open(ctx, name)
	if err != nil {
		return false
	}
	defer r.Close()
	return whole(r, sum)
}

// Entry implements piton.Archive; it reads the file as far as the entry.
func (f Folder) Entry(ctx context.Context, name, checkpoint string) (store.Entry, error) {
	return find(ctx, f, name, checkpoint)
}

// Entries implements piton.Archive.
func (f Folder) Entries(ctx context.Context, name string) store.Entries { return all(ctx, f, name) }

// Open implements piton.Archive.
func (f Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	const op = "open a file of the archive"
	if err := checkName(op, name); err != nil {
		return nil, err
	}
	var file *os.File
	root, err := os.OpenRoot(f.Dir)
	if err == nil {
		defer root.Close()
		file, _, err = localfs.OpenIn(root, name)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		at.Path = filepath.Join(f.Dir, name)
	}
	if errors.Is(err, localfs.ErrIrregular) {
		return nil, &piton.Error{Code: piton.Corrupt, Op: op, Hint: "restore the file from a backup; 'verify' says what is lost", Err: err}
	}
	if err != nil {
		return nil, f.failed(op, err)
	}
	return file, nil
}

// Files implements piton.Archive. A folder that is not there has none.
func (f Folder) Files(context.Context) ([]string, error) {
	list, err := os.ReadDir(f.Dir) // in order
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, f.failed("list the archive", err)
	}
	var names []string
	for _, d := range list {
		if d.Type().IsRegular() && nameForm().MatchString(d.Name()) {
			names = append(names, d.Name())
		}
	}
	return names, nil
}

// Remove implements piton.Archive.
func (f Folder) Remove(_ context.Context, name string) error {
	const op = "remove a file of the archive"
	if err := checkName(op, name); err != nil {
		return err
	}
	err := os.Remove(filepath.Join(f.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = localfs.SyncDir(f.Dir)
	}
	if err != nil {
		return f.failed(op, err)
	}
	return nil
}

// sweep removes what killed Writes left behind.
func (f Folder) sweep(now time.Time) {
	list, err := os.ReadDir(f.Dir)
	if err != nil {
		return // the Write that follows says what is wrong
	}
	for _, d := range list {
		if ours, _ := filepath.Match(tempPattern, d.Name()); !ours || !d.Type().IsRegular() {
			continue
		}
		if info, err := d.Info(); err == nil && now.Sub(info.ModTime()) > tempAge {
			os.Remove(filepath.Join(f.Dir, d.Name()))
		}
	}
}

func (f Folder) failed(op string, err error) error {
	if errors.Is(err, fs.ErrNotExist) && !strings.HasPrefix(op, encodeOp) {
		return &piton.Error{Code: piton.NotFound, Op: op, Hint: "is the archive's folder " + f.Dir + " the right one?", Err: err}
	}
	return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "look at the folder " + f.Dir + ": space, rights", Err: err}
}
