package filestore

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// sealable is the content of a file that carries its own sum.
type sealable interface {
	sum() *string
	fits() error // what in it cannot be, if anything
}

func (m *meta) sum() *string     { return &m.Sum }
func (w *workflow) sum() *string { return &w.Sum }
func (j *journal) sum() *string  { return &j.Sum }

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

func (m *meta) fits() error {
	if m.Format != 1 || !isNumber(m.Tx) || !isNumber(m.Ordinal) {
		return fmt.Errorf("format %d, transaction %d, ordinal %d", m.Format, m.Tx, m.Ordinal)
	}
	return nil
}

// count adds up what was counted.
func (m *meta) count(counts []store.Counted) {
	if m.Counters == nil {
		m.Counters = map[string]int64{}
	}
	for _, c := range store.Sum(counts) {
		m.Counters[c.Name] += min(c.N, math.MaxInt64-m.Counters[c.Name])
	}
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

	head    *entry
	lost    bool // its file is not there: it is made from its checkpoints
	damaged bool // its file is there, and cannot be read
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

func (w *workflow) fits() error {
	if w == nil || !piton.IsWholeID(piton.WorkflowPrefix, w.ID) {
		return errors.New("a workflow without an id")
	}
	ok := isNumber(w.Seq)
	for _, n := range w.Numbers {
		ok = ok && isNumber(n.Seq) && isNumber(n.Ordinal)
	}
	if !ok {
		return fmt.Errorf("a number in workflow %s cannot be", w.ID)
	}
	return nil
}

// mark changes what is noted of a checkpoint.
func (w *workflow) mark(id string, alter func(*note)) {
	n := w.Marks[id]
	alter(&n)
	if w.Marks == nil {
		w.Marks = map[string]note{}
	}
	if w.Marks[id] = n; n == (note{}) {
		delete(w.Marks, id)
	}
}

// number notes the numbers of a file that holds none.
func (w *workflow) number(file string, n number) {
	if w.Numbers == nil {
		w.Numbers = map[string]number{}
	}
	w.Numbers[file] = n
}

// journal is a transaction: it is done from the moment journal.json has its
// name. Its checkpoint files lie ready under their staged names; all else stands in
// it. Applying it twice is applying it once.
type journal struct {
	Store     meta        `json:"store"`
	Puts      []string    `json:"puts,omitempty"` // files in checkpoints/ that get their names
	Removes   []string    `json:"removes,omitempty"`
	Workflows []*workflow `json:"workflows,omitempty"`
	Events    []lines     `json:"events,omitempty"`
	Seed      seedChange  `json:"seed,omitzero"`
	Sum       string      `json:"sum"`
}

// fits says what in a journal is not in the layout, if anything.
func (j *journal) fits() error {
	errs := []error{j.Store.fits()}
	for _, name := range append(j.Puts[:len(j.Puts):len(j.Puts)], j.Removes...) {
		if !isCheckpointName(name) {
			errs = append(errs, fmt.Errorf("%.100q is no checkpoint's file", name))
		}
	}
	for _, w := range j.Workflows {
		errs = append(errs, w.fits())
	}
	for _, l := range j.Events {
		errs = append(errs, l.fits())
	}
	if len(j.Seed.Set) > maxRef {
		errs = append(errs, fmt.Errorf("%.100q... is no checkpoint's id", j.Seed.Set))
	}
	return errors.Join(errs...)
}

// lines are what a transaction adds to one file of events.
type lines struct {
	File  string   `json:"file"`
	From  int64    `json:"from"` // the file's size before
	Lines []string `json:"lines"`
}

func (l lines) fits() error {
	if !eventsName().MatchString(l.File) || l.From < 0 {
		return fmt.Errorf("%.100q is no file of events", l.File)
	}
	for _, line := range l.Lines {
		if strings.ContainsAny(line, "\r\n") || !strings.HasPrefix(line, "{") || !json.Valid([]byte(line)) {
			return fmt.Errorf("%.100q is no event", line)
		}
	}
	return nil
}

// seedChange is what a transaction does to the current checkpoint that
// seed.json names. It says what to do, not what the file is to hold, for the
// file belongs to others too.
type seedChange struct {
	Set   string   `json:"set,omitempty"`
	Clear []string `json:"clear,omitempty"` // if it names one of these
}

// clear notes that a checkpoint is over. It may be known by another program's
// id too.
func (c *seedChange) clear(ids ...string) {
	for _, id := range ids {
		if id != "" && !slices.Contains(c.Clear, id) {
			c.Clear = append(c.Clear, id)
		}
		if c.Set == id {
			c.Set = ""
		}
	}
}
