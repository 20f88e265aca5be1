package record

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
)

// rowReader reads what rowWriter, or encoding/json, has written of the same fields:
// without white space, in their order, some left out. odd: it is something else.
type rowReader struct {
	b   []byte
	i   int
	odd bool
}

// readRow reads a row: by its fields where it is in our form, else with encoding/json,
// so that all that was ever stored is read.
func readRow[T any](text []byte, fields func(*rowReader, *T)) (T, error) {
	if x, ok := readFields(text, fields); ok {
		return x, nil
	}
	var x T
	err := json.Unmarshal(text, &x)
	return x, err
}

// readFields reads a row in our form; false for any other.
func readFields[T any](text []byte, fields func(*rowReader, *T)) (x T, ok bool) {
	r := rowReader{b: text}
	r.expect('{')
	fields(&r, &x)
	r.expect('}')
	return x, !r.odd && r.i == len(r.b)
}

func (r *rowReader) expect(c byte) {
	if r.odd || r.i >= len(r.b) || r.b[r.i] != c {
		r.odd = true
		return
	}
	r.i++
}

// has reports whether the next member has this name, and goes to its value.
func (r *rowReader) has(name string) bool {
	if r.odd {
		return false
	}
	at := r.i
	if at > 0 && r.b[at-1] != '{' {
		if at >= len(r.b) || r.b[at] != ',' {
			return false
		}
		at++
	}
	end := at + len(name) + 3
	if end > len(r.b) || string(r.b[at:end]) != `"`+name+`":` {
		return false
	}
	r.i = end
	return true
}

// scalar is the value up to the next , or }: a number, a word.
func (r *rowReader) scalar() string {
	n := bytes.IndexAny(r.b[r.i:], ",}")
	if n < 0 {
		r.odd = true
		return ""
	}
	v := string(r.b[r.i : r.i+n])
	r.i += n
	return v
}

// quoted is a string as it is written.
func (r *rowReader) quoted() []byte {
	start := r.i
	if start >= len(r.b) || r.b[start] != '"' {
		r.odd = true
		return nil
	}
	for i := start + 1; i < len(r.b); i++ {
		switch r.b[i] {
		case '\\':
			i++
		case '"':
			r.i = i + 1
			return r.b[start:r.i]
		}
	}
	r.odd = true
	return nil
}

func (r *rowReader) text(name string, v *string, _ bool) {
	if !r.has(name) {
		return
	}
	out, err := jsontext.AppendUnquote(nil, r.quoted())
	*v, r.odd = string(out), r.odd || err != nil
}

func (r *rowReader) number(name string, v *int64) {
	if !r.has(name) {
		return
	}
	text := r.scalar()
	n, err := strconv.ParseInt(text, 10, 64)
	*v, r.odd = n, r.odd || err != nil || strconv.FormatInt(n, 10) != text // 007 is not a JSON number
}

func (r *rowReader) flag(name string, v *bool, _ bool) {
	if !r.has(name) {
		return
	}
	word := r.scalar()
	*v, r.odd = word == "true", r.odd || word != "true" && word != "false"
}

func (r *rowReader) time(name string, v *piton.Time, _ bool) {
	if !r.has(name) {
		return
	}
	if bytes.HasPrefix(r.b[r.i:], []byte("null")) {
		r.i += len("null")
		return
	}
	r.odd = v.UnmarshalJSON(r.quoted()) != nil || r.odd
}

func (r *rowReader) object(name string, fields func()) {
	if !r.has(name) {
		return
	}
	r.expect('{')
	fields()
	r.expect('}')
}

func (r *rowReader) other(name string, v any, _, _ bool) {
	if !r.has(name) {
		return
	}
	start := r.i
	r.skip()
	r.odd = r.odd || json.Unmarshal(r.b[start:r.i], v) != nil
}

// skip goes to the end of a value: to the , or } behind it.
func (r *rowReader) skip() {
	for depth := 0; r.i < len(r.b) && !r.odd; {
		switch c := r.b[r.i]; {
		case c == '"':
			r.quoted()
			continue
		case depth == 0 && (c == ',' || c == '}'):
			return
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		r.i++
	}
	r.odd = true
}
