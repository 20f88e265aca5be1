package filestore

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// indexForm changes with what is kept in an index.
const indexForm = "piton file store index 4"

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

// opened is the index. One that cannot be used is thrown away; where none can be made
// it is in memory.
func (s *Store) opened(ctx context.Context) (*sqlstore.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for try := 0; s.index == nil; try++ {
		if try == 2 {
			s.path = ""
		}
		x, err := sqlite.OpenIndex(ctx, s.path, sqlite.Options{FTS5: fts5.Register, Wait: s.wait}, booted() == "", s.elsewhere)
		if err == nil {
			err = s.begin(ctx, x)
		}
		if err == nil {
			s.index = x
			return x, nil
		}
		if x != nil {
			x.Close()
		}
		if ctx.Err() != nil || s.path == "" {
			return nil, fail("open the index", err)
		}
		sqlite.RemoveIndex(s.path)
	}
	return s.index, nil
}

// begin makes the tables of an index that is new. It fails for one of another form,
// another folder, or another start of the machine.
func (s *Store) begin(ctx context.Context, db *sqlstore.Store) error {
	form := keyOf(indexForm, s.disk.dir, booted())
	return over(ctx, db, sqlite.Snapshot, nil, func(x snap) error {
		have, err := x.Mark(ctx, formMark)
		if err != nil || have == form {
			return err
		}
		if have != 0 {
			return sqlite.ErrIndex
		}
		x.w.Rollback()
		return over(ctx, db, db.D.Work, nil, func(x snap) error {
			for statement := range strings.SplitSeq(indexTables, ";") {
				if err := x.exec(ctx, statement); err != nil {
					return err
				}
			}
			return x.SetMark(ctx, formMark, form)
		})
	})
}

// maxDrops is how often a process makes an index file before it keeps the index in
// memory.
const maxDrops = 3

// drop throws the index away.
func (s *Store) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index != nil {
		s.index.Close()
	}
	if s.path != "" {
		sqlite.RemoveIndex(s.path)
	}
	if s.drops++; s.drops == maxDrops {
		s.path = "" // it cannot be kept
	}
	s.index = nil
	s.sure.Store(0)
}
