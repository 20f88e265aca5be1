package filestore

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// WouldFree is what Archive of cold and Delete of doomed would set free.
func (s *Store) WouldFree(ctx context.Context, doomed, cold []piton.Checkpoint, file string) (int64, error) {
	x, err := s.whole(ctx)
	if err != nil {
		return 0, err
	}
	var freed int64
	gone := map[string]*entry{}
	var records []piton.Checkpoint
	for _, c := range doomed {
		if e := x.byID[c.ID]; e != nil {
			gone[c.ID] = e
			records = append(records, e.c)
			freed += e.size
		}
	}
	heirs := store.PlanDelete(records)
	for _, e := range x.order {
		if gone[e.c.ParentID] == nil || gone[e.c.ID] != nil || e.why != "" {
			continue
		}
		n, err := shrinks(e, heirs.Of(e.c.ParentID))
		if err != nil {
			return 0, err
		}
		freed += n
	}
	for _, c := range cold {
		e := x.byID[c.ID]
		if e == nil || e.why != "" {
			continue // gone, or damaged: it stays as it is
		}
		left, _, err := e.archived(file)
		if err != nil {
			return 0, err
		}
		freed += max(0, e.size-left.size)
	}
	return freed, nil
}

// shrinks is how many bytes shorter a checkpoint's file gets with another
// parent.
func shrinks(e *entry, parent string) (int64, error) {
	c := e.c
	c.ParentID = parent
	before, _, err := e.rewritten(e.c, nil)
	if err != nil {
		return 0, err
	}
	after, _, err := e.rewritten(c, nil)
	if err != nil {
		return 0, err
	}
	return before.size - after.size, nil
}
