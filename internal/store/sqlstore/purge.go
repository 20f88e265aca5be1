package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pack"
)

// Rewrite puts other texts and another state in the place of a checkpoint's.
func (t *tx) Rewrite(ctx context.Context, clean redact.Clean[store.Prepared]) error {
	p := clean.Get()
	state := p.State.Get()
	op := "rewrite " + p.Record.ID
	held, err := t.hold(ctx, p.Record.ID)
	if err != nil {
		return err
	}
	c := held[0]
	r := p.Record
	if c.Archive != r.Archive {
		return piton.Errorf(piton.Conflict, op, "try again", "its state has been moved")
	}
	c.StepName, c.Name, c.Description, c.TaskSummary, c.Tags, c.Origin = r.StepName, r.Name, r.Description, r.TaskSummary, r.Tags, r.Origin
	c.SHA256 = r.SHA256
	sum, err := hex.DecodeString(c.SHA256)
	if err != nil {
		return piton.Errorf(piton.Internal, op, "", "the sum is no hex: %w", err)
	}
	if c.Archive == "" {
		c.StateBytes = int64(len(state))
		if err := t.restate(ctx, op, c, state); err != nil {
			return err
		}
	}
	rest, err := restOf(c)
	if err != nil {
		return &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	tags := joinTags(c.Tags)
	return t.exec(ctx, op, `UPDATE checkpoints SET state_bytes = $1, sum = $2, tags = $3, rest = $4, seal = $5 WHERE ordinal = $6`,
		c.StateBytes, sum, tags, rest, seal(c, c.CreatedAt.Millis(), sum, tags, rest), c.Ordinal)
}

// restate gives a checkpoint other blobs and drops those that nothing names any
// more.
func (t *tx) restate(ctx context.Context, op string, c piton.Checkpoint, state []byte) error {
	key, _, err := t.place(ctx, op, c.Ordinal)
	if err != nil {
		return err
	}
	k, err := lay(op, t.d, state, nil)
	if err != nil {
		return err
	}
	numbers, _, err := t.putBlobs(ctx, op, key.branch, key.n, k.plan.New)
	if err != nil {
		return err
	}
	if err := t.exec(ctx, op, `UPDATE manifests SET data = $1 WHERE checkpoint = $2`, pack.Manifest(k.plan.Layout(numbers).Numbers), c.Ordinal); err != nil {
		return err
	}
	_, err = t.sweep(ctx, key)
	return err
}

// texts are the columns that hold what callers, agents and clients have said,
// beside those of checkpoints. Names by which things are found lose only what is
// a secret by itself (see purgeNames).
var texts = []struct {
	table, column string
	json          bool
}{
	{"workflows", "name", false}, {"workflows", "type", false}, {"checkpoints", "damaged", false}, {"projects", "name", false},
	{"sessions", "rest", true}, {"events", "data", true}, {"decisions", "data", true}, {"letters", "body", true}, {"letters", "outcome", false}, {"mirror", "record", true},
	{"verified", "data", true},
}

// Purge takes secrets out of all texts that are no checkpoint's.
func (s *Store) Purge(ctx context.Context, c store.Cleaner, dry bool) (taken int, beyond []string, err error) {
	for _, x := range texts {
		n, err := s.purge(ctx, c, dry, x.table, x.column, x.json)
		if err != nil {
			return taken, nil, err
		}
		taken += n
	}
	n, err := s.purgeNames(ctx, c, dry)
	if taken += n; err != nil {
		return taken, nil, err
	}
	if dry {
		return taken, nil, nil
	}
	if err := s.DropSearch(ctx); err != nil { // it holds words of states
		return taken, nil, err
	}
	if s.D.Scrub != nil {
		if beyond, err = s.D.Scrub(ctx, s.DB); err != nil {
			return taken, nil, s.D.Error("scrub the store", err)
		}
	}
	return taken, beyond, nil
}

// purgeNames takes what is a secret by itself out of the names of branches and
// of clients' sessions.
func (s *Store) purgeNames(ctx context.Context, c store.Cleaner, dry bool) (taken int, err error) {
	const op = "take secrets out of names"
	type named struct{ id, name string }
	find := func(query string) (list []named, err error) {
		err = s.rows(ctx, op, func(rows *sql.Rows) error {
			var x named
			if err := rows.Scan(&x.id, &x.name); err != nil {
				return err
			}
			if _, n := c.Known(x.name); n > 0 {
				list = append(list, x)
				taken += n
			}
			return nil
		}, query)
		return list, err
	}
	branches, err := find(`SELECT id, name FROM branches`)
	if err != nil {
		return taken, err
	}
	sessions, err := find(`SELECT id, client_id FROM sessions`)
	if err != nil || dry {
		return taken, err
	}
	for _, x := range branches {
		if err := s.write(ctx, op, func(t *tx) error { return t.renameBranch(ctx, op, x.id, c) }); err != nil {
			return taken, err
		}
	}
	for _, x := range sessions {
		clean, _ := c.Known(x.name)
		err := s.write(ctx, op, func(t *tx) error {
			// Two that become equal are told apart by our own id.
			return t.exec(ctx, op, `UPDATE sessions SET client_id = CASE WHEN EXISTS (SELECT 1 FROM sessions x WHERE x.client_id = $1 AND x.agent = sessions.agent)
				THEN $2 ELSE $3 END WHERE id = $4`, clean, clean+" "+x.id, clean, x.id)
		})
		if err != nil {
			return taken, err
		}
	}
	return taken, nil
}

// renameBranch gives a branch the name it has without secrets. The seals of its
// checkpoints, which cover the name, are made anew.
func (t *tx) renameBranch(ctx context.Context, op, branch string, c store.Cleaner) error {
	var workflow, name string
	err := t.q.QueryRowContext(ctx, `SELECT workflow_id, name FROM branches WHERE id = `+branch).Scan(&workflow, &name)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // deleted since
	}
	if err != nil {
		return t.d.Error(op, err)
	}
	clean, _ := c.Known(name)
	for i := 2; ; i++ {
		var n int
		if err := t.q.QueryRowContext(ctx, `SELECT COUNT(*) FROM branches WHERE workflow_id = $1 AND name = $2`, workflow, clean).Scan(&n); err != nil {
			return t.d.Error(op, err)
		}
		if n == 0 {
			break
		}
		clean, _ = c.Known(name)
		clean += fmt.Sprintf("#%d", i)
	}
	rows, err := t.q.QueryContext(ctx, `SELECT id FROM checkpoints WHERE branch = `+branch)
	if err != nil {
		return t.d.Error(op, err)
	}
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			rows.Close()
			return t.d.Error(op, err)
		}
		ids = append(ids, id)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return t.d.Error(op, err)
	}
	for _, id := range ids {
		held, err := t.hold(ctx, id)
		if err != nil {
			if piton.CodeOf(err) == piton.Corrupt {
				continue
			}
			return err
		}
		r := held[0]
		r.Branch = clean
		sum, err := hex.DecodeString(r.SHA256)
		if err != nil {
			return piton.Errorf(piton.Internal, op, "", "the sum is no hex: %w", err)
		}
		rest, err := restOf(r)
		if err != nil {
			return &piton.Error{Code: piton.Internal, Op: op, Err: err}
		}
		if err := t.exec(ctx, op, `UPDATE checkpoints SET branch_name = $1, seal = $2 WHERE ordinal = $3`, clean, seal(r, r.CreatedAt.Millis(), sum, joinTags(r.Tags), rest), r.Ordinal); err != nil {
			return err
		}
	}
	return t.exec(ctx, op, `UPDATE branches SET name = $1 WHERE id = `+branch, clean)
}

// purge takes secrets out of one column, value by value.
func (s *Store) purge(ctx context.Context, c store.Cleaner, dry bool, table, column string, json bool) (taken int, err error) {
	op := "take secrets out of " + table
	type change struct{ from, to string }
	var changes []change
	err = s.rows(ctx, op, func(rows *sql.Rows) error {
		var text string
		var n int
		if err := rows.Scan(&text, &n); err != nil {
			return err
		}
		var clean string
		var found int
		if json {
			if b, k, err := c.JSON([]byte(text)); err == nil {
				clean, found = string(b), k
			} else {
				clean, found = c.Text(text) // damaged, or never JSON
			}
		} else {
			clean, found = c.Text(text)
		}
		if found > 0 {
			changes = append(changes, change{text, clean})
			taken += found * n
		}
		return nil
	}, fmt.Sprintf(`SELECT %s, COUNT(*) FROM %s WHERE %s <> '' GROUP BY %s`, column, table, column, column))
	if err != nil || dry {
		return taken, err
	}
	for _, x := range changes {
		err := s.write(ctx, op, func(t *tx) error {
			return t.exec(ctx, op, fmt.Sprintf(`UPDATE %s SET %s = $1 WHERE %s = $2`, table, column, column), x.to, x.from)
		})
		if err != nil {
			return taken, err
		}
	}
	return taken, nil
}
