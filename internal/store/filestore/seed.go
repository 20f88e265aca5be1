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

// applySeed changes seed.json, or leaves it alone when there is nothing to
// change or nothing that can be changed: not ours to read, or a link to anywhere.
func (b *batch) applySeed(change seedChange) {
	raw, err := b.read(seedFile, maxSeed)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	mode := fs.FileMode(0o600)
	if info, err := b.root.Lstat(seedFile); err == nil {
		mode = info.Mode().Perm()
	}
	after := editSeed(raw, change)
	if bytes.Equal(raw, after) {
		return
	}
	b.replace(seedFile, after, mode)
	// Before store.json says that all is done: a cut may keep the later of two
	// names in a folder and lose the earlier.
	b.syncDir(".")
}

// editSeed sets or removes state.checkpointRef in a JSON text and leaves every
// other byte as it is. A text that is not a JSON object, or has another kind of
// state, comes back unchanged.
func editSeed(raw []byte, change seedChange) []byte {
	const key = `"checkpointRef"`
	text, _ := plain(change.Set)
	set, value := change.Set != "", string(text)
	switch {
	case len(raw) == 0 && set:
		return []byte("{\n  \"state\": {\n    " + key + ": " + value + "\n  }\n}\n")
	case !json.Valid(raw):
		return raw
	}
	top := membersOf(raw, span{0, len(raw)})
	state := top.last("state")
	if top != nil && state == nil && set {
		return top.insert(raw, `"state"`, "{"+key+": "+value+"}")
	}
	if state == nil {
		return raw
	}
	inner := membersOf(raw, state.value)
	ref := inner.last("checkpointRef")
	var now string
	switch {
	case inner == nil:
	case set && ref != nil:
		return splice(raw, ref.value, value)
	case set:
		return inner.insert(raw, key, value)
	case ref != nil && json.Unmarshal(raw[ref.value.from:ref.value.to], &now) == nil && slices.Contains(change.Clear, now):
		return inner.remove(raw, ref)
	}
	return raw
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
