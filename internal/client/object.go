package client

import (
	"bytes"
	"iter"
)

// object walks the members of one JSON object without decoding or copying, so
// that a member of 50 MB costs a search for its end. It judges what it needs to
// find the members; the inside of a value is only balanced.
type object struct {
	b     []byte
	i     int  // where reading goes on
	state byte // 0 before the brace, 'k' before a key, 'v' at a value, ',' behind one, '}' at the end, '!' broken
}

// next goes to the next member and returns its key, as written between the
// quotes. The member's value may be skipped by calling next again.
func (o *object) next() (key []byte, ok bool) {
	if o.state == 'v' {
		o.value()
	}
	c := o.token()
	switch {
	case o.state == 0 && c == '{':
		o.i++
		o.state = 'k'
		if c = o.token(); c == '}' {
			return o.end()
		}
	case o.state == ',' && c == ',':
		o.i++
		o.state = 'k'
		c = o.token()
	case o.state == ',' && c == '}':
		return o.end()
	default:
		return o.broken()
	}
	if c != '"' {
		return o.broken()
	}
	start := o.i
	if o.i = skipString(o.b, start); o.i < 0 {
		return o.broken()
	}
	key = o.b[start+1 : o.i-1]
	if o.token() != ':' {
		return o.broken()
	}
	o.i++
	if o.token() == 0 {
		return o.broken()
	}
	o.state = 'v'
	return key, true
}

// ahead is what can be seen of the value that value would return: it may be
// longer than the value, and torn.
func (o *object) ahead() []byte {
	if o.state != 'v' {
		return nil
	}
	return o.b[o.i:]
}

// value returns the current member's value as written; nil when it is torn.
func (o *object) value() []byte {
	if o.state != 'v' {
		return nil
	}
	start := o.i
	if o.i = skipValue(o.b, start); o.i < 0 {
		o.broken()
		return nil
	}
	o.state = ','
	return o.b[start:o.i]
}

// whole tells, after next has returned false, whether the object ended as it
// should and nothing came behind it.
func (o *object) whole() bool {
	return o.state == '}' && o.token() == 0 && o.i == len(o.b)
}

// token skips white space and returns the byte there; 0 at the end.
func (o *object) token() byte {
	if o.state == '!' {
		return 0
	}
	o.i = skipSpace(o.b, o.i)
	if o.i == len(o.b) {
		return 0
	}
	return o.b[o.i]
}

func (o *object) end() ([]byte, bool) {
	o.i++
	o.state = '}'
	return nil, false
}

func (o *object) broken() ([]byte, bool) {
	o.state = '!'
	return nil, false
}

// members walks a small object; of what is none, or torn, what can be read.
func members(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		o := object{b: b}
		for {
			key, ok := o.next()
			if !ok {
				return
			}
			value := o.value()
			if value == nil || !yield(key, value) {
				return
			}
		}
	}
}

// member returns one member of a small object; nil if it is not there.
func member(object []byte, name string) []byte {
	for key, value := range members(object) {
		if string(key) == name {
			return value
		}
	}
	return nil
}

// elements walks an array; of what is none, or torn, what can be read.
func elements(b []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		i := skipSpace(b, 0)
		if i == len(b) || b[i] != '[' {
			return
		}
		for {
			i = skipSpace(b, i+1) // behind the bracket or the comma
			if i == len(b) || b[i] == ']' {
				return
			}
			end := skipValue(b, i)
			if end < 0 || !yield(b[i:end]) {
				return
			}
			if i = skipSpace(b, end); i == len(b) || b[i] != ',' {
				return
			}
		}
	}
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index behind the string that begins at i; -1 if it is
// torn.
func skipString(b []byte, i int) int {
	for end := i + 1; ; end++ {
		n := bytes.IndexByte(b[end:], '"')
		if n < 0 {
			return -1
		}
		end += n
		slashes := 0
		for k := end - 1; k > i && b[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1
		}
	}
}

// skipValue returns the index behind the value that begins at i; -1 if it is
// torn or can be no value.
func skipValue(b []byte, i int) int {
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case c == '{' || c == '[':
		return skipNested(b, i)
	case c == '-' || '0' <= c && c <= '9' || c == 't' || c == 'f' || c == 'n':
		for ; i < len(b); i++ {
			switch b[i] {
			case ',', '}', ']', ' ', '\n', '\t', '\r':
				return i
			case '"', '{', '[', ':':
				return -1
			}
		}
	}
	return -1
}

func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}
