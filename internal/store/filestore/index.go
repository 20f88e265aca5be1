package filestore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// indexForm changes with what is kept in an index.
const indexForm = "piton file store index 5"

// indexTables is what an index has beside the tables of every store: the files as
// they were read.
const indexTables = `CREATE TABLE files (
	path     TEXT PRIMARY KEY,
	stamp    TEXT NOT NULL,
	workflow TEXT NOT NULL,
	id       TEXT NOT NULL,
	alias    TEXT NOT NULL,
	foreigns INTEGER NOT NULL,
	loose    INTEGER NOT NULL,
	ordinal  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX files_loose ON files (loose) WHERE loose = 1;
CREATE INDEX files_alias ON files (alias) WHERE alias <> '';
CREATE INDEX files_workflow ON files (workflow);
CREATE INDEX workflows_newest ON workflows (head_ordinal) WHERE closed = 0 AND head_id <> ''`

// Marks that an index keeps of the folder it fits.
const (
	formMark    = "files form"   // the form, the folder's path, and since when the machine is up
	folderMark  = "files folder" // mark.key; unrested until the names were compared with the folder at rest
	namesMark   = "files names"  // the sum of the names' keys
	ordinalMark = "ordinal"      // the last one that was given
)

// place is the index's file for a folder.
func place(folder, dir string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "files-"+fmt.Sprintf("%x", sha256.Sum256([]byte(dir)))[:16]+".index")
}

// booted says since when the machine is up; "" where that is not known. What was not
// synced before may be torn.
func booted() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(id)
}

// cache is the index of a folder.
type cache struct {
	form  int64                                                // formMark
	state func(ctx context.Context, id string) ([]byte, error) // reads a state, for a search

	mu    sync.Mutex // over all that follows
	path  string     // the index's file; "" keeps it in memory
	index *sqlstore.Store
}

// opened is the index. One that cannot be used is thrown away; where none can be made
// it is in memory.
func (c *cache) opened(ctx context.Context) (*sqlstore.Store, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for try := 0; c.index == nil; try++ {
		if try == 2 {
			c.path = ""
		}
		x, err := sqlite.OpenIndex(ctx, c.path, sqlite.Options{FTS5: fts5.Register, Wait: patience}, booted() == "", c.state)
		if err == nil {
			err = c.begin(ctx, x)
		}
		if err == nil {
			c.index = x
			break
		}
		if x != nil {
			x.Close()
		}
		if ctx.Err() != nil || c.path == "" {
			return nil, fail("open the index", err)
		}
		sqlite.RemoveIndex(c.path)
	}
	return c.index, nil
}

// begin makes the tables of an index that is new. It fails for one of another form,
// another folder, or another start of the machine.
func (c *cache) begin(ctx context.Context, db *sqlstore.Store) error {
	var have int64
	err := over(ctx, db, false, nil, func(x snap) error {
		have = x.mark(ctx, formMark)
		return nil
	})
	if err != nil || have == c.form {
		return err
	}
	if have != 0 {
		return sqlite.ErrIndex
	}
	return over(ctx, db, true, nil, func(x snap) error {
		for statement := range strings.SplitSeq(indexTables, ";") {
			x.ExecContext(ctx, statement)
		}
		return x.SetMark(ctx, formMark, c.form)
	})
}

// drop throws the index away; with inMemory the next one is not kept in a file.
func (c *cache) drop(inMemory bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index != nil {
		c.index.Close()
		c.index = nil
	}
	if c.path != "" {
		sqlite.RemoveIndex(c.path)
	}
	if inMemory {
		c.path = ""
	}
}

// snap is a transaction over the index. It ends with the first question that fails.
type snap struct {
	sqlstore.Index
	guard
}

// guard is a transaction in which nothing is done after a statement has failed: SQLite
// may have rolled it back by then, and what follows would stand alone.
type guard struct {
	sqlstore.Work
	bad *error
}

func (g guard) ExecContext(ctx context.Context, query string, args ...any) (r sql.Result, err error) {
	if err = *g.bad; err == nil {
		r, err = g.Work.ExecContext(ctx, query, args...)
		g.failed(err)
	}
	return r, err
}

func (g guard) QueryContext(ctx context.Context, query string, args ...any) (r *sql.Rows, err error) {
	if err = *g.bad; err == nil {
		r, err = g.Work.QueryContext(ctx, query, args...)
		g.failed(err)
	}
	return r, err
}

// failed notes that the index is to be made again, if a statement has failed.
func (g guard) failed(err error) {
	if err != nil {
		g.must(fmt.Errorf("%w: %w", sqlite.ErrIndex, err))
	}
}

// must notes an error, if there is one.
func (g guard) must(err error) { *g.bad = errors.Join(*g.bad, err) }

// over runs fn in a transaction that reads, or with write one that writes, which ends
// well where fn does. noted gets its events.
func over(ctx context.Context, db *sqlstore.Store, write bool, noted func(store.LogEvent), fn func(snap) error) error {
	begin := sqlite.Snapshot
	if write {
		begin = db.D.Work
	}
	w, err := begin(ctx, db.DB)
	if err != nil {
		return db.D.Error("read the index", err)
	}
	defer w.Rollback()
	g := guard{w, new(error)}
	if err := cmp.Or(fn(snap{db.Over(g, noted), g}), *g.bad); err != nil {
		return err
	}
	g.failed(w.Commit())
	return *g.bad
}

// clear empties the index.
func (x snap) clear(ctx context.Context) {
	x.must(x.DropSearch(ctx))
	for _, table := range []string{"files", "checkpoints", "branches", "workflows"} {
		x.ExecContext(ctx, `DELETE FROM `+table)
	}
}

// setMarks notes which folder the index fits, whose names are still to be compared.
func (x snap) setMarks(ctx context.Context, folder, names int64) {
	x.must(x.SetMark(ctx, folderMark, folder|unrested))
	x.must(x.SetMark(ctx, namesMark, names))
}

// mark is Mark.
func (x snap) mark(ctx context.Context, name string) int64 {
	n, err := x.Mark(ctx, name)
	x.must(err)
	return n
}

// row is a file as it was read.
type row struct {
	path, stamp, workflow string
	id, alias             string // of a checkpoint
	foreign               bool   // it is not our own as we wrote it
	loose                 bool   // its number stands in no file yet
	ordinal               int64
}

func (x snap) note(ctx context.Context, r row) {
	x.ExecContext(ctx, `INSERT OR REPLACE INTO files VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, r.path, r.stamp, r.workflow, r.id, r.alias, r.foreign, r.loose, r.ordinal)
}

// rows are files that fit a condition.
func (x snap) rows(ctx context.Context, where string, args ...any) (list []row) {
	found, err := x.QueryContext(ctx, `SELECT * FROM files WHERE `+where, args...)
	if err != nil {
		return nil
	}
	defer found.Close()
	for found.Next() {
		var r row
		x.failed(found.Scan(&r.path, &r.stamp, &r.workflow, &r.id, &r.alias, &r.foreign, &r.loose, &r.ordinal))
		list = append(list, r)
	}
	x.failed(found.Err())
	return list
}

// put notes a checkpoint with its file.
func (x snap) put(ctx context.Context, c piton.Checkpoint, r row) {
	r.path, _ = fileOf(c)
	r.workflow, r.id, r.ordinal = c.WorkflowID, c.ID, c.Ordinal
	c.File = r.path + "\n" + r.stamp
	if c.Completed && c.CompletedAt.IsZero() {
		c.CompletedAt = timeless
	}
	x.must(x.Put(ctx, c))
	x.note(ctx, r)
}

// find finds a checkpoint by id, by what another program calls it, or by an id's
// beginning.
func (x snap) find(ctx context.Context, ref string) (piton.Checkpoint, error) {
	if ref != "" && !piton.IsWholeID(piton.CheckpointPrefix, ref) {
		for _, r := range x.rows(ctx, `alias = $1 AND alias <> '' ORDER BY ordinal DESC LIMIT 1`, ref) {
			ref = r.id
		}
	}
	return x.Checkpoint(ctx, ref)
}

// fileOf is a checkpoint's file, and its stamp when it was read, which stands behind
// the name in the index.
func fileOf(c piton.Checkpoint) (file, stamp string) {
	file, stamp, _ = strings.Cut(c.File, "\n")
	return file, stamp
}

// nameOf is the name of a checkpoint's file in its folder.
func nameOf(c piton.Checkpoint) string { return strings.TrimPrefix(given(c).File, checkpoints+"/") }

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
