package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds a configuration file, so that nothing large is read at a stop.
const maxFile = 1 << 20

// document is a file as it was read.
type document struct {
	there    bool
	text     []byte
	settings []setting // in the file's order
}

// setting is a key with its value; nested maps are dotted names.
type setting struct {
	name string
	node *yaml.Node
}

// open reads a file; one that is not there, or cannot be used, sets nothing.
func (c *Config) open(path string, mine bool) document {
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return document{}
	}
	var root *yaml.Node
	if err == nil {
		root, err = parse(text)
	}
	if err == nil && root != nil && root.Kind != yaml.MappingNode {
		err = fmt.Errorf("it wants keys with values, not %s", kindOf(root))
	}
	if err != nil {
		c.Unread = c.Unread || mine
		c.problem(path, "%w", err)
		return document{there: true, text: text}
	}
	return document{there: true, text: text, settings: flatten("", root)}
}

// parse reads the first document; nil when it says nothing. What it returns
// has no key twice and no alias that holds itself.
func parse(text []byte) (*yaml.Node, error) {
	var doc yaml.Node
	err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&doc)
	if err == io.EOF || err == nil && len(doc.Content) == 0 {
		return nil, nil
	}
	if err != nil && strings.Contains(err.Error(), "cannot start any token") && bytes.ContainsRune(text, '\t') {
		err = fmt.Errorf("%w; YAML is indented with blanks, not with tabs", err)
	}
	if err != nil {
		return nil, err
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

var errNotDir = errors.New("a part of the path is no folder")

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		if strings.Contains(err.Error(), "not a directory") {
			return nil, errNotDir
		}
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("not a regular file of at most %d bytes", maxFile)
	}
	return os.ReadFile(path)
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
