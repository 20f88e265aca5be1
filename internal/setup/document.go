package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// lenient lets pass what a client lets pass too, and what we do not touch.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// document is JSON as text. An edit changes bytes at offsets that were just looked up; all others stay.
type document struct {
	text     []byte
	comments bool // the client lets comments pass

	seen, blanked []byte // the text that plain was asked for last, and its answer
}

// plain is the text without comments, at the same offsets. No edit writes into a text, so that one that lies in the same place is
// the same.
func (d *document) plain() []byte {
	if !d.comments || len(d.text) == 0 {
		return d.text
	}
	if len(d.seen) != len(d.text) || &d.seen[0] != &d.text[0] {
		d.seen, d.blanked = d.text, rawjson.BlankComments(d.text)
	}
	return d.blanked
}

// child is a member of an object or an element of an array, by its offsets in the text.
type child struct {
	name       string // a member's, unquoted
	from       int    // where it begins: a member's name, an element's value
	start, end int    // its value
}

// valid returns an error unless text is exactly one JSON value.
func (d *document) valid() error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(d.plain()), lenient...)
	if err := dec.SkipValue(); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}

// fault says at which line a text is not JSON.
func (d *document) fault(err error) error {
	at := len(d.plain())
	var bad *jsontext.SyntacticError
	if errors.As(err, &bad) {
		err, at = bad.Err, min(int(bad.ByteOffset), at)
	}
	return fmt.Errorf("not JSON, at line %d: %w", 1+bytes.Count(d.plain()[:at], []byte("\n")), err)
}

// root is the whole value of a valid document.
func (d *document) root() child {
	plain := d.plain()
	start := len(plain) - len(bytes.TrimLeft(plain, " \t\r\n"))
	return child{from: start, start: start, end: len(bytes.TrimRight(plain, " \t\r\n"))}
}

// kind is the first byte of a value.
func (d *document) kind(c child) byte { return d.text[c.start] }

// is reports whether a value is of a kind, or null: clients read that as if nothing were there.
func (d *document) is(kind byte, c child) bool { return d.kind(c) == kind || d.kind(c) == 'n' }

// raw is a value's text, without comments.
func (d *document) raw(c child) jsontext.Value { return d.plain()[c.start:c.end] }

// children lists what lies in an object or array; nothing for other values.
func (d *document) children(of child) []child {
	object := d.kind(of) == '{'
	if !object && d.kind(of) != '[' {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(d.plain()[of.start:of.end]), lenient...)
	dec.ReadToken() // the bracket
	var list []child
	for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		var c child
		if object {
			name, err := dec.ReadValue()
			if err != nil {
				return list // a valid document has none
			}
			unquoted, _ := jsontext.AppendUnquote(nil, name)
			c.name, c.from = string(unquoted), of.start+int(dec.InputOffset())-len(name)
		}
		value, err := dec.ReadValue()
		if err != nil {
			return list
		}
		c.end = of.start + int(dec.InputOffset())
		c.start = c.end - len(value)
		if !object {
			c.from = c.start
		}
		list = append(list, c)
	}
	return list
}

// member finds an object's member. Of several with one name the last counts, as in JSON.parse.
func (d *document) member(of child, name string) (child, bool) {
	list := d.children(of)
	i := lastNamed(list, name)
	if i < 0 {
		return child{}, false
	}
	return list[i], true
}

func lastNamed(list []child, name string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].name == name {
			return i
		}
	}
	return -1
}

// str is a string's text, "" for any other value.
func (d *document) str(c child) string {
	if d.kind(c) != '"' {
		return ""
	}
	s, _ := jsontext.AppendUnquote(nil, d.raw(c))
	return string(s)
}

// lead is the white space before an offset, up to the comma, bracket or beginning of the text.
func (d *document) lead(at int) string {
	plain := d.plain()
	return string(plain[len(bytes.TrimRight(plain[:at], " \t\r\n")):at])
}

// tail is the indentation that ends a lead.
func tail(lead string) string {
	return lead[len(strings.TrimRight(lead, " \t")):]
}

// hasComments reports whether there is anything but white space where JSON has only white space, commas and brackets.
func (d *document) hasComments(from, to int) bool {
	return d.comments && !bytes.Equal(d.text[from:to], d.plain()[from:to])
}

// commentsIn are the comments between two offsets, without the white space around them.
func (d *document) commentsIn(from, to int) string {
	var found []byte
	plain := d.plain()
	for i := from; i < to; i++ {
		if d.text[i] != plain[i] {
			found = append(found, d.text[i])
		}
	}
	return string(found)
}
