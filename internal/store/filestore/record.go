package filestore

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

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

// field is a key of an object with its value as it was written.
type field struct {
	key string
	raw json.RawMessage
}

// fields splits a JSON object; an error for anything else, and for a key that
// stands twice.
func fields(raw []byte) ([]field, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("this is no JSON object"), err)
	}
	var list []field
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		f := field{key: t.(string)}
		if err := dec.Decode(&f.raw); err != nil {
			return nil, err
		}
		if seen[f.key] {
			return nil, fmt.Errorf("the key %q stands twice", f.key)
		}
		seen[f.key] = true
		list = append(list, f)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the JSON object")
	}
	return list, nil
}

// record is what a checkpoint file says besides its state.
type record struct {
	piton.Checkpoint
	Ordinal int64 `json:"ordinal"`
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

// encode writes a checkpoint file. The state is embedded as it is; nil leaves
// it out. alias is the id another program gave the file, "" for our own.
func encode(c piton.Checkpoint, alias string, state []byte) ([]byte, error) {
	list, err := fieldsOf(headerOf(c, alias, state))
	if err != nil {
		return nil, err
	}
	c.Damaged, c.File = "", ""
	own, err := fieldsOf(record{c, c.Ordinal})
	if err != nil {
		return nil, err
	}
	for _, f := range own {
		if f.key != "id" && f.key != "completed" {
			list = append(list, f)
		}
	}
	out := object(list)
	sum, err := sumOf(append(slices.Clip(out), '}'))
	if err != nil {
		return nil, err
	}
	out = slices.Grow(out, len(state)+128)
	out = append(append(append(out, ','), sumLine...), sum...)
	if state == nil {
		return append(out, bareTail...), nil
	}
	return append(append(append(out, stateLine...), state...), tail...), nil
}

// fieldsOf are the keys of a struct's JSON.
func fieldsOf(v any) ([]field, error) {
	raw, err := plain(v)
	if err != nil {
		return nil, err
	}
	return fields(raw)
}

// first returns the first value that is there.
func first(values ...json.RawMessage) json.RawMessage {
	for _, v := range values {
		if len(v) > 0 && string(v) != "null" {
			return v
		}
	}
	return nil
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

// decodeHead reads the record from the beginning of a file of this size that
// is written as encode writes it, and says where the state begins. It answers
// false for any other file, which decode then looks at as a whole.
func decodeHead(head []byte, size int64) (r record, at int64, ok bool) {
	end := bytes.Index(head, []byte(sumLine))
	if end < 1 || head[end-1] != ',' {
		return r, 0, false
	}
	rest := head[end+len(sumLine):]
	if len(rest) < 64+len(bareTail) {
		return r, 0, false
	}
	object := append(bytes.Clone(head[:end-1]), '}')
	sum, err := sumOf(object)
	if err != nil || sum != string(rest[:64]) || json.Unmarshal(object, &r) != nil {
		return r, 0, false
	}
	r.Checkpoint.Ordinal = r.Ordinal
	rest = rest[64:]
	if r.Archive != "" && string(rest) == bareTail {
		return r, size, true
	}
	at = int64(len(head) - len(rest) + len(stateLine))
	return r, at, r.StateBytes >= 0 && bytes.HasPrefix(rest, []byte(stateLine)) && at+r.StateBytes+int64(len(tail)) == size
}

// decoded is what a file turned out to hold.
type decoded struct {
	record
	alias string // the id another program gave it
	own   bool   // it has our record, which sums up
	ours  bool   // another program has written our own again, in its form
	state []byte // nil when it is archived or damaged
	why   string // what is wrong with it; "" when it is whole
}
