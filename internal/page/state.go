package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/wI2L/jsondiff"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/diff"
)

// node is a value of a state; Kids of one that has more in it.
type node struct {
	Name  string
	Value string // of a plain one
	Kids  []node
	Size  int // how many it has
}

// Bounds of what is shown of a state.
const (
	maxNodes   = 1500
	maxDepth   = 32
	maxState   = 4 << 20 // bytes; a larger one is looked at on a terminal
	maxValue   = 500
	maxChanges = 300
)

// tree makes nodes of a state, those that hold the words where there are some.
type tree struct {
	words     string
	left, cut int
}

func (t *tree) of(state json.RawMessage) []node {
	if len(state) == 0 || len(state) > maxState {
		return nil
	}
	n, _ := t.node("", state, 0)
	return n.Kids
}

// node is a value; false: nothing in it holds the words.
func (t *tree) node(name string, raw json.RawMessage, depth int) (n node, fit bool) {
	n = node{Name: name}
	fit = strings.Contains(strings.ToLower(name), t.words)
	members, plain := membersOf(raw)
	if plain || depth == maxDepth {
		n.Value = shownValue(raw)
		return n, fit || strings.Contains(strings.ToLower(string(raw)), t.words)
	}
	n.Size = len(members)
	all := t.words
	if fit && name != "" {
		t.words = "" // all that is in it
	}
	for _, m := range members {
		if t.left <= 0 {
			t.cut++
			continue
		}
		kid, ok := t.node(m.name, m.raw, depth+1)
		if !ok {
			continue
		}
		fit = true
		t.left--
		n.Kids = append(n.Kids, kid)
	}
	t.words = all
	return n, fit
}

type member struct {
	name string
	raw  json.RawMessage
}

// membersOf are the members of an object or the items of a list, in their order.
func membersOf(raw json.RawMessage) (list []member, plain bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	first, err := dec.Token()
	open, ok := first.(json.Delim)
	if err != nil || !ok {
		return nil, true
	}
	for i := 0; dec.More(); i++ {
		m := member{name: strconv.Itoa(i)}
		if open == '{' {
			name, _ := dec.Token()
			m.name, _ = name.(string)
		}
		if dec.Decode(&m.raw) != nil {
			break
		}
		list = append(list, m)
	}
	return list, false
}

// shownValue is a plain value, texts without their quotes.
func shownValue(raw json.RawMessage) string {
	text := string(raw)
	var s string
	if json.Unmarshal(raw, &s) == nil && strings.HasPrefix(text, `"`) {
		text = s
	}
	if short := piton.Cut(text, maxValue); len(short) < len(text) {
		return short + fmt.Sprintf("… (%d bytes)", len(text))
	}
	return text
}

// change is one change from a state to another, both sides of it.
type change struct{ Path, Was, Is string }

// changesOf are the changes of a state to another one, as many as are shown, and how many
// more there are.
func changesOf(from, to []byte) (list []change, more int, err error) {
	all, err := diff.Operations(from, to)
	for _, op := range all[:min(len(all), maxChanges)] {
		list = append(list, change{op.Path, valueText(op.OldValue, op.Type != jsondiff.OperationAdd), valueText(op.Value, op.Type != jsondiff.OperationRemove)})
	}
	return list, len(all) - len(list), err
}

// valueText is a value of a change; "" where that side has none.
func valueText(v any, has bool) string {
	raw, err := json.Marshal(v)
	if !has || err != nil {
		return ""
	}
	return pretty(raw)
}

func pretty(raw json.RawMessage) string {
	if _, plain := membersOf(raw); plain {
		return shownValue(raw)
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return shownValue(b.Bytes())
}
