package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
)

// schemaVersion is the version of the record that this program writes.
const schemaVersion = 1

// Prepare does all of a save that needs no store: it validates, compacts,
// takes secrets out, finds the kind and sums. It returns what Append takes and
// how many secrets were taken out. Invalid when the draft is not acceptable;
// the error names the place and the way out (docs/spec.md, "Bad input").
func (k Keeper) Prepare(d Draft) (store.Prepared, int, error) {
	clean, err := k.Recent.Clean(states.Line{Workflow: d.Workflow, Session: d.Session, Branch: d.Branch}, d.State, k.Redact)
	if err != nil {
		return store.Prepared{}, 0, err
	}
	origin := originFields(&d.Origin)
	taken := append(inExport(clean.TakenOut), takeOut(k.Redact, append(d.fields(), origin...)...)...)
	if d.Collected {
		d.fit()
	}
	for _, f := range origin { // nobody types one
		*f.text = fitted(*f.text, f.max)
	}
	if err := d.check(); err != nil {
		return store.Prepared{}, 0, err
	}
	c := piton.Checkpoint{
		ID: piton.NewID(piton.CheckpointPrefix), WorkflowType: d.Type, Project: d.Project, Branch: d.Branch,
		StepNumber: d.Step, StepName: cmp.Or(d.StepName, d.Phase), PhaseNumber: d.PhaseNumber, PhaseTotal: d.PhaseTotal,
		Name: d.Name, Description: d.Description, TaskSummary: d.Task, Tags: d.Tags, Trigger: d.Trigger,
		CreatedAt: k.now(), Progress: d.Progress, DurationMS: d.DurationMS, TokenUsage: d.TokenUsage,
		SHA256: sumOf(clean.JSON.Get()), StateBytes: int64(len(clean.JSON.Get())), SchemaVersion: schemaVersion, Origin: d.Origin,
	}
	c.Origin.Host = cmp.Or(c.Origin.Host, k.Host)
	if c.WorkflowType == "" && d.isPhase() {
		c.WorkflowType = piton.TypePhases
	}
	if err := k.describe(&c, clean); err != nil {
		return store.Prepared{}, 0, err
	}
	return store.Prepared{Record: c, State: clean.JSON, Parent: d.Parent, TakenOut: taken}, len(taken), nil
}

// describe gives the record what its state says of itself, and checks the state
// against the form of its kind.
func (k Keeper) describe(c *piton.Checkpoint, state states.Clean) error {
	said, err := state.Said()
	if err != nil {
		return err
	}
	if err := states.Describe(c, said); err != nil {
		return err
	}
	// The state keeps its spelling; the record, which every list shows, is
	// bounded.
	form := states.Form(*c, said, state.JSON.Get())
	c.StepName, c.TaskSummary = fitted(c.StepName, maxName), fitted(c.TaskSummary, maxText)
	if k.Validate == nil {
		return nil
	}
	return k.Validate(c.WorkflowType, form)
}

// sumOf is the sum by which a state is known.
func sumOf(state []byte) string {
	sum := sha256.Sum256(state)
	return hex.EncodeToString(sum[:])
}
