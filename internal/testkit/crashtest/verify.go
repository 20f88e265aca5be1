package crashtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
)

// Verify fails unless all that was acknowledged is there with its sum and
// number, what was taken away is gone, and the store is sound: every number is
// there or was deleted, every state loads or lies in the archive, heads are the
// newest, parents are there. What the ledger could not know is found out and
// noted: from here on it must stay so.
func Verify(ctx context.Context, s store.Checkpoints, l *Ledger) error {
	page, err := s.List(ctx, piton.Query{})
	if err != nil {
		return err
	}
	there := map[string]piton.Checkpoint{}
	for i, c := range page.Checkpoints {
		if i > 0 && c.Ordinal >= page.Checkpoints[i-1].Ordinal {
			return fmt.Errorf("%s: got the ordinal %d behind %d, want them to fall", c.ID, c.Ordinal, page.Checkpoints[i-1].Ordinal)
		}
		if c.Damaged != "" {
			return fmt.Errorf("%s: got it damaged: %s", c.ID, c.Damaged)
		}
		there[c.ID] = c
	}
	if err := l.clear(there); err != nil {
		return err
	}
	for id, c := range there {
		if l.kept[id] == nil { // saved, and killed before it could say so
			l.kept[id] = &kept{completed: c.Completed, sha256: c.SHA256, workflow: c.WorkflowID, seq: c.Seq, file: c.Archive, imported: strings.HasPrefix(c.Workflow, importedName)}
		}
	}
	for id, k := range l.kept {
		if err := k.verify(ctx, s, l.Cold, id, there); err != nil {
			return err
		}
	}
	if err := l.sound(ctx, s, there); err != nil {
		return err
	}
	faults, err := s.Upkeep().Check(ctx)
	if err != nil || len(faults) > 0 {
		return fmt.Errorf("the store's own check: %q, %v", faults, err)
	}
	return nil
}

// clear finds out how the jobs ended that were cut off: whole or not at all.
func (l *Ledger) clear(there map[string]piton.Checkpoint) error {
	l.begin()
	for key, j := range l.doubt {
		l.InDoubt++
		delete(l.doubt, key)
		if j.kind == Prune {
			l.clearPruning(j, there)
			continue
		}
		done := 0
		for _, id := range j.ids {
			c, ok := there[id]
			switch j.kind {
			case Archive:
				ok = c.Archive == j.file
			case Complete:
				ok = c.Completed
			case Delete:
				ok = !ok
			}
			if ok {
				done++
			}
		}
		switch done {
		case 0:
		case len(j.ids):
			l.settle(j)
		default:
			return fmt.Errorf("%s: got %d of %d, want all or nothing", key, done, len(j.ids))
		}
	}
	return nil
}

// clearPruning finds out how far a pruning went that was cut off.
func (l *Ledger) clearPruning(j job, there map[string]piton.Checkpoint) {
	for _, id := range j.ids {
		if there[id].Archive != "" {
			l.settle(job{kind: Archive, file: there[id].Archive, ids: []string{id}})
		}
	}
	for _, id := range j.gone {
		if _, ok := there[id]; !ok {
			l.settle(job{kind: Delete, ids: []string{id}})
		}
	}
}

// verify looks at one checkpoint.
func (k *kept) verify(ctx context.Context, s store.Checkpoints, cold, id string, there map[string]piton.Checkpoint) error {
	c, err := s.Checkpoint(ctx, id)
	_, listed := there[id]
	if k.deleted {
		if piton.CodeOf(err) != piton.NotFound || listed {
			return fmt.Errorf("%s was deleted: got %+v, %v, listed %t, want it gone", id, c, err, listed)
		}
		return nil
	}
	if err != nil || !listed {
		return fmt.Errorf("%s was acknowledged: listed %t, %w", id, listed, err)
	}
	if k.file == anyFile && c.Archive != "" {
		k.file = c.Archive
	}
	if c.Completed != k.completed {
		return fmt.Errorf("%s: got completed %t, want %t", id, c.Completed, k.completed)
	}
	if c.ID != id || c.SHA256 != k.sha256 || c.Seq != k.seq || c.WorkflowID != k.workflow || c.Archive != k.file {
		return fmt.Errorf("%s: got %+v, want %+v", id, c, *k)
	}
	if c.ParentID != "" {
		if _, ok := there[c.ParentID]; !ok {
			return fmt.Errorf("%s: its parent %s is not there", id, c.ParentID)
		}
	}
	state, err := s.State(ctx, id)
	if k.file != "" {
		if piton.CodeOf(err) != piton.NotFound {
			return fmt.Errorf("%s lies in the archive: got its state, %v, want not found", id, err)
		}
		if strings.HasPrefix(k.file, noFile) || cold == "" {
			return nil
		}
		e, err := archive.Folder{Dir: cold}.Entry(ctx, k.file, id)
		if err != nil || sum(e.State) != k.sha256 {
			return fmt.Errorf("%s in the archive's file %s: got the sum %s, %w, want %s", id, k.file, sum(e.State), err, k.sha256)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if sum(state) != k.sha256 {
		return fmt.Errorf("%s: got another state than was acknowledged", id)
	}
	return nil
}

// sound looks at each workflow's numbers and head.
func (l *Ledger) sound(ctx context.Context, s store.Checkpoints, there map[string]piton.Checkpoint) error {
	flows := map[string]map[int64]string{} // the ids by number, deleted ones too
	imported := map[string]bool{}
	newest := map[string]piton.Checkpoint{}
	for id, k := range l.kept {
		if flows[k.workflow] == nil {
			flows[k.workflow] = map[int64]string{}
		}
		if other := flows[k.workflow][k.seq]; other != "" {
			return fmt.Errorf("%s and %s: got the number %d twice", id, other, k.seq)
		}
		flows[k.workflow][k.seq] = id
		imported[k.workflow] = imported[k.workflow] || k.imported
		if c, ok := there[id]; ok && c.Seq > newest[k.workflow].Seq {
			newest[k.workflow] = c
		}
	}
	for flow, numbers := range flows {
		w, err := s.Workflow(ctx, flow, "")
		if err != nil {
			return err
		}
		last := slices.Max(slices.Collect(maps.Keys(numbers)))
		if w.Seq < last || w.Seq != last && !imported[flow] {
			return fmt.Errorf("%s: got the last number %d, want %d", flow, w.Seq, last)
		}
		for n := int64(1); n <= last && !imported[flow]; n++ {
			if numbers[n] == "" {
				return fmt.Errorf("%s: the number %d is missing", flow, n)
			}
		}
		if w.HeadID != newest[flow].ID {
			return fmt.Errorf("%s: got the head %q, want %q with the number %d", flow, w.HeadID, newest[flow].ID, newest[flow].Seq)
		}
		head, err := s.Head(ctx, flow, piton.MainBranch)
		if w.HeadID != "" && (err != nil || head.ID != w.HeadID) {
			return fmt.Errorf("%s: got the branch's head %q, %w, want %q", flow, head.ID, err, w.HeadID)
		}
	}
	return nil
}
