package setup

import (
	"bytes"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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
		d.seen, d.blanked = d.text, blankComments(d.text)
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

// root is the whole value of a valid document.
func (d *document) root() child {
	plain := d.plain()
	start := len(plain) - len(bytes.TrimLeft(plain, " \t\r\n"))
	return child{from: start, start: start, end: len(bytes.TrimRight(plain, " \t\r\n"))}
}

// kind is the first byte of a value.
func (d *document) kind(c child) byte { return d.text[c.start] }

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

// splice puts new bytes in the place of [from, to).
func (d *document) splice(from, to int, with []byte) {
	d.text = append(append(append([]byte{}, d.text[:from]...), with...), d.text[to:]...)
}

// add appends a value to an object (under a name) or an array (without), spelled as its neighbours are. Where there are children
// it only inserts, right behind the last, so that cut undoes it; an empty container is rewritten and its old text returned.
func (d *document) add(to child, name string, value jsontext.Value) (was []byte, empty bool) {
	l := d.layout()
	list := d.children(to)
	if len(list) > 0 {
		last := list[len(list)-1]
		lead := d.lead(last.from)
		piece := "," + l.space() + l.piece(name, value, "", false)
		if strings.Contains(lead, "\n") {
			at := d.behind(last.end)
			d.splice(at, at, []byte(l.newline+tail(lead)+l.piece(name, value, tail(lead), true)))
			piece = ","
		}
		d.splice(last.end, last.end, []byte(piece))
		return nil, false
	}
	was = bytes.Clone(d.text[to.start:to.end])
	opening, closing := string(was[:1]), string(was[len(was)-1:])
	commented := d.commented(to.start, to.end)
	if commented {
		opening = strings.TrimRight(string(was[:len(was)-1]), " \t\r\n")
	}
	lead := d.lead(to.from)
	piece := opening + l.piece(name, value, "", false) + closing
	if to == d.root() || commented || strings.Contains(lead, "\n") {
		outer := l.newline + tail(lead)
		piece = opening + outer + l.unit + l.piece(name, value, tail(lead)+l.unit, true) + outer + closing
	}
	d.splice(to.start, to.end, []byte(piece))
	return was, true
}

// cut takes out one of several children, with the comma and white space that add put before it.
func (d *document) cut(list []child, i int) {
	beside := [2]int{list[max(i-1, 0)].end, list[i].from}
	if i == 0 {
		beside = [2]int{list[0].end, list[1].from}
	}
	if d.commented(beside[0], beside[1]) {
		d.cutKeeping(list, i)
		return
	}
	if i > 0 {
		d.splice(list[i-1].end, list[i].end, nil)
		return
	}
	d.splice(list[0].from, list[1].from, nil)
}
