package redact

import (
	"encoding/json"
	"fmt"
	"strings"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds the nesting of a document.
const maxDepth = 100_000

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
			if f := d.top(); f.more != nil {
				d.closes(f)
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
		case 't':
			if f := d.top(); f != nil && f.role == sensitiveRole {
				f.with().secret = true
			}
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
	f := frame{object: object, key: object, argv: !object, results: int32(len(d.waiting))}
	up := d.top()
	if up == nil {
		return f
	}
	up.others = true
	switch {
	case up.member.level > 0:
		f.inherit = up.member
	case !up.role.tells():
		f.inherit = up.inherit
	}
	if !object {
		f.pair = up.object && up.role == argvRole || !up.object // ["Authorization", "X"] in a list
		if f.pair && up.more != nil && up.more.command != "" {
			f.with().command = up.more.command
		}
	}
	return f
}

// text is Rules.Text for one of a document's texts.
func (d *document) text(s string) (string, int) {
	if d.names == nil {
		d.names = new(names)
	}
	return clean(walker{reader: d.reader, text: s})
}

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
func (d *document) str(from, to int, escaped bool) (err error) {
	if d.free(from, to, escaped) {
		return nil
	}
	var text string
	if text, d.plain, err = decoded(d.src, from, to, escaped, d.plain); err != nil {
		return err
	}
	f := d.top()
	if f != nil {
		if l := d.list(f); l != nil && d.keyLine(l, from, to, text) {
			return nil
		}
	}
	if f != nil && !(f.object && f.key) {
		if m, p := f.says(); m.level > 0 && m.takes(text, p) {
			if d.takeOut(from, to, text, kindOf(text, m.kind)) {
				if !f.object && f.argv {
					f.argument(piece{from: from, to: to, text: "_", index: int(f.index)}, false)
				}
				return nil
			}
		}
	}
	clean, n := d.text(text)
	if f != nil && f.object && f.key {
		f.key = false
		d.named(f, clean)
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
		m := d.nameMeans(clean)
		if m.level == 0 && f.more == nil {
			break
		}
		a := f.with()
		a.pair = m
		if v := a.value; v.to > 0 && m.level > 0 && m.takes(v.text, inMember) {
			if kind := kindOf(v.text, m.kind); !d.rules.keeps(v.text, kind) {
				d.edit(edit{v.from, v.to, mark(kind), 1, v.path})
			}
			a.value = piece{}
		}
	case f.role == valueRole && f.object && n == 0 && len(text) <= looked:
		if f.more == nil || f.more.pair.level == 0 {
			f.with().value = piece{from: from, to: to, text: strings.Clone(text), path: d.path()}
		}
	case f.role == argvRole && f.object:
		f.with().command = strings.Clone(text[:min(len(text), 64)])
	case f.role == typeRole && f.object:
		if strings.IndexByte(text, '_') > 0 {
			if m := d.nameMeans(text); m.level > 0 {
				f.with().typed = m.kind
			}
		}
	case !f.object && f.argv:
		f.argument(piece{from: from, to: to, text: clean, index: int(f.index)}, escaped)
	case n > 0 || len(text) > looked || len(text) < 3:
	case f.role == stdinRole && f.object:
		f.with().stdin = piece{from: from, to: to, text: strings.Clone(text), path: d.path()}
	case f.role == resultRole && f.object && d.inAttributes():
		d.waiting = append(d.waiting, piece{from: from, to: to, text: strings.Clone(text), path: d.path()})
	}
	return nil
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
	if m.level == 0 && !f.role.tells() && (!f.object || f.role.holds()) {
		m = f.inherit
	}
	if text := d.src[i:end]; m.level > 0 && (m.level == sure && (m.kind == "password" || m.kind == "secret") || f.role == pinRole) && len(text) >= 4 && allDigits(string(text)) {
		d.takeOut(i, end, string(text), m.kind)
	}
	return end
}
