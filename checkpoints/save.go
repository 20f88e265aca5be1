package checkpoints

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/states"
)

// Draft is a checkpoint to be saved. Every field may be empty.
type Draft struct {
	// Workflow is the name or the id of the workflow that the checkpoint belongs
	// to; a new name starts a workflow. Empty: a new workflow without a name.
	Workflow string
	Type     string // of a new workflow, such as "import"
	Branch   string // empty: piton.MainBranch
	// Parent is the id of the branch's head as the caller knows it. When the
	// branch has moved on, Save returns Conflict and writes nothing. Empty:
	// whatever the head is.
	Parent string

	// State is the state to save. A json.RawMessage or []byte is JSON already;
	// everything else is encoded with encoding/json. It must be a JSON object.
	// Nil: the state of the branch's head again, or {} where there is none.
	State any

	Step        *int     // number of the step
	StepName    string   // name of the step
	Name        string   // a name for this checkpoint
	Description string   // what it is
	Task        string   // what is being worked on
	Tags        []string // labels to list by
	Trigger     piton.Trigger
	Progress    *int // percent done, 0 to 100
	TokenUsage  *piton.TokenUsage
	Session     string // the session it belongs to, Piton's id or the client's
}

// Saved is a checkpoint that was saved.
type Saved struct {
	piton.Checkpoint
	Redacted int      // how many secrets were redacted
	Paths    []string // where they were, as JSON pointers; "/state/…" is the state
}

// Save saves a checkpoint. When it returns nil the checkpoint is durable. Invalid
// for a draft that cannot be saved, Conflict when the branch has moved on from
// Draft.Parent, Unavailable when the store cannot be reached; nothing was written
// then.
func (s *Store) Save(ctx context.Context, d Draft) (Saved, error) {
	k, err := s.verbs()
	if err != nil {
		return Saved{}, err
	}
	state, err := encode("save", d.State)
	if err != nil {
		return Saved{}, err
	}
	saved, err := k.Save(ctx, app.Inner(history.Draft{
		Workflow: d.Workflow, Type: d.Type, Session: d.Session, Project: s.project.ID, Branch: d.Branch, Parent: d.Parent,
		Step: d.Step, StepName: d.StepName, Name: d.Name, Description: d.Description, Task: d.Task, Tags: d.Tags,
		Trigger: d.Trigger, Progress: d.Progress, TokenUsage: d.TokenUsage, State: state,
	}))
	return savedAs(saved), s.failed(err)
}

// Fork is the first checkpoint of a new branch.
type Fork struct {
	From        string // id of the checkpoint to start from, or an unambiguous beginning of it
	Nearest     bool   // take the nearest intact ancestor when From is damaged
	Branch      string // the new branch; empty: the first free fork-<n>
	State       any    // as in Draft; nil: the state of From
	Name        string
	Description string
	Tags        []string
	Session     string
}

// Fork starts a branch from any checkpoint. Conflict when the branch exists.
func (s *Store) Fork(ctx context.Context, f Fork) (Saved, error) {
	k, err := s.verbs()
	if err != nil {
		return Saved{}, err
	}
	if f.From == "" {
		return Saved{}, piton.Errorf(piton.Invalid, "fork", "set Fork.From to the id of a checkpoint", "Fork.From is empty")
	}
	state, err := encode("fork", f.State)
	if err != nil {
		return Saved{}, err
	}
	forked, err := k.Fork(ctx, history.ForkDraft{
		From: f.From, Nearest: f.Nearest, Branch: f.Branch, State: state, Session: f.Session, Project: s.project.ID,
		Name: f.Name, Description: f.Description, Tags: f.Tags,
	})
	return savedAs(forked.Saved), s.failed(err)
}

func savedAs(x history.Saved) Saved {
	return Saved{Checkpoint: x.Checkpoint, Redacted: x.Redacted, Paths: x.Paths}
}

// encode returns a state as JSON; nil for no state.
func encode(op string, state any) ([]byte, error) {
	switch x := state.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return x, nil
	case []byte:
		return x, nil
	}
	b, err := json.Marshal(state)
	if err != nil {
		return nil, unencodable(op, err)
	}
	return b, nil
}

// unencodable says what keeps a value of Go from being a state.
func unencodable(op string, err error) error {
	var value *json.UnsupportedValueError
	hint := "give a value that encoding/json can encode as an object"
	if errors.As(err, &value) {
		switch {
		case strings.HasSuffix(value.Str, "NaN"), strings.HasSuffix(value.Str, "Inf"):
			err, hint = fmt.Errorf("%s: JSON has no such number", strings.TrimPrefix(value.Str, "+")), states.HintNumber
		case strings.Contains(value.Str, "cycle"):
			err, hint = errors.New("nested too deeply: a value holds itself"), states.HintDepth
		}
	}
	return &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
}
