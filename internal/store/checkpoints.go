package store

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// Checkpoints keeps workflows and their checkpoints.
type Checkpoints interface {
	Reader
	// Search returns the checkpoints that hold every one of the words and fit
	// the query, newest first. text gives the words a checkpoint is found by;
	// the store asks for it, with the state, once for each checkpoint that came
	// since the last search. What is damaged is found by its record alone.
	Search(ctx context.Context, words string, q piton.Query, text func(piton.Checkpoint, []byte) string) (piton.Page, error)
	// Prepare does the slow part of an Append ahead of its transaction; Append
	// does it itself for what was not prepared.
	Prepare(ctx context.Context, p Prepared) (Prepared, error)
	// Save runs fn in one durable transaction: when it returns nil all that fn
	// wrote survives any crash, else nothing of it was written. The one
	// exception is an Unavailable that says so: the answer to the commit was
	// lost. fn runs again from its beginning when the database broke the
	// transaction off before anything was written (a deadlock, a lost
	// connection), so what it reads from or keeps outside must allow for that.
	Save(ctx context.Context, fn func(Tx) error) error
	// Upkeep is what keeps this store whole and small.
	Upkeep() Upkeep
	// Runs reads runs; nil where the store keeps none.
	Runs() RunReader
	// Schedules reads schedules; nil where Runs is.
	Schedules() ScheduleReader
	// Metrics are what was counted since the day of a time, the oldest day first. A
	// store that counts nothing by day has none.
	Metrics(ctx context.Context, from piton.Time) ([]Metric, error)
}

// Upkeep is what keeps a store whole and small.
type Upkeep interface {
	// WouldFree is what Archive of cold and Delete of doomed would set free,
	// found by reading alone. file is as long as the name of the archive's file.
	// Those that are gone meanwhile are left out.
	WouldFree(ctx context.Context, doomed, cold []piton.Checkpoint, file string) (int64, error)
	// Check looks at what belongs to the store itself rather than to one
	// checkpoint: pages, indexes, references. It returns one line per fault;
	// an error only where it could not look.
	Check(ctx context.Context) ([]string, error)
	// Raw returns what can still be read of a damaged state: fragments in
	// order, nil for what is lost.
	Raw(ctx context.Context, id string) ([][]byte, error)
	// Repair makes again what can be derived from the rest, such as indexes and
	// heads, and returns one line for each thing it mended. It loses nothing.
	Repair(ctx context.Context) ([]string, error)
	// Purge takes secrets out of all texts that are not a checkpoint's, and sees to
	// it that what was overwritten, by Rewrite too, is gone from the store's
	// files. It returns how many it took out and what it cannot reach. dry: it
	// counts and writes nothing.
	Purge(ctx context.Context, c Cleaner, dry bool) (taken int, beyond []string, err error)
	// Reclaim gives freed space back to the file system, in steps that keep
	// other savers waiting for at most 100 ms each, and returns the bytes.
	// progress may be nil.
	Reclaim(ctx context.Context, progress func(done, total int64)) (int64, error)
	// ExpireMetrics deletes the counters of days before a time.
	ExpireMetrics(ctx context.Context, before piton.Time) error
	// MarkDamaged marks a checkpoint as damaged, with the reason, and logs it as
	// an event. Marking twice changes nothing; an empty reason takes the mark
	// away again.
	MarkDamaged(ctx context.Context, id string, why redact.Clean[string]) error
}

// Cleaner takes secrets out of texts and says how many there were.
type Cleaner struct {
	Text func(string) (string, int)
	// Known is for names and paths by which things are found: it takes out only
	// what is a secret by itself.
	Known func(string) (string, int)
	JSON  func([]byte) ([]byte, int, error)
}
