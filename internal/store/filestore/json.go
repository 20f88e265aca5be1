package filestore

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// plain writes v as compact JSON without escaping < > &.
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// sumOf sums an object in compact form, so that white space does not matter.
func sumOf(object []byte) (string, error) {
	var b bytes.Buffer
	b.Grow(len(object))
	if err := json.Compact(&b, object); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(b.Bytes())), nil
}

// span is a part of a text.
type span struct{ from, to int }

// member is a key of an object with the places of key and value.
type member struct {
	name       string
	key, value span
	nth        int
}

// members are where an object's members stand.
type members struct {
	open int // behind the brace
	list []member
}

// membersOf finds the members of the object that stands in a part of a valid
// JSON text; or nil if it is not one.
func membersOf(raw []byte, in span) *members {
	dec := json.NewDecoder(bytes.NewReader(raw[in.from:in.to]))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	at := func() int { return in.from + int(dec.InputOffset()) }
	o := &members{open: at()}
	for dec.More() {
		from := at()
		from += bytes.IndexByte(raw[from:], '"')
		name, err := dec.Token()
		key := span{from, at()}
		var value json.RawMessage
		if errors.Join(err, dec.Decode(&value)) != nil {
			return nil
		}
		o.list = append(o.list, member{name.(string), key, span{at() - len(value), at()}, len(o.list)})
	}
	return o
}

// last finds the last member of a name: it is the one that readers see.
func (o *members) last(name string) *member {
	if o == nil {
		return nil
	}
	for _, m := range slices.Backward(o.list) {
		if m.name == name {
			return &m
		}
	}
	return nil
}

// insert adds a member behind the last one, indented as that one is.
func (o *members) insert(raw []byte, key, value string) []byte {
	n := len(o.list)
	if n == 0 {
		return splice(raw, span{o.open, o.open}, key+": "+value)
	}
	last, space := o.list[n-1], raw[o.open:o.list[n-1].key.from]
	if n > 1 {
		_, space, _ = bytes.Cut(raw[o.list[n-2].value.to:last.key.from], []byte(","))
	}
	return splice(raw, span{last.value.to, last.value.to}, ","+string(space)+key+": "+value)
}

// remove takes a member out, with the comma before it, or behind it where it
// is the first.
func (o *members) remove(raw []byte, m *member) []byte {
	out := span{m.key.from, m.value.to}
	switch {
	case m.nth > 0:
		out.from = o.list[m.nth-1].value.to
	case len(o.list) > 1:
		out.to = o.list[1].key.from
	}
	return splice(raw, out, "")
}

func splice(raw []byte, out span, in string) []byte {
	return slices.Concat(raw[:out.from], []byte(in), raw[out.to:])
}

// field is a key of an object with its value as it was written.
type field struct {
	key string
	raw json.RawMessage
}

// fields splits a JSON object; an error for anything else, and for a key that
// stands twice.
func fields(raw []byte) ([]field, error) {
	if err := json.Unmarshal(raw, new(json.RawMessage)); err != nil {
		return nil, err
	}
	o := membersOf(raw, span{0, len(raw)})
	if o == nil {
		return nil, errors.New("this is no JSON object")
	}
	list, seen := make([]field, len(o.list)), map[string]bool{}
	for i, m := range o.list {
		if seen[m.name] {
			return nil, fmt.Errorf("the key %q stands twice", m.name)
		}
		seen[m.name], list[i] = true, field{m.name, json.RawMessage(raw[m.value.from:m.value.to])}
	}
	return list, nil
}

// object writes fields as a JSON object up to its closing brace, a key per line.
func object(list []field) []byte {
	b := []byte{'{'}
	for i, f := range list {
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := plain(f.key)
		b = append(append(append(append(b, "\n  "...), name...), ": "...), f.raw...)
	}
	return b
}
