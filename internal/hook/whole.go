package hook

import "io"

// whole reads until a JSON object has come to its end: a client may hold its pipe open
// behind it. What came with the end is read too, so that it is seen that it is not JSON.
type whole struct {
	in       io.Reader
	depth    int
	inString bool
	escaped  bool // the next byte of the string
	over     bool
}

// Read reads what comes, and io.EOF behind the end.
func (w *whole) Read(b []byte) (int, error) {
	if w.over {
		return 0, io.EOF
	}
	n, err := w.in.Read(b)
	for _, c := range b[:n] {
		w.look(c)
	}
	return n, err
}

func (w *whole) look(c byte) {
	switch {
	case w.escaped:
		w.escaped = false
	case w.inString:
		w.escaped, w.inString = c == '\\', c != '"'
	case c == '"':
		w.inString = true
	case c == '{', c == '[':
		w.depth++
	case c == '}', c == ']':
		w.depth--
		w.over = w.over || w.depth == 0
	}
}
