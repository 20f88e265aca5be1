package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/kind"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// save measures a durable save of a 1 KB state inside one process.
func (l lab) save(ctx context.Context) ([]row, error) {
	open := func(name string) (*sqlstore.Store, error) {
		return sqlite.Open(ctx, filepath.Join(l.dir, name), sqlite.Options{})
	}
	st, err := open("save.db")
	if err != nil {
		return nil, err
	}
	defer st.Close()
	plain, err := open("plain.db")
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	if _, err := plain.DB.ExecContext(ctx, `CREATE TABLE bare (id INTEGER PRIMARY KEY, text TEXT)`); err != nil {
		return nil, err
	}
	k := history.Keeper{Store: st, Local: st.Local(), Validate: kind.Validate}
	same := row{what: "durable save of a 1 KB state, in process", against: "the same rows without Piton", bar: 2}
	bare := row{what: "the same", against: "one row inserted, durable"}
	for i := range l.n + 5 {
		state := fmt.Appendf(nil, `{"step":%d,"text":"%s"}`, i, strings.Repeat("words ", 160))
		start := time.Now()
		if _, err := k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "bench", State: state}}); err != nil {
			return nil, err
		}
		saved := time.Since(start)
		start = time.Now()
		if err := sameRows(ctx, plain, i, state); err != nil {
			return nil, err
		}
		rows := time.Since(start)
		start = time.Now()
		if _, err := plain.DB.ExecContext(ctx, `INSERT INTO bare (text) VALUES ($1)`, "one row"); err != nil {
			return nil, err
		}
		one := time.Since(start)
		if i < 5 {
			continue
		}
		same.got, same.floor = append(same.got, saved), append(same.floor, rows)
		bare.floor = append(bare.floor, one)
	}
	bare.got = same.got
	return []row{same, bare}, nil
}

// sameRows writes the rows of a save by hand, in one durable transaction.
func sameRows(ctx context.Context, st *sqlstore.Store, i int, state []byte) error {
	t, err := st.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer t.Rollback()
	if i == 0 {
		if _, err := t.ExecContext(ctx, `INSERT INTO workflows (id, name, type, project, session_id, created_at, seq, head_id, head_ordinal, head_session, closed) VALUES ('wf_1', 'bench', 'custom', '', '', 1, 0, '', 0, '', 0)`); err != nil {
			return err
		}
		if _, err := t.ExecContext(ctx, `INSERT INTO branches (id, workflow_id, name, head_id, appended) VALUES (1, 'wf_1', 'main', '', 0)`); err != nil {
			return err
		}
	}
	id, epoch := piton.NewID(piton.CheckpointPrefix), i/64
	sum := []byte(id + "0123456789ab")
	for _, q := range []struct {
		text string
		args []any
	}{
		{`UPDATE counters SET value = value + 1 WHERE name = 'ordinal'`, nil},
		{`UPDATE workflows SET seq = seq + 1, head_id = $1, head_ordinal = $2 WHERE id = 'wf_1'`, []any{id, i + 1}},
		{`INSERT INTO epochs (branch, n, next_blob) VALUES (1, $1, 1) ON CONFLICT (branch, n) DO UPDATE SET next_blob = next_blob + 1`, []any{epoch}},
		{`INSERT INTO blobs (branch, epoch, n, sum, data) VALUES (1, $1, $2, $3, $4)`, []any{epoch, i, sum, state}},
		{`INSERT INTO checkpoints (ordinal, id, workflow_id, branch, branch_name, epoch, seq, parent_id, session_id, project, trigger_name, created_at, completed_at,
			phase_number, phase_total, state_bytes, stored_bytes, sum, damaged, tags, rest) VALUES ($1, $2, 'wf_1', 1, 'main', $3, $1, '', '', '', 'manual', 1, 0, 0, 0, 1, 1, $4, '', '', '{}')`, []any{i + 1, id, epoch, sum}},
		{`INSERT INTO manifests (checkpoint, data) VALUES ($1, $2)`, []any{i + 1, sum[:3]}},
		{`UPDATE branches SET head_id = $1, appended = appended + 1 WHERE id = 1`, []any{id}},
		{`INSERT INTO events (at, kind, session_id, project, workflow_id, checkpoint_id, data) VALUES (1, 'checkpoint_created', '', '', 'wf_1', $1, '')`, []any{id}},
		{`INSERT INTO counters (name, value) VALUES ('m 2026-01-01  checkpoint_save_count', 1), ('m 2026-01-01  checkpoint_save_latency_ms_le_1', 1), ('m 2026-01-01  checkpoint_save_latency_ms_sum', 1),
			('m 2026-01-01  checkpoint_save_size_bytes_le_1024', 1), ('m 2026-01-01  checkpoint_save_size_bytes_sum', $1) ON CONFLICT (name) DO UPDATE SET value = counters.value + excluded.value`, []any{len(state)}},
	} {
		if _, err := t.ExecContext(ctx, q.text, q.args...); err != nil {
			return err
		}
	}
	return t.Commit()
}
