package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton"
)

// AddTest adds a command to debrief.tests in the file at path, which is made
// if it does not exist. Everything else in it stays, byte for byte. It returns
// false when the command was there already, and Invalid where the file's form
// leaves no safe place for it.
func AddTest(path, command string) (added bool, err error) {
	for range tries {
		if added, err = addTest(path, command); !errors.Is(err, errChanged) {
			return added, err
		}
	}
	return false, err
}

// tries is how often the file is read again when another program writes it too.
const tries = 20

func addTest(path, command string) (bool, error) {
	op := "add the command to " + path
	old, err := read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	text, err := withTest(old, command)
	if err != nil {
		return false, &piton.Error{Code: piton.Invalid, Op: op, Hint: "add it to debrief.tests there by hand", Err: err}
	}
	if bytes.Equal(text, old) {
		return false, nil
	}
	if err := replace(path, old, text); err != nil {
		return false, err
	}
	return true, nil
}

// withTest is the text with the command in debrief.tests. Each way to write it
// is tried and read again: it must say what was said before, and the command.
func withTest(old []byte, command string) ([]byte, error) {
	before, err := contentsOf(old)
	if err != nil {
		return nil, err
	}
	if slices.Contains(before.tests, command) {
		return old, nil
	}
	root, err := parse(old)
	if err != nil {
		return nil, err
	}
	e := edit{text: string(old), command: command}
	for _, next := range e.candidates(root) {
		after, err := contentsOf([]byte(next))
		if err != nil || !reflect.DeepEqual(after.rest, before.rest) {
			continue
		}
		if slices.Equal(after.tests, append(slices.Clone(before.tests), command)) || slices.Equal(after.tests, append([]string{command}, before.tests...)) {
			return []byte(next), nil
		}
	}
	return nil, errors.New("its form leaves no safe place for one more line")
}

// contents is what a file says: the test commands, and all else.
type contents struct {
	tests []string
	rest  map[string]any
}

func contentsOf(text []byte) (contents, error) {
	root, err := parse(text)
	if err != nil || root == nil {
		return contents{rest: map[string]any{}}, err
	}
	if root.Kind != yaml.MappingNode {
		return contents{}, errors.New("it wants keys with values, not " + kindOf(root))
	}
	m := contents{rest: map[string]any{}}
	for _, s := range flatten("", root) {
		if s.name == "debrief.tests" {
			if m.tests, err = texts(s.node, layer{lines: true}); err != nil {
				return m, err
			}
			continue
		}
		var v any
		if err := s.node.Decode(&v); err != nil {
			return m, err
		}
		m.rest[s.name] = v
	}
	return m, nil
}

// edit knows the ways to put the command into a text.
type edit struct{ text, command string }

// candidates are texts to try, the best first.
func (e edit) candidates(root *yaml.Node) []string {
	const top = "debrief:\n  tests:\n    - "
	if root == nil || root.Kind == yaml.MappingNode && len(root.Content) == 0 {
		return []string{e.atEnd(top + e.block() + "\n"), e.afterBracket(root, `"debrief.tests": [`+e.flow()+`]`)}
	}
	if _, tests := child(root, "debrief.tests"); tests != nil {
		key, _ := child(root, "debrief.tests")
		return e.intoList(key, tests)
	}
	key, group := child(root, "debrief")
	switch {
	case group == nil:
		return []string{e.atEnd(top + e.block() + "\n"), e.afterBracket(root, `"debrief.tests": [`+e.flow()+`]`)}
	case group.Kind != yaml.MappingNode:
		return []string{e.belowLine(key.Line, key.Column+1, "tests:", "  - "+e.block())}
	}
	if k, tests := child(group, "tests"); tests != nil {
		return e.intoList(k, tests)
	}
	if group.Style&yaml.FlowStyle != 0 {
		return []string{e.afterBracket(group, "tests: ["+e.flow()+"]")}
	}
	return []string{e.belowLine(key.Line, column(group), "tests:", "  - "+e.block())}
}

// intoList adds the command to a list that is there.
func (e edit) intoList(key, list *yaml.Node) []string {
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

// atEnd adds lines behind the text.
func (e edit) atEnd(lines string) string {
	text := e.text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += e.newline()
	}
	return text + strings.ReplaceAll(lines, "\n", e.newline())
}

// belowLine adds lines under a line, so many columns to the right.
func (e edit) belowLine(line, columns int, lines ...string) string {
	all := strings.SplitAfter(e.text, "\n")
	if line > len(all) {
		return e.text
	}
	head, tail := strings.Join(all[:line], ""), strings.Join(all[line:], "")
	if !strings.HasSuffix(head, "\n") {
		head += e.newline()
	}
	for _, l := range lines {
		head += strings.Repeat(" ", max(columns, 0)) + l + e.newline()
	}
	return head + tail
}

// afterBracket adds a text behind the bracket that opens a node in the flow style.
func (e edit) afterBracket(n *yaml.Node, text string) string {
	if n == nil {
		return e.text
	}
	at := e.offset(n)
	if at >= len(e.text) || e.text[at] != '{' && e.text[at] != '[' {
		return e.text
	}
	if len(n.Content) > 0 {
		text += ", "
	}
	return e.text[:at+1] + text + e.text[at+1:]
}

// offset is where a node begins. YAML counts columns in characters.
func (e edit) offset(n *yaml.Node) int {
	at := 0
	for i, line := range strings.SplitAfter(e.text, "\n") {
		column := 0
		for j := range line {
			if column++; i == n.Line-1 && column == n.Column {
				return at + j
			}
		}
		at += len(line)
	}
	return len(e.text)
}

func (e edit) newline() string {
	if strings.Contains(e.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// block is the command as an item of a list in the block style.
func (e edit) block() string {
	b, err := yaml.Marshal(e.command)
	if err != nil || bytes.Count(b, []byte("\n")) != 1 {
		return e.flow()
	}
	return strings.TrimSuffix(string(b), "\n")
}

// flow is the command in quotes; JSON's are YAML's too.
func (e edit) flow() string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(e.command) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// child finds a key of a map as it stands there.
func child(n *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// column is how far a map's keys stand to the right.
func column(n *yaml.Node) int {
	if len(n.Content) == 0 {
		return 2
	}
	return n.Content[0].Column - 1
}
