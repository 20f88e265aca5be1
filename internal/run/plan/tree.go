package plan

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The bounds of a plan's file.
const (
	maxBytes = 2 << 20
	maxNodes = 100_000 // aliases count each time they are used
	maxDepth = 64
)

// node is a value of a plan's file, with its line.
type node struct {
	kind  string // as people say it: see the kinds
	text  string // of a scalar, as it is written
	value any    // of a scalar, as JSON: nil, bool, float64, string
	line  int
	pairs []pair
	items []*node
}

// pair is a key with its value.
type pair struct {
	name  string
	line  int
	value *node
}

// none tells whether there is no value.
func (p pair) none() bool { return p.value == nil || p.value.kind == isNull }

// text is a value as it is written; "" where it is none, or no scalar.
func (p pair) text() string {
	if p.value == nil {
		return ""
	}
	return p.value.text
}

// The kinds of nodes.
const (
	isObject = "keys with values"
	isList   = "a list"
	isText   = "a text"
	isNumber = "a number"
	isBool   = "true or false"
	isNull   = "nothing"
)

// textNode is a text.
func textNode(text string, line int) *node {
	return &node{kind: isText, text: text, value: text, line: line}
}

// objectNode is an object with some keys.
func objectNode(line int, pairs ...pair) *node {
	return &node{kind: isObject, line: line, pairs: pairs}
}

// asStep is a step, or a check, that may be its command alone.
func (n *node) asStep() *node {
	if n.kind == isObject {
		return n
	}
	return objectNode(n.line, pair{"run", n.line, n})
}

// list are the items of a list, or the value itself.
func (n *node) list() []*node {
	if n.kind == isList {
		return n.items
	}
	return []*node{n}
}

// keys are the keys of an object with their values; none of nothing.
func (n *node) keys() []pair {
	if n == nil {
		return nil
	}
	return n.pairs
}

// get is the value of a key, nil where there is none.
func (n *node) get(name string) *node {
	i := slices.IndexFunc(n.pairs, func(p pair) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return n.pairs[i].value
}

// scalar tells whether it is one value.
func (n *node) scalar() bool { return n.kind != isObject && n.kind != isList }

// json is the value as JSON has it.
func (n *node) json() any {
	switch n.kind {
	case isObject:
		m := make(map[string]any, len(n.pairs))
		for _, p := range n.pairs {
			m[p.name] = p.value.json()
		}
		return m
	case isList:
		list := make([]any, 0, len(n.items))
		for _, x := range n.items {
			list = append(list, x.json())
		}
		return list
	}
	return n.value
}

// texts calls f for each text in a value, with where it stands.
func (n *node) texts(where string, f func(where string, n *node)) {
	switch n.kind {
	case isText:
		f(where, n)
	case isObject:
		for _, p := range n.pairs {
			p.value.texts(where+"."+p.name, f)
		}
	case isList:
		for _, x := range n.items {
			x.texts(where, f)
		}
	}
}

var jsonNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`) })

// number reads a number that stays the same in JSON.
func number(text string) (float64, error) {
	if !jsonNumber().MatchString(text) {
		return 0, fmt.Errorf("the number %s is written in a form that programs read differently; write it in decimal, or put it in quotes", quoted(text))
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, errors.New("a number is too large; put it in quotes")
	}
	if math.Abs(f) > 1<<53 && !strings.ContainsAny(text, ".eE") {
		return 0, fmt.Errorf("the number %s would be rounded; put it in quotes", quoted(text))
	}
	if f == 0 {
		f = 0 // without a sign
	}
	return f, nil
}
