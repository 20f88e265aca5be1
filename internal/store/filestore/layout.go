package filestore

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/piton-project/piton"
)

// What the store's files may hold (docs/format.md, "Files"). Others may write to
// the folder, and the sums have no key: whatever does not fit here is damaged,
// and nothing that it says is done.

// Bounds of files, in bytes. What the store writes itself is far below, or
// refused before it is written.
const (
	maxCheckpoint = 256 << 20 // a state of 64 MiB, as another program may format it
	maxWorkflow   = 64 << 20
	maxJournal    = 256 << 20
	maxMeta       = 1 << 20
	maxSeed       = 16 << 20
	maxEvents     = 256 << 20 // what is read of events in all
	maxEventLine  = 1 << 20
	maxRef        = 256 // the id of a current checkpoint, which may be another program's
)

// maxNumber bounds the numbers of checkpoints and transactions. They go on from
// what is read, so there must be room above.
const maxNumber = 1 << 60

func isNumber(n int64) bool { return n >= 0 && n <= maxNumber }

// isCheckpointName tells whether a name in checkpoints/ can be a checkpoint's
// file. Another program may choose it.
func isCheckpointName(name string) bool {
	return strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") && len(name) <= 255 && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == '\\' || r < ' ' || r == 0x7f })
}

// eventsName is the form of a file of events.
var eventsName = regexp.MustCompile(`^` + events + `/[0-9]{4}-[0-9]{2}-[0-9]{2}\.jsonl$`)

// fits says what in the head of the store cannot be, if anything.
func (m meta) fits() error {
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

// fits says what in a journal is not in the layout, if anything.
func (j *journal) fits() error {
	if err := j.Store.fits(); err != nil {
		return err
	}
	for _, names := range [][]string{j.Puts, j.Removes} {
		for _, name := range names {
			if !isCheckpointName(name) {
				return fmt.Errorf("%.100q is no checkpoint's file", name)
			}
		}
	}
	for _, w := range j.Workflows {
		if err := w.fits(); err != nil {
			return err
		}
	}
	for _, l := range j.Events {
		if !eventsName.MatchString(l.File) || l.From < 0 {
			return fmt.Errorf("%.100q is no file of events", l.File)
		}
		for _, line := range l.Lines {
			if strings.ContainsAny(line, "\r\n") || !strings.HasPrefix(line, "{") || !json.Valid([]byte(line)) {
				return fmt.Errorf("%.100q is no event", line)
			}
		}
	}
	if j.Seed != nil && len(j.Seed.Set) > maxRef {
		return fmt.Errorf("%.100q... is no checkpoint's id", j.Seed.Set)
	}
	return nil
}
