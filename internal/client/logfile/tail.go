// Package logfile reads a client's log from its end, within bounds, and finds
// the logs of subagents.
package logfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// How far back a log is read at most. A turn of a day's work has some hundred
// lines; these bounds only keep a stop hook from hanging on a strange file.
const (
	MaxBytes = 64 << 20
	MaxLines = 20_000
	maxBlank = 10 * MaxLines
)

// Blocks begin small, because a turn is often short, and grow, because a read
// costs a system call. Measured on a turn of 300 KB: 64 KB doubled to 1 MB is
// three reads.
const (
	firstBlock = 64 << 10
	largeBlock = 1 << 20
)

// Budget is what may still be read, shared by all files of one transcript.
type Budget struct {
	Bytes int64
	Lines int
	blank int // empty lines read so far
	torn  int // lines read so far that are not JSON
}

// NewBudget is what may be read for one transcript.
func NewBudget() *Budget { return &Budget{Bytes: MaxBytes, Lines: MaxLines} }

// Within lowers the number of bytes that may be read.
func (b *Budget) Within(bytes int64) *Budget {
	b.Bytes = min(b.Bytes, bytes)
	return b
}

// Notes say what was read and is not a line of a log.
func (b *Budget) Notes() []string {
	if b.torn == 0 {
		return nil
	}
	return []string{fmt.Sprintf("lines of it that are damaged: %d", b.torn)}
}

// Tail hands out the lines of a log from its end to its beginning. The lines
// stay valid: no buffer is used twice.
type Tail struct {
	r     io.ReaderAt
	off   int64  // where buf begins
	buf   []byte // read and not yet handed out
	ends  []int  // the line ends in buf
	block int64
	left  *Budget
	spent bool  // the budget ended it
	done  bool  // the first line was handed out
	Err   error // a read failed
}

// NewTail reads the first size bytes of r, from their end on.
func NewTail(r io.ReaderAt, size int64, left *Budget) *Tail {
	return &Tail{r: r, off: size, block: firstBlock, left: left}
}

// Next returns the next line towards the beginning, without its end.
func (t *Tail) Next() ([]byte, bool) {
	for {
		line, ok := t.line()
		if !ok {
			return nil, false
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if t.left.Lines <= 0 || t.left.blank >= maxBlank {
			t.spent = true
			return nil, false
		}
		if len(line) > 0 {
			t.left.Lines--
			if line[0] != '{' {
				t.left.torn++
			}
			return line, true
		}
		t.left.blank++ // empty ones cost their time too
	}
}

// Complete tells, after next has returned false, whether the first line was
// reached.
func (t *Tail) Complete() bool { return t.done && !t.spent && t.Err == nil }

func (t *Tail) line() ([]byte, bool) {
	for len(t.ends) == 0 {
		switch {
		case t.done || t.spent || t.Err != nil:
			return nil, false
		case t.off == 0:
			t.done = true
			return t.buf, true
		default:
			t.fill()
		}
	}
	end := t.ends[len(t.ends)-1]
	t.ends = t.ends[:len(t.ends)-1]
	line := t.buf[end+1:]
	t.buf = t.buf[:end]
	return line, true
}

// fill reads the block before buf. A line longer than a block makes blocks
// grow with it, or its bytes would be copied once per block.
func (t *Tail) fill() {
	size := min(max(t.block, int64(len(t.buf))), t.off, t.left.Bytes)
	if size <= 0 {
		t.spent = true
		return
	}
	t.left.Bytes -= size
	t.block = min(t.block*2, largeBlock)
	buf := make([]byte, size+int64(len(t.buf)))
	n, err := t.r.ReadAt(buf[:size], t.off-size)
	if int64(n) < size {
		// The file became shorter under our hands: what stood there is gone.
		if t.spent = errors.Is(err, io.EOF); !t.spent {
			t.Err = err
		}
		return
	}
	copy(buf[size:], t.buf)
	t.buf, t.off = buf, t.off-size
	for i := 0; i < int(size); i++ {
		n := bytes.IndexByte(buf[i:size], '\n')
		if n < 0 {
			break
		}
		i += n
		t.ends = append(t.ends, i)
	}
}

// ReadBackFrom hands the lines of a log to take, the last one first, until take
// says that the turn began there, as if the log ended after its first end bytes;
// 0: at its end. It reports whether the turn's beginning, or the log's first line,
// was reached.
func ReadBackFrom(path string, end int64, left *Budget, take func(line []byte) bool) (complete bool, err error) {
	f, size, err := Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return NewTail(f, Within(size, end), left).Until(take)
}

// Within is how much is read of a log that counts to end only; 0: all.
func Within(size, end int64) int64 {
	if end > 0 {
		return min(size, end)
	}
	return size
}

// Until hands the lines to take until that says that the turn began with one, and
// reports whether it did, or the first line was reached.
func (t *Tail) Until(take func(line []byte) bool) (complete bool, err error) {
	for line, ok := t.Next(); ok; line, ok = t.Next() {
		if take(line) {
			return true, nil
		}
	}
	if t.Err != nil {
		return false, Error(t.Err)
	}
	return t.Complete(), nil
}

// Open opens a client's log. A path that a payload names may be anything:
// opening a pipe would wait for ever.
func Open(path string) (*os.File, int64, error) {
	const op = "read transcript"
	f, info, err := localfs.OpenPlain(path, true)
	if errors.Is(err, localfs.ErrIrregular) {
		return nil, 0, piton.Errorf(piton.Invalid, op, "", "%s is not a regular file", path)
	}
	if err != nil {
		return nil, 0, Error(err)
	}
	return f, info.Size(), nil
}

func Error(err error) error {
	code := piton.Unavailable
	if errors.Is(err, fs.ErrNotExist) {
		code = piton.NotFound
	}
	return &piton.Error{Code: code, Op: "read transcript", Err: err}
}

// ReadHead reads the beginning of a file.
func ReadHead(name string, most int64) ([]byte, error) {
	f, _, err := localfs.OpenPlain(name, true)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// Unread says why a turn could not be read from a session's own log, "" where it could:
// whether its beginning was reached, else where what was read begins, and whether there was
// a line in a known form.
func Unread(complete, known bool, begin time.Time) (why string, until time.Time) {
	switch {
	case !complete:
		return fmt.Sprintf("the turn is longer than can be read at a stop: %d lines, %d MiB", MaxLines, MaxBytes>>20), begin
	case !known:
		return "it holds no line in a known form", until
	}
	return "", until
}
