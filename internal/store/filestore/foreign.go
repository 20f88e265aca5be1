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
