package sqlstore_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/draw"
)

// row is a checkpoint as the model knows it.
type row struct {
	id, parent, branch, state string
	seq                       int64
}

// lineage is a model of one workflow: what should be in the store.
type lineage struct {
	rows  []row // oldest first
	heads map[string]string
	seq   int64
}

func (m *lineage) find(id string) (row, bool) {
	for _, r := range m.rows {
		if r.id == id {
			return r, true
		}
	}
	return row{}, false
}

func (m *lineage) add(r row) {
	m.seq++
	r.seq = m.seq
	m.rows = append(m.rows, r)
	m.heads[r.branch] = r.id
}

// remove takes rows out: children go to the nearest ancestor that stays, and
// so does a branch's head where the branch has nothing left.
func (m *lineage) remove(ids []string) {
	before := lineage{rows: slices.Clone(m.rows)}
	gone := func(id string) bool { return slices.Contains(ids, id) }
	stays := func(id string) string {
		for id != "" && gone(id) {
			r, _ := before.find(id)
			id = r.parent
		}
		return id
	}
	m.rows = slices.DeleteFunc(m.rows, func(r row) bool { return gone(r.id) })
	for i := range m.rows {
		m.rows[i].parent = stays(m.rows[i].parent)
	}
	for b, head := range m.heads {
		if !gone(head) {
			continue
		}
		m.heads[b] = stays(head)
		for _, r := range m.rows {
			if r.branch == b {
				m.heads[b] = r.id
			}
		}
	}
}

// TestLineageFollowsTheModel appends, forks and deletes at random and compares
// the store with the model after each step.
func TestLineageFollowsTheModel(t *testing.T) {
	s := sqliteStore(t)
	draw.Check(t, func(r *rapid.T) {
		w := workflow(t, s)
		m := lineage{heads: map[string]string{}}
		pick := func() string { return rapid.SampledFrom(m.rows).Draw(r, "row").id }
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			p := prepared(w, fmt.Sprintf(`{"n":%d}`, rapid.IntRange(0, 3).Draw(r, "state")))
			p.Record.Branch = rapid.SampledFrom([]string{"main", "main", "a", "b"}).Draw(r, "branch")
			add := row{id: p.Record.ID, branch: p.Record.Branch, state: string(p.State.Get()), parent: m.heads[p.Record.Branch]}
			switch kind := rapid.IntRange(0, 5).Draw(r, "kind"); {
			case kind == 0 && len(m.rows) > 0:
				ids := rapid.SliceOfNDistinct(rapid.SampledFrom(m.rows), 1, min(len(m.rows), 4), func(x row) string { return x.id }).Draw(r, "doomed")
				var doomed []string
				for _, x := range ids {
					doomed = append(doomed, x.id)
				}
				remove(t, s, doomed...)
				m.remove(doomed)
			case kind == 1 && len(m.rows) > 0:
				p.Fork, p.Record.ParentID = true, pick()
				add.parent = p.Record.ParentID
				appended(r, t, s, &m, p, add)
			case kind == 2 && len(m.rows) > 0:
				p.Parent = pick()
				appended(r, t, s, &m, p, add)
			default:
				appended(r, t, s, &m, p, add)
			}
			compare(r, t, s, w, &m)
		}
	})
}

// appended appends to both, or finds that both refuse.
func appended(r *rapid.T, t *testing.T, s *sqlstore.Store, m *lineage, p store.Prepared, add row) {
	head, exists := m.heads[add.branch]
	want := piton.Code("")
	if p.Fork && exists || p.Parent != "" && p.Parent != head {
		want = piton.Conflict
	}
	err := s.Save(t.Context(), func(tx store.Tx) error {
		_, err := tx.Append(t.Context(), redact.Value(p))
		return err
	})
	if got := piton.CodeOf(err); got != want {
		r.Fatalf("append: got %v, want %q", err, want)
	}
	if err == nil {
		m.add(add)
	}
}

// compare fails unless the store holds what the model does.
func compare(r *rapid.T, t *testing.T, s *sqlstore.Store, workflow string, m *lineage) {
	page, err := s.List(t.Context(), piton.Query{Workflow: workflow})
	if err != nil {
		r.Fatal(err)
	}
	var got []row
	for _, c := range slices.Backward(page.Checkpoints) {
		state, err := s.State(t.Context(), c.ID)
		if err != nil {
			r.Fatalf("state of %s: got %v, want no error", c.ID, err)
		}
		got = append(got, row{id: c.ID, parent: c.ParentID, branch: c.Branch, state: string(state), seq: c.Seq})
	}
	if !slices.Equal(got, m.rows) {
		r.Fatalf("rows: got %+v, want %+v", got, m.rows)
	}
	last := ""
	if n := len(m.rows); n > 0 {
		last = m.rows[n-1].id
	}
	for branch, want := range m.heads {
		wantHead(r, t, s, workflow, branch, want)
	}
	wantHead(r, t, s, workflow, "", last)
}

func wantHead(r *rapid.T, t *testing.T, s *sqlstore.Store, workflow, branch, want string) {
	head, err := s.Head(t.Context(), workflow, branch)
	if err != nil && piton.CodeOf(err) != piton.NotFound {
		r.Fatalf("head of %q: %v", branch, err)
	}
	if head.ID != want {
		r.Fatalf("head of %q: got %q, want %q", branch, head.ID, want)
	}
}
