package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
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
	if nodesLeft(&doc, maxNodes) == 0 {
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

// nodesLeft is what is left of a number of nodes after a node and all in it.
func nodesLeft(n *yaml.Node, left int) int {
	left = max(left-1, 0)
	for i := 0; i < len(n.Content) && left > 0; i++ {
		left = nodesLeft(n.Content[i], left)
	}
	return left
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
