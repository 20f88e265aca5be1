package app

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// Load reads a state. nearest: the nearest intact ancestor of a damaged
// checkpoint is taken in its place.
func (a *App) Load(ctx context.Context, c Choice, nearest bool) (history.Loaded, error) {
	k, s, err := a.open(ctx, c)
	if err != nil {
		return history.Loaded{}, err
	}
	return k.Load(ctx, s, nearest)
}

// Complete marks the head of a branch as completed and closes its workflow.
func (a *App) Complete(ctx context.Context, c Choice) (piton.Checkpoint, error) {
	k, s, err := a.open(ctx, c)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	return k.Complete(ctx, s)
}

// Delete deletes one checkpoint, a workflow's or a session's; older is a span of
// time (ParseSpan), empty for all of any age. With an error the answer says what
// was deleted before it.
func (a *App) Delete(ctx context.Context, c Choice, older string, dry bool) (history.Removal, error) {
	age, err := ParseSpan(cmp.Or(older, "0"))
	if err != nil {
		return history.Removal{}, err
	}
	k, s, err := a.open(ctx, c)
	if err != nil {
		return history.Removal{}, err
	}
	return k.Delete(ctx, s, age, dry)
}

// Inspection is all that is known of a checkpoint.
type Inspection struct {
	Checkpoint piton.Checkpoint   `json:"checkpoint"`
	Parent     *piton.Checkpoint  `json:"parent,omitempty"`
	Children   []piton.Checkpoint `json:"children"`
	Changes    json.RawMessage    `json:"changes,omitempty"` // against the parent, RFC 6902
	State      json.RawMessage    `json:"state,omitempty"`
	Damage     error              `json:"-"` // why there is no state
}

// Inspect shows a checkpoint. needState: it fails where the state is damaged.
func (a *App) Inspect(ctx context.Context, ref string, needState bool) (Inspection, error) {
	k, id, err := a.named(ctx, ref)
	if err != nil {
		return Inspection{}, err
	}
	x, err := k.Inspect(ctx, id)
	if err == nil && x.Damage != nil && needState {
		e := *AsError(x.Damage)
		e.Hint = cmp.Or(e.Hint, "the rest is shown without the state; 'load nearest' loads the nearest intact ancestor")
		err = &e
	}
	if x.Children == nil {
		x.Children = []piton.Checkpoint{}
	}
	return Inspection{x.Checkpoint, x.Parent, x.Children, x.Changes, x.State, x.Damage}, err
}

// Remains are what can still be read of a damaged state, in order; nil stands in
// the place of what is lost.
type Remains struct {
	Checkpoint piton.Checkpoint `json:"checkpoint"`
	Fragments  []*string        `json:"fragments"`
}

// Raw reads what is left of a state.
func (a *App) Raw(ctx context.Context, ref string) (Remains, error) {
	k, id, err := a.named(ctx, ref)
	if err != nil {
		return Remains{}, err
	}
	r, err := k.Raw(ctx, id)
	parts := make([]*string, len(r.Fragments))
	for i, part := range r.Fragments {
		if part != nil {
			text := string(part)
			parts[i] = &text
		}
	}
	return Remains{r.Checkpoint, parts}, err
}

// named opens the stores for a reader and finds the id that ref names.
func (a *App) named(ctx context.Context, ref string) (history.Keeper, string, error) {
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return k, "", err
	}
	id, err := a.id(ctx, k, ref)
	return k, id, err
}

// Comparison is what changed from one checkpoint to another.
type Comparison struct {
	From  piton.Checkpoint `json:"from"`
	To    piton.Checkpoint `json:"to"`
	Patch json.RawMessage  `json:"patch"` // RFC 6902
}

// Compare compares two checkpoints; where to is empty, from with its parent.
func (a *App) Compare(ctx context.Context, from, to string) (Comparison, error) {
	k, ids, err := a.both(ctx, from, to)
	if err != nil {
		return Comparison{}, err
	}
	x, err := k.Compare(ctx, ids[0], ids[1])
	return Comparison{x.From, x.To, x.Patch}, err
}

// Pair is the two records and states that Compare compares.
func (a *App) Pair(ctx context.Context, from, to string) (history.Pair, error) {
	k, ids, err := a.both(ctx, from, to)
	if err != nil {
		return history.Pair{}, err
	}
	return k.Pair(ctx, ids[0], ids[1])
}

func (a *App) both(ctx context.Context, from, to string) (k history.Keeper, ids [2]string, err error) {
	if k, err = a.Keeper(ctx, true); err != nil {
		return k, ids, err
	}
	for i, ref := range []string{from, to} {
		if ids[i], err = a.id(ctx, k, ref); err != nil {
			break
		}
	}
	return k, ids, err
}
