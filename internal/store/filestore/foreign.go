package filestore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/piton-project/piton"
)

// phases is how many phases the layout's first program knows.
const phases = 7

// foreign reads a file of the layout's first program: the whole object is the
// state. Such a file has no sum; it is whole when it is JSON of this shape.
func foreign(raw []byte, list []field) decoded {
	d := decoded{record: salvage(raw)}
	var f header
	err := json.Unmarshal(raw, &f)
	switch {
	case err != nil:
		d.why = "it is no checkpoint: " + err.Error()
		return d
	case recordLost(f.ID, list):
		d.why = "the record's sum is missing"
		return d
	case f.Phase == nil || f.CreatedAt.IsZero() || f.PhaseNumber < 0:
		d.why = "it is no checkpoint: phase, phaseNumber or createdAt is missing or wrong"
		return d
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		d.why = "it is no JSON: " + err.Error()
		return d
	}
	d.state = b.Bytes()
	sum := sha256.Sum256(d.state)
	// Our own that it has written again keeps its id; the record's other keys are
	// gone, and the state is what it left.
	id := f.ID
	if d.ours = piton.IsWholeID(piton.CheckpointPrefix, id); !d.ours {
		d.alias, id = f.ID, ""
	}
	d.Checkpoint = piton.Checkpoint{
		ID: id, InWorkflow: piton.InWorkflow{SessionName: sessionName(f.SessionID),
			WorkflowID: derived(piton.WorkflowPrefix, f.SessionID), WorkflowType: piton.TypePhases, SessionID: f.SessionID, Branch: piton.MainBranch},
		AtStep: piton.AtStep{StepName: *f.Phase, PhaseNumber: f.PhaseNumber, PhaseTotal: max(phases, f.PhaseNumber)}, Described: piton.Described{TaskSummary: f.TaskSummary},
		Trigger: piton.TriggerPhaseComplete, CreatedAt: f.CreatedAt, Completed: f.Completed,
		OfState: piton.OfState{StateBytes: int64(len(d.state)), StoredBytes: int64(len(raw)), SHA256: hex.EncodeToString(sum[:]), SchemaVersion: 1},
	}
	if d.alias != "" && len(d.alias) < maxTag && !strings.ContainsFunc(d.alias, unicode.IsControl) {
		d.Checkpoint.Tags = []string{"id:" + d.alias} // so that a search finds it, and a store it is copied to
	}
	return d
}

// maxTag bounds a tag, in bytes.
const maxTag = 190

// theirKeys are the keys of the layout's first program.
var theirKeys = []string{"id", "sessionId", "phase", "phaseNumber", "createdAt", "completed", "taskSummary", "iscCriteria", "metadata"}

// recordLost tells a file of ours whose sum is damaged from one that the first
// program has written again: that one drops every key it does not know.
func recordLost(id string, list []field) bool {
	has := map[string]bool{}
	for _, f := range list {
		if has[f.key] = true; piton.IsWholeID(piton.CheckpointPrefix, id) && !slices.Contains(theirKeys, f.key) {
			return true
		}
	}
	return has["workflow_id"] && has["ordinal"]
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
	if json.Unmarshal(raw, &f) != nil || f.IscCriteria == nil || f.Metadata == nil {
		return false
	}
	if f.Completed == nil || f.TaskSummary == nil || f.PhaseNumber == nil {
		return false
	}
	for _, s := range []*string{f.ID, f.SessionID, f.Phase, f.CreatedAt} {
		if s == nil || *s == "" {
			return false
		}
	}
	for _, x := range f.IscCriteria {
		whole := x.ID != nil && x.Subject != nil && x.Status != nil
		if !whole || !slices.Contains([]string{"pending", "in_progress", "completed"}, *x.Status) {
			return false
		}
	}
	return *f.PhaseNumber >= 1 && *f.PhaseNumber <= phases
}

// idInText finds what looks like a checkpoint's id at the beginning of a
// damaged file.
var idInText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\{\s*"id":\s*"(chk_[0-9a-hjkmnp-tv-z]{16})"`) })

// salvage is what can be read of a file that is no JSON: at best its id.
func salvage(raw []byte) record {
	var r record
	if m := idInText().FindSubmatch(raw[:min(len(raw), 256)]); m != nil {
		r.ID = string(m[1])
	}
	return r
}
