package redact

import (
	"encoding/json"
	"fmt"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds the nesting of a document.
const maxDepth = 100_000

// steps are what the walk does at a byte outside of strings; it returns where to go on.
// Other bytes tell nothing.
var steps = [256]func(d *document, i int) (next int, err error){
	'"': (*document).str, '{': (*document).opens, '[': (*document).opens, '}': (*document).ends, ']': (*document).ends, ',': (*document).comma,
	'0': (*document).number, '1': (*document).number, '2': (*document).number, '3': (*document).number, '4': (*document).number, '5': (*document).number,
	'6': (*document).number, '7': (*document).number, '8': (*document).number, '9': (*document).number, '-': (*document).number, 't': (*document).yes,
}

func (d *document) walk() (err error) {
	for i := 0; i < len(d.src); {
		step := steps[d.src[i]]
		if step == nil {
			i++
			continue
		}
		if i, err = step(d, i); err != nil {
			return err
		}
	}
	if len(d.stack) > 0 {
		return fmt.Errorf("it ends too early: %w", errNotJSON)
	}
	return nil
}

func (d *document) opens(i int) (int, error) {
	if len(d.stack) == maxDepth {
		return i, fmt.Errorf("nested deeper than %d: %w", maxDepth, errNotJSON)
	}
	d.stack = append(d.stack, d.open(d.src[i] == '{'))
	return i + 1, nil
}

// open is the frame of a container that begins here.
func (d *document) open(object bool) frame {
	f := frame{object: object, key: object, argv: !object, results: int32(len(d.waiting))}
	up := d.top()
	if up == nil {
		return f
	}
	up.others = true
	switch {
	case up.member.level > 0:
		f.inherit = up.member
	case !tells[up.role]:
		f.inherit = up.inherit
	}
	if object {
		return f
	}
	f.pair = !up.object || up.role == argvRole // ["Authorization", "X"] in a list
	if f.pair && up.more != nil && up.more.command != "" {
		f.with().command = up.more.command
	}
	return f
}

func (d *document) ends(i int) (int, error) {
	f := d.top()
	if f == nil || f.object != (d.src[i] == '}') {
		return i, fmt.Errorf("byte %d: %w", i, errNotJSON)
	}
	if f.more != nil {
		d.closes(f)
	}
	d.stack = d.stack[:len(d.stack)-1]
	return i + 1, nil
}

func (d *document) comma(i int) (int, error) {
	if f := d.top(); f != nil {
		f.key, f.role, f.member.level = f.object, none, 0
		f.index++
	}
	return i + 1, nil
}

// yes looks at true.
func (d *document) yes(i int) (int, error) {
	if f := d.top(); f != nil && f.role == sensitiveRole {
		f.with().secret = true
	}
	return i + 1, nil
}

// number takes a number out that a name says is a secret: a pin, a password.
func (d *document) number(i int) (end int, err error) {
	src := unsafe.String(unsafe.SliceData(d.src), len(d.src))
	end = run(src, i+1, len(src), &inNumber)
	f := d.top()
	if f == nil {
		return end, nil
	}
	f.others = true
	m := f.member
	if m.level == 0 && !tells[f.role] && (!f.object || holds[f.role]) {
		m = f.inherit
	}
	if m.level == 0 {
		return end, nil
	}
	c := candidate{text: src[i:end], meaning: m, name: roleNames[f.role]}
	if c.is("number") {
		d.takeOut(piece{from: i, to: end, text: c.text, index: int(f.index)}, m.kind)
	}
	return end, nil
}

var inNumber = chars("0-9+.eE-")

// decoded is the text of a string; it lies in the document or in plain, which is
// returned to be used again.
func decoded(src []byte, from, to int, escaped bool, plain []byte) (text string, again []byte, err error) {
	raw := src[from+1 : to-1]
	if !escaped {
		return unsafe.String(unsafe.SliceData(raw), len(raw)), plain, nil
	}
	if plain, err = jsontext.AppendUnquote(plain[:0], src[from:to]); err == nil {
		return unsafe.String(unsafe.SliceData(plain), len(plain)), plain, nil
	}
	// A lone surrogate, say; the slower way knows what is none at all.
	if err := json.Unmarshal(src[from:to], &text); err != nil {
		return "", plain, fmt.Errorf("byte %d: %w", from, errNotJSON)
	}
	return text, plain, nil
}

// str looks at one string, key or value.
func (d *document) str(from int) (to int, err error) {
	to, escaped, err := stringEnd(d.src, from)
	if err != nil || d.free(from, to, escaped) {
		return to, err
	}
	p := piece{from: from, to: to}
	if p.text, d.plain, err = decoded(d.src, from, to, escaped, d.plain); err != nil {
		return to, err
	}
	switch f := d.top(); {
	case f == nil:
		d.cleaned(&p)
	case f.object && f.key:
		d.key(f, p)
	default:
		p.index = int(f.index)
		d.value(f, p, escaped)
	}
	return to, nil
}

// cleaned takes the secrets out of a string, and returns how many there were.
func (d *document) cleaned(p *piece) int {
	text, n := d.text(p.text)
	if n > 0 {
		d.edit(edit{p.from, p.to, text, n, d.path()})
	}
	p.text = text
	return n
}

// key looks at a key.
func (d *document) key(f *frame, p piece) {
	text, n := d.text(p.text)
	f.key = false
	d.named(f, text)
	f.keyFrom, f.keyTo = p.from, p.to
	if n > 0 {
		d.edit(edit{p.from, p.to, f.unique(text), n, d.path()})
	}
}

// value looks at a string that is a member or an element.
func (d *document) value(f *frame, p piece, escaped bool) {
	if l := d.list(f); l != nil && d.keyLine(l, p) {
		return
	}
	if m := f.says(); m.takes(p.text) && d.takeOut(p, kindOf(p.text, m.kind)) {
		if !f.object && f.argv {
			p.text = "_"
			f.argument(p, false)
		}
		return
	}
	n := d.cleaned(&p)
	switch look := members[f.role]; {
	case look != nil:
		look(d, f, p, n)
	case !f.object && f.argv:
		f.argument(p, escaped)
	}
}

// text is Rules.Text for one of a document's texts.
func (d *document) text(s string) (string, int) {
	if d.walker == nil {
		d.walker = &walker{reader: d.reader}
		d.walker.names = d.known()
	}
	return d.walker.clean(s)
}
