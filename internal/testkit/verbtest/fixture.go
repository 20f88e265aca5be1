package verbtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/filestore"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/need"
)

// Fixture is an empty store, and what only its own tests can do to it.
type Fixture struct {
	Store store.Checkpoints
	// Damage spoils the state of a checkpoint where it lies; mend brings it
	// back.
	Damage func(id string) (mend func() error, err error)
	// Events are the kinds of a checkpoint's events, oldest first.
	Events func(id string) ([]store.EventKind, error)
}

// SQL is the fixture of a store in a database: the list of a state's blobs is
// damaged.
func SQL(s *sqlstore.Store) Fixture {
	ctx := context.Background()
	return Fixture{
		Store: s,
		Damage: func(id string) (func() error, error) {
			var whole []byte
			if err := s.DB.QueryRowContext(ctx, `SELECT data FROM manifests WHERE checkpoint = (SELECT ordinal FROM checkpoints WHERE id = $1)`, id).Scan(&whole); err != nil {
				return nil, err
			}
			put := func(data []byte) error {
				_, err := s.DB.ExecContext(ctx, `UPDATE manifests SET data = $1 WHERE checkpoint = (SELECT ordinal FROM checkpoints WHERE id = $2)`, data, id)
				return err
			}
			return func() error { return put(whole) }, put([]byte{0})
		},
		Events: func(id string) (kinds []store.EventKind, err error) {
			const part = 1000
			for last := int64(0); ; {
				events, err := s.Events(ctx, last, part)
				for _, e := range events {
					if last = e.ID; e.Checkpoint == id {
						kinds = append(kinds, e.Kind)
					}
				}
				if err != nil || len(events) < part {
					return kinds, err
				}
			}
		},
	}
}

// Files is the fixture of a store of files in dir: a byte of the state is
// changed.
func Files(s *filestore.Store, dir string) Fixture {
	return Fixture{
		Store: s,
		Damage: func(id string) (func() error, error) {
			c, err := s.Checkpoint(context.Background(), id)
			if err != nil {
				return nil, err
			}
			file := filepath.Join(dir, c.File)
			whole, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			bad := bytes.Clone(whole)
			at := bytes.LastIndexByte(bad, '"')
			bad[at-1] ^= 1
			return func() error { return need.Rewrite(file, whole) }, need.Rewrite(file, bad)
		},
		Events: func(id string) (kinds []store.EventKind, err error) {
			names, err := filepath.Glob(filepath.Join(dir, "events", "*.jsonl"))
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				f, err := os.Open(name)
				if err != nil {
					return nil, err
				}
				defer f.Close()
				in := bufio.NewScanner(f)
				for in.Scan() {
					var e store.LogEvent
					if err := json.Unmarshal(in.Bytes(), &e); err != nil {
						return nil, err
					}
					if e.Checkpoint == id {
						kinds = append(kinds, e.Kind)
					}
				}
				if err := in.Err(); err != nil {
					return nil, err
				}
			}
			return kinds, nil
		},
	}
}
