package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// The format's name and version, as they stand in a file's first line.
const (
	formatName    = "piton-archive"
	formatVersion = 1
)

// Bounds of what a file may hold, in bytes.
const (
	maxState = 64 << 20 // a state, as everywhere
	maxLine  = 1 << 20  // any other line
)

// sumMark and sumTail enclose the sum at the end of a line.
const (
	sumMark   = `,"sum":"`
	sumTail   = `"}`
	sumLength = len(sumMark) + 2*sha256.Size + len(sumTail)
)

// line is any line but a state: the file's first, a workflow, a checkpoint, or
// the last. Exactly one of Format, Workflow, Checkpoint and End is set.
type line struct {
	Format     string            `json:"format,omitempty"`
	Version    int               `json:"version,omitempty"`
	From       piton.Time        `json:"from,omitzero"` // when the first checkpoint was made
	Workflow   *piton.Workflow   `json:"workflow,omitempty"`
	Checkpoint *piton.Checkpoint `json:"checkpoint,omitempty"`
	Ordinal    int64             `json:"ordinal,omitempty"`
	Origin     string            `json:"origin,omitempty"`
	End        *end              `json:"end,omitempty"`
}

// end is what the last line says of the file.
type end struct {
	Checkpoints int64 `json:"checkpoints"`
}

// sealed writes a line with its sum behind it: of all bytes before the sum,
// from the file's beginning on.
func (l line) sealed(sum hash.Hash) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return nil, err
	}
	out := bytes.TrimSuffix(b.Bytes(), []byte("}\n"))
	if len(out)+sumLength > maxLine {
		return nil, fmt.Errorf("a line of %d bytes is more than the limit of %d", len(out)+sumLength, maxLine)
	}
	sum.Write(out)
	before := len(out)
	out = append(out, sumMark...)
	out = hex.AppendEncode(out, sum.Sum(nil))
	out = append(out, sumTail+"\n"...)
	sum.Write(out[before:])
	return out, nil
}

// sealFits reports whether a line, without its end, has the sum of all bytes
// before it, and adds it to them.
func sealFits(raw []byte, sum hash.Hash) bool {
	cut := len(raw) - sumLength
	if cut < 0 {
		return false
	}
	sum.Write(raw[:cut])
	tail := append(hex.AppendEncode([]byte(sumMark), sum.Sum(nil)), sumTail...)
	if !bytes.Equal(raw[cut:], tail) {
		return false
	}
	sum.Write(tail)
	sum.Write([]byte{'\n'})
	return true
}

// stored is an entry as it goes into a file: without what says where the
// state lies now, times as they are kept.
func stored(e store.Entry) store.Entry {
	c := &e.Checkpoint
	c.Archive, c.File, c.Damaged = "", "", ""
	c.CreatedAt, c.CompletedAt = piton.At(c.CreatedAt.Time), piton.At(c.CompletedAt.Time)
	e.Workflow.CreatedAt = piton.At(e.Workflow.CreatedAt.Time)
	if len(c.Tags) == 0 {
		c.Tags = nil
	}
	return e
}

// checkRecord says what is wrong with an entry's record, if anything: what
// cannot be written so that it is read back as it is.
func checkRecord(e store.Entry) error {
	w, c := e.Workflow, e.Checkpoint
	switch {
	case !piton.IsID(piton.CheckpointPrefix, c.ID):
		return fmt.Errorf("%q is not a checkpoint's id", c.ID)
	case !piton.IsID(piton.WorkflowPrefix, w.ID) || c.WorkflowID != w.ID:
		return fmt.Errorf("%s is of workflow %q and came with workflow %q", c.ID, c.WorkflowID, w.ID)
	case c.StateBytes < 2 || c.StateBytes > maxState:
		return fmt.Errorf("%s has a state of %d bytes; the limits are 2 and %d", c.ID, c.StateBytes, maxState)
	}
	return nil
}

// checkTexts finds what JSON cannot hold: a text that is not UTF-8, a year
// beyond 9999.
func checkTexts(e store.Entry) error {
	l := line{Workflow: &e.Workflow, Checkpoint: &e.Checkpoint, Origin: e.Origin, Ordinal: e.Checkpoint.Ordinal}
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	var back line
	if err := json.Unmarshal(b, &back); err != nil {
		return err
	}
	back.Checkpoint.Ordinal = back.Ordinal
	if !reflect.DeepEqual(l, back) {
		return fmt.Errorf("the record of %s cannot be written as JSON; is a text not UTF-8?", e.Checkpoint.ID)
	}
	return nil
}

// checkState says what is wrong with a state, if anything: the record's sum
// decides first.
func checkState(c piton.Checkpoint, state []byte) error {
	if int64(len(state)) != c.StateBytes {
		return fmt.Errorf("the state of %s has %d bytes, its record says %d", c.ID, len(state), c.StateBytes)
	}
	if sum := sha256.Sum256(state); hex.EncodeToString(sum[:]) != c.SHA256 {
		return fmt.Errorf("the state of %s does not match its sum", c.ID)
	}
	return nil
}

// compactOptions are what a state is read with: its bytes stay as they are,
// lone surrogates too; a key stands once.
func compactOptions() []jsontext.Options {
	return []jsontext.Options{jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)}
}

// compact reports whether a state is a JSON object without insignificant white
// space, and so without a line end.
func compact(state []byte) bool {
	if len(state) == 0 || state[0] != '{' {
		return false
	}
	inside := false
	for i := 0; i < len(state); i++ {
		switch c := state[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case !inside && bytes.IndexByte([]byte(" \t\r\n"), c) >= 0:
			return false
		}
	}
	return jsontext.Value(state).IsValid(compactOptions()...)
}
