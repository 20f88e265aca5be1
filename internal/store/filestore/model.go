package filestore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"strings"
	"time"

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

// rewritten returns the entry with another record, and the content of its file; a
// nil state leaves the state out.
func (e *entry) rewritten(c piton.Checkpoint, state []byte) (*entry, []byte, error) {
	raw, err := encode(c, e.alias, state)
	if err != nil {
		return nil, nil, &piton.Error{Code: piton.Internal, Op: "write " + c.ID, Err: err}
	}
	changed := *e
	changed.c, changed.own, changed.ours, changed.size = c, true, false, int64(len(raw))
	return &changed, raw, nil
}

// archived is rewritten for a state that lies in a file of the archive.
func (e *entry) archived(file string) (*entry, []byte, error) {
	c := e.c
	c.Archive = file
	left, raw, err := e.rewritten(c, nil)
	if err == nil {
		left.state = nil
	}
	return left, raw, err
}

// stamp shows whether a file has changed: its length, when it was written last, in
// nanoseconds, its number on the disk, and when the system last saw a change, which
// no program can set back.
type stamp struct{ Size, Written, Inode, Changed int64 }

func stampOf(info fs.FileInfo) stamp {
	return stamp{info.Size(), info.ModTime().UnixNano(), localfs.Inode(info), localfs.ChangeTime(info)}
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
func readMeta(raw []byte) (m meta, err error) {
	if err = unseal(raw, &m); err != nil {
		return meta{}, err
	}
	return m, nil
}

// wfFile is a workflow's file as it was read.
type wfFile struct {
	stamp stamp
	w     *workflow // nil when it cannot be read
}

// lacksNumbers reports whether w has given out numbers that are not in the file.
func (f wfFile) lacksNumbers(w *workflow) bool {
	return len(w.Numbers) > 0 && (f.w == nil || len(f.w.Numbers) < len(w.Numbers))
}

// flowRecord is what the cache keeps of a workflow: its file, where it has one, and
// what it is with its checkpoints.
type flowRecord struct {
	file wfFile
	w    *workflow
}

// sealable is the content of a file that carries its own sum.
type sealable interface {
	sum() *string
	fits() error // what in it cannot be, if anything
}

func (m *meta) sum() *string     { return &m.Sum }
func (w *workflow) sum() *string { return &w.Sum }

// seal returns the JSON of such a file, and gives v its sum.
func seal(v sealable) ([]byte, error) {
	sum, err := sumWithin(v)
	if err != nil {
		return nil, err
	}
	*v.sum() = sum
	raw, err := json.MarshalIndent(v, "", "  ")
	return append(raw, '\n'), err
}

// unseal reads such a file. It fails where the sum or the content does not fit.
func unseal(raw []byte, v sealable) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return err
	}
	if got, err := sumWithin(v); err != nil || got != *v.sum() {
		return errors.Join(errSum, err)
	}
	return v.fits()
}

var errSum = errors.New("its sum does not fit")

// sumWithin is the sum of all of v but its own sum.
func sumWithin(v sealable) (string, error) {
	was := *v.sum()
	*v.sum() = ""
	raw, err := plain(v)
	*v.sum() = was
	if err != nil {
		return "", err
	}
	return sumOf(raw)
}

func keyOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, s := range parts {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// names compares the names in a folder without keeping them: how many
// there are, and the sum of their keys.
type names struct{ count, sum int64 }

func (n *names) add(name string) {
	n.count++
	n.sum += int64(keyOf(name))
}

// createds are what the events say was saved to each file; read when the first
// damaged file is met.
type createds map[string]piton.Checkpoint

func byOrdinal(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.c.Ordinal, b.c.Ordinal), strings.Compare(a.name, b.name))
}

func (w *workflow) branch(name string) *branch {
	for i := range w.Branches {
		if w.Branches[i].Name == name {
			return &w.Branches[i]
		}
	}
	return nil
}

// fits says what in the head of the store cannot be, if anything.
func (m *meta) fits() error {
	if m.Format != 1 || !isNumber(m.Tx) || !isNumber(m.Ordinal) {
		return fmt.Errorf("format %d, transaction %d, ordinal %d", m.Format, m.Tx, m.Ordinal)
	}
	return nil
}

// fits says what in the entry of a file cannot be, if anything.
func (e *entry) fits() error {
	if !isCheckpointName(e.name) || !piton.IsWholeID(piton.CheckpointPrefix, e.c.ID) || !piton.IsWholeID(piton.WorkflowPrefix, e.c.WorkflowID) ||
		!isNumber(e.c.Seq) || !isNumber(e.c.Ordinal) {
		return fmt.Errorf("the file %q of checkpoint %q", e.name, e.c.ID)
	}
	return nil
}

// fits says what in a workflow cannot be, if anything.
func (w *workflow) fits() error {
	if w == nil || !piton.IsWholeID(piton.WorkflowPrefix, w.ID) {
		return errors.New("a workflow without an id")
	}
	if !isNumber(w.Seq) {
		return fmt.Errorf("the number %d in workflow %s", w.Seq, w.ID)
	}
	for file, n := range w.Numbers {
		if !isNumber(n.Seq) || !isNumber(n.Ordinal) {
			return fmt.Errorf("the numbers of %q in workflow %s", file, w.ID)
		}
	}
	return nil
}

// mark reports whether the folder has changed since an index was read.
type mark struct {
	store, journal []byte
	faults         []string // why one of them cannot be read
	checkpoints    int64    // the folder's time, in nanoseconds
	workflows      int64
}

// grain is more than the grain of any local file system's clock in memory: a
// change so soon after another need not show in the folder's time.
const grain = 50 * time.Millisecond

func (m mark) same(n mark) bool {
	return bytes.Equal(m.store, n.store) && bytes.Equal(m.journal, n.journal) && m.checkpoints == n.checkpoints && m.workflows == n.workflows
}

// atRest reports whether every change of the folder from now on gives it another
// mark.
func (m mark) atRest() bool {
	return time.Since(time.Unix(0, max(m.checkpoints, m.workflows))) > grain
}
