package sqlstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/piton-project/piton"
)

const checkpointColumns = `c.ordinal, c.id, c.workflow_id, w.name, w.type, c.session_id, c.project, c.branch_name, c.seq, c.parent_id,
	c.trigger_name, c.created_at, c.completed_at, c.phase_number, c.phase_total, c.state_bytes, c.stored_bytes, c.sum, c.damaged, c.archive, c.tags, c.rest, c.seal`

// scanCheckpoint reads a row of checkpointColumns. A record that does not fit
// its seal, or has values of another kind than they were written, is returned
// with what could be read of it, and marked: a list shows it, a load refuses
// it. A lost row of the workflow leaves its name and type empty and is no
// fault of the checkpoint.
func scanCheckpoint(scan scanner) (piton.Checkpoint, error) {
	var c piton.Checkpoint
	var trigger, tags, rest string
	var created, completed, phase, phases int64
	var sum, sealed []byte
	var f, workflow fault
	err := scan(f.int("ordinal", &c.Ordinal), f.text("id", &c.ID), f.text("workflow", &c.WorkflowID), workflow.text("name", &c.Workflow),
		workflow.text("type", &c.WorkflowType), f.text("session", &c.SessionID), f.text("project", &c.Project), f.text("branch", &c.Branch), f.int("number", &c.Seq),
		f.text("parent", &c.ParentID), f.text("trigger", &trigger), f.int("time", &created), f.int("time of completion", &completed), f.int("phase", &phase),
		f.int("number of phases", &phases), f.int("size", &c.StateBytes), f.int("stored size", &c.StoredBytes), f.bytes("sum", &sum), f.text("mark", &c.Damaged),
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
		f.note("its rest is not JSON of ours (%v)", err)
	}
	c.StepNumber, c.StepName, c.Name, c.Description, c.TaskSummary = x.StepNumber, x.StepName, x.Name, x.Description, x.TaskSummary
	c.Progress, c.DurationMS, c.TokenUsage, c.SchemaVersion, c.Origin = x.Progress, x.DurationMS, x.TokenUsage, x.SchemaVersion, x.Origin
	c.SessionName, c.ImportedAt, c.File = x.SessionName, x.ImportedAt, x.File
	if sealed != nil && !bytes.Equal(sealed, seal(c, created, sum, tags, rest)) {
		f.note("its seal does not match")
	}
	if f.why != "" {
		c.BadRecord, c.Damaged = true, "its record is damaged: "+f.why
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

// columns are a record as it lies in its row.
type columns struct {
	sum        []byte
	tags, rest string
	seal       []byte
}

// sealed makes the columns of a record.
func sealed(op string, c piton.Checkpoint) (s columns, err error) {
	if s.sum, err = hex.DecodeString(c.SHA256); err != nil {
		return s, piton.Errorf(piton.Internal, op, "", "the sum is not hexadecimal: %w", err)
	}
	rest, err := json.Marshal(checkpointRest{
		StepNumber: c.StepNumber, StepName: c.StepName, Name: c.Name, Description: c.Description, TaskSummary: c.TaskSummary,
		Progress: c.Progress, DurationMS: c.DurationMS, TokenUsage: c.TokenUsage, SchemaVersion: c.SchemaVersion, Origin: c.Origin,
		SessionName: c.SessionName, ImportedAt: c.ImportedAt, File: c.File,
	})
	if err != nil {
		return s, internal(op, err)
	}
	s.tags, s.rest = joinTags(c.Tags), string(rest)
	s.seal = seal(c, c.CreatedAt.Millis(), s.sum, s.tags, s.rest)
	return s, nil
}

// nameInRest is how a checkpoint's name stands in its rest: inside a string the
// quotes of the key would be escaped.
func nameInRest(name string) string {
	b, _ := json.Marshal(name) // a text always can be
	return `"name":` + string(b)
}

// agentInRest is how the agent of a checkpoint's origin stands in its rest: it is its
// first member.
func agentInRest(agent string) string {
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
