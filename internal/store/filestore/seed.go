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

// seedPlan collects the change.
type seedPlan struct{ seedChange }

func (p *seedPlan) set(id string) { p.Set = id }

// clear notes that a checkpoint is over. It may be known by another program's
// id too.
func (p *seedPlan) clear(ids ...string) {
	for _, id := range ids {
		if id != "" && !slices.Contains(p.Clear, id) {
			p.Clear = append(p.Clear, id)
		}
		if id != "" && p.Set == id {
			p.Set = ""
		}
	}
}

func (p *seedPlan) change() *seedChange {
	if p.Set == "" && len(p.Clear) == 0 {
		return nil
	}
	return &seedChange{Set: p.Set, Clear: p.Clear}
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
// other byte as it is. A text that is no JSON object, or has another kind of
// state, comes back unchanged.
func editSeed(raw []byte, change seedChange) []byte {
	if len(raw) == 0 {
		if change.Set == "" {
			return raw
		}
		value, _ := plain(change.Set)
		return []byte("{\n  \"state\": {\n    \"checkpointRef\": " + string(value) + "\n  }\n}\n")
	}
	if !json.Valid(raw) {
		return raw
	}
	top := members(raw, span{0, len(raw)})
	if top == nil {
		return raw
	}
	state := top.last("state")
	if state == nil {
		if change.Set == "" {
			return raw
		}
		value, _ := plain(change.Set)
		return top.insert(raw, `"state"`, `{"checkpointRef": `+string(value)+`}`)
	}
	inner := members(raw, state.value)
	if inner == nil {
		return raw
	}
	ref := inner.last("checkpointRef")
	if change.Set != "" {
		value, _ := plain(change.Set)
		if ref != nil {
			return splice(raw, ref.value, string(value))
		}
		return inner.insert(raw, `"checkpointRef"`, string(value))
	}
	var now string
	if ref == nil || json.Unmarshal(raw[ref.value.from:ref.value.to], &now) != nil || !slices.Contains(change.Clear, now) {
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
}

// object is where an object's members stand.
type object struct {
	open int // behind the brace
	list []member
}

// members finds the members of the object that stands in a part of a valid
// JSON text; nil when it is none.
func members(raw []byte, in span) *object {
	dec := json.NewDecoder(bytes.NewReader(raw[in.from:in.to]))
	t, err := dec.Token()
	if err != nil || t != json.Delim('{') {
		return nil
	}
	at := func() int { return in.from + int(dec.InputOffset()) }
	o := &object{open: at()}
	for dec.More() {
		var m member
		from := at()
		t, err := dec.Token()
		if err != nil {
			return nil
		}
		m.name, m.key = t.(string), span{from + skipTo(raw[from:], '"'), at()}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil
		}
		m.value = span{at() - len(value), at()}
		o.list = append(o.list, m)
	}
	return o
}

func skipTo(b []byte, c byte) int { return max(0, bytes.IndexByte(b, c)) }

// last finds the last member of a name: it is the one that readers see.
func (o *object) last(name string) *member {
	for i := len(o.list) - 1; i >= 0; i-- {
		if o.list[i].name == name {
			return &o.list[i]
		}
	}
	return nil
}

// insert adds a member behind the last one, indented as that one is.
func (o *object) insert(raw []byte, key, value string) []byte {
	if len(o.list) == 0 {
		return splice(raw, span{o.open, o.open}, key+": "+value)
	}
	last := o.list[len(o.list)-1]
	before := o.open
	if n := len(o.list); n > 1 {
		before = o.list[n-2].value.to
	}
	gap := bytes.TrimLeft(raw[before:last.key.from], ", \t\r\n")
	space := raw[before:last.key.from]
	if i := bytes.IndexByte(space, ','); i >= 0 {
		space = space[i+1:]
	}
	if len(gap) > 0 {
		space = nil
	}
	return splice(raw, span{last.value.to, last.value.to}, ","+string(space)+key+": "+value)
}

// remove takes a member out, with the comma before it, or behind it where it
// is the first.
func (o *object) remove(raw []byte, m *member) []byte {
	for i := range o.list {
		if o.list[i].key != m.key {
			continue
		}
		switch {
		case i > 0:
			return splice(raw, span{o.list[i-1].value.to, m.value.to}, "")
		case len(o.list) > 1:
			return splice(raw, span{m.key.from, o.list[1].key.from}, "")
		default:
			return splice(raw, span{m.key.from, m.value.to}, "")
		}
	}
	return raw
}

func splice(raw []byte, out span, in string) []byte {
	b := make([]byte, 0, len(raw)+len(in))
	return append(append(append(b, raw[:out.from]...), in...), raw[out.to:]...)
}
