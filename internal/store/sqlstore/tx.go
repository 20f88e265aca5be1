package sqlstore

import "github.com/piton-project/piton/internal/store"

// tx is one transaction.
type tx struct {
	reader
	// What tells a commit whose answer was lost from one that never was.
	xact     string // the transaction's name
	appended string // a checkpoint that it adds
	own      recent // of what it appended; the store remembers it once it is there

	last store.LogEvent // the last event it logged, where somebody keeps count
}

// over is a transaction over checkpoints.
func (t *tx) over() store.Tx { return store.Tx{Reader: t, Writer: t, Recorder: t} }
