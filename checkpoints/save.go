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

// Saved is a checkpoint that was saved.
type Saved struct {
	piton.Checkpoint
	Redacted int      // how many secrets were redacted
	Paths    []string // where they were, as JSON pointers; "/state/…" is the state
}

// Save saves a state with what the request says of it (piton.SaveRequest; each of its
// fields may be empty). When it returns nil the checkpoint is durable.
//
// A state that is a json.RawMessage or []byte is JSON already; everything else is encoded
// with encoding/json. It must be a JSON object. Nil: that of the request, else the state
// of the branch's head again, or {} where there is none.
//
// Invalid for a request that cannot be saved, Conflict when the branch has moved on from
// the request's Parent, Unavailable when the store cannot be reached; nothing was written
// then.
func (s *Store) Save(ctx context.Context, r piton.SaveRequest, state any) (Saved, error) {
	k, err := s.verbs()
	if err != nil {
		return Saved{}, err
	}
	if r.Key != "" {
		return Saved{}, piton.Errorf(piton.Invalid, "save", "set Parent: repeated, the save is a conflict then", "a program's own calls have no Key")
	}
	if err := s.own("save", &r.InProject); err != nil {
		return Saved{}, err
	}
	if state != nil {
		if r.State, err = encode("save", state); err != nil {
			return Saved{}, err
		}
	}
	saved, err := k.Save(ctx, app.Inner(history.Draft{SaveRequest: r}))
	return savedAs(saved), s.failed(err)
}

// Fork starts a branch from any checkpoint (piton.ForkRequest); state is as in Save, nil
// that of From. Conflict when the branch exists.
func (s *Store) Fork(ctx context.Context, r piton.ForkRequest, state any) (Saved, error) {
	k, err := s.verbs()
	if err != nil {
		return Saved{}, err
	}
	if r.From == "" {
		return Saved{}, piton.Errorf(piton.Invalid, "fork", "set From to the id of a checkpoint", "From is empty")
	}
	if err := s.own("fork", &r.InProject); err != nil {
		return Saved{}, err
	}
	if state != nil {
		if r.State, err = encode("fork", state); err != nil {
			return Saved{}, err
		}
	}
	forked, err := k.Fork(ctx, history.ForkDraft{ForkRequest: r})
	return savedAs(forked.Saved), s.failed(err)
}

// own puts the project of the store into a request.
func (s *Store) own(op string, in *piton.InProject) error {
	if in.Project != "" {
		return piton.Errorf(piton.Invalid, op, "open a store with Options.Dir", "a request names no Project: it is that of the store")
	}
	in.Project = s.project.ID
	return nil
}

func savedAs(x history.Saved) Saved {
	return Saved{Checkpoint: x.Checkpoint, Redacted: x.Redacted, Paths: x.Paths}
}

// encode returns a state as JSON; nil for no state.
func encode(op string, state any) ([]byte, error) {
	switch x := state.(type) {
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
