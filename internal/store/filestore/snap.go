package filestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// Marks that an index keeps of the folder it fits.
const (
	formMark    = "files form"   // the form, the folder's path, and since when the machine is up
	folderMark  = "files folder" // mark.key
	namesMark   = "files names"  // the sum of the names' keys
	restedMark  = "files rested" // mark.key, once the names were compared with the folder at rest
	ordinalMark = "ordinal"      // the last one that was given
)

// snap is a transaction over the index.
type snap struct {
	sqlstore.Index
	w sqlstore.Work
}

// over runs fn in a transaction, which ends well where fn does.
func over(ctx context.Context, db *sqlstore.Store, begin func(context.Context, *sql.DB) (sqlstore.Work, error), noted func(store.LogEvent), fn func(snap) error) error {
	w, err := begin(ctx, db.DB)
	if err != nil {
		return db.D.Error("read the index", err)
	}
	defer w.Rollback()
	if err := fn(snap{db.Over(w, noted), w}); err != nil {
		return err
	}
	if err := w.Commit(); err != nil && err != sql.ErrTxDone {
		return db.D.Error("write the index", err)
	}
	return nil
}

// marks are the marks of the folder that the index fits.
func (x snap) marks(ctx context.Context) (map[string]int64, error) {
	have := map[string]int64{}
	for _, name := range []string{folderMark, namesMark, restedMark} {
		n, err := x.Mark(ctx, name)
		if err != nil {
			return nil, err
		}
		have[name] = n
	}
	return have, nil
}

func (x snap) setMarks(ctx context.Context, folder, names int64) error {
	return errors.Join(x.SetMark(ctx, folderMark, folder), x.SetMark(ctx, namesMark, names), x.SetMark(ctx, restedMark, 0))
}

func (x snap) exec(ctx context.Context, query string, args ...any) error {
	_, err := x.w.ExecContext(ctx, query, args...)
	return x.failed(err)
}

// failed is an error of the index, which is made again.
func (x snap) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", sqlite.ErrIndex, err)
}

// row is a file as it was read.
type row struct {
	path, stamp, workflow string
	id, alias             string // of a checkpoint
	foreign               bool   // it is not our own as we wrote it
	loose                 bool   // its number stands in no file yet
	ordinal               int64
}

func (x snap) note(ctx context.Context, r row) error {
	return x.exec(ctx, `INSERT OR REPLACE INTO files VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, r.path, r.stamp, r.workflow, r.id, r.alias, r.foreign, r.loose, r.ordinal)
}

// rows are files that fit a condition.
func (x snap) rows(ctx context.Context, where string, args ...any) ([]row, error) {
	found, err := x.w.QueryContext(ctx, `SELECT * FROM files WHERE `+where, args...)
	if err != nil {
		return nil, x.failed(err)
	}
	defer found.Close()
	var list []row
	for found.Next() {
		var r row
		if err := found.Scan(&r.path, &r.stamp, &r.workflow, &r.id, &r.alias, &r.foreign, &r.loose, &r.ordinal); err != nil {
			return nil, x.failed(err)
		}
		list = append(list, r)
	}
	return list, x.failed(found.Err())
}

// named is the id of a checkpoint by its id, or by what another program calls it.
func (x snap) named(ctx context.Context, ref string) (string, error) {
	if ref == "" || piton.IsWholeID(piton.CheckpointPrefix, ref) {
		return ref, nil
	}
	list, err := x.rows(ctx, `alias = $1 AND alias <> '' ORDER BY ordinal DESC LIMIT 1`, ref)
	if err != nil || len(list) == 0 {
		return ref, err
	}
	return list[0].id, nil
}

// put notes a checkpoint with its file.
func (x snap) put(ctx context.Context, c piton.Checkpoint, r row) error {
	r.path, _ = fileOf(c)
	r.workflow, r.id, r.ordinal = c.WorkflowID, c.ID, c.Ordinal
	c.File = r.path + "\n" + r.stamp
	if c.Completed && c.CompletedAt.IsZero() {
		c.CompletedAt = timeless
	}
	return errors.Join(x.Put(ctx, c), x.note(ctx, r))
}

// find finds a checkpoint by id, by what another program calls it, or by an id's
// beginning.
func (x snap) find(ctx context.Context, ref string) (piton.Checkpoint, error) {
	id, err := x.named(ctx, ref)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	return x.Checkpoint(ctx, id)
}

// fileOf is a checkpoint's file, and its stamp when it was read, which stands behind
// the name in the index.
func fileOf(c piton.Checkpoint) (file, stamp string) {
	file, stamp, _ = strings.Cut(c.File, "\n")
	return file, stamp
}

// nameOf is the name of a checkpoint's file in its folder.
func nameOf(c piton.Checkpoint) string {
	file, _ := fileOf(c)
	return strings.TrimPrefix(file, checkpoints+"/")
}

// timeless is what stands in the index for the time of a completion that is not known.
var timeless = piton.FromMillis(-1)

// given is a record of the index as it is answered.
func given(c piton.Checkpoint) piton.Checkpoint {
	c.File, _ = fileOf(c)
	if c.CompletedAt.Equal(timeless.Time) {
		c.CompletedAt = piton.Time{}
	}
	return c
}
