package states

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/piton-project/piton/internal/redact"
)

// Parts is a state in the parts that its maker keeps from one save to the next. What
// was found sound once is not looked at again.
//
// It checks no other things than the long way (Recent.Clean). An element of a list
// is checked with the list and its key around it, and the state without the
// elements. One rule looks from an element into those behind it: that of the lines of a
// private key, so an element that may begin one is for the long way. What stands beside
// a list says nothing of it.
type Parts []Member

// Member is a member of a state: a value, or a list of parts.
type Member struct {
	Key   string // a plain word
	Value json.RawMessage
	Items []*Part // instead of a value
}

// Part is an element of a list: an object in compact form. Its text never changes.
type Part struct {
	JSON  json.RawMessage
	under string // the key of the list in which it was found sound
	rules *redact.Rules
	sound bool
}

// Clean puts a state together. ok is false when a part is not acceptable as it
// stands or may hold a secret: the state is for the long way to clean.
func (p Parts) Clean(rules *redact.Rules) (c Clean, ok bool) {
	size := 0
	for _, m := range p {
		for _, x := range m.Items {
			size += len(x.JSON)
			if x.sound && x.under == m.Key && x.rules == rules {
				continue
			}
			if beginsKey(x.JSON) || !compact(x.JSON) || !free(rules, Parts{{Key: m.Key, Items: []*Part{x}}}.JSON()) {
				return c, false
			}
			x.under, x.rules, x.sound = m.Key, rules, true
		}
	}
	if size > MaxBytes {
		return c, false
	}
	around := p.write(false)
	if !compact(around) || !free(rules, around) {
		return c, false
	}
	doc := p.JSON()
	if len(doc) > MaxBytes {
		return c, false
	}
	return Clean{JSON: redact.Unchecked(doc)}, true // each part was searched
}

// keySigns stand in every element that begins a private key. The letters and the dash
// may be written as escapes, which hardly anything else does.
var keySigns = [...]string{"-----BEGIN", "Private-Lines", `\u002d`, `\u002D`, `\u004`, `\u005`, `\u006`, `\u007`}

// beginsKey tells whether an element may begin a private key whose lines are the elements
// behind it.
func beginsKey(element []byte) bool {
	return slices.ContainsFunc(keySigns[:], func(sign string) bool { return bytes.Contains(element, []byte(sign)) })
}

// JSON is the state, in compact form where its parts are.
func (p Parts) JSON() json.RawMessage { return p.write(true) }

// write writes a state, with the elements of its lists or without.
func (p Parts) write(items bool) []byte {
	size := 2
	for _, m := range p {
		size += len(m.Key) + len(m.Value) + 6
		for _, x := range m.Items {
			if items {
				size += len(x.JSON) + 1
			}
		}
	}
	b := append(make([]byte, 0, size), '{')
	for i, m := range p {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), m.Key...), '"', ':')
		if m.Value != nil {
			b = append(b, m.Value...)
			continue
		}
		b = append(b, '[')
		for j, x := range m.Items {
			if !items {
				break
			}
			if j > 0 {
				b = append(b, ',')
			}
			b = append(b, x.JSON...)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}
