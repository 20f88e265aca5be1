// Package rawjson reads single members out of JSON text without decoding the
// rest of it: what a client writes may be 50 MB in one line.
package rawjson

import (
	"bytes"
	"iter"
)

// Object walks the members of one JSON object without decoding or copying, so
// that a member of 50 MB costs a search for its end. It judges what it needs to
// find the members; the inside of a value is only balanced.
type Object struct {
	B     []byte
	i     int  // where reading goes on
	state byte // 0 before the brace, 'k' before a key, 'v' at a value, ',' behind one, '}' at the end, '!' broken
}

// Next goes to the next member and returns its key, as written between the
// quotes. The member's value may be skipped by calling next again.
func (o *Object) Next() (key []byte, ok bool) {
	if o.state == 'v' {
		o.Value()
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
	if o.i = skipString(o.B, start); o.i < 0 {
		return o.broken()
	}
	key = o.B[start+1 : o.i-1]
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

// Ahead is what can be seen of the value that value would return: it may be
// longer than the value, and torn.
func (o *Object) Ahead() []byte {
	if o.state != 'v' {
		return nil
	}
	return o.B[o.i:]
}

// Value returns the current member's value as written; nil when it is torn.
func (o *Object) Value() []byte {
	if o.state != 'v' {
		return nil
	}
	start := o.i
	if o.i = SkipValue(o.B, start); o.i < 0 {
		o.broken()
		return nil
	}
	o.state = ','
	return o.B[start:o.i]
}

// Whole tells, after next has returned false, whether the object ended as it
// should and nothing came behind it.
func (o *Object) Whole() bool {
	return o.state == '}' && o.token() == 0 && o.i == len(o.B)
}

// token skips white space and returns the byte there; 0 at the end.
func (o *Object) token() byte {
	if o.state == '!' {
		return 0
	}
	o.i = skipSpace(o.B, o.i)
	if o.i == len(o.B) {
		return 0
	}
	return o.B[o.i]
}

func (o *Object) end() ([]byte, bool) {
	o.i++
	o.state = '}'
	return nil, false
}

func (o *Object) broken() ([]byte, bool) {
	o.state = '!'
	return nil, false
}

// Members walks a small object; of what is none, or torn, what can be read.
func Members(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		o := Object{B: b}
		for {
			key, ok := o.Next()
			if !ok {
				return
			}
			value := o.Value()
			if value == nil || !yield(key, value) {
				return
			}
		}
	}
}

// Member returns one member of a small object; nil if it is not there.
func Member(object []byte, name string) []byte {
	for key, value := range Members(object) {
		if string(key) == name {
			return value
		}
	}
	return nil
}

// Values returns the values of the named members of a small object, in the order
// of the names; nil for one that is not there. Of several members of one name
// the last counts.
func Values(object []byte, names ...string) [][]byte {
	values := make([][]byte, len(names))
	for key, value := range Members(object) {
		for i, name := range names {
			if string(key) == name {
				values[i] = value
			}
		}
	}
	return values
}

// Elements walks an array; of what is none, or torn, what can be read.
func Elements(b []byte) iter.Seq[[]byte] {
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
			end := SkipValue(b, i)
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
	for i < len(b) && isSpace(b[i]) {
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

// SkipValue returns the index behind the value that begins at i; -1 if it is
// torn or can be no value.
func SkipValue(b []byte, i int) int {
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case c == '{' || c == '[':
		return skipNested(b, i)
	case bytes.IndexByte([]byte("-0123456789tfn"), c) >= 0:
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
