// Package record is how checkpoints and sessions lie in rows: their columns, what of them
// stands in JSON, and what is said of a row that is damaged.
package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/piton-project/piton"
)

const CheckpointColumns = `c.ordinal, c.id, c.workflow_id, w.name, w.type, c.session_id, c.project, c.branch_name, c.seq, c.parent_id,
	c.trigger_name, c.created_at, c.completed_at, c.phase_number, c.phase_total, c.state_bytes, c.stored_bytes, c.sum, c.damaged, c.archive, c.tags, c.rest, c.seal`

// Checkpoint reads a row of CheckpointColumns. A record that does not fit
// its seal, or has values of another kind than they were written, is returned
// with what could be read of it, and marked: a list shows it, a load refuses
// it. A lost row of the workflow leaves its name and type empty and is no
// fault of the checkpoint.
func Checkpoint(scan func(into ...any) error) (piton.Checkpoint, error) {
	var c piton.Checkpoint
	var trigger, tags, rest string
	var created, completed, phase, phases int64
	var sum, sealed []byte
	var f, workflow Fault
	err := scan(f.Int("ordinal", &c.Ordinal), f.text("id", &c.ID), f.text("workflow", &c.WorkflowID), workflow.text("name", &c.Workflow),
		workflow.text("type", &c.WorkflowType), f.text("session", &c.SessionID), f.text("project", &c.Project), f.text("branch", &c.Branch), f.Int("number", &c.Seq),
		f.text("parent", &c.ParentID), f.text("trigger", &trigger), f.Int("time", &created), f.Int("time of completion", &completed), f.Int("phase", &phase),
		f.Int("number of phases", &phases), f.Int("size", &c.StateBytes), f.Int("stored size", &c.StoredBytes), f.Bytes("sum", &sum), f.text("mark", &c.Damaged),
		f.text("archive", &c.Archive), f.text("tags", &tags), f.text("rest", &rest), f.bytesOrNull("seal", &sealed))
	if err != nil {
		return c, err
	}
	c.Trigger, c.PhaseNumber, c.PhaseTotal = piton.Trigger(trigger), int(phase), int(phases)
	c.CreatedAt, c.CompletedAt = piton.FromMillis(created), piton.FromMillis(completed)
	c.Completed = completed != 0
	c.SHA256 = hex.EncodeToString(sum)
	c.Tags = splitTags(tags)
	x, err := readRow([]byte(rest), restFields)
	if err != nil {
		f.Note("its rest is not JSON of ours (%v)", err)
	}
	c.StepNumber, c.StepName, c.Name, c.Description, c.TaskSummary = x.StepNumber, x.StepName, x.Name, x.Description, x.TaskSummary
	c.Progress, c.DurationMS, c.TokenUsage, c.SchemaVersion, c.Origin = x.Progress, x.DurationMS, x.TokenUsage, x.SchemaVersion, x.Origin
	c.SessionName, c.ImportedAt, c.File = x.SessionName, x.ImportedAt, x.File
	if sealed != nil && !bytes.Equal(sealed, seal(c, created, sum, tags, rest)) {
		f.Note("its seal does not match")
	}
	if f.Why != "" {
		c.BadRecord, c.Damaged = true, "its record is damaged: "+f.Why
	}
	return c, nil
}

// sealLength is how many bytes of a sha256 a seal has: it is to find damage,
// not forgery.
const sealLength = 16

// seal is a sum over what never changes of a record: all but the parent, the
// completion, the marks, the archive and the stored size. created is in
// milliseconds; tags and rest are as they lie in their columns.
func seal(c piton.Checkpoint, created int64, sum []byte, tags, rest string) []byte {
	b := make([]byte, 0, 512)
	for _, s := range []string{c.ID, c.WorkflowID, c.Branch, c.SessionID, c.Project, string(c.Trigger), string(sum), tags, rest} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	for _, n := range []int64{c.Ordinal, c.Seq, created, int64(c.PhaseNumber), int64(c.PhaseTotal), c.StateBytes} {
		b = binary.AppendVarint(b, n)
	}
	h := sha256.Sum256(b)
	return h[:sealLength]
}

// Columns are a record as it lies in its row.
type Columns struct {
	Sum        []byte
	Tags, Rest string
	Seal       []byte
}

// Sealed makes the columns of a record.
func Sealed(op string, c piton.Checkpoint) (s Columns, err error) {
	if s.Sum, err = hex.DecodeString(c.SHA256); err != nil {
		return s, piton.Errorf(piton.Internal, op, "", "the sum is not hexadecimal: %w", err)
	}
	rest, err := json.Marshal(checkpointRest{
		StepNumber: c.StepNumber, StepName: c.StepName, Name: c.Name, Description: c.Description, TaskSummary: c.TaskSummary,
		Progress: c.Progress, DurationMS: c.DurationMS, TokenUsage: c.TokenUsage, SchemaVersion: c.SchemaVersion, Origin: c.Origin,
		SessionName: c.SessionName, ImportedAt: c.ImportedAt, File: c.File,
	})
	if err != nil {
		return s, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	s.Tags, s.Rest = joinTags(c.Tags), string(rest)
	s.Seal = seal(c, c.CreatedAt.Millis(), s.Sum, s.Tags, s.Rest)
	return s, nil
}

// NameInRest is how a checkpoint's name stands in its rest: inside a string the
// quotes of the key would be escaped.
func NameInRest(name string) string {
	b, _ := json.Marshal(name) // a text always can be
	return `"name":` + string(b)
}

// AgentInRest is how the agent of a checkpoint's origin stands in its rest: it is its
// first member.
func AgentInRest(agent string) string {
	b, _ := json.Marshal(agent)
	return `"origin":{"agent":` + string(b)
}

func joinTags(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "\n" + strings.Join(tags, "\n") + "\n"
}

func splitTags(s string) []string {
	if s = strings.Trim(s, "\n"); s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// checkpointRest is what of the record no query asks for.
type checkpointRest struct {
	StepNumber    *int              `json:"step_number,omitempty"`
	StepName      string            `json:"step_name,omitempty"`
	Name          string            `json:"name,omitempty"`
	Description   string            `json:"description,omitempty"`
	TaskSummary   string            `json:"task_summary,omitempty"`
	Progress      *int              `json:"progress,omitempty"`
	DurationMS    int64             `json:"duration_ms,omitempty"`
	TokenUsage    *piton.TokenUsage `json:"token_usage,omitempty"`
	SchemaVersion int               `json:"schema_version"`
	Origin        piton.Origin      `json:"origin,omitzero"`
	SessionName   string            `json:"session_name,omitempty"`
	ImportedAt    piton.Time        `json:"imported_at,omitzero"`
	File          string            `json:"file,omitempty"` // only in an index (Dialect.Elsewhere)
}

// restFields goes through all fields of a rest, in the order in which encoding/json
// writes them. A test compares it with the type.
func restFields(r *rowReader, x *checkpointRest) {
	r.optional("step_number", &x.StepNumber)
	r.text("step_name", &x.StepName, true)
	r.text("name", &x.Name, true)
	r.text("description", &x.Description, true)
	r.text("task_summary", &x.TaskSummary, true)
	r.optional("progress", &x.Progress)
	r.number("duration_ms", &x.DurationMS)
	r.other("token_usage", &x.TokenUsage, false, true)
	number(r, "schema_version", &x.SchemaVersion)
	r.object("origin", func() {
		r.text("agent", &x.Origin.Agent, true)
		r.text("client_version", &x.Origin.ClientVersion, true)
		r.text("host", &x.Origin.Host, true)
		r.text("by", &x.Origin.By, true)
		r.text("git_head", &x.Origin.GitHead, true)
		r.text("git_branch", &x.Origin.GitBranch, true)
	})
	r.text("session_name", &x.SessionName, true)
	r.time("imported_at", &x.ImportedAt, true)
	r.text("file", &x.File, true)
}

// optional reads a number that may be missing.
func (r *rowReader) optional(name string, v **int) {
	var n int
	at := r.i
	if number(r, name, &n); r.i != at {
		*v = &n
	}
}
