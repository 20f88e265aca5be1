package archive

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/piton-project/piton"
)

// Folder is an archive in a folder of this machine. Its files are named by the
// day of their newest checkpoint and the sum of what they hold; they are for
// this user alone.
type Folder struct {
	Dir string // made when the first file is written
}

var _ piton.Archive = Folder{}

// A file that is being written has a name of its own until it is whole. One
// that is this old belongs to a Write that was killed.
const (
	tempPattern = ".piton-archive-*.tmp"
	tempAge     = 24 * time.Hour
)

// suffix ends the name of every file of an archive.
const suffix = ".jsonl.zst"

var nameForm = regexp.MustCompile(`^piton-[0-9]{8}-[0-9a-f]{16}\.jsonl\.zst$`)

// fileName is the name of a file by what it holds.
func fileName(c content) string {
	day := "00000000"
	if !c.newest.IsZero() {
		day = c.newest.UTC().Format("20060102")
	}
	return "piton-" + day + "-" + c.sum[:16] + suffix
}

// checkName refuses what is not the name of an archive's file: paths, and
// other people's files in the same place.
func checkName(op, name string) error {
	if nameForm.MatchString(name) {
		return nil
	}
	return piton.Errorf(piton.Invalid, op, "names look like piton-20260102-0123456789abcdef"+suffix, "%q is not the name of an archive's file", name)
}

// Write implements piton.Archive. Invalid when there is no entry.
func (f Folder) Write(ctx context.Context, entries piton.Entries) (string, int64, error) {
	if err := f.makeDir(); err != nil {
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
	name := fileName(c)
	if !f.holds(ctx, name, c.sum) {
		if err := os.Rename(temp.Name(), filepath.Join(f.Dir, name)); err != nil {
			return "", 0, f.failed(encodeOp, err)
		}
	} else if info, err := os.Stat(filepath.Join(f.Dir, name)); err == nil {
		size = info.Size()
	}
	// Where the file was there already, its Write may not have come to this.
	if err := syncDir(f.Dir); err != nil {
		return "", 0, f.failed(encodeOp, err)
	}
	return name, size, nil
}

// writeFile encodes the entries into a file and returns what it came to hold,
// and its size in bytes.
func writeFile(ctx context.Context, file *os.File, entries piton.Entries) (content, int64, error) {
	c, err := encode(file, until(ctx, entries))
	if err != nil {
		return content{}, 0, err
	}
	if c.count == 0 {
		return content{}, 0, piton.Errorf(piton.Invalid, encodeOp, "name checkpoints that are there", "there is nothing to archive")
	}
	info, err := file.Stat()
	if err != nil {
		return content{}, 0, writeFailed(err)
	}
	return c, info.Size(), nil
}

// until ends the entries when the context does.
func until(ctx context.Context, entries piton.Entries) piton.Entries {
	return func(yield func(piton.Entry, error) bool) {
		for e, err := range entries {
			if ctx.Err() != nil {
				e, err = piton.Entry{}, stopped(ctx, encodeOp)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func stopped(ctx context.Context, op string) error {
	return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "try again", Err: context.Cause(ctx)}
}

// holds tells whether the file is there and whole. A file that is damaged is
// no reason to trust it: Write puts the right bytes in its place.
func (f Folder) holds(ctx context.Context, name, sum string) bool {
	r, err := f.Open(ctx, name)
	if err != nil {
		return false
	}
	defer r.Close()
	return whole(r, sum)
}

// whole tells whether r is a whole archive file with this sum.
func whole(r io.Reader, sum string) bool {
	d, err := open(r)
	if err != nil {
		return false
	}
	defer d.close()
	for err == nil {
		_, err = d.next("")
	}
	return err == io.EOF && d.total() == sum
}

// Entry implements piton.Archive; it reads the file as far as the entry.
func (f Folder) Entry(ctx context.Context, name, checkpoint string) (piton.Entry, error) {
	r, err := f.Open(ctx, name)
	if err != nil {
		return piton.Entry{}, err
	}
	defer r.Close()
	return find(ctx, r, name, checkpoint)
}

// find reads a file as far as one entry.
func find(ctx context.Context, r io.Reader, name, checkpoint string) (piton.Entry, error) {
	op := "read " + checkpoint + " from " + name
	d, err := open(ctxReader{ctx, r})
	if err != nil {
		return piton.Entry{}, err
	}
	defer d.close()
	for {
		e, err := d.next(checkpoint)
		if err == io.EOF {
			return piton.Entry{}, piton.Errorf(piton.NotFound, op, "see 'piton verify'", "the file does not hold it")
		}
		if err != nil {
			return piton.Entry{}, err
		}
		return e, nil
	}
}

// ctxReader ends with its context.
type ctxReader struct {
	ctx context.Context
	io.Reader
}

func (r ctxReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, stopped(r.ctx, decodeOp)
	}
	return r.Reader.Read(p)
}

// Open implements piton.Archive.
func (f Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	const op = "open a file of the archive"
	if err := checkName(op, name); err != nil {
		return nil, err
	}
	file, err := os.Open(filepath.Join(f.Dir, name))
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
		if d.Type().IsRegular() && nameForm.MatchString(d.Name()) {
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
		err = syncDir(f.Dir)
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

// makeDir makes the folder, for this user alone, so that it survives a crash.
func (f Folder) makeDir() error {
	var missing []string
	dir := filepath.Clean(f.Dir)
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, dir)
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		break
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	for _, dir := range missing {
		if err := syncDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	return nil
}

// syncDir makes the names in a folder durable. Windows has no such call.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (f Folder) failed(op string, err error) error {
	if errors.Is(err, fs.ErrNotExist) && !strings.HasPrefix(op, encodeOp) {
		return &piton.Error{Code: piton.NotFound, Op: op, Hint: "is the archive's folder " + f.Dir + " the right one?", Err: err}
	}
	return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "look at the folder " + f.Dir + ": space, rights", Err: err}
}
