package history

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// accept checks an entry as a save checks a draft, and takes secrets out; taken is
// where each stood.
func (k Keeper) accept(e *store.Entry) (clean redact.Document, taken []string, err error) {
	c, w := &e.Checkpoint, &e.Workflow
	op := "import " + c.ID
	// A file store may hold another program's checkpoints, whose sessions bear
	// names of its own.
	if c.SessionID != "" && c.SessionName == "" && !piton.IsWholeID(piton.SessionPrefix, c.SessionID) {
		c.SessionName = c.SessionID
	}
	for _, s := range []*string{&c.SessionID, &w.SessionID} {
		if *s != "" && !piton.IsWholeID(piton.SessionPrefix, *s) {
			*s = piton.DeriveID(piton.SessionPrefix, *s)
		}
	}
	if err := checkNumbers(op, *w, *c); err != nil {
		return clean, nil, err
	}
	if c.Branch == "" {
		c.Branch = piton.MainBranch
	}
	c.WorkflowID, c.WorkflowType = w.ID, w.Type
	state, err := Compact(e.State)
	if err != nil {
		return clean, nil, err
	}
	if clean, taken, err = cleanState(k.Redact, state); err != nil {
		return clean, nil, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	state = clean.Get()
	taken = append(taken, takeOut(k.Redact, append(recordFields(c), field{"/workflow_name", &w.Name, false}, field{"/workflow_type", &w.Type, false}, field{"/branch", &c.Branch, true})...)...)
	if err := checkWorkflowName(op, w.Name); err != nil {
		return clean, nil, err
	}
	if err := checkText("the session's name", c.SessionName, maxName, false); err != nil {
		return clean, nil, err
	}
	d := Draft{StepName: c.StepName, Name: c.Name, Branch: c.Branch, Type: w.Type, Description: c.Description, Task: c.TaskSummary, Tags: c.Tags,
		Trigger: c.Trigger, Progress: c.Progress, Step: c.StepNumber, PhaseNumber: c.PhaseNumber, PhaseTotal: c.PhaseTotal, DurationMS: c.DurationMS}
	if err := d.check(); err != nil {
		return clean, nil, err
	}
	c.Trigger = d.Trigger
	if w.Type == "" {
		w.Type, c.WorkflowType = piton.TypeCustom, piton.TypeCustom
	}
	if c.CreatedAt.IsZero() {
		c.CreatedAt = k.now()
	}
	c.ImportedAt = k.now()
	if e.Foreign && !c.Completed { // other programs do not say so
		s, err := decode(state)
		c.Completed = err == nil && allDone(*c, s)
	}
	if c.Completed && c.CompletedAt.IsZero() {
		c.CompletedAt = c.CreatedAt // some programs say only that it is
	}
	if w.CreatedAt.IsZero() {
		w.CreatedAt = c.CreatedAt
	}
	sum := sha256.Sum256(state)
	c.SHA256, e.State = hex.EncodeToString(sum[:]), state
	if c.SchemaVersion == 0 {
		c.SchemaVersion = schemaVersion
	}
	return clean, taken, nil
}

// maxNumber bounds the numbers that are imported: others come behind them, and
// readers of JSON hold what is below as it is.
const maxNumber = 1 << 53

// checkNumbers refuses ids and numbers that no export has.
func checkNumbers(op string, w piton.Workflow, c piton.Checkpoint) error {
	const hint = "import what 'piton export' wrote"
	for _, id := range []struct {
		what, prefix, id string
		must             bool
	}{
		{"checkpoint", piton.CheckpointPrefix, c.ID, true}, {"workflow", piton.WorkflowPrefix, w.ID, true}, {"checkpoint", piton.CheckpointPrefix, c.ParentID, false},
		{"session", piton.SessionPrefix, c.SessionID, false}, {"session", piton.SessionPrefix, w.SessionID, false},
	} {
		if (id.id != "" || id.must) && !piton.IsWholeID(id.prefix, id.id) {
			return piton.Errorf(piton.Invalid, op, hint, "%q is not a %s's id", id.id, id.what)
		}
	}
	if c.Seq < 0 || c.Seq > maxNumber || w.Seq < 0 || w.Seq > maxNumber {
		return piton.Errorf(piton.Invalid, op, hint, "number %d of %d in its workflow does not exist", c.Seq, w.Seq)
	}
	if u := c.TokenUsage; u != nil && min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 {
		return piton.Errorf(piton.Invalid, op, hint, "it says that less than no tokens were used")
	}
	return nil
}

// checkWorkflowName refuses a workflow's name that no save would have made.
func checkWorkflowName(op, name string) error {
	if strings.HasPrefix(name, piton.WorkflowPrefix) {
		return piton.Errorf(piton.Invalid, op, "", "a workflow's own name does not begin with %s: %q", piton.WorkflowPrefix, name)
	}
	return checkText("the workflow's name", name, 2*maxName, false) // with a number, or marks of secrets, in it
}
