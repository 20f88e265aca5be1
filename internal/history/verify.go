package history

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// Verification is what a look at everything has found. Its JSON is a contract
// (docs/json.md).
type Verification struct {
	Checked   int      `json:"checked"`             // checkpoints that were read
	Intact    int      `json:"intact"`              // how many of them are intact
	Damaged   []Damage `json:"damaged"`             // empty if none
	Store     []string `json:"store"`               // what is wrong with the store itself; with `--repair`, what is still wrong after it
	Repaired  []string `json:"repaired,omitempty"`  // what `--repair` has repaired; absent: nothing was
	Files     []string `json:"files,omitempty"`     // files of marks that cannot be brought back any more, as `mrk_… PATH`
	Stopped   string   `json:"stopped,omitempty"`   // why it stopped before everything was read: `interrupted` or `error`; the failure is on stderr; absent: everything was read
	Left      int      `json:"left,omitempty"`      // how many were not read
	Unreached []Damage `json:"unreached,omitempty"` // those whose archive file cannot be reached: neither intact nor damaged
}

// Partly tells whether, with an error, the answer says what was done before it:
// it was stopped, or something was mended.
func (v Verification) Partly() bool { return v.Stopped != "" || len(v.Repaired) > 0 }

// Damage is a checkpoint that cannot be loaded, and what stands in for it.
type Damage struct {
	ID      string `json:"id"`                // `chk_…`
	Label   string `json:"workflow"`          // name of the workflow (its id, if it has none)
	Step    string `json:"step"`              // name of the step
	Why     string `json:"why"`               // what is wrong
	Nearest string `json:"nearest,omitempty"` // the nearest intact ancestor; absent: there is none
	Archive string `json:"archive,omitempty"` // the archive file that contains it; absent: it is in the store
}

// VerifyOptions say what to verify and how.
type VerifyOptions struct {
	Query    piton.Query             // which checkpoints; the zero Query: all
	Repair   bool                    // first make again what can be derived from the rest
	Progress func(done, total int64) // may be nil
}

// Verify reads everything again and checks every sum. What is damaged is marked
// as such and listed with its nearest intact ancestor; what is whole again loses
// its mark. After a repair, Store lists what is still wrong. What lies in an
// archive that cannot be reached is listed apart: it is not damaged.
// With an error after the first checkpoint was read, the answer says how far it
// came.
func (k Keeper) Verify(ctx context.Context, o VerifyOptions) (Verification, error) {
	v := Verification{Damaged: []Damage{}, Store: []string{}}
	q, err := k.resolve(ctx, o.Query)
	if err != nil {
		return v, err
	}
	if o.Repair {
		if v.Repaired, err = k.Store.Upkeep().Repair(ctx); err != nil {
			return v, err
		}
	}
	found, err := k.Store.Upkeep().Check(ctx)
	if err != nil {
		return v, err
	}
	v.Store = append(v.Store, found...)
	all, err := k.all(ctx, q)
	if err != nil {
		return v, err
	}
	count := counter(o.Progress, len(all))
	files := k.archived(all)
	for i, c := range all {
		err := ctx.Err()
		if err == nil && files.intact(ctx, c) {
			v.Checked++
			v.Intact++
		} else if err == nil {
			err = k.verify(ctx, c, &v)
		}
		if err != nil {
			v.Stopped, v.Left = stopped(ctx), len(all)-i
			v.Checked = v.Intact + len(v.Damaged) + len(v.Unreached)
			return v, err
		}
		count(1)
	}
	return v, nil
}

// verify reads one checkpoint.
func (k Keeper) verify(ctx context.Context, c piton.Checkpoint, v *Verification) error {
	var err error
	if n := len(v.Unreached); n > 0 && c.Archive != "" && v.Unreached[n-1].Archive == c.Archive {
		// Once is enough: a store over the network is waited for each time.
		err = piton.Errorf(piton.Unavailable, "load checkpoint "+c.ID, "", "%s", v.Unreached[n-1].Why)
	} else {
		_, err = k.state(ctx, c)
	}
	if notFound(err) {
		if !k.there(ctx, c) {
			return nil // deleted since it was listed
		}
		err = errNoIndex(c.ID)
	}
	v.Checked++
	if err == nil {
		v.Intact++
		if c.Damaged != "" {
			return k.Store.Upkeep().MarkDamaged(ctx, c.ID, redact.Value(""))
		}
		return nil
	}
	d := Damage{ID: c.ID, Label: c.Label(), Step: c.Step(), Why: Cause(err), Archive: c.Archive}
	switch code := piton.CodeOf(err); {
	case code == piton.Unavailable && c.Archive != "" && ctx.Err() == nil:
		v.Unreached = append(v.Unreached, d)
		return nil
	case code != piton.Corrupt:
		return err
	}
	if good, _, found := k.ancestor(ctx, c); found {
		d.Nearest = good.Checkpoint.ID
	}
	v.Damaged = append(v.Damaged, d)
	return nil
}
