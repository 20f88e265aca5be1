// Package filestore keeps checkpoints as JSON files that people and other
// programs can read: a folder with a file per checkpoint, seed.json naming the
// current one, and a log of events (docs/format.md, "Files").
//
// It is safe for many processes at once. Writers queue on a lock file; readers
// take none. It keeps checkpoints only, no sessions and no runs.
package filestore

import (
	"context"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Options tune the store; the zero value is for people's programs.
type Options struct {
	// Wait is how long a writer waits for the others; 10 s when 0.
	Wait time.Duration
	// Existing opens what is there and makes nothing; NotFound when there is no
	// such folder.
	Existing bool
	// Cache is the folder for what need not be read again by every process, in
	// the user's own state folder; none is kept when it is empty.
	Cache string
}

// Store keeps checkpoints in a folder.
type Store struct {
	reader
	disk disk
	wait time.Duration

	mu     sync.Mutex // over all that follows but terms
	index  *index     // the newest that was read
	rested bool       // its names were compared while the folder was at rest
	sure   bool       // every file was compared with it while nothing changed
	doubt  bool       // every file is to be compared
	unread bool       // every file is to be read, whatever the cache says
	cache  cache
	terms  terms
}

var (
	_ store.Checkpoints = (*Store)(nil)
	_ store.Upkeep      = (*Store)(nil)
)

// moves is how often a transaction is tried while another program changes the
// files it is to write.
const moves = 5

// reader answers questions, inside a transaction or outside.
type reader struct {
	at     func(context.Context) (*index, error)
	s      *Store
	inside bool // a transaction
}

// terms are what each checkpoint is found by, kept as long as the store is
// open.
type terms struct {
	mu sync.Mutex
	of map[string][]string // by checkpoint, sorted
}

// Runs is nil: the store keeps no runs.
func (s *Store) Runs() store.RunReader { return nil }

// Metrics are none: what the store counts it counts for all days together.
func (s *Store) Metrics(context.Context, piton.Time) ([]store.Metric, error) { return nil, nil }

// ExpireMetrics has nothing to delete: all days have one counter.
func (s *Store) ExpireMetrics(context.Context, piton.Time) error { return nil }
