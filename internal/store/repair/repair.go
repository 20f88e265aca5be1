// Package repair makes a new store out of what can be read of a damaged one.
// It reads the damaged file itself, page by page, and never writes to it.
package repair

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pages"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// Rebuild reads the store at from, with its -wal, and writes what it finds to
// a new store at to, which must not exist. Invalid: it is not a store of
// Piton's, or that of a newer program. progress may be nil.
func Rebuild(ctx context.Context, from, to string, progress func(done, total int64)) (r Report, err error) {
	op := "repair the store " + from
	if _, err := os.Lstat(to); err == nil {
		return r, piton.Errorf(piton.Conflict, op, "move it away, or choose another name", "%s exists", to)
	}
	src, err := pages.Open(from, true)
	if err != nil {
		return r, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that the file can be read", Err: err}
	}
	defer src.Close()
	dst, err := sqlite.Open(ctx, to, sqlite.Options{})
	if err != nil {
		return r, err
	}
	done := false
	defer func() {
		err = errors.Join(err, dst.Close())
		os.Remove(to + ".lock")
		if !done || err != nil {
			os.Remove(to)
		}
	}()
	r = Report{From: from, File: to, Saved: []Saved{}, Damaged: []history.Damage{}, Lost: []Lost{}, Notes: []string{}}
	b := &builder{src: src, dst: dst, report: &r, progress: progress}
	if err := b.build(ctx, op); err != nil {
		return r, err
	}
	done = true
	return r, nil
}

func (b *builder) build(ctx context.Context, op string) error {
	var err error
	if b.tables, err = tablesOf(ctx, b.dst.DB); err != nil {
		return b.fail(op, err)
	}
	if err := b.find(ctx, op); err != nil {
		return err
	}
	conn, err := b.dst.DB.Conn(ctx)
	if err != nil {
		return b.fail(op, err)
	}
	defer conn.Close()
	// References may lead to rows that are lost; what can be is made again below.
	if _, err := conn.ExecContext(ctx, `PRAGMA foreign_keys = 0`); err != nil {
		return b.fail(op, err)
	}
	t, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return b.fail(op, err)
	}
	defer t.Rollback()
	if _, err := t.ExecContext(ctx, `DELETE FROM counters`); err != nil {
		return b.fail(op, err)
	}
	for _, x := range b.tables {
		if err := b.carry(ctx, t, x); err != nil {
			return b.fail(op, err)
		}
	}
	if err := b.derive(ctx, t); err != nil {
		return b.fail(op, err)
	}
	if err := b.lost(ctx, t); err != nil {
		return b.fail(op, err)
	}
	if err := t.Commit(); err != nil {
		return b.fail(op, err)
	}
	if _, err := conn.ExecContext(ctx, `PRAGMA foreign_keys = 1`); err != nil {
		return b.fail(op, err)
	}
	conn.Close()
	mended, err := b.dst.Repair(ctx)
	if err != nil {
		return err
	}
	for _, m := range mended {
		if m != "made the indexes again" { // they are new
			b.note("%s", m)
		}
	}
	return nil
}

const hintNothing = "bring a copy of the store back, or move the file away and begin anew with 'repair accept'; another store is named by 'store sqlite:PATH'"

// find looks for the pages of each table, and of the indexes by which rows that
// are lost are known.
func (b *builder) find(ctx context.Context, op string) error {
	usual, err := rootsOf(ctx, b.dst.DB)
	if err != nil {
		return b.fail(op, err)
	}
	if b.src.Pages() == 0 {
		return piton.Errorf(piton.Invalid, op, "bring a copy of the store back; to begin with an empty one, move what lies beside the file away (-wal, -shm), then 'repair accept'", "the file is empty, and there is no log beside it that could be read")
	}
	said := b.schema()
	var trees []pages.Tree
	for _, x := range b.tables {
		trees = append(trees, pages.Tree{Name: x.name, Root: said[x.name], Usual: usual[x.name], Fits: x.fits})
	}
	for _, name := range indexes {
		trees = append(trees, pages.Tree{Name: name, Index: true, Root: said[name], Usual: usual[name]})
	}
	b.found = map[string]pages.Found{}
	known := false
	for i, f := range b.src.Find(trees) {
		b.found[trees[i].Name] = f
		known = known || !trees[i].Index && len(f.Linked)+len(f.Adopted) > 0
		if f.Root != said[trees[i].Name] {
			b.note("the schema did not say where the table %s begins; it was looked for", trees[i].Name)
		}
	}
	if !known {
		return piton.Errorf(piton.Invalid, op, hintNothing, "nothing of a store can be read in it")
	}
	log := b.src.Log
	if log.Damaged > 0 {
		b.note("%d pages in the log (-wal) were damaged and left out", log.Damaged)
	}
	if log.Header && log.Frames > 0 {
		b.note("the header of the log (-wal) is damaged; %d pages were read from it", log.Frames)
	}
	return nil
}

// schema reads where the schema of the damaged file says that tables and
// indexes begin.
func (b *builder) schema() map[string]uint32 {
	said := map[string]uint32{}
	found := b.src.Find([]pages.Tree{{Name: "sqlite_schema", Root: 1, Fits: func(v []any) bool { return len(v) == 5 }}})[0]
	for _, n := range slices.Concat(found.Linked, found.Adopted) {
		b.src.Rows(n, func(r pages.Row) {
			if len(r.Values) != 5 {
				return
			}
			name, _ := r.Values[1].(string)
			if root, ok := r.Values[3].(int64); ok && root > 1 && root <= int64(b.src.Pages()) && said[name] == 0 {
				said[name] = uint32(root)
			}
		})
	}
	return said
}

// carry copies the rows of a table that fit it. A row on a page that the tree
// leads to comes before one that is found twice.
func (b *builder) carry(ctx context.Context, t *sql.Tx, x table) error {
	f := b.found[x.name]
	s := Saved{Table: x.name, Pages: f.Broken}
	newer := 0
	for i, n := range slices.Concat(f.Linked, f.Adopted) {
		adopted := i >= len(f.Linked)
		var failed error
		s.Damaged += b.src.Rows(n, func(r pages.Row) {
			if !adopted { // of a page that nothing leads to the kinds tell whose it is
				x.retype(r.Values)
			}
			switch {
			case failed != nil:
			case len(r.Values) > len(x.columns) && x.fits(r.Values[:len(x.columns)]):
				newer++
			case !x.fits(r.Values):
				s.Damaged++
			case adopted && x.name == "checkpoints" && b.gone[r.Values[1].(string)]:
				// A page that nothing leads to may be older than the deletion.
			default:
				n, err := x.insert(ctx, t, r)
				failed = err
				if s.Rows += n; n > 0 && x.name == "events" {
					b.event(r.Values)
				}
			}
		})
		if failed != nil {
			return failed
		}
		if b.seen++; b.progress != nil && b.seen%64 == 0 {
			b.progress(b.seen, max(b.seen, int64(b.src.Pages())))
		}
	}
	if newer > 0 && int64(newer) > s.Rows {
		return piton.Errorf(piton.Invalid, "read the table "+x.name, "install the newest piton and repair with that", "it needs a newer Piton")
	}
	b.report.Saved = append(b.report.Saved, s)
	return nil
}

// event keeps what the event stream says of deletions.
func (b *builder) event(values []any) {
	if b.gone == nil {
		b.gone = map[string]bool{}
	}
	kind, _ := values[2].(string)
	id, _ := values[6].(string)
	switch store.EventKind(kind) {
	case store.CheckpointDeleted, store.CheckpointPruned:
		b.gone[id] = true
	case store.CheckpointCreated, store.CheckpointImported:
		delete(b.gone, id)
	}
}
