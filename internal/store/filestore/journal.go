package filestore

import (
	"encoding/json"
	"fmt"
	"strings"
)

// journal is a transaction: it is done from the moment journal.json has its
// name, and from then on everybody reads the store as if it were applied. Its
// checkpoint files lie ready under their staged names; all else stands in it.
// Applying it twice is applying it once.
type journal struct {
	Store     meta        `json:"store"`
	Puts      []string    `json:"puts,omitempty"` // files in checkpoints/ that get their names
	Removes   []string    `json:"removes,omitempty"`
	Workflows []*workflow `json:"workflows,omitempty"`
	Events    []lines     `json:"events,omitempty"`
	Seed      *seedChange `json:"seed,omitempty"`
	Sum       string      `json:"sum"`
}

func (j *journal) sum() *string { return &j.Sum }

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
		if !eventsName().MatchString(l.File) || l.From < 0 {
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
