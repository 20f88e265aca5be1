package history

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
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
	began := time.Now()
	clean, err := k.clean(&d)
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
		ID: piton.NewID(piton.CheckpointPrefix), InWorkflow: piton.InWorkflow{WorkflowType: d.Type, Project: d.Project, Branch: d.Branch},
		AtStep:    piton.AtStep{StepNumber: d.Step, StepName: cmp.Or(d.StepName, d.Phase), PhaseNumber: d.PhaseNumber, PhaseTotal: d.PhaseTotal},
		Described: piton.Described{Name: d.Name, Description: d.Description, TaskSummary: d.Task, Tags: d.Tags}, Trigger: d.Trigger,
		CreatedAt: k.now(), SoFar: piton.SoFar{Progress: d.Progress, DurationMS: d.DurationMS, TokenUsage: d.TokenUsage},
		OfState: piton.OfState{SHA256: sumOf(clean.JSON.Get()), StateBytes: int64(len(clean.JSON.Get())), SchemaVersion: schemaVersion}, Origin: d.Origin,
	}
	c.Origin.Host = cmp.Or(c.Origin.Host, k.Host)
	c.Origin.By = cmp.Or(c.Origin.By, k.person())
	if c.WorkflowType == "" && d.isPhase() {
		c.WorkflowType = piton.TypePhases
	}
	if d.Made != nil {
		d.Made.describe(&c)
	} else if err := k.describe(&c, clean); err != nil {
		return store.Prepared{}, 0, err
	}
	return store.Prepared{Record: c, State: clean.JSON, Parent: d.Parent, TakenOut: taken, Began: began}, len(taken), nil
}

// clean is the draft's state, ready to be saved. A made state that needs the long way
// is one like any other from then on.
func (k Keeper) clean(d *Draft) (states.Clean, error) {
	if d.Made != nil {
		if c, ok := d.Made.Parts.Clean(k.Redact); ok {
			return c, nil
		}
		d.State, d.Made = d.Made.Parts.JSON(), nil
	}
	if d.Verbatim {
		return states.Verbatim(d.State)
	}
	return k.Recent.Clean(states.Line{Workflow: d.Workflow, Session: d.Session, Branch: d.Branch}, d.State, k.Redact)
}

// describe is Keeper.describe for a state that holds no secret and was made in the
// form of its kind.
func (m *Made) describe(c *piton.Checkpoint) {
	c.StepNumber = cmp.Or(c.StepNumber, &m.Step)
	c.StepName, c.TaskSummary = fitted(cmp.Or(c.StepName, m.StepName), maxName), fitted(cmp.Or(c.TaskSummary, m.Task), maxText)
	if m.Completed {
		c.Completed, c.CompletedAt = true, c.CreatedAt
	}
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
	if k.Validate != nil {
		err = k.Validate(c.WorkflowType, states.Form(*c, said, state.JSON.Get()))
	}
	// The state keeps its spelling; the record, which every list shows, is
	// bounded.
	c.StepName, c.TaskSummary = fitted(c.StepName, maxName), fitted(c.TaskSummary, maxText)
	return err
}

// person is who saves or deletes; "" where nobody is named.
func (k Keeper) person() string {
	if k.Person == nil {
		return ""
	}
	name, _ := redact.Text(k.Person())
	return name
}

// sumOf is the sum by which a state is known.
func sumOf(state []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(state))
}
