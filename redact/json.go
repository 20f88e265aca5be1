package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// errNotJSON is what JSON returns for a document that is none.
var errNotJSON = errors.New("not a JSON document")

// cookieKind is of keys whose values are secrets where they look like cookies.
const cookieKind = "cookie"

// maxDepth bounds the nesting of a document.
const maxDepth = 100_000

// JSON returns a JSON document with the secrets taken out of every decoded
// string, keys and values, and how many there were; doc itself when there was
// none. Strings without a secret keep their bytes, numbers, order and white
// space theirs. A string under a name such as db_password is a secret whatever
// it looks like, unless it is a placeholder. Keys that become equal are
// numbered.
func JSON(doc []byte) ([]byte, int, error) {
	d := document{src: doc}
	if err := d.walk(); err != nil {
		return nil, 0, err
	}
	if d.found == 0 {
		return doc, 0, nil
	}
	return append(d.out, doc[d.copied:]...), d.found, nil
}

// document goes once over a JSON text.
type document struct {
	src    []byte
	out    []byte
	copied int
	found  int
	stack  []frame
	plain  []byte // the decoded string that is looked at
}

// frame is an object or an array that is open.
type frame struct {
	object bool
	key    bool            // the next string is a key
	kind   string          // what the last key says of its value; "" nothing
	used   map[string]bool // keys that redaction wrote
}

func (d *document) walk() error {
	for i := 0; i < len(d.src); {
		switch c := d.src[i]; c {
		case '"':
			end, escaped, err := stringEnd(d.src, i)
			if err != nil {
				return err
			}
			if err := d.str(i, end, escaped); err != nil {
				return err
			}
			i = end
			continue
		case '{', '[':
			if len(d.stack) == maxDepth {
				return fmt.Errorf("nested deeper than %d: %w", maxDepth, errNotJSON)
			}
			d.stack = append(d.stack, frame{object: c == '{', key: c == '{'})
		case '}', ']':
			if len(d.stack) == 0 || d.stack[len(d.stack)-1].object != (c == '}') {
				return fmt.Errorf("byte %d: %w", i, errNotJSON)
			}
			d.stack = d.stack[:len(d.stack)-1]
		case ',':
			if f := d.top(); f != nil {
				f.key, f.kind = f.object, ""
			}
		}
		i++
	}
	if len(d.stack) > 0 {
		return fmt.Errorf("it ends too early: %w", errNotJSON)
	}
	return nil
}

func (d *document) top() *frame {
	if len(d.stack) == 0 {
		return nil
	}
	return &d.stack[len(d.stack)-1]
}

// stringEnd is where the string that begins at i ends, and whether it has
// escapes.
func stringEnd(b []byte, i int) (end int, escaped bool, err error) {
	for at := i + 1; ; {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			return 0, false, fmt.Errorf("byte %d: a string without end: %w", i, errNotJSON)
		}
		at += n
		slashes := 0
		for b[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at + 1, escaped || bytes.IndexByte(b[i:at], '\\') >= 0, nil
		}
		escaped = true
		at++
	}
}

// str looks at one string, key or value.
func (d *document) str(from, to int, escaped bool) error {
	raw := d.src[from+1 : to-1]
	text := unsafe.String(unsafe.SliceData(raw), len(raw))
	if escaped {
		var err error
		if d.plain, err = jsontext.AppendUnquote(d.plain[:0], d.src[from:to]); err == nil {
			text = unsafe.String(unsafe.SliceData(d.plain), len(d.plain))
		} else {
			// A lone surrogate, say; the slower way knows what is none at all.
			text = ""
			if err := json.Unmarshal(d.src[from:to], &text); err != nil {
				return fmt.Errorf("byte %d: %w", from, errNotJSON)
			}
		}
	}
	f := d.top()
	clean, n := Text(text)
	if f != nil && f.object && f.key {
		f.key = false
		f.kind, _ = secretName(text)
		if f.kind == "" && (strings.EqualFold(text, "cookie") || strings.EqualFold(text, "set-cookie")) {
			f.kind = cookieKind
		}
		if n > 0 {
			clean = f.unique(clean)
		}
	} else if f != nil && f.kind != "" && n == 0 && !placeholder(text) && (f.kind != cookieKind || isCookie(text)) {
		clean, n = mark(kindOf(text, f.kind)), 1
	}
	if n == 0 {
		return nil
	}
	d.out = append(d.out, d.src[d.copied:from]...)
	d.out = appendString(d.out, clean)
	d.copied = to
	d.found += n
	return nil
}

// unique numbers a key that redaction has already written in this object.
func (f *frame) unique(key string) string {
	if f.used == nil {
		f.used = map[string]bool{}
	}
	name := key
	for i := 2; f.used[name]; i++ {
		name = key + "#" + strconv.Itoa(i)
	}
	f.used[name] = true
	return name
}

func appendString(out []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string always can be
	return append(out, bytes.TrimRight(b.Bytes(), "\n")...)
}
