package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/redact"
)

// Purged is the answer to a purge. Its JSON is a contract (docs/json.md).
type Purged struct {
	Taken       int      `json:"taken"`       // secrets taken out
	Checkpoints []string `json:"checkpoints"` // rewritten
	Files       []string `json:"files"`       // of the archive, replaced
	Beyond      []string `json:"beyond"`      // what cannot be reached
	DryRun      bool     `json:"dry_run,omitempty"`
}

// Purge takes secrets out of what is already stored, by the rules of today:
// states, records, all other texts, the archive (docs/spec.md, "Never
// stored"). dry: it counts and changes nothing. Broken off, it can be run
// again.
func (k Keeper) Purge(ctx context.Context, dry bool, progress func(done, total int64)) (Purged, error) {
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
		if c.Archive == "" {
			if err := k.purgeWarm(ctx, c, &p); err != nil {
				return p, err
			}
		}
		step(1)
	}
	for file, cs := range files {
		if err := k.purgeFile(ctx, file, cs, &p); err != nil {
			return p, err
		}
	}
	n, beyond, err := k.Store.Purge(ctx, piton.Cleaner{Text: redact.Text, JSON: redact.JSON}, dry)
	p.Taken += n
	p.Beyond = append(p.Beyond, beyond...)
	return p, err
}

// cleaned is a checkpoint as it is to be rewritten, and how many secrets were
// taken out.
func cleaned(c piton.Checkpoint, state []byte) (piton.Prepared, int, error) {
	clean, n, err := redact.JSON(state)
	if err != nil {
		return piton.Prepared{}, 0, &piton.Error{Code: piton.Internal, Op: "take secrets out of " + c.ID, Err: err}
	}
	c.Tags = append([]string(nil), c.Tags...)
	texts := []*string{&c.StepName, &c.Name, &c.Description, &c.TaskSummary,
		&c.Origin.Agent, &c.Origin.ClientVersion, &c.Origin.Host, &c.Origin.GitHead, &c.Origin.GitBranch}
	for i := range c.Tags {
		texts = append(texts, &c.Tags[i])
	}
	for _, s := range texts {
		text, m := redact.Text(*s)
		*s = text
		n += m
	}
	sum := sha256.Sum256(clean)
	c.SHA256 = hex.EncodeToString(sum[:])
	return piton.Prepared{Record: c, State: clean}, n, nil
}

func (k Keeper) purgeWarm(ctx context.Context, c piton.Checkpoint, p *Purged) error {
	state, err := k.state(ctx, c)
	switch piton.CodeOf(err) {
	case piton.Corrupt:
		p.Beyond = append(p.Beyond, "checkpoint "+c.ID+", which is damaged: 'piton delete' removes it")
		return nil
	case piton.NotFound:
		return nil // deleted since
	}
	if err != nil {
		return err
	}
	q, n, err := cleaned(c, state)
	if err != nil || n == 0 {
		return err
	}
	p.Taken += n
	p.Checkpoints = append(p.Checkpoints, c.ID)
	if p.DryRun {
		return nil
	}
	return k.Store.Save(ctx, func(tx piton.CheckpointTx) error { return k.rewrite(ctx, tx, q) })
}

// rewrite replaces a checkpoint and says so in the stream.
func (k Keeper) rewrite(ctx context.Context, tx piton.CheckpointTx, q piton.Prepared) error {
	if err := tx.Rewrite(ctx, q); err != nil {
		return err
	}
	c := q.Record
	return tx.Log(ctx, piton.LogEvent{At: k.now(), Kind: "checkpoint_purged", Session: c.SessionID, Project: c.Project, Workflow: c.WorkflowID, Checkpoint: c.ID})
}

// purgeFile writes a file of the archive anew where it holds a secret, lets the
// store name the new one, and removes the old.
func (k Keeper) purgeFile(ctx context.Context, file string, cs []piton.Checkpoint, p *Purged) error {
	byWorkflow(cs)
	var rewritten []piton.Prepared
	var ids []string
	taken, unread := 0, false
	entries := k.entries(ctx, cs, func(c piton.Checkpoint, err error) error {
		what := "is damaged"
		if piton.CodeOf(err) == piton.Unavailable {
			what = "cannot be reached"
		}
		p.Beyond, unread = append(p.Beyond, "checkpoint "+c.ID+", whose file "+file+" of the archive "+what), true
		return err // a file that cannot be read whole is left as it is
	}, nil)
	var clean []piton.Entry
	for e, err := range entries {
		if unread {
			return nil
		}
		if err != nil {
			return err
		}
		q, n, err := cleaned(e.Checkpoint, e.State)
		if err != nil {
			return err
		}
		taken += n
		ids = append(ids, e.Checkpoint.ID)
		if n > 0 {
			rewritten = append(rewritten, q)
		}
		e.Checkpoint, e.State = q.Record, q.State
		e.Checkpoint.StateBytes = int64(len(q.State))
		clean = append(clean, e)
	}
	if taken == 0 {
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
	name, _, err := k.Archive.Write(ctx, func(yield func(piton.Entry, error) bool) {
		for _, e := range clean {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	err = k.Store.Save(ctx, func(tx piton.CheckpointTx) error {
		if _, err := tx.Archive(ctx, ids, name); err != nil {
			return err
		}
		for _, q := range rewritten {
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
