package setup

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/piton-project/piton"
)

// maxSettings bounds a file that is read whole, in bytes. A project's may be a link to anything, also to what has no end.
const maxSettings = 64 << 20

// read returns a file's bytes, nil if it does not exist.
func read(path string) ([]byte, error) {
	op := "read " + path
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		return nil, piton.Errorf(piton.Invalid, op, "put a plain file there, or remove it", "not a plain file (%s)", info.Mode().Type())
	}
	unreadable := func(err error) error {
		return &piton.Error{Code: piton.Invalid, Op: op, Hint: "make it readable, or run as its owner", Err: err}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	switch {
	case err != nil:
		return nil, unreadable(err)
	case len(text) > maxSettings:
		return nil, piton.Errorf(piton.Invalid, op, "put a plain file there, or remove it", "more than %d bytes", maxSettings)
	}
	return text, nil
}

// follow returns the file that a path leads to, which need not exist: a link that leads nowhere yet is followed too.
func follow(path string) (string, error) {
	if file, err := filepath.EvalSymlinks(path); err == nil {
		return file, nil
	}
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or nothing: whoever opens it will say
		}
		if !filepath.IsAbs(to) {
			folder, err := filepath.EvalSymlinks(filepath.Dir(path)) // ".." in a link starts at the real folder
			if err != nil {
				return "", err
			}
			to = filepath.Join(folder, to)
		}
		path = to
	}
	return "", errors.New("too many links: " + path)
}

// makeFolders makes a folder and its parents as private as the file that goes into it, and returns what it made, outermost first.
func makeFolders(folder string, file fs.FileMode) (made []string, err error) {
	mode := fs.FileMode(0o755)
	if file&0o077 == 0 {
		mode = 0o700
	}
	var missing []string
	for f := folder; ; f = filepath.Dir(f) {
		if _, err := os.Stat(f); !errors.Is(err, fs.ErrNotExist) || f == filepath.Dir(f) {
			break
		}
		missing = append(missing, f)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := os.Mkdir(missing[i], mode); err != nil && !errors.Is(err, fs.ErrExist) {
			return made, err
		} else if err == nil {
			made = append(made, missing[i])
		}
	}
	return made, nil
}

// writeBeside writes a text durably into a new file in file's folder, with the mode and owner of old, or with mode and the umask
// where there is no old one. It returns its path.
func writeBeside(file string, text []byte, mode fs.FileMode, old fs.FileInfo) (temp string, err error) {
	if old != nil {
		mode = 0o600 // until the owner is right
	}
	temp = filepath.Join(filepath.Dir(file), tempName(file, rand.Text()[:tempLetters]))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
		if err != nil {
			os.Remove(temp)
		}
	}()
	if _, err = f.Write(text); err != nil {
		return "", err
	}
	if old != nil {
		if err = keepOwner(temp, old); err != nil {
			return "", err
		}
		if err = f.Chmod(old.Mode().Perm()); err != nil {
			return "", err
		}
	}
	return temp, f.Sync()
}

const tempLetters = 8

func tempName(file, letters string) string { return "." + filepath.Base(file) + "." + letters + ".tmp" }

// abandoned is the age after which a temporary file is not being written any more.
const abandoned = time.Minute

// sweep removes what a run that was killed has left beside a file: a copy of its text.
func sweep(file string) {
	ours := regexp.MustCompile(fmt.Sprintf(`^\.%s\.[A-Z2-7]{%d}\.tmp$`, regexp.QuoteMeta(filepath.Base(file)), tempLetters))
	entries, _ := os.ReadDir(filepath.Dir(file))
	for _, e := range entries {
		info, err := e.Info()
		old := err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandoned
		if old && ours.MatchString(e.Name()) {
			os.Remove(filepath.Join(filepath.Dir(file), e.Name()))
		}
	}
}
