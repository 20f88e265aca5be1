package config

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/judge/debrief"
)

// AddTest adds a command to debrief.tests. Everything else in the file stays, byte for
// byte, and where there is none it is made. It returns false when the command was there
// already, and Invalid where the file's form leaves no safe place for it.
func (f File) AddTest(command string) (added bool, err error) {
	return f.add(item{list: "tests", value: command})
}

// LineOf is the line of a settings file's text on which debrief.tests or debrief.verify
// names a command; 0 where neither does.
func LineOf(text []byte, command string) int {
	for _, key := range []string{"debrief.tests", "debrief.verify"} {
		nodes, _, _ := apart(text, key)
		for _, n := range nodes {
			for _, one := range items(n) {
				if _, run := child(one, "run"); one.Value == command || run != nil && run.Value == command {
					return one.Line
				}
			}
		}
	}
	return 0
}

// AddVerify adds to debrief.verify, as AddTest does, a command that Piton runs where
// what it checks is unproven; timeout 0: the usual one.
func (f File) AddVerify(command string, timeout time.Duration) (added bool, err error) {
	entry := verifyEntry{Run: command, When: debrief.WhenUnproven}
	if timeout > 0 {
		entry.Timeout = timeout.String()
	}
	return f.add(item{list: "verify", value: entry})
}

// verifyEntry is a command of debrief.verify as a file has it.
type verifyEntry struct {
	Run     string `json:"run"`
	When    string `json:"when"`
	Timeout string `json:"timeout,omitempty"`
}

// item is what is added to a list under debrief: a string, or a value whose JSON
// stands for it.
type item struct {
	list  string
	value any
}

// key is the list's whole name.
func (x item) key() string { return "debrief." + x.list }

func (f File) add(x item) (added bool, err error) {
	return f.change("add the command", x.key(), x.into)
}

// into is the text with the item in its list. Each way to write it is tried and read
// again: it must say what was said before, and the item.
func (x item) into(old []byte) ([]byte, error) {
	root, err := parse(old)
	if err != nil {
		return nil, err
	}
	before, rest, err := x.listIn(old)
	if err != nil {
		return nil, err
	}
	want := x.plain()
	if slices.ContainsFunc(before, func(have any) bool { return reflect.DeepEqual(have, want) }) {
		return old, nil
	}
	last, first := append(slices.Clone(before), want), append([]any{want}, before...)
	for _, next := range (adding{edit{string(old)}, x}).candidates(root) {
		after, now, err := x.listIn([]byte(next))
		if err == nil && reflect.DeepEqual(now, rest) && (reflect.DeepEqual(after, last) || reflect.DeepEqual(after, first)) {
			return []byte(next), nil
		}
	}
	return nil, errors.New("its form leaves no safe place for one more line")
}

// plain is the item as a file's reader finds it.
func (x item) plain() any {
	if s, ok := x.value.(string); ok {
		return s
	}
	var v any
	_ = yaml.Unmarshal([]byte(flow(x.value)), &v) // JSON is YAML
	return v
}

// listIn is what a text says of the list, and what it says of all else.
func (x item) listIn(text []byte) (list, rest []any, err error) {
	nodes, rest, err := apart(text, x.key())
	for _, n := range nodes {
		if list, err = listed(n); err != nil {
			break
		}
	}
	return list, rest, err
}

// listed are the items of a list: texts as texts, whatever they look like.
func listed(n *yaml.Node) (list []any, err error) {
	for _, one := range items(n) {
		var v any
		if one.Kind == yaml.ScalarNode {
			var text string
			if err = (strict{true}).decode(one, reflect.ValueOf(&text).Elem(), "a command"); err != nil {
				return nil, err
			}
			v = text
		} else if err = one.Decode(&v); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// adding knows the ways to put the item into a text.
type adding struct {
	edit
	item item
}

// candidates are texts to try, the best first.
func (e adding) candidates(root *yaml.Node) []string {
	top, name := "debrief:\n  "+e.item.list+":\n    - ", e.item.list
	if root == nil || root.Kind == yaml.MappingNode && len(root.Content) == 0 {
		return []string{e.atEnd(top + e.block() + "\n"), e.afterBracket(root, `"`+e.item.key()+`": [`+e.flow()+`]`)}
	}
	if key, list := child(root, e.item.key()); list != nil {
		return e.intoList(key, list)
	}
	key, group := child(root, "debrief")
	switch {
	case group == nil:
		return []string{e.atEnd(top + e.block() + "\n"), e.afterBracket(root, `"`+e.item.key()+`": [`+e.flow()+`]`)}
	case group.Kind != yaml.MappingNode:
		return []string{e.belowLine(key.Line, key.Column+1, name+":", "  - "+e.block())}
	}
	if k, list := child(group, name); list != nil {
		return e.intoList(k, list)
	}
	if group.Style&yaml.FlowStyle != 0 {
		return []string{e.afterBracket(group, name+": ["+e.flow()+"]")}
	}
	return []string{e.belowLine(key.Line, column(group), name+":", "  - "+e.block())}
}

// intoList adds the command to a list that is there.
func (e adding) intoList(key, list *yaml.Node) []string {
	if list.Kind != yaml.SequenceNode {
		return []string{e.belowLine(key.Line, key.Column+1, "- "+e.block())} // no value yet
	}
	if list.Style&yaml.FlowStyle == 0 && len(list.Content) > 0 {
		last := list.Content[len(list.Content)-1]
		return []string{e.belowLine(last.Line, list.Column-1, "- "+e.block()), e.belowLine(key.Line, list.Column-1, "- "+e.block())}
	}
	var ways []string
	if len(list.Content) > 0 { // before one of the brackets behind the last item
		from := e.offset(list.Content[len(list.Content)-1])
		for i := from; i < len(e.text) && i < from+1000; i++ {
			if e.text[i] == ']' {
				ways = append(ways, e.text[:i]+", "+e.flow()+e.text[i:])
			}
		}
	}
	return append(ways, e.afterBracket(list, e.flow()))
}

// block is the item in a list of the block style.
func (e adding) block() string {
	text, ok := e.item.value.(string)
	b, err := yaml.Marshal(text)
	if !ok || err != nil || bytes.Count(b, []byte("\n")) != 1 {
		return e.flow()
	}
	return strings.TrimSuffix(string(b), "\n")
}

func (e adding) flow() string { return flow(e.item.value) }
