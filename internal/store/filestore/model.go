package filestore

import (
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// entry is a checkpoint file as the index knows it. Entries are never changed,
// only replaced.
type entry struct {
	c     piton.Checkpoint
	name  string // in checkpoints/
	alias string // the id another program gave it
	own   bool   // it has our record
	ours  bool   // another program has written our own again, in its form
	why   string // what is wrong with the file itself
	stamp stamp  // of the file when it was read; the zero stamp: not known
	size  int64
	state []byte // in a transaction, before the file is there
}

// stamp tells a file from what it was: its length, when it was changed last, in
// nanoseconds, and its number on the disk.
type stamp struct{ size, changed, inode int64 }

func stampOf(info fs.FileInfo) stamp {
	return stamp{info.Size(), info.ModTime().UnixNano(), localfs.Inode(info)}
}

// index is everything the folder held at one moment, states left out. It is
// never changed once it is shared.
type index struct {
	mark    mark
	store   meta
	faults  []string          // what Check says of files that could not be read
	files   map[string]*entry // as they lie there, by name
	stale   []string          // staged files of a transaction that was never finished
	wfs     map[string]wfFile // as they lie there, by id
	created createds          // nil: not read
	twice   bool              // two files have one id

	// base is the cache, where not all of it was needed yet: then the maps hold
	// only what has changed since, and the lists nothing.
	base    *base
	names   names
	private bool // a transaction's

	byID      map[string]*entry
	order     []*entry // by ordinal
	workflows map[string]*workflow
}

// workflow is a workflow's file; head and counts come from the checkpoints.
type workflow struct {
	piton.Workflow
	Foreign  bool              `json:"foreign,omitempty"`       // made for files of another program
	ClosedAt int64             `json:"closed_at_seq,omitempty"` // a foreign one's number when it was closed by us
	Branches []branch          `json:"branches"`
	Marks    map[string]note   `json:"marks,omitempty"`   // by checkpoint
	Numbers  map[string]number `json:"numbers,omitempty"` // of files that hold none, by file
	Sum      string            `json:"sum"`

	head *entry
	lost bool // its file is not there: it was made from its checkpoints
}

// branch is a line of a workflow.
type branch struct {
	Name string `json:"name"`
	From string `json:"from_id,omitempty"` // the checkpoint it was forked from
	Base string `json:"base_id,omitempty"` // once it is empty: the ancestor that is its head

	head   *entry
	headID string // of one that comes from the cache
	count  int
}

// note is what is known of a checkpoint whose file must not be written again.
type note struct {
	Damaged     string     `json:"damaged,omitempty"`
	Parent      *string    `json:"parent_id,omitempty"`
	CompletedAt piton.Time `json:"completed_at,omitzero"`
	Waits       string     `json:"waits_for,omitempty"` // the parent that was not there when it was imported
}

// number is a checkpoint's place in its workflow and in the store.
type number struct {
	Seq     int64 `json:"seq"`
	Ordinal int64 `json:"ordinal"`
}

// meta is store.json.
type meta struct {
	Format   int              `json:"format"`
	Tx       int64            `json:"transaction"`
	Ordinal  int64            `json:"ordinal"`
	Counters map[string]int64 `json:"counters,omitempty"`
	Sum      string           `json:"sum"`
}

// readMeta reads store.json; what does not fit is all lost.
func readMeta(raw []byte) (meta, error) {
	var m meta
	fits, err := unseal(raw, &m, &m.Sum)
	if err == nil && !fits {
		err = errSum
	}
	if err == nil {
		err = m.fits()
	}
	if err != nil {
		return meta{}, err
	}
	return m, nil
}

// wfFile is a workflow's file as it was read.
type wfFile struct {
	stamp stamp
	w     *workflow // nil when it cannot be read
}

// sealed is the JSON of a file that carries its own sum: put gets the sum.
func sealed(v any, sum *string) ([]byte, error) {
	*sum = ""
	raw, err := plain(v)
	if err != nil {
		return nil, err
	}
	if *sum, err = sumOf(raw); err != nil {
		return nil, err
	}
	raw, err = json.MarshalIndent(v, "", "  ")
	return append(raw, '\n'), err
}

// errSum is the error for a file that does not have its sum.
var errSum = errors.New("its sum does not fit")

// unseal reads such a file; fits is false when its sum does not.
func unseal(raw []byte, v any, sum *string) (fits bool, err error) {
	if err := json.Unmarshal(raw, v); err != nil {
		return false, err
	}
	want := *sum
	*sum = ""
	again, err := plain(v)
	if err != nil {
		return false, err
	}
	got, err := sumOf(again)
	*sum = want
	return got == want, err
}
