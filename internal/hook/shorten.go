package hook

import (
	"bytes"
	"errors"
	"io"
)

// maxString is how much of a string is kept of an event that is too large, in
// bytes: far more than is used of any.
const maxString = 256 << 10

// shorten reads JSON to its end and returns it with the ends of long strings
// left out, and how many bytes it read. The result may still be too large: then
// its first most+1 bytes are returned.
func shorten(in io.Reader, most int) (out []byte, read int64, err error) {
	var s shortener
	for chunk := make([]byte, 64<<10); ; {
		n, err := in.Read(chunk)
		read += int64(n)
		if len(s.out) <= most {
			s.write(chunk[:n])
		}
		if errors.Is(err, io.EOF) {
			return s.out[:min(len(s.out), most+1)], read, nil
		}
		if err != nil {
			return nil, read, err
		}
	}
}

// shortener is the position in a JSON text.
type shortener struct {
	out      []byte
	inString bool
	length   int // of the string so far
	escape   int // bytes of an escape not read yet; -1: its letter is next
	drops    bool
}

func (s *shortener) write(text []byte) {
	for i := 0; i < len(text); i++ {
		if s.drops = s.drops || s.length >= maxString && s.escape == 0; s.drops {
			if i += s.leaveOut(text[i:]); i == len(text) {
				return
			}
		}
		b := text[i]
		switch {
		case !s.inString:
			s.inString = b == '"'
		case s.escape == -1: // an escape is kept or left out as a whole
			s.escape = 0
			if b == 'u' {
				s.escape = 4
			}
		case s.escape > 0 && b != '"':
			s.escape--
		case b == '"':
			s.inString, s.length, s.escape = false, 0, 0
		case b == '\\':
			s.escape = -1
		}
		if s.inString {
			s.length++
		}
		s.out = append(s.out, b)
	}
}

// leaveOut is how many bytes come before the quote that ends the string; all where it
// is not there. It searches for quotes: reading each byte of 100 MB would hold the
// agent.
func (s *shortener) leaveOut(text []byte) int {
	from := 0
	if s.escape == -1 {
		from = 1
	}
	for at := from; ; at++ {
		n := bytes.IndexByte(text[at:], '"')
		if at += n; n < 0 {
			at = len(text)
		}
		s.escape = 0
		for k := at - 1; k >= from && text[k] == '\\'; k-- {
			s.escape = -1 - s.escape // an odd number of them escapes what follows
		}
		if at == len(text) || s.escape == 0 {
			s.drops = at == len(text)
			return at
		}
	}
}
