package history

import (
	"context"

	"github.com/piton-project/piton"
)

// Verification is what a look at everything has found. Its JSON is a contract
// (docs/json.md).
type Verification struct {
	Checked  int      `json:"checked"`
	Intact   int      `json:"intact"`
	Damaged  []Damage `json:"damaged"`
	Store    []string `json:"store"`              // what is wrong with the store itself
	Repaired []string `json:"repaired,omitempty"` // what was mended
}

// Damage is a checkpoint that cannot be loaded, and what stands in for it.
type Damage struct {
	ID      string `json:"id"`
	Label   string `json:"workflow"`
	Step    string `json:"step"`
	Why     string `json:"why"`
	Nearest string `json:"nearest,omitempty"` // the nearest intact ancestor
	Archive string `json:"archive,omitempty"` // the file it lies in
}

// Verify reads everything again and checks every sum. What is damaged is set
// aside and listed with its nearest intact ancestor; what is whole again loses
// its mark. repair first makes again what can be derived from the rest, so that
// Store lists what is wrong after that. An
// archive that cannot be reached is an error, not damage.
func (k Keeper) Verify(ctx context.Context, q piton.Query, repair bool, progress func(done, total int64)) (Verification, error) {
	v := Verification{Damaged: []Damage{}, Store: []string{}}
	q, err := k.resolve(ctx, q)
	if err != nil {
		return v, err
	}
	if repair {
		if v.Repaired, err = k.Store.Repair(ctx); err != nil {
			return v, err
		}
	}
	found, err := k.Store.Check(ctx)
	if err != nil {
		return v, err
	}
	v.Store = append(v.Store, found...)
	var all []piton.Checkpoint
	for c, err := range k.pages(ctx, q) {
		if err != nil {
			return v, err
		}
		all = append(all, c)
	}
	step := steps(progress, len(all))
	for _, c := range all {
		if err := k.verify(ctx, c, &v); err != nil {
			return v, err
		}
		step(1)
	}
	return v, nil
}

// verify reads one checkpoint.
func (k Keeper) verify(ctx context.Context, c piton.Checkpoint, v *Verification) error {
	_, err := k.state(ctx, c)
	v.Checked++
	switch piton.CodeOf(err) {
	case "":
		v.Intact++
		if c.Damaged != "" {
			return k.Store.SetAside(ctx, c.ID, "")
		}
		return nil
	case piton.NotFound: // deleted since it was listed
		v.Checked--
		return nil
	case piton.Corrupt:
	default:
		return err
	}
	d := Damage{ID: c.ID, Label: c.Label(), Step: c.Step(), Why: why(err), Archive: c.Archive}
	if good, _, found := k.ancestor(ctx, c); found {
		d.Nearest = good.Checkpoint.ID
	}
	v.Damaged = append(v.Damaged, d)
	return nil
}
