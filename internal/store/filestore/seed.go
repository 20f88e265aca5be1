package filestore

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
)

// seedChange is what a transaction does to the current checkpoint that
// seed.json names. It says what to do, not what the file is to hold, for the
// file belongs to others too.
type seedChange struct {
	Set   string   `json:"set,omitempty"`
	Clear []string `json:"clear,omitempty"` // if it names one of these
}

// clear notes that a checkpoint is over. It may be known by another program's
// id too.
func (c *seedChange) clear(ids ...string) {
	for _, id := range ids {
		if id != "" && !slices.Contains(c.Clear, id) {
			c.Clear = append(c.Clear, id)
		}
		if c.Set == id {
			c.Set = ""
		}
	}
}

// orNil returns the change, or nil if it changes nothing.
func (c seedChange) orNil() *seedChange {
	if c.Set == "" && len(c.Clear) == 0 {
		return nil
	}
	return &c
}

// applySeed changes seed.json, or leaves it alone when there is nothing to
// change or nothing that can be changed.
func (s *Store) applySeed(change *seedChange) error {
	if change == nil {
		return nil
	}
	mode := fs.FileMode(0o600)
	raw, err := s.disk.read(seedFile, maxSeed)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		raw = nil
	case err != nil:
		return nil // not ours to read, or a link to anywhere: it is left alone
	default:
		if info, err := s.disk.root.Lstat(seedFile); err == nil {
			mode = info.Mode().Perm()
		}
	}
	after := editSeed(raw, *change)
	if bytes.Equal(raw, after) {
		return nil
	}
	if err := s.disk.replace(seedFile, after, mode); err != nil {
		return err
	}
	// Before store.json says that all is done: a cut may keep the later of two
	// names in a folder and lose the earlier.
	return s.disk.syncDir(".")
}

// editSeed sets or removes state.checkpointRef in a JSON text and leaves every
// other byte as it is. A text that is not a JSON object, or has another kind of
// state, comes back unchanged.
func editSeed(raw []byte, change seedChange) []byte {
	const key = `"checkpointRef"`
	set := change.Set != ""
	value, _ := plain(change.Set)
	switch {
	case len(raw) == 0 && set:
		return []byte("{\n  \"state\": {\n    " + key + ": " + string(value) + "\n  }\n}\n")
	case !json.Valid(raw):
		return raw
	}
	top := membersOf(raw, span{0, len(raw)})
	if top == nil {
		return raw
	}
	state := top.last("state")
	if state == nil && set {
		return top.insert(raw, `"state"`, "{"+key+": "+string(value)+"}")
	}
	if state == nil {
		return raw
	}
	inner := membersOf(raw, state.value)
	if inner == nil {
		return raw
	}
	ref := inner.last("checkpointRef")
	switch {
	case set && ref != nil:
		return splice(raw, ref.value, string(value))
	case set:
		return inner.insert(raw, key, string(value))
	case ref == nil:
		return raw
	}
	var now string
	if json.Unmarshal(raw[ref.value.from:ref.value.to], &now) != nil || !slices.Contains(change.Clear, now) {
		return raw
	}
	return inner.remove(raw, ref)
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
	t, err := dec.Token()
	if err != nil || t != json.Delim('{') {
		return nil
	}
	at := func() int { return in.from + int(dec.InputOffset()) }
	o := &members{open: at()}
	for dec.More() {
		from := at()
		from += bytes.IndexByte(raw[from:], '"')
		t, err := dec.Token()
		if err != nil {
			return nil
		}
		key := span{from, at()}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil
		}
		o.list = append(o.list, member{t.(string), key, span{at() - len(value), at()}, len(o.list)})
	}
	return o
}

// last finds the last member of a name: it is the one that readers see.
func (o *members) last(name string) *member {
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
