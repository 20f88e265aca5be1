package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/piton-project/piton"
)

// Load returns a checkpoint's state. A damaged one is Corrupt, with the
// nearest intact ancestor in the hint; with nearest that one is returned
// instead, and says so. Never a wrong state (docs/spec.md, "Corruption").
func (k Keeper) Load(ctx context.Context, s Selector, nearest bool) (Loaded, error) {
	c, state, err := k.open(ctx, s)
	if err != nil {
		return Loaded{}, err
	}
	if state != nil {
		return Loaded{Checkpoint: c, State: state}, nil
	}
	return k.load(ctx, c, nearest)
}

func (k Keeper) load(ctx context.Context, c piton.Checkpoint, nearest bool) (Loaded, error) {
	state, err := k.state(ctx, c)
	if err == nil || piton.CodeOf(err) != piton.Corrupt {
		return Loaded{Checkpoint: c, State: state}, err
	}
	good, tried, found := k.ancestor(ctx, c)
	if nearest && found {
		k.log().WarnContext(ctx, "a damaged checkpoint was replaced by an ancestor", "checkpoint", c.ID, "ancestor", good.Checkpoint.ID, "tried", tried)
		good.RecoveredFrom, good.Why = c.ID, Cause(err)
		return good, nil
	}
	var e *piton.Error
	if errors.As(err, &e) {
		hinted := *e
		hinted.Hint = "no intact ancestor was found; 'inspect " + c.ID + "' shows what is known of it"
		if found {
			hinted.Hint = fmt.Sprintf("the nearest intact ancestor is %s (%s): load that, or give 'nearest'", good.Checkpoint.ID, good.Checkpoint.Step())
		}
		err = &hinted
	}
	return Loaded{}, err
}

// Inspection is all that is known of a checkpoint.
type Inspection struct {
	Checkpoint piton.Checkpoint   `json:"checkpoint"`        // the requested one
	Parent     *piton.Checkpoint  `json:"parent,omitempty"`  // absent: it has none, or its record is lost
	Children   []piton.Checkpoint `json:"children"`          // oldest first; empty if none
	Changes    json.RawMessage    `json:"changes,omitempty"` // from the parent's state to this one, a list of operations of RFC 6902; absent: it has no parent, or one of the two is damaged
	State      json.RawMessage    `json:"state,omitempty"`   // an object; absent: it is damaged, or `--state` was not given
	Damage     error              `json:"-"`                 // why there is no state
	// ParentState is the state that Changes are against; nil where these are not known.
	ParentState json.RawMessage `json:"-"`
}

// Inspect returns metadata, state, lineage and what changed since the parent.
// A damaged state is reported in Damage, not as an error.
func (k Keeper) Inspect(ctx context.Context, id string) (Inspection, error) {
	c, err := k.checkpoint(ctx, id)
	if err != nil {
		return Inspection{}, err
	}
	x := Inspection{Checkpoint: c, Children: []piton.Checkpoint{}}
	children, err := k.Store.Children(ctx, c.ID)
	if err != nil {
		return x, err
	}
	x.Children = append(x.Children, children...)
	x.State, x.Damage = k.state(ctx, c)
	if x.Damage != nil && piton.CodeOf(x.Damage) != piton.Corrupt {
		return x, x.Damage
	}
	if x.Damage != nil && c.Damaged == "" {
		x.Checkpoint.Damaged = Cause(x.Damage)
	}
	if c.ParentID == "" {
		return x, nil
	}
	p, err := k.Store.Checkpoint(ctx, c.ParentID)
	if notFound(err) {
		return x, nil // its row is lost; what there is is still shown
	}
	if err != nil {
		return x, err
	}
	x.Parent = &p
	if k.Diff == nil || x.State == nil {
		return x, nil
	}
	before, err := k.state(ctx, p)
	if err != nil {
		return x, nil // a damaged parent leaves the changes unknown
	}
	x.ParentState = before
	x.Changes, err = k.Diff(before, x.State)
	return x, err
}

// Remains are what can still be read of a checkpoint's state. Its JSON is a
// contract (docs/json.md).
type Remains struct {
	Checkpoint piton.Checkpoint `json:"checkpoint"` // the requested one
	Fragments  []*string        `json:"fragments"`  // the state's text in order; null stands for what is lost. For an intact state: one string with all of it
}

// Raw returns what can still be read of a damaged state, for a person to mend
// by hand; nothing of it is checked. Of an intact one it returns the state.
// Corrupt, with the file in the hint, when the damage lies in the archive.
func (k Keeper) Raw(ctx context.Context, id string) (Remains, error) {
	c, err := k.checkpoint(ctx, id)
	if err != nil {
		return Remains{}, err
	}
	r := Remains{Checkpoint: c}
	state, err := k.state(ctx, c)
	if err == nil {
		r.Fragments = fragments([][]byte{state})
		return r, nil
	}
	if piton.CodeOf(err) != piton.Corrupt {
		return Remains{}, err
	}
	if c.Archive != "" {
		return Remains{}, &piton.Error{
			Code: piton.Corrupt, Op: "read what is left of checkpoint " + c.ID, Err: err,
			Hint: "its state lies in the archive's file " + c.Archive + "; 'zstd -dc FILE' shows what can still be read of that",
		}
	}
	if c.Damaged == "" {
		r.Checkpoint.Damaged = Cause(err)
	}
	parts, err := k.Store.Upkeep().Raw(ctx, c.ID)
	r.Fragments = fragments(parts)
	return r, err
}

func fragments(parts [][]byte) []*string {
	list := make([]*string, len(parts))
	for i, part := range parts {
		if part != nil {
			text := string(part)
			list[i] = &text
		}
	}
	return list
}

// Pair is two checkpoints with their states.
type Pair struct {
	From      piton.Checkpoint `json:"from"` // the first
	To        piton.Checkpoint `json:"to"`   // the second
	FromState []byte           `json:"-"`
	State     []byte           `json:"-"`
}

// Pair reads two checkpoints, given by id or its beginning. One alone is paired
// with its parent; Invalid when it has none. Corrupt or NotFound where a state
// cannot be loaded, as Load says it.
func (k Keeper) Pair(ctx context.Context, from, to string) (Pair, error) {
	var x Pair
	var err error
	if to == "" {
		from, to = "", from
	}
	if x.To, err = k.Find(ctx, Selector{ID: to}); err != nil {
		return x, err
	}
	if from == "" {
		if from = x.To.ParentID; from == "" {
			return x, piton.Errorf(piton.Invalid, "compare "+x.To.ID+" with its parent", "give two ids", "it has no parent")
		}
	}
	if x.From, err = k.Find(ctx, Selector{ID: from}); err != nil {
		return x, err
	}
	before, err := k.load(ctx, x.From, false)
	if err != nil {
		return x, err
	}
	after, err := k.load(ctx, x.To, false)
	x.FromState, x.State = before.State, after.State
	return x, err
}

// Comparison is two checkpoints and what changed from the one to the other.
type Comparison struct {
	Pair
	Patch json.RawMessage `json:"patch"` // from one state to the other, a list of operations of RFC 6902; empty if they are equal
}

// Compare reads two checkpoints as Pair does, and what changed from the one to
// the other. Internal without Keeper.Diff: what nobody compared is not the same.
func (k Keeper) Compare(ctx context.Context, from, to string) (Comparison, error) {
	p, err := k.Pair(ctx, from, to)
	if err != nil {
		return Comparison{Pair: p}, err
	}
	if k.Diff == nil {
		return Comparison{Pair: p}, unset("compare "+p.From.ID+" with "+p.To.ID, "Diff")
	}
	patch, err := k.Diff(p.FromState, p.State)
	return Comparison{p, patch}, err
}
