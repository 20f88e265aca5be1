package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/pack"
)

// Rewrite puts other texts and another state in the place of a checkpoint's.
func (t *tx) Rewrite(ctx context.Context, p piton.Prepared) error {
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
		c.StateBytes = int64(len(p.State))
		if err := t.restate(ctx, op, c, p.State); err != nil {
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
// beside those of checkpoints. Paths by which a project is known, and names of
// clients' sessions, are none.
var texts = []struct {
	table, column string
	json          bool
}{
	{"workflows", "name", false}, {"workflows", "type", false}, {"checkpoints", "damaged", false}, {"projects", "name", false},
	{"sessions", "rest", true}, {"events", "data", true}, {"decisions", "data", true}, {"letters", "body", true}, {"letters", "outcome", false}, {"mirror", "record", true},
	{"verified", "data", true},
}

// Purge takes secrets out of all texts that are no checkpoint's.
func (s *Store) Purge(ctx context.Context, c piton.Cleaner, dry bool) (taken int, beyond []string, err error) {
	for _, x := range texts {
		n, err := s.purge(ctx, c, dry, x.table, x.column, x.json)
		if err != nil {
			return taken, nil, err
		}
		taken += n
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

// purge takes secrets out of one column, value by value.
func (s *Store) purge(ctx context.Context, c piton.Cleaner, dry bool, table, column string, json bool) (taken int, err error) {
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
