// Package crashtest works on a store until it is killed in the middle of it,
// and then looks whether all that had been acknowledged is there. It knows
// stores by their interface alone: each store's tests start Child in a process
// of their own, kill it, and hand what it wrote to a Ledger. Tests only.
package crashtest

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Child works on the store until it is killed, or ctx is done, or something
// fails. It says what it deletes, imports or archives before it begins, and every
// piece of work when it is acknowledged, one line each: Ledger.Read reads
// them. Prunings write to the folder cold; without one there are none. Only one
// child that deletes, archives or prunes may work on a store at a time, beside
// any that save.
func Child(ctx context.Context, store store.Checkpoints, cold string, m Mode, seed uint64, out io.Writer) error {
	rnd := rand.New(rand.NewPCG(seed, 11))
	w := &child{store: store, cold: cold, rnd: rnd, seed: seed, out: out, old: map[string][]byte{}, from: piton.Workflow{
		ID: piton.NewID(piton.WorkflowPrefix), Name: fmt.Sprint(importedName, seed), Project: own, Type: piton.TypeCustom, CreatedAt: piton.At(time.Now()),
	}}
	if w.alone = slices.ContainsFunc(m, func(k Kind) bool { return k == Delete || k == Archive || k == Prune }); w.alone {
		page, err := store.List(ctx, piton.Query{Project: own, Limit: 100})
		if err != nil {
			return err
		}
		for _, c := range page.Checkpoints {
			w.ids = append(w.ids, c.ID)
		}
	}
	m = slices.DeleteFunc(slices.Clone(m), func(k Kind) bool { return k == Prune && cold == "" })
	// Work that has begun is not broken off.
	whole := context.WithoutCancel(ctx)
	for ctx.Err() == nil && len(m) > 0 {
		w.n++
		kind := m[rnd.IntN(len(m))]
		var err error
		switch kind {
		case Save:
			err = w.save(whole)
		case Complete:
			err = w.complete(whole)
		case Delete:
			err = w.remove(whole)
		case Import:
			err = w.take(whole)
		case Archive:
			err = w.archive(whole)
		case Prune:
			err = w.prune(whole)
		default:
			return fmt.Errorf("%q is no kind of work", kind)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}
