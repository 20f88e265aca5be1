package repair

import (
	"errors"
	"fmt"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/pages"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// Report says what became of a damaged store. Its JSON is a contract
// (docs/json.md).
type Report struct {
	From    string           `json:"from"`            // the damaged store
	File    string           `json:"file"`            // the new store, or the same if nothing was damaged and nothing was written
	Kept    string           `json:"kept,omitempty"`  // where the old store is now; absent: without `--replace`
	Saved   []Saved          `json:"saved"`           // per table
	Checked int              `json:"checked"`         // checkpoints in the new store
	Intact  int              `json:"intact"`          // how many of them are intact
	Damaged []history.Damage `json:"damaged"`         // those that exist and cannot be loaded
	Lost    []Lost           `json:"lost"`            // checkpoints whose record is lost
	Notes   []string         `json:"notes"`           // what else was found, or created again from the rest
	Older   string           `json:"older,omitempty"` // the store is older than what was acknowledged, and since when; the exit status is 5; absent: it is not
}

// Saved is how many rows of a table were saved, and how many damaged ones were
// met. Of the rows on a page that cannot be read nothing is known.
type Saved struct {
	Table   string `json:"table"`
	Rows    int64  `json:"rows"`    // that were saved
	Damaged int    `json:"damaged"` // rows that could not be read
	Pages   int    `json:"pages"`   // pages that could not be read
}

// Lost is a checkpoint whose record is gone.
type Lost struct {
	ID       string `json:"id"`
	Workflow string `json:"workflow_id,omitempty"` // if it is known
}

// Whole reports that nothing was found damaged.
func (r Report) Whole() bool {
	return !(len(r.Lost)+len(r.Damaged)+len(r.Notes) > 0 || slices.ContainsFunc(r.Saved, func(s Saved) bool { return s.Damaged+s.Pages > 0 }))
}

// builder carries rows from one file to another.
type builder struct {
	src      *pages.File
	dst      *sqlstore.Store
	report   *Report
	progress func(done, total int64)

	tables []table
	found  map[string]pages.Found
	gone   map[string]bool // checkpoints that were deleted, by the event stream
	seen   int64           // pages
}

func (b *builder) fail(op string, err error) error {
	var known *piton.Error
	if errors.As(err, &known) {
		return err
	}
	return b.dst.D.Error(op, err)
}

func (b *builder) note(format string, args ...any) {
	b.report.Notes = append(b.report.Notes, fmt.Sprintf(format, args...))
}

// hintNothing leads on where nothing is left to repair.
