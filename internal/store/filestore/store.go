// Package filestore keeps checkpoints as JSON files that people and other
// programs can read: a folder with a file per checkpoint, seed.json naming the
// current one, and a log of events (docs/format.md, "Files").
//
// The files are the store. What lists, searches and counts them is an index, a
// database of package sqlite without states, which is made again from the files
// whenever it does not fit them.
//
// It is safe for many processes at once. Writers queue on a lock file; readers
// take none. It keeps checkpoints only, no sessions and no runs.
package filestore

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// Options tune the store; the zero value is for people's programs.
type Options struct {
	// Wait is how long a writer waits for the others; 10 s when 0.
	Wait time.Duration
	// Existing opens what is there and makes nothing; NotFound when there is no
	// such folder.
	Existing bool
	// Cache is the folder for the index, in the user's own state folder; it is in
	// memory, for this process, when that is empty.
	Cache string
}

// Store keeps checkpoints in a folder.
type Store struct {
	reader
	disk disk
	wait time.Duration
	path string // the index's file; "" keeps it in memory
	// elsewhere reads a state for a search.
	elsewhere func(ctx context.Context, id string) ([]byte, error)

	sure   atomic.Int64 // the mark under which every file was compared with the folder at rest
	doubt  atomic.Bool  // every file is to be compared
	unread atomic.Bool  // every file is to be read, whatever the index says

	mu     sync.Mutex // over all that follows
	index  *sqlstore.Store
	drops  int // how often it was thrown away
	faults []string
	stale  []string // staged files of a transaction that never happened
}

var (
	_ store.Checkpoints = (*Store)(nil)
	_ store.Upkeep      = (*Store)(nil)
)

// reader answers questions, inside a transaction or outside.
type reader struct {
	// read runs fn on an index that fits, and returns its answer. whole: every file
	// was compared.
	read func(ctx context.Context, op string, whole bool, fn func(snap) ([]piton.Checkpoint, error)) ([]piton.Checkpoint, error)
	s    *Store
	of   map[string][]byte // states that a transaction is to write, by checkpoint
}

// Runs is nil: the store keeps no runs.
func (s *Store) Runs() store.RunReader { return nil }

// Metrics are none: what the store counts it counts for all days together.
func (s *Store) Metrics(context.Context, piton.Time) ([]store.Metric, error) { return nil, nil }

// ExpireMetrics has nothing to delete: all days have one counter.
func (s *Store) ExpireMetrics(context.Context, piton.Time) error { return nil }

// Prepare has nothing to do: a state is stored as it is.
func (s *Store) Prepare(_ context.Context, p store.Prepared) (store.Prepared, error) { return p, nil }

// Upkeep is the store itself.
func (s *Store) Upkeep() store.Upkeep { return s }
