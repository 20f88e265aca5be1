package edit

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton/internal/client/rawjson"
)

// change puts new bytes in the place of [from, to).
func (d *JSON) change(from, to int, with string) {
	if err := d.set(splice(d.text, from, to, with)); err != nil {
		panic("edit: " + err.Error())
	}
}

// Set gives an object's member a value, in the place of the one that is there.
func (d *JSON) Set(of *Node, name, value string) {
	if m := of.At(name); m != nil {
		d.change(m.start, m.end, value)
		return
	}
	d.add(of, name, value)
}

// Put adds a value at a path: as a member that is not there yet or is null, or as an element of a list. It makes the containers that
// are missing, or null, on the way. An error names what is of another kind.
func (d *JSON) Put(path []string, element bool, value string) error {
	if was := d.text; isBlank(was) {
		d.change(0, len(was), "{}"+Newline(was))
		defer func() { d.noteEmpty("", was) }()
	}
	n := d.root
	for i, name := range path {
		m := n.At(name)
		switch {
		case n.kind != Object && n.kind != Null:
			return WrongKind(n, "object")
		case m == nil:
			d.putBelow(n, path[i:], element, value)
			return nil
		}
		n = m
	}
	switch {
	case !element: // a null in its place
		d.Empty[n.pointer()] = n.Raw()
		d.change(n.start, n.end, value)
	case n.kind != array && n.kind != Null:
		return WrongKind(n, "array")
	default:
		d.add(n, "", value)
	}
	return nil
}

// putBelow adds a value with the containers that lead to it.
func (d *JSON) putBelow(n *Node, path []string, element bool, value string) {
	if element {
		value = "[" + value + "]"
	}
	at := jsontext.Pointer(n.pointer())
	for i, name := range path {
		at = at.AppendToken(name)
		delete(d.Empty, string(at))
		if k := len(path) - 1 - i; k > 0 {
			value = "{" + Quote(path[k]) + ":" + value + "}"
		}
	}
	d.add(n, path[0], value)
}

// WrongKind is the error for a value that is not of the kind that is wanted.
func WrongKind(n *Node, want string) error {
	return fmt.Errorf("%q is not an %s", cmp.Or(n.pointer(), "/"), want)
}

// noteEmpty keeps in mind what a container was before it was added to.
func (d *JSON) noteEmpty(at string, was []byte) {
	delete(d.Empty, at)
	if was != nil {
		d.Empty[at] = string(was)
	}
}

// add appends a value to an object (under a name) or an array (without), spelled as its neighbours are. Where there are some it only
// inserts, right behind the last, so that cut undoes it; an empty container, or the null in its place, is rewritten.
func (d *JSON) add(to *Node, name, value string) {
	l := d.layout()
	if len(to.List) == 0 {
		d.fill(to, name, value, l)
		return
	}
	last := to.List[len(to.List)-1]
	lead := d.lead(last.from)
	if !strings.Contains(lead, "\n") {
		d.change(last.end, last.end, ","+l.space+l.piece(name, value, "", false))
		return
	}
	at := d.lineEndAfter(last.end)
	beside := string(d.text[last.end:at])
	d.change(last.end, at, ","+beside+l.newline+tail(lead)+l.piece(name, value, tail(lead), true))
}

// fill adds the first value to a container.
func (d *JSON) fill(to *Node, name, value string, l layout) {
	was, at := d.text[to.start:to.end], to.pointer()
	opening, closing := string(was[:1]), string(was[len(was)-1:])
	switch {
	case to.kind == Null && name != "":
		opening, closing = "{", "}"
	case to.kind == Null:
		opening, closing = "[", "]"
	}
	commented := to.HasComments()
	if commented {
		opening = strings.TrimRight(string(was[:len(was)-1]), " \t\r\n")
	}
	lead := d.lead(to.from)
	piece := l.piece(name, value, "", false)
	if to.in == nil || commented || strings.Contains(lead, "\n") {
		outer := l.newline + tail(lead)
		piece = outer + l.unit + l.piece(name, value, tail(lead)+l.unit, true) + outer
	}
	d.change(to.start, to.end, opening+piece+closing)
	d.noteEmpty(at, was)
}

// lineEndAfter is where something may go behind an offset so that a comment on the same line stays with what it is about.
func (d *JSON) lineEndAfter(at int) int {
	end := len(d.text)
	if n := bytes.IndexByte(d.text[at:], '\n'); n >= 0 {
		end = at + n
	}
	rest := bytes.TrimRight(d.text[at:end], " \t\r")
	goesOn := bytes.Contains(rest, []byte("/*")) && !bytes.HasSuffix(rest, []byte("*/"))
	if goesOn || !isBlank(d.plain[at:end]) { // a comma, a bracket, or a comment that goes on: not this line
		return at
	}
	return at + len(rest)
}

// Remove takes out a value and the containers that it leaves empty, up to the whole text; an array's element goes as a whole with the
// list in it. A container that was empty before gets its old text. One with a new comment in it stays, with the comment.
func (d *JSON) Remove(n *Node) {
	inForce := n.InForce() // nothing is added to a hidden container
	if d.Empty[n.pointer()] == "null" {
		d.change(n.start, n.end, "null")
		return
	}
	for n.in != nil {
		in := n.in
		if len(in.List) > 1 {
			d.cut(n)
			return
		}
		was, known := d.Empty[in.pointer()]
		if d.removeLast(n, was, known && inForce) {
			return
		}
		if n = in; n.in != nil && n.in.in != nil && n.in.in.kind == array {
			n = n.in
		}
	}
	d.text, d.plain, d.root = nil, nil, nil
}

// removeLast takes out the only value in a container, unless the container is to go too. known: was is its text of before.
func (d *JSON) removeLast(n *Node, was string, known bool) bool {
	in := n.in
	theirs, around := d.commentsIn(in.start, n.from)+d.commentsIn(n.end, in.end), ""
	if in.in == nil {
		around = d.commentsIn(0, in.start) + d.commentsIn(in.end, len(d.text))
	}
	before := JSON{text: []byte(was), plain: rawjson.BlankComments([]byte(was))}
	blank := isBlank(before.text)
	switch {
	case known && blank && theirs+around == "":
		d.change(0, len(d.text), was)
	case known && !blank && theirs == before.commentsIn(0, len(was)):
		d.change(in.start, in.end, was)
	case known || theirs+around != "":
		d.change(n.from, n.end, "")
	default:
		return false
	}
	return true
}

// cut takes out one of several values, with the comma and white space that add put before it, but without the comments there.
func (d *JSON) cut(n *Node) {
	from, to := n.between()
	if d.commentsIn(from, n.from)+d.commentsIn(n.end, to) == "" {
		d.change(from, to, "")
		return
	}
	d.cutKeeping(n)
}

// cutKeeping takes out one of several values and keeps the comments beside it.
func (d *JSON) cutKeeping(n *Node) {
	list := n.in.List
	i, from, to := slices.Index(list, n), n.from, n.end
	comma := to + bytes.IndexByte(d.plain[to:], ',')
	if i == len(list)-1 { // the comma before it goes
		comma = list[i-1].end + bytes.IndexByte(d.plain[list[i-1].end:], ',')
		from, to = from-1, to-1
	}
	text := splice(d.text, comma, comma+1, "")
	if i > 0 {
		line := bytes.LastIndexByte(text[:from], '\n') + 1
		from = len(bytes.TrimRight(text[:from], " \t\r\n"))
		if line > from && !endsLine(text[to:]) { // the comment before it may end with the line
			from = line
		}
	}
	d.change(0, len(d.text), string(splice(text, from, to, "")))
}

// endsLine reports whether a line ends here.
func endsLine(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r")
	return len(rest) == 0 || rest[0] == '\n'
}
