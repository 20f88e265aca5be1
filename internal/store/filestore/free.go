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
		left, _, err := archived(e, file)
		if err != nil {
			return 0, err
		}
		freed += max(0, e.size-left.size)
	}
	return freed, nil
}

// archived is a checkpoint as it is once its state lies in a file of the
// archive, with the bytes of its own file.
func archived(e *entry, file string) (left entry, raw []byte, err error) {
	left = *e
	left.c.Archive = file
	if raw, err = encode(left.c, e.alias, nil); err != nil {
		return left, nil, &piton.Error{Code: piton.Internal, Op: "archive " + e.c.ID, Err: err}
	}
	left.own, left.state, left.size = true, nil, int64(len(raw))
	return left, raw, nil
}

// shrinks is how many bytes shorter a checkpoint's file gets with another
// parent.
func shrinks(e *entry, parent string) (int64, error) {
	c := e.c
	before, err := encode(c, e.alias, nil)
	if err != nil {
		return 0, &piton.Error{Code: piton.Internal, Op: "change " + c.ID, Err: err}
	}
	c.ParentID = parent
	after, err := encode(c, e.alias, nil)
	if err != nil {
		return 0, &piton.Error{Code: piton.Internal, Op: "change " + c.ID, Err: err}
	}
	return int64(len(before) - len(after)), nil
}
