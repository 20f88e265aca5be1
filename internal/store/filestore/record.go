package filestore

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/piton-project/piton"
)

// A checkpoint file is one JSON object (docs/format.md, "Files"): a key per
// line, the sum of these keys, and at the end the state as it was saved.
const (
	sumKey    = "record_sha256"
	sumLine   = "\n  \"" + sumKey + "\": \""
	stateLine = "\",\n  \"state\": "
	tail      = "\n}\n"
	bareTail  = "\"" + tail // behind the sum, when there is no state
)

// record is what a checkpoint file says besides its state.
type record struct {
	piton.Checkpoint
	Ordinal int64 `json:"ordinal"`
}

func (r record) checkpoint() piton.Checkpoint {
	r.Checkpoint.Ordinal = r.Ordinal
	return r.Checkpoint
}

// header is what the layout's first program reads and writes of a checkpoint.
type header struct {
	ID          string          `json:"id"`
	SessionID   string          `json:"sessionId"`
	Phase       *string         `json:"phase"`
	PhaseNumber int             `json:"phaseNumber,omitempty"`
	CreatedAt   piton.Time      `json:"createdAt"`
	Completed   bool            `json:"completed"`
	TaskSummary string          `json:"taskSummary"`
	Criteria    json.RawMessage `json:"iscCriteria"`
	Metadata    json.RawMessage `json:"metadata"`
}

// headerOf is our checkpoint in the first program's keys. A phases state says some
// of them itself.
func headerOf(c piton.Checkpoint, alias string, state []byte) header {
	phase := phaseOf(c)
	h := header{cmp.Or(alias, c.ID), sessionOf(c), &phase, max(0, c.PhaseNumber), c.CreatedAt, c.Completed, c.TaskSummary, json.RawMessage("[]"), json.RawMessage("{}")}
	var p struct {
		Criteria  json.RawMessage `json:"isc_criteria"`
		Criteria2 json.RawMessage `json:"iscCriteria"`
		Metadata  json.RawMessage `json:"metadata"`
	}
	if c.WorkflowType == piton.TypePhases && state != nil && json.Unmarshal(state, &p) == nil {
		h.Criteria, h.Metadata = first(p.Criteria, p.Criteria2, h.Criteria), first(p.Metadata, h.Metadata)
	}
	return h
}

// first returns the first value that is there.
func first(values ...json.RawMessage) json.RawMessage {
	i := slices.IndexFunc(values, func(v json.RawMessage) bool { return len(v) > 0 && string(v) != "null" })
	return values[i]
}

// encode writes a checkpoint file. The state is embedded as it is; nil leaves
// it out. alias is the id another program gave the file, "" for our own.
func encode(c piton.Checkpoint, alias string, state []byte) ([]byte, error) {
	c.Damaged, c.File = "", ""
	list, err := fieldsOf(headerOf(c, alias, state))
	own, err2 := fieldsOf(record{c, c.Ordinal})
	own = slices.DeleteFunc(own, func(f field) bool { return f.key == "id" || f.key == "completed" })
	out := object(slices.Concat(list, own))
	sum, err3 := sumOf(append(slices.Clip(out), '}'))
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, err
	}
	out = append(append(append(slices.Grow(out, len(state)+128), ','), sumLine...), sum...)
	if state == nil {
		return append(out, bareTail...), nil
	}
	return append(append(append(out, stateLine...), state...), tail...), nil
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

// fieldsOf are the keys of a struct's JSON.
func fieldsOf(v any) ([]field, error) {
	raw, err := plain(v)
	if err != nil {
		return nil, err
	}
	return fields(raw)
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

// entry is a checkpoint's file as it was read.
type entry struct {
	c     piton.Checkpoint
	name  string // in checkpoints/
	stamp string
	alias string // the id another program gave it
	own   bool   // it has our record, which sums up
	ours  bool   // another program has written our own again, in its form
	loose bool   // its number stands in no file yet
	why   string // what is wrong with the file itself; "" when it is whole
	state []byte // nil when it was not read, is archived or damaged
}

// foreign reports whether the file is not our own as we wrote it.
func (e *entry) foreign() bool { return e.alias != "" || !e.own }

// decodeHead reads the record from the beginning of a file of this size that
// is written as encode writes it, and says where the state begins. It answers
// false for any other file, which decode then looks at as a whole.
func decodeHead(head []byte, size int64) (c piton.Checkpoint, at int64, ok bool) {
	end := bytes.Index(head, []byte(sumLine))
	if end < 1 || head[end-1] != ',' || len(head) < end+len(sumLine)+64+len(bareTail) {
		return c, 0, false
	}
	object := append(bytes.Clone(head[:end-1]), '}')
	sum, rest := string(head[end+len(sumLine):][:64]), head[end+len(sumLine)+64:]
	var r record
	if got, err := sumOf(object); err != nil || got != sum || json.Unmarshal(object, &r) != nil {
		return c, 0, false
	}
	if c = r.checkpoint(); c.Archive != "" && string(rest) == bareTail {
		return c, size, true
	}
	at = int64(len(head) - len(rest) + len(stateLine))
	fits := c.StateBytes >= 0 && at+c.StateBytes+int64(len(tail)) == size
	return c, at, fits && bytes.HasPrefix(rest, []byte(stateLine))
}

// decode reads a whole file, however it is formatted. What is damaged comes
// back with what can still be read of it and why.
func decode(raw []byte) entry {
	if c, at, ok := decodeHead(raw, int64(len(raw))); ok && bytes.HasSuffix(raw, []byte(tail)) {
		e := entry{c: c, own: true}
		if c.Archive == "" {
			e.state = raw[at : at+c.StateBytes]
		}
		return e.checked()
	}
	if !utf8.Valid(raw) {
		return entry{c: salvage(raw), why: "it is no valid UTF-8"}
	}
	list, err := fields(raw)
	if err != nil {
		return entry{c: salvage(raw), why: "it is no JSON: " + err.Error()}
	}
	return decodeFields(raw, list)
}

// decodeFields reads an object that is not formatted as we write it: our own
// after another program's formatting, or another program's.
func decodeFields(raw []byte, list []field) entry {
	var sum string
	var state json.RawMessage
	var kept []field
	for _, f := range list {
		switch f.key {
		case sumKey:
			json.Unmarshal(f.raw, &sum)
		case "state":
			state = f.raw
		default:
			kept = append(kept, f)
		}
	}
	if sum == "" {
		return foreign(raw, list)
	}
	var r record
	object := append(object(kept), '}')
	got, err := sumOf(object)
	if err = errors.Join(err, json.Unmarshal(object, &r)); err != nil || got != sum {
		return entry{c: r.checkpoint(), why: "the record's sum does not match"}
	}
	e := entry{c: r.checkpoint(), own: true}
	var compact bytes.Buffer
	if e.c.Archive == "" && (state == nil || json.Compact(&compact, state) != nil) {
		e.why = "the state is missing"
		return e
	}
	e.state = compact.Bytes()
	return e.checked()
}

// named tells an id of ours from another's.
func (e entry) named() entry {
	if !piton.IsWholeID(piton.CheckpointPrefix, e.c.ID) {
		e.alias = e.c.ID
	}
	return e
}

// checked compares the state's sum.
func (e entry) checked() entry {
	e = e.named()
	if e.c.Archive != "" {
		e.state = nil
	} else if sum := sha256.Sum256(e.state); hex.EncodeToString(sum[:]) != e.c.SHA256 {
		e.state, e.why = nil, "the state's sum does not match"
	}
	return e
}
