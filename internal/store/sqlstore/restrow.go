package sqlstore

import (
	"github.com/piton-project/piton"
)

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
