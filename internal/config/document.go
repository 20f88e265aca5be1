package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

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

// flatten turns nested maps into dotted names. A key without a value sets
// nothing. Keys with values in the place of one value stay, and are refused.
func flatten(prefix string, n *yaml.Node) []setting {
	var list []setting
	for _, p := range pairs(n) {
		name := prefix + p.name
		_, whole := find(name)
		whole = whole || name == projectsKey
		switch {
		case p.node.Tag == "!!null" && (whole || isOther(name) || isGroup(name)):
		case p.node.Kind == yaml.MappingNode && !whole && (len(p.node.Content) > 0 || isGroup(name)):
			list = append(list, flatten(name+".", p.node)...)
		default:
			list = append(list, setting{name, p.node})
		}
	}
	return list
}

func isOther(name string) bool {
	_, ok := findOther(name)
	return ok
}

// isGroup tells whether keys begin with this name.
func isGroup(name string) bool {
	begins := func(key string) bool { return strings.HasPrefix(key, name+".") }
	return slices.ContainsFunc(Keys(), begins) || slices.ContainsFunc(otherSpellings, func(o spelling) bool { return begins(o.name) })
}

// flow is a value as JSON, which is YAML too: a text in quotes.
func flow(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
