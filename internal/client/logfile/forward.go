package logfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// How much of a log is read forward at most: all turns of a session that went on
// for weeks. No hook reads forward.
const (
	MaxForward     = 1 << 30
	maxForwardLine = MaxBytes
)

// ReadForward hands the lines of a log to take, the first one first, each with the
// place of its first byte. A line is valid only until take returns. It is not
// whole where the log is longer than the bound, and where a line is: that line is
// stepped over.
func ReadForward(path string, take func(offset int64, line []byte)) (whole bool, err error) {
	f, size, err := Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	whole = size <= MaxForward
	r := bufio.NewReaderSize(io.LimitReader(f, min(size, MaxForward)), largeBlock)
	var off int64
	for {
		line, n, err := longLine(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, Error(err)
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
		switch {
		case n > maxForwardLine:
			whole = false
		case len(line) > 0:
			take(off, line)
		}
		if off += n; err != nil {
			return whole, nil
		}
	}
}

// ReadLines is ReadForward for the lines that a client can parse.
func ReadLines[L any](path string, parse func([]byte) (L, bool), take func(offset int64, l L)) (whole bool, err error) {
	return ReadForward(path, func(offset int64, line []byte) {
		if line[0] != '{' {
			return
		}
		if l, ok := parse(line); ok {
			take(offset, l)
		}
	})
}

// longLine is the next line with its end, and its length; what is longer than the
// bound is read and not kept.
func longLine(r *bufio.Reader) (line []byte, n int64, err error) {
	line, err = r.ReadSlice('\n')
	n = int64(len(line))
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, n, err
	}
	all := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.ReadSlice('\n')
		if n += int64(len(line)); n <= maxForwardLine {
			all = append(all, line...)
		} else {
			all = nil
		}
	}
	return all, n, err
}
