package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/kind"
	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/filltest"
)

// perWorkflow is how many checkpoints a workflow has, in the large store and in
// the one beside it, which has one workflow and is all but empty.
const perWorkflow = 50

// shop is a store with a keeper for every verb.
type shop struct {
	history.Keeper
	st   *sqlstore.Store
	path string
	last int    // the workflow that was worked on last
	n    int    // runs so far
	size string // in words
}

// filled makes a store of a size in a folder of its own; the large one is made
// once and copied from then on.
func (l lab) filled(ctx context.Context, name string, size filltest.Size) (string, error) {
	path := filepath.Join(l.dir, name, "piton.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	cached := filepath.Join(os.TempDir(), fmt.Sprintf("piton-filled-%d-%d-%s", size.Checkpoints, sqlstore.SchemaVersion, time.Now().Format(time.DateOnly)))
	if size.Checkpoints > 1000 && copyFile(path, cached) == nil {
		return path, nil
	}
	size.Now = time.Now()
	st, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return "", err
	}
	err = filltest.Fill(ctx, st, st.Local(), size)
	if err2 := st.Close(); err == nil {
		err = err2
	}
	if err != nil || size.Checkpoints <= 1000 {
		return path, err
	}
	part := cached + ".part"
	if err := copyFile(part, path); err != nil {
		return "", err
	}
	return path, os.Rename(part, cached)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}

func openShop(ctx context.Context, path string, size filltest.Size) (*shop, error) {
	st, err := sqlite.Open(ctx, path, sqlite.Options{FTS5: fts5.Register})
	if err != nil {
		return nil, err
	}
	k := history.Keeper{Store: st, Local: st.Local(), Validate: kind.Validate, Archive: archive.Folder{Dir: filepath.Join(filepath.Dir(path), "archive")}}
	return &shop{Keeper: k, st: st, path: path, last: size.Workflows - 1, size: fmt.Sprintf(", %d checkpoints", size.Checkpoints)}, nil
}

// label is the name of the workflow that the bench itself saves to.
func (s *shop) label() string { return fmt.Sprintf("bench-%d", s.n) }

// draft is a state saved to a workflow by the session of the last workflow.
func (s *shop) draft(workflow string) history.Draft {
	return history.Draft{SaveRequest: piton.SaveRequest{Workflow: workflow, InProject: piton.InProject{Project: filltest.Project(s.last)}, Session: filltest.Session(s.last), State: fmt.Appendf(nil, `{"n":%d}`, s.n)}}
}

func (s *shop) saved(ctx context.Context, n int) error {
	for range n {
		if _, err := s.Save(ctx, s.draft(s.label())); err != nil {
			return err
		}
	}
	return nil
}

func (s *shop) own() history.Selector {
	return history.Selector{Workflow: s.label(), Project: filltest.Project(s.last)}
}

// middle is a checkpoint in the middle of the store.
func (s *shop) middle() string { return filltest.Checkpoint(s.last/2, 20) }
