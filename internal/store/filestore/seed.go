package filestore

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
)

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
