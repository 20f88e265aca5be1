package sqlstore

import (
	"context"
	"fmt"

	"github.com/piton-project/piton"
)

// faults are questions whose every row is a fault of the store: a reference
// that leads nowhere, a head that is not the newest.
var faults = []struct{ what, query string }{
	{"workflow %s names a head that is not there: %s", `SELECT w.id, w.head_id FROM workflows w WHERE w.head_id <> '' AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE c.id = w.head_id)`},
	{"workflow %s has checkpoints and no head%s", `SELECT w.id, '' FROM workflows w WHERE w.head_id = '' AND EXISTS (SELECT 1 FROM checkpoints c WHERE c.workflow_id = w.id)`},
	{"the head of workflow %s is not its newest checkpoint: %s", `SELECT w.id, w.head_id FROM workflows w JOIN checkpoints h ON h.id = w.head_id WHERE ` + headOf("ordinal", "w.id") + ` <> h.ordinal`},
	{"branch %s names a head that is not there: %s", `SELECT b.name, b.head_id FROM branches b WHERE b.head_id <> '' AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE c.id = b.head_id)`},
	{"checkpoint %s names a parent that is not there: %s", `SELECT c.id, c.parent_id FROM checkpoints c WHERE c.parent_id <> '' AND NOT EXISTS (SELECT 1 FROM checkpoints p WHERE p.id = c.parent_id)`},
	{"checkpoint %s belongs to a workflow that is not there: %s", `SELECT c.id, c.workflow_id FROM checkpoints c WHERE NOT EXISTS (SELECT 1 FROM workflows w WHERE w.id = c.workflow_id)`},
	{"checkpoint %s has no manifest%s", `SELECT c.id, '' FROM checkpoints c WHERE c.archive = '' AND NOT EXISTS (SELECT 1 FROM manifests m WHERE m.checkpoint = c.ordinal)`},
}

// Check asks the database what is wrong with it, and looks at the references.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	const op = "check the store"
	var found []string
	if s.D.Check != nil {
		lines, err := s.D.Check(ctx, s.DB)
		if err != nil {
			return nil, s.D.fail(op, err)
		}
		found = lines
	}
	for _, f := range faults {
		lines, err := collect(ctx, s.reader, op, func(scan scanner) (string, error) {
			var a, b string
			err := scan(&a, &b)
			return fmt.Sprintf(f.what, a, b), err
		}, f.query)
		found = append(found, lines...)
		if piton.CodeOf(err) == piton.Corrupt {
			found = append(found, err.Error())
			continue
		}
		if err != nil {
			return found, err
		}
	}
	ids, err := s.damagedSessions(ctx, op)
	for _, id := range ids {
		found = append(found, "the record of session "+id+" cannot be read")
	}
	if err != nil {
		found = append(found, err.Error())
	}
	return found, nil
}

// Repair makes indexes and heads again.
func (s *Store) Repair(ctx context.Context) ([]string, error) {
	const op = "repair"
	var done []string
	if s.D.Reindex != "" {
		if err := s.exec(ctx, "make the indexes again", s.D.Reindex); err != nil {
			return nil, err
		}
		done = append(done, "made the indexes again")
	}
	err := s.write(ctx, op, func(t *tx) error {
		for _, fix := range []struct{ what, query string }{
			{"%d parents that were not there taken away", `UPDATE checkpoints SET parent_id = '' WHERE parent_id <> '' AND NOT EXISTS (SELECT 1 FROM checkpoints p WHERE p.id = checkpoints.parent_id)`},
			{"%d heads of branches set to the newest", `UPDATE branches SET head_id = COALESCE((SELECT c.id FROM checkpoints c WHERE c.branch = branches.id ORDER BY c.seq DESC LIMIT 1), '')
				WHERE head_id <> '' AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE c.id = branches.head_id)`},
		} {
			n, err := t.changed(ctx, op, fix.query)
			if err != nil {
				return err
			}
			if n > 0 {
				done = append(done, fmt.Sprintf(fix.what, n))
			}
		}
		mended, err := t.mendSessions(ctx, op)
		if err != nil {
			return err
		}
		done = append(done, mended...)
		ids, err := collect(ctx, t.reader, op, value[string], `SELECT w.id FROM workflows w WHERE COALESCE(`+headOf("id", "w.id")+`, '') <> w.head_id`)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := t.rehead(ctx, id); err != nil {
				return err
			}
			done = append(done, "the head of workflow "+id+" set to its newest checkpoint")
		}
		return nil
	})
	return done, err
}

// Reclaim gives freed space back to the file system, and compresses what a save had no time
// for: the next saves use the room that it makes.
func (s *Store) Reclaim(ctx context.Context, progress func(done, total int64)) (int64, error) {
	if s.D.Reclaim == nil {
		return 0, nil
	}
	if progress == nil {
		progress = func(int64, int64) {}
	}
	n, err := s.D.Reclaim(ctx, s.DB, progress)
	if err != nil {
		return n, s.D.Error("give space back", err)
	}
	if err = s.squeeze(ctx); piton.CodeOf(err) == piton.Unavailable {
		err = nil // no room or no time: the next one goes on
	}
	return n, err
}
