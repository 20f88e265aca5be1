package store

import (
	"context"
	"io"
	"iter"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// Entry is a checkpoint with its workflow and its state: what an export file
// or an archive holds, and what an import takes.
type Entry struct {
	Workflow   piton.Workflow
	Checkpoint piton.Checkpoint
	State      []byte `redact:"json"` // compact JSON, byte for byte as it was saved
	// Origin is the normalised origin URL of the checkpoint's project, by which
	// another machine knows it; empty where there is none.
	Origin string `redact:"name"`
	// Foreign: another program made it. Its numbers are the order in which it
	// was read, and mean nothing beside those of another import.
	Foreign bool
}

// Entries is a sequence of entries, oldest first within a workflow. It ends
// at the first error.
type Entries = iter.Seq2[Entry, error]

// CleanEntries are Entries without secrets.
type CleanEntries = iter.Seq2[redact.Clean[Entry], error]

// Archive keeps entries outside of the store, in files that are never
// rewritten, compressed and checksummed, each readable without the others
// (docs/spec.md, "Tiers"). Unavailable when the place cannot be reached.
type Archive interface {
	// Write makes one file of the entries and returns its name and size in
	// bytes. When it returns nil the file survives any crash; on an error
	// there is no file. Writing the same entries again gives the same name.
	Write(ctx context.Context, entries CleanEntries) (name string, size int64, err error)
	// Entry reads one entry of a file. NotFound when the file or the entry in
	// it is missing; Corrupt when a sum does not match; never a wrong state.
	Entry(ctx context.Context, name, checkpoint string) (Entry, error)
	// Entries reads a file to its end, with what nobody names any more; its
	// errors are Entry's.
	Entries(ctx context.Context, name string) Entries
	// Open reads a whole file as it lies there.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Files lists the names of what is there, in order.
	Files(ctx context.Context) ([]string, error)
	// Remove deletes a file. Removing what is not there changes nothing.
	Remove(ctx context.Context, name string) error
	// Owns reports whether this archive's owner wrote a file; without an owner
	// none is. It reads the file to its end: Corrupt where that cannot be done.
	Owns(ctx context.Context, name string) (bool, error)
}
