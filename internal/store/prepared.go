package store

import (
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// Prepared is a checkpoint that is ready to be appended: validated, redacted
// and summed outside the transaction. Record carries what the caller decides;
// the store fills id-independent fields (seq, ordinal, parent, sizes).
type Prepared struct {
	Record piton.Checkpoint
	State  redact.Document // compact, an object
	Parent string          // the branch head the caller expects; empty: whatever it is
	Fork   bool            // Record.ParentID is any checkpoint and Record.Branch is new
	Packed Packed          `redact:"-"` // set by Checkpoints.Prepare; nil: Append packs the state itself
	// TakenOut is where each secret stood that was taken out, as a JSON pointer;
	// nothing of it is stored.
	TakenOut []string `redact:"-"`
	// Began is when the save began; what it took up to its commit is counted.
	Began time.Time `redact:"-"`
	// Close and Keep say what the save does to its workflow; by default a
	// save opens it again unless the record finishes it.
	Close bool
	Keep  bool // leave the workflow as open or closed as it was
}

// Packed is a state in the form in which one store writes it. Only the store
// that made it can use it; any other packs the state again.
type Packed interface{ packed() }

// IsPacked makes the type that embeds it a Packed.
type IsPacked struct{}

func (IsPacked) packed() {}
