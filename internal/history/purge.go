package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Purged is the answer to a purge. Its JSON is a contract (docs/json.md).
type Purged struct {
	Taken       int      `json:"taken"`       // secrets taken out
	Checkpoints []string `json:"checkpoints"` // rewritten
	Files       []string `json:"files"`       // of the archive, replaced
	Beyond      []string `json:"beyond"`      // what cannot be reached
	DryRun      bool     `json:"dry_run,omitempty"`
	Stopped     string   `json:"stopped,omitempty"` // why it ended before all was done: interrupted, error
}

// Purge takes secrets out of what is already stored, by the rules of today:
// states, records, all other texts, the archive (docs/spec.md, "Never
// stored"). dry: it counts and changes nothing. Broken off, it can be run
// again; the answer says what it did until then.
func (k Keeper) Purge(ctx context.Context, dry bool, progress func(done, total int64)) (Purged, error) {
	p, err := k.purge(ctx, dry, progress)
	if err != nil {
		p.Stopped = stopped(ctx)
	}
	return p, err
}

// stopped says why something ended with an error.
func stopped(ctx context.Context) string {
	if ctx.Err() != nil {
		return StoppedInterrupted
	}
	return StoppedError
}

func (k Keeper) purge(ctx context.Context, dry bool, progress func(done, total int64)) (Purged, error) {
	p := Purged{Checkpoints: []string{}, Files: []string{}, Beyond: []string{}, DryRun: dry}
	var all []piton.Checkpoint
	files := map[string][]piton.Checkpoint{}
	for c, err := range k.pages(ctx, piton.Query{}) {
		if err != nil {
			return p, err
		}
		if c.Archive != "" {
			files[c.Archive] = append(files[c.Archive], c)
		}
		all = append(all, c)
	}
	step := steps(progress, len(all))
	for _, c := range all {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		if c.Archive == "" {
			// What has been pruned meanwhile is found in its file.
			now, err := k.purgeWarm(ctx, c, &p)
			if err != nil {
				return p, err
			}
			if now.Archive != "" {
				files[now.Archive] = append(files[now.Archive], now)
			}
		}
		step(1)
	}
	if err := k.unnamed(ctx, files, &p); err != nil {
		return p, err
	}
	for file, cs := range files {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		switch err := k.purgeFile(ctx, file, cs, &p); {
		case piton.CodeOf(err) == piton.Unavailable:
			k.log().WarnContext(ctx, "a file of the archive was not purged", "err", err)
			p.Beyond = append(p.Beyond, "the archive's file "+file+", which cannot be reached or written now")
		case err != nil:
			return p, err
		}
	}
	if err := ctx.Err(); err != nil {
		return p, err
	}
	n, beyond, err := k.Store.Upkeep().Purge(ctx, store.Cleaner{Text: k.Redact.Text, Known: redact.Known, JSON: k.Redact.JSON}, dry)
	p.Taken += n
	p.Beyond = append(p.Beyond, beyond...)
	return p, err
}

// cleaned is a checkpoint as it is to be rewritten, and how many secrets were
// taken out.
func (k Keeper) cleaned(c piton.Checkpoint, state []byte) (store.Prepared, int, error) {
	clean, taken, err := k.Redact.Find(state)
	if err != nil {
		return store.Prepared{}, 0, &piton.Error{Code: piton.Internal, Op: "take secrets out of " + c.ID, Err: err}
	}
	taken = append(taken, takeOut(k.Redact, recordFields(&c)...)...)
	sum := sha256.Sum256(clean.Get())
	c.SHA256 = hex.EncodeToString(sum[:])
	return store.Prepared{Record: c, State: clean}, len(taken), nil
}

// purgeWarm takes secrets out of a checkpoint in the store. It returns the
// record as it is now where the state has been moved meanwhile.
func (k Keeper) purgeWarm(ctx context.Context, c piton.Checkpoint, p *Purged) (moved piton.Checkpoint, err error) {
	now, err := k.Store.Checkpoint(ctx, c.ID)
	if piton.CodeOf(err) == piton.NotFound {
		return piton.Checkpoint{}, nil // deleted since
	}
	if err != nil || now.Archive != "" {
		return now, err
	}
	c = now
	state, err := k.state(ctx, c)
	switch piton.CodeOf(err) {
	case piton.Corrupt:
		p.Beyond = append(p.Beyond, "checkpoint "+c.ID+", which is damaged: 'piton delete' removes it")
		return piton.Checkpoint{}, nil
	case piton.NotFound:
		return piton.Checkpoint{}, nil // deleted since
	}
	if err != nil {
		return piton.Checkpoint{}, err
	}
	q, n, err := k.cleaned(c, state)
	if err != nil || n == 0 {
		return piton.Checkpoint{}, err
	}
	if !p.DryRun {
		err = k.Store.Save(ctx, func(tx store.Tx) error { return k.rewrite(ctx, tx, q) })
		switch piton.CodeOf(err) {
		case piton.NotFound:
			return piton.Checkpoint{}, nil
		case piton.Conflict:
			return k.Store.Checkpoint(ctx, c.ID)
		}
		if err != nil {
			return piton.Checkpoint{}, err
		}
	}
	p.Taken += n
	p.Checkpoints = append(p.Checkpoints, c.ID)
	return piton.Checkpoint{}, nil
}

// beside counts the secrets in what a file of the archive holds beside these
// checkpoints: what has been deleted since.
func (k Keeper) beside(ctx context.Context, file string, cs []piton.Checkpoint) (taken int, err error) {
	for e, err := range k.Archive.Entries(ctx, file) {
		if err != nil {
			return taken, err
		}
		if slices.ContainsFunc(cs, func(c piton.Checkpoint) bool { return c.ID == e.Checkpoint.ID }) {
			continue
		}
		_, n, err := k.cleaned(e.Checkpoint, e.State)
		if err != nil {
			return taken, err
		}
		taken += n
	}
	return taken, nil
}

// unnamed finds files of the archive that hold secrets and that no checkpoint
// names: what a killed pruning has left, or another store's.
func (k Keeper) unnamed(ctx context.Context, named map[string][]piton.Checkpoint, p *Purged) error {
	if k.Archive == nil {
		return nil
	}
	all, err := k.Archive.Files(ctx)
	if err != nil {
		return err
	}
	for _, file := range all {
		if named[file] != nil {
			continue
		}
		if n, err := k.beside(ctx, file, nil); err == nil && n == 0 || piton.CodeOf(err) == piton.NotFound {
			continue
		} else if err != nil && piton.CodeOf(err) != piton.Corrupt && piton.CodeOf(err) != piton.Invalid {
			return err
		}
		p.Beyond = append(p.Beyond, "the archive's file "+file+", which no checkpoint here names: remove it where no other store uses it")
	}
	return nil
}

// rewrite replaces a checkpoint and says so in the stream.
func (k Keeper) rewrite(ctx context.Context, tx store.Tx, q store.Prepared) error {
	clean, _ := redact.By(k.Redact, q)
	if err := tx.Rewrite(ctx, clean); err != nil {
		return err
	}
	c := q.Record
	return tx.Log(ctx, redact.Value(store.EventOf(store.CheckpointPurged, k.now(), c)))
}

// purgeFile writes a file of the archive anew where it holds a secret, lets the
// store name the new one, and removes the old.
func (k Keeper) purgeFile(ctx context.Context, file string, cs []piton.Checkpoint, p *Purged) error {
	byWorkflow(cs)
	var rewritten []store.Prepared
	var ids []string
	taken, unread := 0, false
	entries := k.entries(ctx, cs, func(c piton.Checkpoint, err error) error {
		what := "is damaged"
		if piton.CodeOf(err) == piton.Unavailable {
			what = "cannot be reached"
		}
		p.Beyond, unread = append(p.Beyond, "checkpoint "+c.ID+", whose file "+file+" of the archive "+what), true
		return err // a file that cannot be read whole is left as it is
	}, nil, nil)
	var clean []redact.Clean[store.Entry]
	for e, err := range entries {
		if unread {
			return nil
		}
		if err != nil {
			return err
		}
		q, n, err := k.cleaned(e.Checkpoint, e.State)
		if err != nil {
			return err
		}
		taken += n
		ids = append(ids, e.Checkpoint.ID)
		if n > 0 {
			rewritten = append(rewritten, q)
		}
		e.Checkpoint, e.State = q.Record, q.State.Get()
		e.Checkpoint.StateBytes = int64(len(e.State))
		entry, _ := redact.By(k.Redact, e, q.State)
		clean = append(clean, entry)
	}
	gone, err := k.beside(ctx, file, cs)
	if piton.CodeOf(err) == piton.NotFound {
		return nil // removed with the last that named it
	}
	if piton.CodeOf(err) == piton.Corrupt {
		p.Beyond = append(p.Beyond, "the archive's file "+file+", which is damaged, as far as it holds what was deleted")
	} else if err != nil {
		return err
	}
	if taken += gone; taken == 0 {
		return nil
	}
	p.Taken += taken
	p.Files = append(p.Files, file)
	for _, q := range rewritten {
		p.Checkpoints = append(p.Checkpoints, q.Record.ID)
	}
	if p.DryRun {
		return nil
	}
	if len(clean) == 0 {
		return k.dropFiles(ctx, cs)
	}
	name, _, err := k.Archive.Write(ctx, func(yield func(redact.Clean[store.Entry], error) bool) {
		for _, e := range clean {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	err = k.Store.Save(ctx, func(tx store.Tx) error {
		left, err := there(ctx, tx, cs)
		if err != nil || len(left) == 0 {
			return err
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return !slices.Contains(left, id) })
		if _, err := tx.Archive(ctx, ids, name); err != nil {
			return err
		}
		for _, q := range rewritten {
			if q.Record.Archive = name; !slices.Contains(left, q.Record.ID) {
				continue
			}
			if err := k.rewrite(ctx, tx, q); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return k.Archive.Remove(ctx, file)
}
