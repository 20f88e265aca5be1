package sqlstore

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/pack"
)

// WouldFree is what Archive of cold and Delete of doomed would set free: their
// manifests, and the blobs that only they name. It reads workflow by workflow.
func (s *Store) WouldFree(ctx context.Context, doomed, cold []piton.Checkpoint, _ string) (int64, error) {
	gone, workflows := map[string]bool{}, map[string]bool{}
	for _, list := range [][]piton.Checkpoint{doomed, cold} {
		for _, c := range list {
			gone[c.ID], workflows[c.WorkflowID] = true, true
		}
	}
	var freed int64
	for _, w := range slices.Sorted(maps.Keys(workflows)) {
		n, err := s.wouldFree(ctx, w, gone)
		if err != nil {
			return 0, err
		}
		freed += n
	}
	return freed, nil
}

// epochLeft is what of an epoch stays.
type epochLeft struct {
	named map[int64]bool // by the manifests that stay
	swept bool           // a checkpoint of it goes
	whole bool           // a manifest that stays is damaged: then nothing is swept
}

func (r reader) wouldFree(ctx context.Context, workflow string, gone map[string]bool) (freed int64, err error) {
	const op = "count what would be set free"
	epochs := map[epoch]*epochLeft{}
	err = r.rows(ctx, op, func(rows *sql.Rows) error {
		var id string
		var key epoch
		var manifest []byte
		if err := rows.Scan(&id, &key.branch, &key.n, &manifest); err != nil {
			return err
		}
		e := epochs[key]
		if e == nil {
			e = &epochLeft{named: map[int64]bool{}}
			epochs[key] = e
		}
		if gone[id] {
			freed += int64(len(manifest))
			e.swept = true
			return nil
		}
		if manifest == nil {
			return nil // its state lies in the archive
		}
		numbers, err := pack.Numbers(manifest)
		for _, n := range numbers {
			e.named[int64(n)] = true
		}
		e.whole = e.whole || err != nil
		return nil
	}, `SELECT c.id, c.branch, c.epoch, m.data FROM checkpoints c LEFT JOIN manifests m ON m.checkpoint = c.ordinal WHERE c.workflow_id = $1`, workflow)
	if err != nil {
		return 0, err
	}
	for key, e := range epochs {
		if !e.swept || e.whole {
			continue
		}
		err := r.rows(ctx, op, func(rows *sql.Rows) error {
			var n, size int64
			err := rows.Scan(&n, &size)
			if !e.named[n] {
				freed += size
			}
			return err
		}, `SELECT n, LENGTH(data) FROM blobs WHERE branch = $1 AND epoch = $2`, key.branch, key.n)
		if err != nil {
			return 0, err
		}
	}
	return freed, nil
}
