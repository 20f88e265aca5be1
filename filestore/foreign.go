package filestore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"

	"github.com/piton-project/piton"
)

// phases is how many phases the layout's first program knows.
const phases = 7

// foreign reads a file of the layout's first program: the whole object is the
// state. Such a file has no sum; it is whole when it is JSON of this shape.
func foreign(raw []byte) decoded {
	d := decoded{record: salvage(raw)}
	var f struct {
		ID          string     `json:"id"`
		SessionID   string     `json:"sessionId"`
		Phase       *string    `json:"phase"`
		PhaseNumber int        `json:"phaseNumber"`
		CreatedAt   piton.Time `json:"createdAt"`
		Completed   bool       `json:"completed"`
		TaskSummary string     `json:"taskSummary"`
	}
	err := json.Unmarshal(raw, &f)
	switch {
	case err != nil:
		d.why = "it is no checkpoint: " + err.Error()
		return d
	case piton.IsWholeID(piton.CheckpointPrefix, f.ID):
		d.why = "another program has written it again and left the record or its sum out"
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
	d.alias = f.ID
	d.Checkpoint = piton.Checkpoint{
		WorkflowID: derived(piton.WorkflowPrefix, f.SessionID), WorkflowType: piton.TypePhases, SessionID: f.SessionID, Branch: piton.MainBranch,
		StepName: *f.Phase, PhaseNumber: f.PhaseNumber, PhaseTotal: max(phases, f.PhaseNumber), TaskSummary: f.TaskSummary,
		Trigger: piton.TriggerPhaseComplete, CreatedAt: f.CreatedAt, Completed: f.Completed,
		StateBytes: int64(len(d.state)), StoredBytes: int64(len(raw)), SHA256: hex.EncodeToString(sum[:]), SchemaVersion: 1,
	}
	return d
}

// idInText finds what looks like a checkpoint's id at the beginning of a
// damaged file.
var idInText = regexp.MustCompile(`^\s*\{\s*"id":\s*"(chk_[0-9a-hjkmnp-tv-z]{16})"`)

// salvage is what can be read of a file that is no JSON: at best its id.
func salvage(raw []byte) record {
	var r record
	if m := idInText.FindSubmatch(raw[:min(len(raw), 256)]); m != nil {
		r.ID = string(m[1])
	}
	return r
}

const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// derived is an id that always comes out of the same name.
func derived(prefix, name string) string {
	sum := sha256.Sum256([]byte(prefix + "file store\n" + name))
	id := []byte(prefix)
	for _, b := range sum[:16] {
		id = append(id, idAlphabet[b&31])
	}
	return string(id)
}

// phaseOf is what the layout calls the checkpoint's phase.
func phaseOf(c piton.Checkpoint) string {
	for _, s := range []string{c.StepName, c.Name} {
		if s != "" {
			return s
		}
	}
	return string(c.Trigger)
}

// stem is the file's name without ".json" and without a collision's number.
func stem(c piton.Checkpoint) string {
	return "ckpt-" + c.CreatedAt.UTC().Format("2006-01-02T15-04-05.000Z") + "-" + slug(phaseOf(c))
}

// slug is a name in the lower-case letters, digits and dashes of a file name.
func slug(s string) string {
	var b []byte
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b = append(b, byte(r))
		case r >= 'A' && r <= 'Z':
			b = append(b, byte(r)+'a'-'A')
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
		if len(b) == 40 {
			break
		}
	}
	b = bytes.Trim(b, "-")
	if len(b) == 0 {
		return "checkpoint"
	}
	return string(b)
}
