package history

import (
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Purged is the answer to a purge. Its JSON is a contract (docs/json.md).
type Purged struct {
	Taken       int      `json:"taken"`             // secrets removed; with `--dry-run` found
	Checkpoints []string `json:"checkpoints"`       // ids of those that were rewritten; they have a new `sha256`
	Files       []string `json:"files"`             // archive files that were replaced
	Beyond      []string `json:"beyond"`            // what Piton cannot reach, in words
	Marked      int      `json:"marked,omitempty"`  // kept files of marks that may hold a secret, which were dropped
	DryRun      bool     `json:"dry_run,omitempty"` // nothing was changed
	Stopped     string   `json:"stopped,omitempty"` // why it stopped early: `interrupted` or `error`; the failure is on stderr, and the old bytes may still be in the store's files; absent: it finished
}

// Partly tells whether, with an error, the answer says what was done before it:
// it was stopped.
func (p Purged) Partly() bool { return p.Stopped != "" }

// Purge takes secrets out of what is already stored, by the rules of today:
// states, records, all other texts, the archive (docs/spec.md, "Never
// stored"). dry: it counts and changes nothing. Broken off, it can be run
// again; the answer says what it did until then.
func (k Keeper) Purge(ctx context.Context, dry bool, progress func(done, total int64)) (Purged, error) {
	p := purger{k, Purged{Checkpoints: []string{}, Files: []string{}, Beyond: []string{}, DryRun: dry}}
	err := k.ready("purge")
	if err == nil {
		err = p.run(ctx, progress)
	}
	if err != nil {
		p.Stopped = stopped(ctx)
	}
	return p.Purged, err
}

// purger is one purge.
type purger struct {
	Keeper
	Purged
}

func (p *purger) run(ctx context.Context, progress func(done, total int64)) error {
	all, err := p.all(ctx, piton.Query{})
	if err != nil {
		return err
	}
	count, files := counter(progress, len(all)), map[string][]piton.Checkpoint{}
	for _, c := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.Archive == "" {
			if c, err = p.stored(ctx, c); err != nil {
				return err
			}
		}
		if c.Archive != "" { // there now, if it has been pruned meanwhile
			files[c.Archive] = append(files[c.Archive], c)
		}
		count(1)
	}
	if err := p.unnamed(ctx, files); err != nil {
		return err
	}
	for file, cs := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch err := p.file(ctx, file, cs); {
		case piton.CodeOf(err) == piton.Unavailable:
			p.log().WarnContext(ctx, "a file of the archive was not purged", "err", err)
			p.Beyond = append(p.Beyond, "the archive's file "+file+", which cannot be reached or written now")
		case err != nil:
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	n, beyond, err := p.Store.Upkeep().Purge(ctx, store.Cleaner{Text: p.Redact.Text, Known: redact.Known, JSON: p.Redact.JSON}, p.DryRun)
	p.Taken += n
	p.Beyond = append(p.Beyond, beyond...)
	return err
}

// clean is a checkpoint as it is to be rewritten, and how many secrets were
// taken out.
func (p *purger) clean(c piton.Checkpoint, state []byte) (store.Prepared, int, error) {
	clean, taken, err := p.Redact.Find(state)
	if err != nil {
		return store.Prepared{}, 0, &piton.Error{Code: piton.Internal, Op: "take secrets out of " + c.ID, Err: err}
	}
	n := len(taken) + len(takeOut(p.Redact, recordFields(&c)...))
	c.SHA256 = sumOf(clean.Get())
	return store.Prepared{Record: c, State: clean}, n, nil
}

// stored takes secrets out of a checkpoint in the store. It returns the record
// as it is now where the state has been moved meanwhile.
func (p *purger) stored(ctx context.Context, c piton.Checkpoint) (moved piton.Checkpoint, err error) {
	c, err = p.Store.Checkpoint(ctx, c.ID)
	if notFound(err) {
		return moved, nil // deleted since
	}
	if err != nil || c.Archive != "" {
		return c, err
	}
	state, err := p.state(ctx, c)
	switch piton.CodeOf(err) {
	case "":
	case piton.Corrupt:
		p.Beyond = append(p.Beyond, "checkpoint "+c.ID+", which is damaged; only deleting it removes what it holds")
		return moved, nil
	case piton.NotFound:
		return moved, nil // deleted since
	default:
		return moved, err
	}
	q, n, err := p.clean(c, state)
	if err != nil || n == 0 {
		return moved, err
	}
	if !p.DryRun {
		err = p.Store.Save(ctx, func(tx store.Tx) error { return p.rewrite(ctx, tx, q) })
		switch piton.CodeOf(err) {
		case "":
		case piton.NotFound:
			return moved, nil
		case piton.Conflict:
			return p.Store.Checkpoint(ctx, c.ID)
		default:
			return moved, err
		}
	}
	p.Taken += n
	p.Checkpoints = append(p.Checkpoints, c.ID)
	return moved, nil
}

// rewrite replaces a checkpoint and logs it.
func (p *purger) rewrite(ctx context.Context, tx store.Tx, q store.Prepared) error {
	clean, _ := redact.By(p.Redact, q)
	if err := tx.Rewrite(ctx, clean); err != nil {
		return err
	}
	return tx.Log(ctx, redact.Value(store.EventOf(store.CheckpointPurged, p.now(), q.Record)))
}

// beside counts the secrets in what a file of the archive holds beside these
// checkpoints: what has been deleted since.
func (p *purger) beside(ctx context.Context, file string, cs []piton.Checkpoint) (taken int, err error) {
	for e, err := range p.Archive.Entries(ctx, file) {
		if err != nil {
			return taken, err
		}
		if slices.ContainsFunc(cs, func(c piton.Checkpoint) bool { return c.ID == e.Checkpoint.ID }) {
			continue
		}
		_, n, err := p.clean(e.Checkpoint, e.State)
		if err != nil {
			return taken, err
		}
		taken += n
	}
	return taken, nil
}

// unnamed finds files of the archive that hold secrets and that no checkpoint
// names: what a killed pruning has left, or another store's.
func (p *purger) unnamed(ctx context.Context, named map[string][]piton.Checkpoint) error {
	if p.Archive == nil {
		return nil
	}
	all, err := p.Archive.Files(ctx)
	if err != nil {
		return err
	}
	for _, file := range all {
		if named[file] != nil {
			continue
		}
		n, err := p.beside(ctx, file, nil)
		switch piton.CodeOf(err) {
		case "":
			if n == 0 {
				continue
			}
		case piton.NotFound:
			continue
		case piton.Corrupt, piton.Invalid: // it may hold one
		default:
			return err
		}
		p.Beyond = append(p.Beyond, "the archive's file "+file+", which no checkpoint here names: remove it where no other store uses it")
	}
	return nil
}

// file writes a file of the archive anew where it holds a secret, lets the
// store name the new one, and removes the old.
func (p *purger) file(ctx context.Context, file string, cs []piton.Checkpoint) error {
	byWorkflow(cs)
	unread := false
	var clean []acceptedEntry
	var rewritten []store.Prepared
	taken := 0
	for e, err := range p.entries(ctx, cs, func(c piton.Checkpoint, err error) error {
		what := "is damaged"
		switch piton.CodeOf(err) {
		case piton.NotFound:
			return nil
		case piton.Unavailable:
			what = "cannot be reached"
		}
		p.Beyond, unread = append(p.Beyond, "checkpoint "+c.ID+", whose file "+file+" of the archive "+what), true
		return err
	}) {
		if unread {
			return nil // a file that cannot be read whole is left as it is
		}
		if err != nil {
			return err
		}
		q, n, err := p.clean(e.Checkpoint, e.State)
		if err != nil {
			return err
		}
		if taken += n; n > 0 {
			rewritten = append(rewritten, q)
		}
		e.Checkpoint, e.State = q.Record, q.State.Get()
		e.Checkpoint.StateBytes = int64(len(e.State))
		clean = append(clean, acceptedEntry{e, q.State})
	}
	gone, err := p.beside(ctx, file, cs)
	switch piton.CodeOf(err) {
	case "":
	case piton.NotFound:
		return nil // removed with the last that named it
	case piton.Corrupt:
		p.Beyond = append(p.Beyond, "the archive's file "+file+", which is damaged, as far as it holds what was deleted")
	default:
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
	switch {
	case p.DryRun:
		return nil
	case len(clean) == 0:
		return p.dropFiles(ctx, cs)
	}
	if err := p.replace(ctx, clean, rewritten); err != nil {
		return err
	}
	if err := p.Archive.Remove(ctx, file); err != nil {
		return err
	}
	p.forgetWritten(ctx, file)
	return nil
}

// replace writes entries to a new file of the archive and lets the store name
// it.
func (p *purger) replace(ctx context.Context, clean []acceptedEntry, rewritten []store.Prepared) error {
	var cs []piton.Checkpoint
	for _, e := range clean {
		cs = append(cs, e.Checkpoint)
	}
	name, _, err := p.Archive.Write(ctx, func(yield func(redact.Clean[store.Entry], error) bool) {
		for _, e := range clean {
			if !yield(e.clean(p.Redact), nil) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	if ok, err := p.noteWritten(ctx, name); err != nil {
		return err
	} else if !ok {
		return piton.Errorf(piton.Conflict, "purge", "run it again after 'prune'", "a prune is removing the archive's file %s", name)
	}
	return p.Store.Save(ctx, func(tx store.Tx) error {
		ids, err := present(ctx, tx, cs, nil)
		if err != nil || len(ids) == 0 {
			return err
		}
		if _, err := tx.Archive(ctx, ids, name); err != nil {
			return err
		}
		for _, q := range rewritten {
			if q.Record.Archive = name; !slices.Contains(ids, q.Record.ID) {
				continue
			}
			if err := p.rewrite(ctx, tx, q); err != nil {
				return err
			}
		}
		return nil
	})
}
