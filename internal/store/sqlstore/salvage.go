package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/record"
)

// Marks of records that damage hides.
const (
	markLost  = "its record is damaged: it cannot be read"
	markIndex = "its record is damaged: an index does not lead to it"
)

// Checkpoint finds a checkpoint by id or prefix. One that a damaged index or
// page hides is found by its whole id in another way, and marked.
func (s *Store) Checkpoint(ctx context.Context, ref string) (piton.Checkpoint, error) {
	c, err := s.reader.Checkpoint(ctx, ref)
	code := piton.CodeOf(err)
	if code != piton.Corrupt && code != piton.NotFound || len(ref) != len(piton.NewID(piton.CheckpointPrefix)) {
		return c, err
	}
	if code == piton.NotFound && s.D.Indexed == nil {
		return c, err // the database itself notices an index that is damaged
	}
	op := "find checkpoint " + ref
	if c, err := s.alone(ctx, op, byID, ref); err == nil && c.ID == ref {
		return c, nil
	}
	// A value that is not a column's finds no index.
	if c, err := s.alone(ctx, op, `c.id || '' = $1`, ref); err == nil {
		c.BadRecord, c.Damaged = true, markIndex
		return c, nil
	}
	var n int64
	if s.row(ctx, op, `SELECT ordinal FROM checkpoints WHERE id = $1`, params{ref}, &n) != nil {
		return c, err
	}
	c, err2 := s.alone(ctx, op, `c.ordinal = $1`, n)
	switch {
	case err2 == nil && c.BadRecord: // the id is what is damaged, or that too
		c.ID = ref
		return c, nil
	case piton.CodeOf(err2) == piton.Corrupt:
		return s.lost(ctx, ref, n), nil
	}
	return piton.Checkpoint{}, err
}

// alone reads a record without its workflow's row, which may be what cannot
// be read.
func (s *Store) alone(ctx context.Context, op, where string, args ...any) (piton.Checkpoint, error) {
	columns := strings.NewReplacer("w.name", "''", "w.type", "''").Replace(record.CheckpointColumns)
	c, err := record.Checkpoint(s.q.QueryRowContext(ctx, `SELECT `+columns+` FROM checkpoints c WHERE `+where, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return c, store.NoCheckpoint(op)
	}
	if err != nil {
		return c, s.d.fail(op, err)
	}
	return c, nil
}

// lost is what indexes still know of a record that cannot be read: its
// workflow, and the branch where there is only one.
func (s *Store) lost(ctx context.Context, id string, ordinal int64) piton.Checkpoint {
	c := piton.Checkpoint{ID: id, InStore: piton.InStore{Ordinal: ordinal, BadRecord: true, Damaged: markLost}}
	s.rows(ctx, "", func(rows *sql.Rows) error {
		var w string
		var n int64
		err := rows.Scan(&w, &n)
		if err == nil && n == ordinal {
			c.WorkflowID = w
		}
		return err
	}, `SELECT workflow_id, ordinal FROM checkpoints WHERE workflow_id >= ''`)
	var branches int
	var name string
	if err := s.row(ctx, "", `SELECT COUNT(*), MIN(name) FROM branches WHERE workflow_id = $1`, params{c.WorkflowID}, &branches, &name); err == nil && branches == 1 {
		c.Branch = name
	}
	return c
}

// List returns what fits the query, newest first. Where a damaged page stops
// it the records are read one by one: one that cannot be read is in the list
// by its id alone, marked, if it may fit the query.
func (s *Store) List(ctx context.Context, q piton.Query) (piton.Page, error) {
	page, err := s.reader.List(ctx, q)
	ofAll := q.Project+q.Workflow+q.Session+q.Archive == "" && len(q.Sessions) == 0 && !q.Open
	if err == nil && page.Next == 0 && ofAll && s.D.Indexed != nil {
		err = s.complete(ctx, "checkpoints_id", `id >= $1`, "", false) // the table alone was read
	}
	if piton.CodeOf(err) != piton.Corrupt || q.Open {
		return page, err
	}
	list, err2 := s.oneByOne(ctx, q)
	if err2 != nil || len(list) < len(page.Checkpoints) {
		return page, err
	}
	return pageOf(list, q.Limit), nil
}

// Complete is Corrupt where a list of what fits a query, newest first, left
// something out without an error: a damaged page can look like one that holds
// less, or lead past some.
func (s *Store) Complete(ctx context.Context, q piton.Query, listed []piton.Checkpoint) error {
	if s.D.Indexed == nil {
		return nil
	}
	named := slices.ContainsFunc(listed, func(c piton.Checkpoint) bool { return c.BadRecord }) // the list was made row by row
	for _, x := range []struct{ value, index, where string }{
		{"", "checkpoints_id", `id >= $1`}, {q.Project, "checkpoints_project", `project = $1`},
		{q.Workflow, "checkpoints_workflow", `workflow_id = $1`}, {q.Session, "checkpoints_session", `session_id = $1 AND session_id <> ''`},
	} {
		if x.value == "" && x.index != "checkpoints_id" {
			continue
		}
		if err := s.complete(ctx, x.index, x.where, x.value, named); err != nil {
			return err
		}
		if alone := (piton.Query{Project: q.Project, Workflow: q.Workflow, Session: q.Session}); named || len(listed) == 0 || !reflect.DeepEqual(q, alone) || x.value != q.Project+q.Workflow+q.Session {
			continue
		}
		// Nothing can be added below the newest one.
		var rows int
		if err := s.row(ctx, listOp, `SELECT COUNT(*) FROM checkpoints WHERE `+x.where+` AND ordinal + 0 <= $2`, params{x.value, listed[0].Ordinal}, &rows); err != nil {
			return err
		}
		if rows > len(listed) {
			return s.damagedList("its list leads to %d of %d checkpoints", len(listed), rows)
		}
	}
	return nil
}

func (s *Store) damagedList(format string, args ...any) error {
	return piton.Errorf(piton.Corrupt, listOp, s.D.Damaged, "the store is damaged: "+format, args...)
}

func (s *Store) complete(ctx context.Context, index, where, value string, named bool) error {
	var rows, entries int64
	err := s.row(ctx, listOp, s.D.Indexed(index, where), params{value}, &rows, &entries)
	switch {
	case err != nil && named:
		return nil
	case err != nil:
		return err
	case rows > entries || rows < entries && !named:
		return s.damagedList("its table of checkpoints has %d and its index %s has %d", rows, index, entries)
	}
	return nil
}

func (s *Store) oneByOne(ctx context.Context, q piton.Query) (list []piton.Checkpoint, err error) {
	var n int64
	if err := s.row(ctx, listOp, s.D.Numbers.Last, nil, &n); err != nil {
		return nil, err
	}
	if q.Before > 0 {
		n = min(n, q.Before-1)
	}
	lost, err := s.indexed(ctx, q)
	if err != nil {
		return nil, err
	}
	where, args, _ := filter(q, asked{ordinal: "c.ordinal"})
	byOrdinal := strings.Join(where, " AND ") + fmt.Sprintf(" AND c.ordinal = $%d", len(args)+1)
	for ; n > 0 && (q.Limit == 0 || len(list) <= q.Limit); n-- {
		c, err := s.checkpoint(ctx, listOp, byOrdinal, append(args, n)...)
		if piton.CodeOf(err) == piton.Corrupt && q.Type == "" && q.NotType == "" {
			c, err = s.alone(ctx, listOp, byOrdinal, append(args, n)...)
		}
		code := piton.CodeOf(err)
		if code == piton.NotFound && lost[n] != "" {
			// It may only not fit the query.
			if _, err := s.alone(ctx, listOp, `c.ordinal = $1`, n); piton.CodeOf(err) == piton.NotFound {
				code = piton.Corrupt
			}
		}
		switch {
		case err == nil:
			list = append(list, c)
		case code == piton.Corrupt && lost[n] != "":
			list = append(list, piton.Checkpoint{ID: lost[n], InStore: piton.InStore{Ordinal: n, BadRecord: true, Damaged: markLost}, InWorkflow: piton.InWorkflow{WorkflowID: q.Workflow, Branch: q.Branch}})
		case code != piton.Corrupt && code != piton.NotFound:
			return nil, err
		}
	}
	return list, nil
}

// indexed are the ids by ordinal of the checkpoints that may fit a query, read
// from indexes alone.
func (s *Store) indexed(ctx context.Context, q piton.Query) (map[int64]string, error) {
	ids := map[int64]string{}
	read := func(into map[int64]string, query string, args ...any) error {
		return s.rows(ctx, listOp, func(rows *sql.Rows) error {
			var n int64
			var id string
			err := rows.Scan(&n, &id)
			into[n] = id
			return err
		}, query, args...)
	}
	if err := read(ids, `SELECT ordinal, id FROM checkpoints WHERE id >= ''`); err != nil {
		return ids, nil // the first ones are better than none
	}
	sessions := q.Sessions
	if q.Session != "" {
		sessions = []string{q.Session}
	}
	for column, wants := range map[string][]string{"workflow_id": {q.Workflow}, "project": {q.Project}, "session_id": sessions} {
		fit, asked := map[int64]string{}, false
		for _, want := range wants {
			if want != "" && !(q.Shared && column == "project") {
				asked = read(fit, `SELECT ordinal, `+column+` FROM checkpoints WHERE `+column+` = $1 AND `+column+` <> ''`, want) == nil || asked
			}
		}
		if !asked {
			continue
		}
		for n := range ids {
			if _, ok := fit[n]; !ok {
				delete(ids, n)
			}
		}
	}
	return ids, nil
}
