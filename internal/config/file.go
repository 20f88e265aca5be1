package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// What a configuration file may have at most, so that no stop takes long over
// one: bytes, and keys and values. To look for a key given twice, the YAML
// library holds each of a map against all others.
const (
	maxFile  = 1 << 20
	maxNodes = 10_000
)

// document is a file as it was read.
type document struct {
	there    bool
	text     []byte
	settings []setting // in the file's order
	err      error     // it cannot be used
}

// setting is a key with its value; nested maps are dotted names.
type setting struct {
	name string
	node *yaml.Node
}

// open reads a file; one that is not there, or cannot be used, sets nothing.
func open(path string) document {
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return document{}
	}
	if err != nil {
		return document{there: true, text: text, err: err}
	}
	return documentOf(text)
}

// documentOf reads a file's text.
func documentOf(text []byte) document {
	root, err := parse(text)
	if err == nil && root != nil && root.Kind != yaml.MappingNode {
		err = fmt.Errorf("it wants keys with values, not %s", kindOf(root))
	}
	if err != nil {
		return document{there: true, text: text, err: err}
	}
	return document{there: true, text: text, settings: flatten("", root)}
}

// parse reads the first document; nil when it says nothing. What it returns has
// no key twice and no alias that holds itself. A line that stands further left
// than the first ends the document: what follows would be lost in silence.
func parse(text []byte) (*yaml.Node, error) {
	if !utf8.Valid(text) { // YAML knows UTF-16, but nobody can read that on a terminal
		return nil, errors.New("it is not UTF-8")
	}
	var doc, more yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(text))
	err := in.Decode(&doc)
	if err == io.EOF || err == nil && len(doc.Content) == 0 {
		return nil, nil
	}
	if err != nil && strings.Contains(err.Error(), "cannot start any token") && bytes.ContainsRune(text, '\t') {
		err = fmt.Errorf("%w; YAML is indented with blanks, not with tabs", err)
	}
	if err != nil {
		return nil, err
	}
	if room(&doc, maxNodes) == 0 {
		return nil, fmt.Errorf("it holds more than %d keys and values", maxNodes)
	}
	if err := in.Decode(&more); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%w; is every line indented as the ones before it are?", err)
	}
	var all any
	if err := doc.Decode(&all); err != nil {
		return nil, err
	}
	if all == nil {
		return nil, nil
	}
	return target(doc.Content[0]), nil
}

// room is what is left of a number of nodes after a node and all in it.
func room(n *yaml.Node, left int) int {
	left = max(left-1, 0)
	for i := 0; i < len(n.Content) && left > 0; i++ {
		left = room(n.Content[i], left)
	}
	return left
}

var errNotDir = errors.New("a part of the path is no folder")

// read reads a plain file of at most maxFile bytes. A project's may be a link to
// anything: what a kernel makes up while it is read, without end perhaps, has
// no size, and counts as empty.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path) // to open some devices is to use them
	if err != nil {
		if strings.Contains(err.Error(), "not a directory") {
			return nil, errNotDir
		}
		return nil, err
	}
	refused := fmt.Errorf("not a regular file of at most %d bytes", maxFile)
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, refused
	}
	if info.Size() == 0 {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openSafely, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(refused, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = refused
	}
	return text, err
}

// flatten turns nested maps into dotted names. A key without a value sets
// nothing.
func flatten(prefix string, n *yaml.Node) []setting {
	var list []setting
	for _, p := range pairs(n) {
		name := prefix + p.name
		k, ok := find(name)
		switch {
		case p.node.Tag == "!!null":
		case p.node.Kind == yaml.MappingNode && name != projectsKey && !(ok && k.list != nil):
			list = append(list, flatten(name+".", p.node)...)
		default:
			list = append(list, setting{name, p.node})
		}
	}
	return list
}

// pairs are the keys and values of a map, those it merges (<<) first.
func pairs(n *yaml.Node) []setting {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	var merged, own []setting
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := target(n.Content[i]), target(n.Content[i+1])
		if name.Tag == "!!merge" {
			from := []*yaml.Node{value}
			if value.Kind == yaml.SequenceNode {
				from = value.Content
			}
			for _, m := range from {
				merged = append(merged, pairs(target(m))...)
			}
			continue
		}
		own = append(own, setting{name.Value, value})
	}
	return append(merged, own...)
}

// target follows an alias.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// plain is a value as text.
func plain(n *yaml.Node) string {
	var v any
	if n.Tag == "!!str" || n.Decode(&v) != nil {
		return n.Value
	}
	return fmt.Sprint(v)
}

// kindOf names what a value is.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		return "keys with values"
	case n.Tag == "!!int" || n.Tag == "!!float":
		return "a number"
	case n.Tag == "!!bool":
		return "true or false"
	case n.Tag == "!!null":
		return "nothing"
	}
	return "a text"
}
