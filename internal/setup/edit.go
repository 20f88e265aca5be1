package setup

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// splice puts new bytes in the place of [from, to).
func (d *document) splice(from, to int, with []byte) {
	d.text = append(append(append([]byte{}, d.text[:from]...), with...), d.text[to:]...)
}

// add appends a value to an object (under a name) or an array (without), spelled as its neighbours are. Where there are children
// it only inserts, right behind the last, so that cut undoes it; an empty container, or the null in its place, is rewritten and its
// old text returned.
func (d *document) add(to child, name string, value jsontext.Value) (was []byte, empty bool) {
	l := d.layout()
	list := d.children(to)
	if len(list) > 0 {
		last := list[len(list)-1]
		lead := d.lead(last.from)
		piece := "," + l.space() + l.piece(name, value, "", false)
		if strings.Contains(lead, "\n") {
			at := d.lineEndAfter(last.end)
			d.splice(at, at, []byte(l.newline+tail(lead)+l.piece(name, value, tail(lead), true)))
			piece = ","
		}
		d.splice(last.end, last.end, []byte(piece))
		return nil, false
	}
	was = bytes.Clone(d.text[to.start:to.end])
	opening, closing := string(was[:1]), string(was[len(was)-1:])
	switch {
	case d.kind(to) == 'n' && name != "":
		opening, closing = "{", "}"
	case d.kind(to) == 'n':
		opening, closing = "[", "]"
	}
	commented := d.hasComments(to.start, to.end)
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

// lineEndAfter is where something may go behind an offset so that a comment on the same line stays with what it is about.
func (d *document) lineEndAfter(at int) int {
	if !d.comments {
		return at
	}
	end := len(d.text)
	if n := bytes.IndexByte(d.text[at:], '\n'); n >= 0 {
		end = at + n
	}
	if len(bytes.TrimSpace(d.plain()[at:end])) > 0 { // a comma, a bracket, or a comment that goes on: not this line
		return at
	}
	rest := bytes.TrimRight(d.text[at:end], " \t\r")
	if bytes.Contains(rest, []byte("/*")) && !bytes.HasSuffix(rest, []byte("*/")) {
		return at
	}
	return at + len(rest)
}

// cut takes out one of several children, with the comma and white space that add put before it.
func (d *document) cut(list []child, i int) {
	beside := [2]int{list[max(i-1, 0)].end, list[i].from}
	if i == 0 {
		beside = [2]int{list[0].end, list[1].from}
	}
	if d.hasComments(beside[0], beside[1]) {
		d.cutKeeping(list, i)
		return
	}
	if i > 0 {
		d.splice(list[i-1].end, list[i].end, nil)
		return
	}
	d.splice(list[0].from, list[1].from, nil)
}

// cutKeeping takes out one of several children and keeps the comments beside it.
func (d *document) cutKeeping(list []child, i int) {
	this, last := list[i], i == len(list)-1
	if !last {
		comma := this.end + bytes.IndexByte(d.plain()[this.end:list[i+1].from], ',')
		d.splice(comma, comma+1, nil)
	}
	if i == 0 {
		d.splice(this.from, this.end, nil)
		return
	}
	before := list[i-1].end
	from := before + len(bytes.TrimRight(d.text[before:this.from], " \t\r\n"))
	if n := bytes.LastIndexByte(d.text[:this.from], '\n'); n >= from && !endsLine(d.text[this.end:]) {
		from = n + 1 // the comment before it may end with the line
	}
	comma := before + bytes.IndexByte(d.plain()[before:this.from], ',')
	d.splice(from, this.end, nil)
	if last {
		d.splice(comma, comma+1, nil)
	}
}

// endsLine reports whether a line ends here.
func endsLine(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r")
	return len(rest) == 0 || rest[0] == '\n'
}
