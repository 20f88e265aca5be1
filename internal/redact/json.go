package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// errNotJSON is what JSON returns for a document that is none.
var errNotJSON = errors.New("not a JSON document")

// maxDepth bounds the nesting of a document.
const maxDepth = 100_000

// JSON returns a JSON document with the secrets taken out of every decoded
// string, keys and values, and how many there were; doc itself when there was
// none. Strings without a secret keep their bytes, numbers, order and white
// space theirs. A string under a name such as db_password is a secret unless
// it is plainly none; so is a number under one such as pin. What a name says
// holds for all below it, and for the value in {"name": …, "value": …}; arrays
// that are command lines are read as such. Keys that become equal are numbered.
func JSON(doc []byte) ([]byte, int, error) { return (*Rules)(nil).JSON(doc) }

// document goes once over a JSON text.
type document struct {
	src   []byte
	found int
	edits []edit // of the text, each place once
	late  bool   // edits are not in order
	stack []frame
	rules *Rules
	find  bool   // somebody asks where the secrets stood
	plain []byte // the decoded string that is looked at
}

// edit is what is written in a place of the text.
type edit struct {
	from, to int
	text     string // decoded
	found    int
	path     string
}

// frame is an object or an array that is open.
type frame struct {
	object  bool
	key     bool  // the next string is a key
	argv    bool  // the array may be a command line
	others  bool  // it has elements that are no strings
	role    role  // what the last key is to its neighbours
	index   int32 // of the element, in an array
	keyFrom int   // where the last key stands
	keyTo   int
	member  meaning // what the last key says of its value
	inherit meaning // what the name of a container around says
	more    *around
}

// around is what few containers need.
type around struct {
	used    map[string]bool // keys that redaction wrote
	pair    meaning         // what the member "name" says of the member "value"
	value   piece           // the member "value", where it came first
	command string          // the member "command"
	strings []piece         // the elements of a command line
}

// with is for what few containers need.
func (f *frame) with() *around {
	if f.more == nil {
		f.more = &around{}
	}
	return f.more
}

// piece is a string that may have to be looked at again.
type piece struct {
	from, to int
	text     string
	path     string
	index    int
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
			d.stack = append(d.stack, d.open(c == '{'))
		case '}', ']':
			if len(d.stack) == 0 || d.stack[len(d.stack)-1].object != (c == '}') {
				return fmt.Errorf("byte %d: %w", i, errNotJSON)
			}
			if f := d.top(); f.more != nil && len(f.more.strings) > 1 {
				d.array(f)
			}
			d.stack = d.stack[:len(d.stack)-1]
		case ',':
			if f := d.top(); f != nil {
				f.key, f.role, f.member.level = f.object, none, 0
				f.index++
			}
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '-':
			if f := d.top(); f != nil && (f.argv || f.member.level > 0 || f.inherit.level > 0) {
				i = d.number(i)
				continue
			}
			for i++; i < len(d.src) && digit(d.src[i]); i++ {
			}
			continue
		}
		i++
	}
	if len(d.stack) > 0 {
		return fmt.Errorf("it ends too early: %w", errNotJSON)
	}
	return nil
}

// open is the frame of a container that begins here.
func (d *document) open(object bool) frame {
	f := frame{object: object, key: object}
	up := d.top()
	if up == nil {
		return f
	}
	up.others = true
	switch {
	case up.member.level > 0:
		f.inherit = up.member
	case up.role != harmlessRole:
		f.inherit = up.inherit
	}
	if !object {
		f.argv = up.object && up.role == argvRole || !up.object // ["Authorization", "X"] in a list
		if f.argv && up.more != nil && up.more.command != "" {
			f.with().command = up.more.command
		}
	}
	return f
}

// apply writes the document with the edits.
func (d *document) apply() []byte {
	if d.late {
		slices.SortFunc(d.edits, func(a, b edit) int { return a.from - b.from })
	}
	out, copied := make([]byte, 0, len(d.src)), 0
	for _, e := range d.edits {
		out = append(out, d.src[copied:e.from]...)
		out = appendString(out, e.text)
		copied = e.to
	}
	return append(out, d.src[copied:]...)
}

// takeOut notes that a whole string or number is taken out; false where the
// rules keep it.
func (d *document) takeOut(from, to int, text, kind string) bool {
	if d.rules.keeps(text, kind) {
		return false
	}
	d.edit(edit{from, to, mark(kind), 1, d.path()})
	return true
}

// edit notes what is to be written in a place; one that was noted before for
// the same place gives way.
func (d *document) edit(e edit) {
	for i := len(d.edits) - 1; i >= 0 && d.edits[i].from >= e.from; i-- {
		if d.edits[i].from == e.from {
			d.found += e.found - d.edits[i].found
			d.edits[i] = e
			return
		}
	}
	if n := len(d.edits); n > 0 && d.edits[n-1].from > e.from {
		d.late = true
		i, _ := slices.BinarySearchFunc(d.edits, e.from, func(a edit, from int) int { return a.from - from })
		d.edits = slices.Insert(d.edits, i, e)
	} else {
		d.edits = append(d.edits, e)
	}
	d.found += e.found
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
	if f != nil && !(f.object && f.key) {
		if m, p := f.says(); m.level > 0 && m.takes(text, p) {
			if d.takeOut(from, to, text, kindOf(text, m.kind)) {
				if !f.object && f.argv {
					f.argument(piece{from: from, to: to, text: "_", index: int(f.index)})
				}
				return nil
			}
		}
	}
	clean, n := d.rules.text(text)
	if f != nil && f.object && f.key {
		f.key = false
		f.named(clean, d.rules)
		f.keyFrom, f.keyTo = from, to
		if n > 0 {
			d.edit(edit{from, to, f.unique(clean), n, d.path()})
		}
		return nil
	}
	if f == nil {
		if n > 0 {
			d.edit(edit{from, to, clean, n, d.path()})
		}
		return nil
	}
	if n > 0 {
		d.edit(edit{from, to, clean, n, d.path()})
	}
	switch {
	case f.role == nameRole:
		kind, level := d.rules.writtenName(clean)
		if level == 0 && f.more == nil {
			break
		}
		a := f.with()
		a.pair = meaning{kind, level}
		if v := a.value; v.to > 0 && level > 0 && a.pair.takes(v.text, inMember) {
			if kind = kindOf(v.text, kind); !d.rules.keeps(v.text, kind) {
				d.edit(edit{v.from, v.to, mark(kind), 1, v.path})
			}
			a.value = piece{}
		}
	case f.role == valueRole && f.object && n == 0 && len(text) <= looked:
		if f.more == nil || f.more.pair.level == 0 {
			f.with().value = piece{from: from, to: to, text: strings.Clone(text), path: d.path()}
		}
	case f.role == argvRole:
		f.with().command = strings.Clone(text[:min(len(text), 64)])
	case !f.object && f.argv:
		f.argument(piece{from: from, to: to, text: clean, index: int(f.index)})
	}
	return nil
}

// argument notes an element of what may be a command line.
func (f *frame) argument(p piece) {
	a := f.with()
	if len(a.strings) >= maxArgv || len(p.text) > maxWord {
		f.argv, a.strings = false, nil
		return
	}
	p.text = strings.Clone(p.text)
	a.strings = append(a.strings, p)
}

// number takes a number out that a name says is a secret: a pin, a password.
func (d *document) number(i int) (end int) {
	end = i + 1
	for end < len(d.src) && (digit(d.src[end]) || strings.IndexByte("+-.eE", d.src[end]) >= 0) {
		end++
	}
	f := d.top()
	if f == nil {
		return end
	}
	f.others = true
	m := f.member
	if m.level == 0 && f.role != harmlessRole && (!f.object || f.role == valueRole || f.role == holderRole) {
		m = f.inherit
	}
	if text := d.src[i:end]; m.level > 0 && (m.level == sure && (m.kind == "password" || m.kind == "secret") || f.role == pinRole) && len(text) >= 4 && allDigits(string(text)) {
		d.takeOut(i, end, string(text), m.kind)
	}
	return end
}

// unique numbers a key that redaction has already written in this object.
func (f *frame) unique(key string) string {
	a := f.with()
	if a.used == nil {
		a.used = map[string]bool{}
	}
	name := key
	for i := 2; a.used[name]; i++ {
		name = key + "#" + strconv.Itoa(i)
	}
	a.used[name] = true
	return name
}

func appendString(out []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string always can be
	return append(out, bytes.TrimRight(b.Bytes(), "\n")...)
}
