// Package edit changes settings files as text, in JSON with or without comments, in YAML and in TOML: what a change is not about
// keeps every byte. A format finds where values lie; the edits put bytes in the place of others.
package edit

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// The kinds of values, as JSON begins them.
const (
	Object = '{'
	array  = '['
	String = '"'
	Null   = 'n'
)

// Node is a value in a text, by its offsets. Its methods may be called where there is none, with nil. An edit makes all nodes of a
// text invalid.
type Node struct {
	Name string  // a member's, unquoted
	List []*Node // what stands in it

	from        int   // where it begins: a member's name, an element's value
	start, end  int   // its value
	in          *Node // the object or array that it stands in; nil for the whole
	kind        byte
	block       bool   // its members or elements stand on lines of their own, without brackets (YAML)
	column      int    // and this far to the right
	text, plain []byte // plain has blanks in the place of comments
}

// Kind is one of the kinds, or the first byte of another value; 0 where there is none.
func (n *Node) Kind() byte {
	if n == nil {
		return 0
	}
	return n.kind
}

// Members are what stands in an object, in the order of the text.
func (n *Node) Members() []*Node { return n.inside(Object) }

// Items are what stands in an array.
func (n *Node) Items() []*Node { return n.inside(array) }

func (n *Node) inside(kind byte) []*Node {
	if n.Kind() != kind {
		return nil
	}
	return n.List
}

// At is where names lead to from an object. Of several members with one name the last counts, as in JSON.parse.
func (n *Node) At(names ...string) *Node {
	for _, name := range names {
		n = named(n.Members(), name)
	}
	return n
}

func named(list []*Node, name string) *Node {
	for _, n := range slices.Backward(list) {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// Raw is a value's text, without comments.
func (n *Node) Raw() string {
	if n == nil {
		return ""
	}
	return string(n.plain)
}

// HasComments reports whether there is a comment in a value.
func (n *Node) HasComments() bool { return !bytes.Equal(n.text, n.plain) }

// Str is a string's text, "" for any other value.
func (n *Node) Str() string {
	if n.Kind() != String {
		return ""
	}
	s, _ := jsontext.AppendUnquote(nil, n.plain)
	return string(s)
}

// InForce reports whether no later member of the same name hides the value, or what it stands in.
func (n *Node) InForce() bool {
	for ; n.in != nil; n = n.in {
		if n.in.kind == Object && named(n.in.List, n.Name) != n {
			return false
		}
	}
	return true
}

// pointer is the JSON pointer of a value that is not in an array.
func (n *Node) pointer() string {
	if n.in == nil {
		return ""
	}
	return string(jsontext.Pointer(n.in.pointer()).AppendToken(n.Name))
}

// between is the text that goes with one of several values between brackets: the comma to the one before it or, of the first, behind it.
func (n *Node) between() (from, to int) {
	list := n.in.List
	switch i := slices.Index(list, n); {
	case i > 0:
		return list[i-1].end, n.end
	case len(list) > 1:
		return n.from, list[1].from
	}
	return n.from, n.end
}

// splice is a text with new bytes in the place of [from, to).
func splice(text []byte, from, to int, with string) []byte {
	return append(append(append([]byte{}, text[:from]...), with...), text[to:]...)
}

// Newline is how the lines of a text end.
func Newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
