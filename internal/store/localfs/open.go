package localfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// Errors of what is there and cannot be used.
var (
	ErrIrregular = errors.New("this is not a regular file")
	ErrTooLarge  = errors.New("the file is larger than it may be")
)

// Open opens a file that a person has named, for reading: a regular file, or a
// pipe. It never waits for a pipe's other end: a pipe that nobody writes to is
// empty. ErrIrregular for folders, devices and sockets.
func Open(path string) (*os.File, error) {
	usable := func(info fs.FileInfo, err error) error {
		if err == nil && !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeNamedPipe {
			err = &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
		}
		return err
	}
	if err := usable(os.Stat(path)); err != nil { // to open some devices is to use them
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if err := usable(f.Stat()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// OpenPlain opens a regular file for reading, through links where follow is true.
// Others may write to its folder: it never waits for a pipe's other end, and opens no
// device. ErrIrregular for all else.
func OpenPlain(path string, follow bool) (*os.File, fs.FileInfo, error) {
	stat, flag := os.Lstat, os.O_RDONLY|nonblock|nofollow
	if follow {
		stat, flag = os.Stat, os.O_RDONLY|nonblock
	}
	if info, err := stat(path); err != nil || !info.Mode().IsRegular() { // to open some devices is to use them
		return nil, nil, irregular(path, err)
	}
	f, err := os.OpenFile(path, flag, 0)
	return regular(f, path, err)
}

// ReadPlain reads a regular file, through links, of at most limit bytes. ErrIrregular
// as OpenPlain, ErrTooLarge where it is longer.
func ReadPlain(path string, limit int64) ([]byte, error) {
	f, info, err := OpenPlain(path, true)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, ErrTooLarge
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1)) // some files have another size than they say
	if err == nil && int64(len(text)) > limit {
		err = ErrTooLarge
	}
	return text, err
}

// OpenIn opens a regular file below root for reading. Others may write to that
// folder: it never waits for a pipe's other end, and nothing outside of root is
// reached. ErrIrregular for all else, links too.
func OpenIn(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, nil, irregular(name, err)
	}
	return OpenFound(root, name)
}

// OpenFound is OpenIn for a name that was a regular file a moment ago.
func OpenFound(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	return openRegular(root, name, os.O_RDONLY)
}

// ReadIn reads a regular file below root, of at most limit bytes. ErrIrregular
// as OpenIn, ErrTooLarge where it is longer.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) {
	f, info, err := OpenIn(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, info.Size(), limit)
}

// ReadAll reads an open file of a known size, of at most limit bytes.
func ReadAll(f io.ReaderAt, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, ErrTooLarge
	}
	raw := make([]byte, size)
	n, err := f.ReadAt(raw, 0)
	if err == io.EOF || n == len(raw) {
		err = nil
	}
	return raw[:n], err
}

// openRegular opens a file below root, for reading or writing, if it is a
// regular one.
func openRegular(root *os.Root, name string, flag int) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(name, flag|nonblock, 0o600)
	return regular(f, name, err)
}

// regular is a file that was opened, if it is a regular one.
func regular(f *os.File, name string, err error) (*os.File, fs.FileInfo, error) {
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, nil, irregular(name, err)
	}
	return f, info, nil
}

func irregular(name string, err error) error {
	if err != nil {
		return err
	}
	return &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
}

// FolderIn reports whether a name below root is a folder, and no link to one.
func FolderIn(root *os.Root, name string) (bool, error) {
	info, err := root.Lstat(name)
	return err == nil && info.IsDir(), err
}

// AppendIn opens a regular file below root to append to it, and makes it where
// it is not there. ErrIrregular for all else.
func AppendIn(root *os.Root, name string) (*os.File, error) {
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, irregular(name, nil)
	}
	f, _, err := openRegular(root, name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	return f, err
}

// OpenOwn opens a file of the program's own for reading and writing, and makes it,
// for this user alone, where it is not there; or only for reading. It lies in a
// folder that others may write to. ErrIrregular for links, pipes and folders, and,
// to write, for a file that has other names: any of them could be somebody else's.
func OpenOwn(path string, write bool) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, irregular(path, nil)
	}
	flag := os.O_RDONLY
	if write {
		flag = os.O_RDWR | os.O_CREATE
	}
	f, err := os.OpenFile(path, flag|nofollow|nonblock, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || write && Names(info) > 1 {
		f.Close()
		return nil, irregular(path, err)
	}
	return f, nil
}
