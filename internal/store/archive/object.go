package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/piton-project/piton"
)

// object is a JSON object: its text, and its members in their order.
type object struct {
	text    jsontext.Value
	members []member
}

type member struct {
	name string
	raw  jsontext.Value
}

// maxMembers bounds the members of an object that is taken apart: no checkpoint of
// another program's has as many.
const maxMembers = 10_000

// read takes an object apart; the zero object for anything else, and for one of too
// many members.
func read(raw jsontext.Value) object {
	o := object{text: raw}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), compactOptions()...)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return object{}
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return object{}
		}
		m := member{name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return object{}
		}
		if len(o.members) == maxMembers {
			return object{}
		}
		m.raw = value.Clone()
		o.members = append(o.members, m)
	}
	return o
}

// get is the first of the members that is there and not null.
func (o object) get(names ...string) jsontext.Value {
	for _, name := range names {
		for _, m := range o.members {
			if m.name == name && m.raw.Kind() != 'n' {
				return m.raw
			}
		}
	}
	return nil
}

func (o object) has(names ...string) bool { return o.get(names...) != nil }

// sub is a member that is an object; the zero object if it is not one.
func (o object) sub(name string) object { return read(o.get(name)) }

// into reads a member; what is not there leaves dst as it is.
func (o object) into(dst any, names ...string) error {
	raw := o.get(names...)
	if raw == nil {
		return nil
	}
	if err := json.Unmarshal(raw, dst); err != nil {
		return fmt.Errorf("the member %q: %.100s is not what belongs there", names[0], raw)
	}
	return nil
}

// when is a moment as other programs write it: RFC 3339, SQLite's form in UTC,
// or milliseconds since 1970.
func (o object) when(names ...string) (piton.Time, error) {
	raw := o.get(names...)
	switch raw.Kind() {
	case '0':
		var ms float64
		err := o.into(&ms, names...)
		return piton.FromMillis(int64(ms)), err
	case '"':
		var s string
		if err := o.into(&s, names...); err != nil {
			return piton.Time{}, err
		}
		for _, layout := range []string{time.RFC3339Nano, time.DateTime} {
			if t, err := time.Parse(layout, s); err == nil {
				return piton.At(t), nil
			}
		}
	}
	if raw == nil {
		return piton.Time{}, nil
	}
	return piton.Time{}, fmt.Errorf("the member %q: %.100s is not a time", names[0], raw)
}

// text1 is the first of the members that is a text, or a number as it stands;
// "" for anything else.
func (o object) text1(names ...string) string { return scalar(o.get(names...)) }

// maxLabels bounds how many texts of a list are read.
const maxLabels = 40

// texts are the texts in a member that is a list.
func (o object) texts(name string) (list []string) {
	dec := jsontext.NewDecoder(strings.NewReader(string(o.get(name))), compactOptions()...)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '[' {
		return nil
	}
	for dec.PeekKind() != ']' && len(list) < maxLabels {
		raw, err := dec.ReadValue()
		if err != nil {
			break
		}
		list = append(list, scalar(raw))
	}
	return list
}

func scalar(raw jsontext.Value) string {
	switch raw.Kind() {
	case '0':
		return string(raw)
	case '"':
		s, _ := jsontext.AppendUnquote(nil, raw)
		return strings.TrimSpace(string(s))
	}
	return ""
}

// compacted is a state as it is kept: its bytes without insignificant white
// space. It is a copy.
func compacted(raw jsontext.Value) (jsontext.Value, error) {
	if len(raw) > maxValue || raw.Kind() == '{' && !utf8.Valid(raw) {
		return nil, errors.New("it is not UTF-8, or too large")
	}
	if raw.Kind() != '{' {
		return nil, errors.New("it is not a JSON object")
	}
	v := append(jsontext.Value(nil), raw...)
	err := v.Compact(compactOptions()...)
	return v, err
}

// state is compacted with the bound of a state.
func state(raw jsontext.Value) ([]byte, error) {
	v, err := compacted(raw)
	if err == nil && len(v) > maxState {
		err = fmt.Errorf("a state of %d bytes is more than the limit of %d", len(v), maxState)
	}
	return v, err
}

// unquoted is the JSON in a JSON text.
func unquoted(raw jsontext.Value) (jsontext.Value, error) {
	return jsontext.AppendUnquote(nil, raw)
}

// maxValue bounds one value of a file, in bytes.
const maxValue = 2*maxState + maxLine
