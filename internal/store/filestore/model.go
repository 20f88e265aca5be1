package filestore

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// entry is a checkpoint's file as it was read.
type entry struct {
	c     piton.Checkpoint
	name  string // in checkpoints/
	alias string // the id another program gave it
	own   bool   // it has our record
	ours  bool   // another program has written our own again, in its form
	loose bool   // its number stands in no file yet
	why   string // what is wrong with the file itself
	stamp string
}

// foreign reports whether the file is not our own as we wrote it.
func (e *entry) foreign() bool { return e.alias != "" || !e.own }

// stampOf shows whether a file has changed: its length, when it was written last, in
// nanoseconds, its number on the disk, and when the system last saw a change, which
// no program can set back.
func stampOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d %d %d %d", info.Size(), info.ModTime().UnixNano(), localfs.Inode(info), localfs.ChangeTime(info))
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

	head *entry
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

var errSum = errors.New("its sum does not match")

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

// nameKey is a number that stands for a name; the sum of those in a folder stands for
// all of them.
func nameKey(name string) int64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return int64(h.Sum64())
}

// createds are what the events say was saved to each file; read when the first
// damaged file is met.
type createds map[string]piton.Checkpoint

func (w *workflow) branch(name string) *branch {
	for i := range w.Branches {
		if w.Branches[i].Name == name {
			return &w.Branches[i]
		}
	}
	return nil
}

// mark sets what is noted of a checkpoint; nothing takes it away.
func (w *workflow) mark(id string, n note) {
	if n == (note{}) {
		delete(w.Marks, id)
		return
	}
	if w.Marks == nil {
		w.Marks = map[string]note{}
	}
	w.Marks[id] = n
}

// fits says what in the head of the store cannot be, if anything.
func (m *meta) fits() error {
	if m.Format != 1 || !isNumber(m.Tx) || !isNumber(m.Ordinal) {
		return fmt.Errorf("format %d, transaction %d, ordinal %d", m.Format, m.Tx, m.Ordinal)
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

// sorted are the keys of a map in order.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
