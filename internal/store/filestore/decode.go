package filestore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/piton-project/piton"
)

// decode reads a whole file, however it is formatted. What is damaged comes
// back with what can still be read of it and why.
func decode(raw []byte) decoded {
	if r, at, ok := decodeHead(raw, int64(len(raw))); ok {
		d := decoded{record: r, own: true}
		if r.Archive == "" {
			d.state = raw[at : at+r.StateBytes]
			if !bytes.HasSuffix(raw, []byte(tail)) {
				d.why = "the end of the file is damaged"
			}
		}
		return d.checked()
	}
	if !utf8.Valid(raw) {
		return decoded{record: salvage(raw), why: "it is no valid UTF-8"}
	}
	list, err := fields(raw)
	if err != nil {
		return decoded{record: salvage(raw), why: "it is no JSON: " + err.Error()}
	}
	return decodeFields(raw, list)
}

// decodeFields reads an object that is not formatted as we write it: our own
// after another program's formatting, or another program's.
func decodeFields(raw []byte, list []field) decoded {
	var d decoded
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
	object := append(object(kept), '}')
	if sum == "" {
		return foreign(raw, list)
	}
	got, err := sumOf(object)
	err = errors.Join(err, json.Unmarshal(object, &d.record))
	d.Checkpoint.Ordinal = d.record.Ordinal
	if err != nil || got != sum {
		d.why = "the record's sum does not match"
		return d
	}
	d.own = true
	if d.Archive != "" {
		return d.checked()
	}
	var compact bytes.Buffer
	if state == nil || json.Compact(&compact, state) != nil {
		d.why = "the state is missing"
		return d
	}
	d.state = compact.Bytes()
	return d.checked()
}

// checked compares the state's sum and tells an id of ours from another's.
func (d decoded) checked() decoded {
	if !piton.IsWholeID(piton.CheckpointPrefix, d.ID) {
		d.alias = d.ID
	}
	if d.Archive != "" || d.why != "" {
		d.state = nil
		return d
	}
	if sum := sha256.Sum256(d.state); hex.EncodeToString(sum[:]) != d.SHA256 {
		d.state, d.why = nil, "the state's sum does not match"
	}
	return d
}
