package history

import (
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Imported is the answer to an import.
type Imported struct {
	Added    int `json:"added"`
	Known    int `json:"known"` // were there already
	Redacted int `json:"redacted"`
	// Paths are where the first of the secrets stood.
	Paths []TakenOut `json:"redacted_paths"`
	IDs   []string   `json:"ids"` // of those added, in their order
	// Aside are the workflows that have gone on by themselves here, with what
	// could not stand beside that.
	Aside []Aside `json:"aside,omitempty"`

	workflows map[string]bool // of those added
}

// TakenOut is where a secret stood that was taken out.
type TakenOut struct {
	ID   string `json:"id"`   // the checkpoint
	Path string `json:"path"` // a JSON pointer into an exported checkpoint
}

// Aside is what an import or a flush has set aside of a workflow.
type Aside struct {
	WorkflowID string   `json:"workflow_id"`
	Workflow   string   `json:"workflow,omitempty"`
	Branches   []string `json:"branches"`
	Count      int      `json:"count"`
}

// ImportOptions say how to import.
type ImportOptions struct {
	// Project gives the project an entry belongs to here.
	Project func(store.Entry) (string, error)
	// Skip is told of an entry that is not acceptable, which is left out unless
	// Skip returns an error; nil: the import ends there.
	Skip func(store.Entry, error) error
}

// Bounds of an import, of one transaction and of its answer.
const (
	importStep = 32
	importSize = 4 << 20
	maxPaths   = 1000 // of Imported.Paths
)

// Import adds entries of another store or another program. It checks, redacts
// and sums them as a save does. What is there already stays as it is, so that
// importing twice changes nothing. A head moves on only along its own line: where
// the entries hold it too, or name it as a parent. What would move any other
// head, or has a number that is taken, comes to a branch set aside. On an error
// what was imported before stays; the same import again goes on.
func (k Keeper) Import(ctx context.Context, entries store.Entries, o ImportOptions) (Imported, error) {
	m := importing{k: k, seen: map[string]bool{}, r: Imported{IDs: []string{}, Paths: []TakenOut{}, workflows: map[string]bool{}}}
	for e, err := range entries {
		if err != nil {
			if err2 := m.flush(ctx); err2 != nil {
				return m.r, err2
			}
			return m.r, err
		}
		state, taken, err := k.accept(&e)
		if err != nil && o.Skip != nil {
			if err = o.Skip(e, err); err == nil {
				continue
			}
		}
		if err != nil {
			return m.r, err
		}
		m.r.Redacted += len(taken)
		for _, path := range taken[:min(len(taken), maxPaths-len(m.r.Paths))] {
			m.r.Paths = append(m.r.Paths, TakenOut{e.Checkpoint.ID, path})
		}
		if e.Checkpoint.Project, err = o.Project(e); err != nil {
			return m.r, err
		}
		e.Workflow.Project = e.Checkpoint.Project
		if e.Foreign {
			// Its numbers are those of this reading.
			e.Checkpoint.Seq, e.Workflow.Seq = 0, 0
		}
		if err := m.add(ctx, accepted{e, state}); err != nil {
			return m.r, err
		}
	}
	return m.r, m.flush(ctx)
}

// importing is one import: what it has done and what waits for the next
// transaction.
type importing struct {
	k     Keeper
	r     Imported
	seen  map[string]bool // ids of the entries so far
	batch []accepted
	size  int
}

// accepted is an entry whose state is clean.
type accepted struct {
	store.Entry
	state redact.Document
}

// clean is the entry without secrets: what follows accept changes its record.
func (e accepted) clean(r *redact.Rules) redact.Clean[store.Entry] {
	clean, _ := redact.By(r, e.Entry, e.state)
	return clean
}

func (m *importing) add(ctx context.Context, e accepted) error {
	m.batch = append(m.batch, e)
	if m.size += len(e.State); len(m.batch) == importStep || m.size > importSize {
		return m.flush(ctx)
	}
	return nil
}

// flush imports the batch in one transaction.
func (m *importing) flush(ctx context.Context) error {
	if len(m.batch) == 0 {
		return nil
	}
	type done struct {
		c      piton.Checkpoint
		fresh  bool
		placed string // the branch it came to
	}
	var all []done
	err := m.k.Store.Save(ctx, func(tx store.Tx) error {
		all = nil
		seen := func(id string) bool {
			return m.seen[id] || slices.ContainsFunc(all, func(d done) bool { return d.c.ID == id })
		}
		for _, e := range m.batch {
			placed, fresh, err := m.k.place(ctx, tx, e, seen)
			if err != nil {
				return err
			}
			all = append(all, done{e.Checkpoint, fresh, placed})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range all {
		m.seen[d.c.ID] = true
		if !d.fresh {
			m.r.Known++
			continue
		}
		m.r.Added++
		m.r.workflows[d.c.WorkflowID] = true
		m.r.IDs = append(m.r.IDs, d.c.ID)
		if d.placed != d.c.Branch {
			m.r.Aside = addAside(m.r.Aside, asideOne(d.c, d.placed))
		}
	}
	m.batch, m.size = m.batch[:0], 0
	return nil
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

// place imports an entry where it belongs: in its place, or aside. seen tells
// which ids the source has shown so far. It returns the branch, and whether the
// entry is new.
func (k Keeper) place(ctx context.Context, tx store.Tx, e accepted, seen func(string) bool) (branch string, fresh bool, err error) {
	c := &e.Checkpoint
	if _, err := tx.Checkpoint(ctx, c.ID); piton.CodeOf(err) != piton.NotFound {
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

// movesHead tells whether an entry would become the head, of its workflow or
// its branch, in the place of one that the source knows nothing of.
func movesHead(ctx context.Context, tx store.Tx, c piton.Checkpoint, seen func(string) bool) (bool, error) {
	if piton.IsAside(c.Branch) {
		return false, nil
	}
	for _, branch := range []string{"", c.Branch} {
		head, err := tx.Head(ctx, c.WorkflowID, branch)
		if piton.CodeOf(err) == piton.NotFound {
			continue
		}
		if err != nil {
			return false, err
		}
		if behind := c.Seq > 0 && c.Seq < head.Seq; !behind && !seen(head.ID) && head.ID != c.ParentID && !piton.IsAside(head.Branch) {
			return true, nil
		}
	}
	return false, nil
}

// asideBranch is the branch set aside for another, with a name that may be
// imported again.
func asideBranch(branch string) string {
	s := piton.AsideOf(branch)
	return strings.ToValidUTF8(s[:min(len(s), maxName)], "")
}
