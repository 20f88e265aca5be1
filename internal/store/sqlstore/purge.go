package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/record"
)

// texts are the columns that hold what callers, agents and clients have said,
// beside those of checkpoints. Names by which things are found lose only what is
// a secret by itself (see purgeNames).
var texts = []struct {
	table, column string
	json          bool
}{
	{"workflows", "name", false}, {"workflows", "type", false}, {"checkpoints", "damaged", false}, {"projects", "name", false},
	{"sessions", "rest", true}, {"events", "data", true}, {"decisions", "data", true}, {"letters", "body", true}, {"letters", "outcome", false}, {"mirror", "record", true},
	{"verified", "data", true}, {"runs", "owner", true}, {"runs", "about", true}, {"runs", "progress", true}, {"run_answers", "data", true}, {"schedules", "data", true},
}

// Purge takes secrets out of all texts that are not a checkpoint's.
func (s *Store) Purge(ctx context.Context, c store.Cleaner, dry bool) (taken int, beyond []string, err error) {
	for _, x := range texts {
		n, err := s.purge(ctx, c, dry, x.table, x.column, x.json)
		if err != nil {
			return taken, nil, err
		}
		taken += n
	}
	for _, more := range []func(context.Context, store.Cleaner, bool) (int, error){s.purgePlans, s.purgeNames} {
		n, err := more(ctx, c, dry)
		if taken += n; err != nil {
			return taken, nil, err
		}
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
	type named struct {
		id   any
		name string
	}
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
				THEN $2 ELSE $3 END WHERE id = $4`, clean, fmt.Sprintf("%s %s", clean, x.id), clean, x.id)
		})
		if err != nil {
			return taken, err
		}
	}
	return taken, nil
}

// renameBranch gives a branch the name it has without secrets. The seals of its
// checkpoints, which cover the name, are made anew.
func (t *tx) renameBranch(ctx context.Context, op string, branch any, c store.Cleaner) error {
	var workflow, name string
	found, err := t.get(ctx, op, `SELECT workflow_id, name FROM branches WHERE id = $1`, params{branch}, &workflow, &name)
	if err != nil || !found { // deleted since
		return err
	}
	old := name
	clean, _ := c.Known(name)
	free := clean
	for i := 2; ; i++ {
		taken, err := t.get(ctx, op, `SELECT name FROM branches WHERE workflow_id = $1 AND name = $2`, params{workflow, free}, &name)
		if err != nil {
			return err
		}
		if !taken {
			break
		}
		free = fmt.Sprintf("%s#%d", clean, i)
	}
	ids, err := collect(ctx, t.reader, op, value[string], `SELECT id FROM checkpoints WHERE branch = $1`, branch)
	if err != nil {
		return err
	}
	for _, id := range ids {
		r, err := t.holdOne(ctx, id)
		if piton.CodeOf(err) == piton.Corrupt {
			continue
		}
		if err != nil {
			return err
		}
		r.Branch = free
		row, err := record.Sealed(op, r)
		if err != nil {
			return err
		}
		if err := t.exec(ctx, op, `UPDATE checkpoints SET branch_name = $1, seal = $2 WHERE ordinal = $3`, free, row.Seal, r.Ordinal); err != nil {
			return err
		}
	}
	if err := t.exec(ctx, op, `UPDATE runs SET branch = $1 WHERE workflow_id = $2 AND branch = $3`, free, workflow, old); err != nil {
		return err
	}
	return t.exec(ctx, op, `UPDATE branches SET name = $1 WHERE id = $2`, free, branch)
}

// keptPlans are where plans are kept, each with a sum of its own, and artifacts.
var keptPlans = []struct {
	ids   string
	read  func(context.Context, reader, string) ([]byte, error)
	clean func(store.Cleaner, []byte) ([]byte, int, error)
	put   func(ctx context.Context, t *tx, op, id string, plan []byte) error
}{
	{`SELECT run_id FROM run_plans ORDER BY run_id`,
		func(ctx context.Context, r reader, id string) ([]byte, error) { return runs{r}.RunPlan(ctx, id) },
		func(c store.Cleaner, plan []byte) ([]byte, int, error) { return c.JSON(plan) },
		func(ctx context.Context, t *tx, op, id string, plan []byte) error {
			return runWriter{t}.putPlan(ctx, op, id, plan)
		}},
	{`SELECT id FROM schedules ORDER BY id`,
		func(ctx context.Context, r reader, id string) ([]byte, error) {
			return schedules{r}.SchedulePlan(ctx, id)
		},
		func(c store.Cleaner, plan []byte) ([]byte, int, error) {
			text, n := c.Text(string(plan))
			return []byte(text), n, nil
		},
		func(ctx context.Context, t *tx, op, id string, plan []byte) error {
			return scheduleWriter{t}.putPlan(ctx, op, id, plan)
		}},
	{artifactIDs,
		func(ctx context.Context, r reader, id string) ([]byte, error) {
			run, sum, _ := strings.Cut(id, " ")
			return runs{r}.Artifact(ctx, run, sum)
		}, cleanArtifact, dropArtifact},
}

// purgePlans takes secrets out of the plans of runs and schedules, and makes their sums anew.
func (s *Store) purgePlans(ctx context.Context, c store.Cleaner, dry bool) (taken int, err error) {
	const op = "take secrets out of plans"
	for _, kept := range keptPlans {
		ids, err := collect(ctx, s.reader, op, value[string], kept.ids)
		if err != nil {
			return taken, err
		}
		for _, id := range ids {
			find := func(r reader) (clean []byte, n int, err error) {
				data, err := kept.read(ctx, r, id)
				if code := piton.CodeOf(err); code == piton.NotFound || code == piton.Corrupt {
					return nil, 0, nil // deleted since, or not to be given a sum that says it is whole
				}
				if err != nil {
					return nil, 0, err
				}
				return kept.clean(c, data)
			}
			_, n, err := find(s.reader)
			if taken += n; err == nil && n > 0 && !dry {
				err = s.write(ctx, op, func(t *tx) error {
					clean, n, err := find(t.reader)
					if err != nil || n == 0 {
						return err
					}
					return kept.put(ctx, t, op, id, clean)
				})
			}
			if err != nil {
				return taken, err
			}
		}
	}
	return taken, nil
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
