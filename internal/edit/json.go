package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton/internal/client/rawjson"
)

// lenient lets pass what a client lets pass too, and what we do not touch.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

var bom = []byte("\xef\xbb\xbf")

// JSON is a text in JSON that is changed step by step.
type JSON struct {
	// Empty is the text of containers that were empty before they were added to, by JSON pointer; "" is the whole, which may also
	// have been blank. Remove puts it back.
	Empty map[string]string

	text, plain []byte // plain has blanks in the place of comments
	root        *Node
	bom         bool
	comments    bool
}

// ParseJSON reads a text, in which comments may stand. One that is blank, or not there, has no values.
func ParseJSON(text []byte, comments bool) (*JSON, error) {
	body, marked := bytes.CutPrefix(text, bom)
	d := &JSON{Empty: map[string]string{}, bom: marked, comments: comments}
	err := d.set(body)
	return d, err
}

// set takes a text in the place of the one before.
func (d *JSON) set(text []byte) (err error) {
	d.text, d.plain, d.root = text, text, nil
	if d.comments {
		d.plain = rawjson.BlankComments(text)
	}
	if isBlank(text) {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(d.plain), lenient...)
	root := &Node{}
	if err = d.read(dec, root); err == nil {
		root.from, d.root = root.start, root
		if _, err = dec.ReadToken(); err == io.EOF {
			return nil
		} else if err == nil {
			err = io.ErrUnexpectedEOF
		}
	}
	at := len(d.plain)
	var bad *jsontext.SyntacticError
	if errors.As(err, &bad) {
		err, at = bad.Err, min(int(bad.ByteOffset), at)
	}
	return fmt.Errorf("not JSON, at line %d: %w", 1+bytes.Count(d.plain[:at], []byte("\n")), err)
}

// read reads the next value into a node.
func (d *JSON) read(dec *jsontext.Decoder, n *Node) error {
	n.kind = byte(dec.PeekKind())
	if n.kind != Object && n.kind != array {
		value, err := dec.ReadValue()
		d.put(n, int(dec.InputOffset())-len(value), int(dec.InputOffset()))
		return err
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	start := int(dec.InputOffset()) - 1
	for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		c := &Node{in: n}
		if n.kind == Object {
			name, err := dec.ReadValue()
			if err != nil {
				return err
			}
			unquoted, _ := jsontext.AppendUnquote(nil, name)
			c.Name, c.from = string(unquoted), int(dec.InputOffset())-len(name)
		}
		if err := d.read(dec, c); err != nil {
			return err
		}
		if n.kind == array {
			c.from = c.start
		}
		n.List = append(n.List, c)
	}
	_, err := dec.ReadToken()
	d.put(n, start, int(dec.InputOffset()))
	return err
}

// put says where a node's value lies.
func (d *JSON) put(n *Node, start, end int) {
	n.start, n.end = start, end
	n.text, n.plain = d.text[start:end], d.plain[start:end]
}

// Root is the whole value; nil where the text is blank.
func (d *JSON) Root() *Node { return d.root }

// Bytes is the text; nil where nothing of it is left.
func (d *JSON) Bytes() []byte {
	if d.bom && d.text != nil {
		return append(bytes.Clone(bom), d.text...)
	}
	return d.text
}

// commentsIn are the comments between two offsets, without the white space around them.
func (d *JSON) commentsIn(from, to int) string {
	var found []byte
	for i := from; i < to; i++ {
		if d.text[i] != d.plain[i] {
			found = append(found, d.text[i])
		}
	}
	return string(found)
}

func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
