package sqlstore

import "github.com/piton-project/piton/internal/store"

// tx is one transaction.
type tx struct {
	reader
	// What tells a commit whose answer was lost from one that never was.
	xact     string // the transaction's name
	appended string // a checkpoint that it adds
	own      recent // of what it appended; the store remembers it once it is there

	posted bool  // a letter
	lost   error // a fence is not the run's any more: nothing is written

	noted func(store.LogEvent) // gets the events in the place of the database; nil: it keeps them
	last  store.LogEvent       // the last event it logged, where somebody keeps count
}
