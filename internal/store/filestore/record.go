package filestore

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
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
	// Where both have a key, the first program's stands.
	keys, err := plain(struct {
		header
		record
	}{headerOf(c, alias, state), record{c, c.Ordinal}})
	if err != nil {
		return nil, err
	}
	list, err := fields(keys)
	if err != nil {
		return nil, err
	}
	out := object(list)
	sum, err := sumOf(append(slices.Clip(out), '}'))
	if err != nil {
		return nil, err
	}
	out = append(append(append(slices.Grow(out, len(state)+128), ','), sumLine...), sum...)
	if state == nil {
		return append(out, bareTail...), nil
	}
	return append(append(append(out, stateLine...), state...), tail...), nil
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

// phases is how many phases the layout's first program knows.
const phases = 7

// foreign reads a file of the layout's first program: the whole object is the
// state. Such a file has no sum; it is whole when it is JSON of this shape.
func foreign(raw []byte, list []field) entry {
	var f header
	var state bytes.Buffer
	damaged := entry{c: salvage(raw)}
	err := json.Unmarshal(raw, &f)
	switch {
	case err != nil:
		damaged.why = "it is no checkpoint: " + err.Error()
	case recordLost(f.ID, list):
		damaged.why = "the record's sum is missing"
	case f.Phase == nil || f.CreatedAt.IsZero() || f.PhaseNumber < 0:
		damaged.why = "it is no checkpoint: phase, phaseNumber or createdAt is missing or wrong"
	}
	if damaged.why != "" || json.Compact(&state, raw) != nil {
		return damaged
	}
	sum := sha256.Sum256(state.Bytes())
	e := entry{state: state.Bytes(), c: piton.Checkpoint{
		InWorkflow: piton.InWorkflow{SessionName: sessionName(f.SessionID),
			WorkflowID: derived(piton.WorkflowPrefix, f.SessionID), WorkflowType: piton.TypePhases, SessionID: f.SessionID, Branch: piton.MainBranch},
		AtStep: piton.AtStep{StepName: *f.Phase, PhaseNumber: f.PhaseNumber, PhaseTotal: max(phases, f.PhaseNumber)}, Described: piton.Described{TaskSummary: f.TaskSummary},
		Trigger: piton.TriggerPhaseComplete, CreatedAt: f.CreatedAt, Completed: f.Completed,
		OfState: piton.OfState{StateBytes: int64(state.Len()), StoredBytes: int64(len(raw)), SHA256: hex.EncodeToString(sum[:]), SchemaVersion: 1},
	}}
	// Our own that it has written again keeps its id; the record's other keys are
	// gone, and the state is what it left.
	if e.ours = piton.IsWholeID(piton.CheckpointPrefix, f.ID); e.ours {
		e.c.ID = f.ID
		return e
	}
	e.alias = f.ID
	if f.ID != "" && len(f.ID) < maxTag && !strings.ContainsFunc(f.ID, unicode.IsControl) {
		e.c.Tags = []string{"id:" + f.ID} // so that a search finds it, and a store it is copied to
	}
	return e
}

// theirKeys are the keys of the layout's first program.
var theirKeys = []string{"id", "sessionId", "phase", "phaseNumber", "createdAt", "completed", "taskSummary", "iscCriteria", "metadata"}

// recordLost tells a file of ours whose sum is damaged from one that the first
// program has written again: that one drops every key it does not know.
func recordLost(id string, list []field) bool {
	has := func(key string) bool { return slices.ContainsFunc(list, func(f field) bool { return f.key == key }) }
	isOurs := piton.IsWholeID(piton.CheckpointPrefix, id) && slices.ContainsFunc(list, func(f field) bool { return !slices.Contains(theirKeys, f.key) })
	return isOurs || has("workflow_id") && has("ordinal")
}

// accepted reports whether the layout's first program reads a file: it passes over
// what is not of its own form, and seed.json names to it only what it reads.
func accepted(raw []byte) bool {
	var f struct {
		ID, SessionID, Phase, CreatedAt, TaskSummary *string
		PhaseNumber                                  *float64
		Completed                                    *bool
		IscCriteria                                  []struct{ ID, Subject, Status *string }
		Metadata                                     map[string]json.RawMessage
	}
	if json.Unmarshal(raw, &f) != nil {
		return false
	}
	lacks := []bool{f.IscCriteria == nil, f.Metadata == nil, f.Completed == nil, f.TaskSummary == nil, f.PhaseNumber == nil || *f.PhaseNumber < 1 || *f.PhaseNumber > phases}
	for _, s := range []*string{f.ID, f.SessionID, f.Phase, f.CreatedAt} {
		lacks = append(lacks, s == nil || *s == "")
	}
	for _, x := range f.IscCriteria {
		lacks = append(lacks, x.ID == nil || x.Subject == nil, x.Status == nil || !slices.Contains([]string{"pending", "in_progress", "completed"}, *x.Status))
	}
	return !slices.Contains(lacks, true)
}

// idInText finds what looks like a checkpoint's id at the beginning of a
// damaged file.
var idInText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\{\s*"id":\s*"(chk_[0-9a-hjkmnp-tv-z]{16})"`) })

// salvage is what can be read of a file that is no JSON: at best its id.
func salvage(raw []byte) (c piton.Checkpoint) {
	if m := idInText().FindSubmatch(raw[:min(len(raw), 256)]); m != nil {
		c.ID = string(m[1])
	}
	return c
}
