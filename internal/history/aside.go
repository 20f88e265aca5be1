package history

import (
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Aside is what an import or a flush has set aside of a workflow.
type Aside struct {
	WorkflowID string   `json:"workflow_id"`
	Workflow   string   `json:"workflow,omitempty"`
	Branches   []string `json:"branches"` // those that hold the entries that do not fit
	Count      int      `json:"count"`    // how many these are
}

// asideOne is a checkpoint that came to a branch set aside.
func asideOne(c piton.Checkpoint, branch string) Aside {
	return Aside{WorkflowID: c.WorkflowID, Workflow: c.Workflow, Branches: []string{branch}, Count: 1}
}

// addAside counts x in a list with one row per workflow.
func addAside(list []Aside, x Aside) []Aside {
	i := slices.IndexFunc(list, func(a Aside) bool { return a.WorkflowID == x.WorkflowID })
	if i < 0 {
		return append(list, x)
	}
	list[i].Count += x.Count
	for _, branch := range x.Branches {
		if !slices.Contains(list[i].Branches, branch) {
			list[i].Branches = append(list[i].Branches, branch)
		}
	}
	return list
}

// asideBranch is the branch set aside for another, with a name that may be
// imported again.
func asideBranch(branch string) string {
	s := piton.AsideOf(branch)
	return strings.ToValidUTF8(s[:min(len(s), maxName)], "")
}

// acceptedEntry is an entry whose state is clean.
type acceptedEntry struct {
	store.Entry
	state redact.Document
}

// clean is the entry without secrets. Its record may have been changed since it
// was accepted.
func (e acceptedEntry) clean(r *redact.Rules) redact.Clean[store.Entry] {
	clean, _ := redact.By(r, e.Entry, e.state)
	return clean
}

// place imports an entry where it belongs: in its place, or aside. seen reports
// which ids the source has shown so far. It returns the branch, and whether the
// entry is new.
func (k Keeper) place(ctx context.Context, tx store.Tx, e acceptedEntry, seen func(string) bool) (branch string, fresh bool, err error) {
	c := &e.Checkpoint
	if _, err := tx.Checkpoint(ctx, c.ID); !notFound(err) {
		return c.Branch, false, err // it is here
	}
	moves, err := movesHead(ctx, tx, *c, seen)
	if err != nil {
		return "", false, err
	}
	if moves {
		c.Branch = asideBranch(c.Branch)
	}
	fresh, err = tx.Import(ctx, e.clean(k.Redact))
	if piton.CodeOf(err) == piton.Conflict && c.Seq > 0 {
		c.Branch, c.Seq = asideBranch(c.Branch), 0
		fresh, err = tx.Import(ctx, e.clean(k.Redact))
	}
	return c.Branch, fresh, err
}

// movesHead reports whether an entry would become the head, of its workflow or
// its branch, in the place of one that the source knows nothing of.
func movesHead(ctx context.Context, tx store.Tx, c piton.Checkpoint, seen func(string) bool) (bool, error) {
	if piton.IsAside(c.Branch) {
		return false, nil
	}
	for _, branch := range []string{"", c.Branch} {
		head, err := tx.Head(ctx, c.WorkflowID, branch)
		if notFound(err) {
			continue
		}
		if err != nil {
			return false, err
		}
		behind := c.Seq > 0 && c.Seq < head.Seq
		if !behind && !seen(head.ID) && head.ID != c.ParentID && !piton.IsAside(head.Branch) {
			return true, nil
		}
	}
	return false, nil
}
