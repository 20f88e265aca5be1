package action

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A log is the file PATH with the beginning, of up to half the limit, and, where
// there is more, files PATH.OFFSET with the rest, of which the oldest are removed.
// OFFSET is where the file's first byte stands in all that was written.
const (
	headShare = 2 // the head is one part in so many of the limit
	tailShare = 8 // and so is a file of the tail
	maxTails  = 4
)

// rotated writes such files. An error is kept, and later writes are tried again.
type rotated struct {
	path  string
	limit int64
	out   *os.File
	at    int64 // where the next byte stands in all that was written
	room  int64 // what out still takes
	err   error
}

func (r *rotated) write(p []byte) {
	for len(p) > 0 {
		if err := r.ready(); err != nil {
			r.err = cmp.Or(r.err, err)
			return
		}
		n, err := r.out.Write(p[:min(int64(len(p)), r.room)])
		r.at, r.room, p = r.at+int64(n), r.room-int64(n), p[n:]
		if err != nil {
			r.err = cmp.Or(r.err, err)
			return
		}
	}
}

// ready opens the file that the next byte goes to.
func (r *rotated) ready() (err error) {
	if r.out != nil && r.room > 0 {
		return nil
	}
	if r.out != nil {
		r.err = cmp.Or(r.err, r.out.Close())
		r.out = nil
	}
	name, room := r.path, r.limit/headShare
	if r.at > 0 {
		name, room = fmt.Sprintf("%s.%d", r.path, r.at), max(1, r.limit/tailShare)
		r.forget()
	} else if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
		return err
	}
	if r.out, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600); err != nil {
		return err
	}
	r.room = max(1, room)
	return nil
}

// forget removes the oldest files of the tail before another is begun.
func (r *rotated) forget() {
	tails, err := tailsOf(r.path)
	r.err = cmp.Or(r.err, err)
	for len(tails) >= maxTails {
		r.err = cmp.Or(r.err, os.Remove(tails[0].name))
		tails = tails[1:]
	}
}

func (r *rotated) close() error {
	if r.out != nil {
		r.err = cmp.Or(r.err, r.out.Close())
		r.out = nil
	}
	return r.err
}

type part struct {
	name string
	at   int64
}

// tailsOf are the files of a log's tail, in order.
func tailsOf(path string) ([]part, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	var tails []part
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+".")
		at, bad := strconv.ParseInt(rest, 10, 64)
		if ok && bad == nil && at > 0 {
			tails = append(tails, part{filepath.Join(filepath.Dir(path), e.Name()), at})
		}
	}
	slices.SortFunc(tails, func(a, b part) int { return cmp.Compare(a.at, b.at) })
	return tails, err
}

// LogReader reads a log, also while it is written: at its end Read returns io.EOF,
// and a later Read goes on with what was added. Where something is left out, a line
// says how much.
type LogReader struct {
	path string
	at   int64
	mark []byte // of what is left out, still to be read
}

// OpenLog reads the log at path from its beginning. NotExist where there is none.
func OpenLog(path string) (*LogReader, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	return &LogReader{path: path}, nil
}

// Read reads what comes next.
func (r *LogReader) Read(p []byte) (int, error) {
	for len(r.mark) == 0 {
		n, next, err := r.part(p)
		if n > 0 || err != nil {
			return n, err
		}
		if next == r.at {
			return 0, io.EOF
		}
		r.mark = fmt.Appendf(nil, "\n[... %d bytes left out ...]\n", next-r.at)
		r.at = next
	}
	n := copy(p, r.mark)
	r.mark = r.mark[n:]
	return n, nil
}

// part reads from the file that has the next byte. Where no file has it, next is
// where the next one begins, or where the reader is if there is none.
func (r *LogReader) part(p []byte) (n int, next int64, err error) {
	tails, err := tailsOf(r.path)
	if err != nil {
		return 0, r.at, err
	}
	next = r.at
	for _, t := range append([]part{{r.path, 0}}, tails...) {
		if t.at > r.at {
			next = t.at
			break
		}
		if n, err = readAt(t.name, p, r.at-t.at); n > 0 {
			r.at += int64(n)
			return n, r.at, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, io.EOF) {
			return 0, r.at, err
		}
	}
	return 0, next, nil
}

func readAt(name string, p []byte, at int64) (int, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(p, at)
}
