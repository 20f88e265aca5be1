package filestore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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

// phaseKeys are what a phases state says in the layout's first keys.
type phaseKeys struct {
	Criteria  json.RawMessage `json:"isc_criteria"`
	Criteria2 json.RawMessage `json:"iscCriteria"`
	Metadata  json.RawMessage `json:"metadata"`
}

// encode writes a checkpoint file. The state is embedded as it is; nil leaves
// it out. alias is the id another program gave the file, "" for our own.
func encode(c piton.Checkpoint, alias string, state []byte) ([]byte, error) {
	var b bytes.Buffer
	put := func(key string, v any) error {
		raw, err := plain(v)
		if err != nil {
			return err
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		name, err := plain(key)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n  %s: %s", name, raw)
		return nil
	}
	id := c.ID
	if alias != "" {
		id = alias
	}
	err := errors.Join(put("id", id), put("sessionId", sessionOf(c)), put("phase", phaseOf(c)))
	if c.PhaseNumber > 0 {
		err = errors.Join(err, put("phaseNumber", c.PhaseNumber))
	}
	criteria, metadata := json.RawMessage("[]"), json.RawMessage("{}")
	if c.WorkflowType == piton.TypePhases && state != nil {
		var p phaseKeys
		if json.Unmarshal(state, &p) == nil {
			criteria = first(p.Criteria, p.Criteria2, criteria)
			metadata = first(p.Metadata, metadata)
		}
	}
	err = errors.Join(err, put("createdAt", c.CreatedAt), put("completed", c.Completed), put("taskSummary", c.TaskSummary),
		put("iscCriteria", criteria), put("metadata", metadata))
	c.Damaged, c.File = "", ""
	raw, err2 := plain(c)
	own, err3 := fields(raw)
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, err
	}
	for _, f := range own {
		if f.key != "id" && f.key != "completed" {
			if err := put(f.key, f.raw); err != nil {
				return nil, err
			}
		}
	}
	if err := put("ordinal", c.Ordinal); err != nil {
		return nil, err
	}
	sum, err := sumOf([]byte("{" + b.String() + "}"))
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, b.Len()+len(state)+128)
	out = append(append(out, '{'), b.Bytes()...)
	out = append(append(append(out, ','), sumLine...), sum...)
	if state == nil {
		return append(out, bareTail...), nil
	}
	return append(append(append(out, stateLine...), state...), tail...), nil
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
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:]), nil
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
