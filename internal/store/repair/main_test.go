package repair_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/pages"
	"github.com/piton-project/piton/internal/store/repair"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// world is a closed store with work of every kind in it.
type world struct {
	file     []byte
	sums     map[string]string // of the checkpoints that are there
	workflow map[string]string // of each checkpoint
	gone     []string          // deleted ones
	owner    []string          // by page: what it belongs to
}

// build makes a store with so many checkpoints in so many workflows.
func build(t testing.TB, checkpoints, workflows, size int) *world {
	t.Helper()
	path := filepath.Join(t.TempDir(), "piton.db")
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := &world{sums: map[string]string{}, workflow: map[string]string{}}
	rnd := rand.New(rand.NewPCG(uint64(checkpoints), 5))
	k := history.Keeper{Store: s, Local: s.Local()}
	p, err := s.Project(ctx, redact.Name("p"), redact.Value([]piton.Alias{{Kind: piton.AliasPath, Value: "/p"}}))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	err = s.Update(ctx, func(tx store.LocalTx) error {
		for i := range workflows {
			if err := tx.PutSession(ctx, redact.Value(agent.Session{Identity: agent.Identity{ID: fmt.Sprintf("ses_%016d", i), Agent: "claude", ClientID: fmt.Sprint("client-", i), Project: p.ID, SeenAt: piton.At(time.UnixMilli(int64(1 + i)))}})); err != nil {
				return err
			}
			if err := tx.Decide(ctx, redact.Value(agent.Decision{Session: fmt.Sprintf("ses_%016d", i), At: piton.At(time.UnixMilli(1))})); err != nil {
				return err
			}
		}
		return tx.Post(ctx, redact.Value(agent.Letter{ID: "ltr_0000000000000001", Kind: "k", Body: "body"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < checkpoints; {
		err := s.Save(ctx, func(tx store.Tx) error {
			for range min(500, checkpoints-i) {
				n := i % workflows
				wf := piton.Workflow{ID: fmt.Sprintf("wf_%016d", n), Name: fmt.Sprint("name-", n), Type: "custom", Project: p.ID, CreatedAt: piton.At(time.UnixMilli(int64(1 + i)))}
				if i < workflows {
					if err := tx.PutWorkflow(ctx, redact.Value(wf)); err != nil {
						return err
					}
				}
				state := []byte(fmt.Sprintf(`{"n":%d,"text":"%s"}`, i, noise(rnd, size)))
				sum := sha256.Sum256(state)
				c, err := tx.Append(ctx, redact.Value(store.Prepared{State: redact.Unchecked(json.RawMessage(state)), Record: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowID: wf.ID, Project: p.ID, SessionID: fmt.Sprintf("ses_%016d", n)}, AtStep: piton.AtStep{StepName: fmt.Sprint("step ", i)},
					Trigger: "manual", CreatedAt: piton.At(time.UnixMilli(int64(1 + i))), OfState: piton.OfState{SHA256: hex.EncodeToString(sum[:]), SchemaVersion: 1}, Described: piton.Described{Tags: []string{"t"}}}}))
				if err != nil {
					return err
				}
				ids = append(ids, c.ID)
				w.sums[c.ID], w.workflow[c.ID] = c.SHA256, wf.ID
				i++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	// Free pages and free places in leaves, with what was deleted still on them.
	for from := checkpoints / 5; from+20 < checkpoints*2/5 && len(w.gone) < 200; from += 40 {
		part := ids[from : from+20]
		for _, id := range part {
			if _, err := k.Delete(ctx, history.Selector{ID: id}, history.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			delete(w.sums, id)
			w.gone = append(w.gone, id)
		}
	}
	if _, err := s.DB.ExecContext(ctx, `PRAGMA wal_checkpoint(truncate)`); err != nil {
		t.Fatal(err)
	}
	w.owner = owners(t, s, path)
	if w.file, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return w
}

func noise(rnd *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%x ", rnd.Uint64())
	}
	return b.String()
}

// owners are the tables and indexes that the pages of a whole file belong to.
func owners(t testing.TB, s *sqlstore.Store, path string) []string {
	t.Helper()
	f, err := pages.Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := s.DB.Query(`SELECT type, name, rootpage FROM sqlite_schema WHERE rootpage > 0`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	trees := []pages.Tree{{Name: "sqlite_schema", Root: 1, Fits: func([]any) bool { return true }}}
	for rows.Next() {
		var kind, name string
		var root uint32
		if err := rows.Scan(&kind, &name, &root); err != nil {
			t.Fatal(err)
		}
		trees = append(trees, pages.Tree{Name: name, Root: root, Index: kind == "index", Fits: func([]any) bool { return true }})
	}
	o := make([]string, f.Pages()+1)
	for i, found := range f.Find(trees) {
		for _, n := range slices.Concat(found.Linked, found.Adopted) {
			o[n] = trees[i].Name
		}
		if o[found.Root] == "" {
			o[found.Root] = trees[i].Name + " (tree)"
		}
		if len(found.Adopted) > 0 || found.Broken > 0 {
			t.Errorf("%s: got %d adopted and %d broken pages in a whole file, want none", trees[i].Name, len(found.Adopted), found.Broken)
		}
	}
	return o
}

// repaired is what came of a damaged file.
type repaired struct {
	repair.Report
	err     error
	intact  int
	damaged map[string]bool
	lost    map[string]bool
	wrong   []string
}

// mend repairs a damaged file and holds the new store against what was saved.
func (w *world) mend(t testing.TB, file []byte) (r repaired) {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "piton.db"), filepath.Join(dir, "new.db")
	if err := os.WriteFile(from, file, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	return w.mendAt(t, from, to)
}

func (w *world) mendAt(t testing.TB, from, to string) (r repaired) {
	t.Helper()
	wrong := func(format string, args ...any) { r.wrong = append(r.wrong, fmt.Sprintf(format, args...)) }
	ctx := context.Background()
	r.Report, r.err = repair.Rebuild(ctx, from, to, nil)
	if r.err != nil {
		if _, err := os.Stat(to); err == nil {
			wrong("it failed and left %s behind", to)
		}
		return r
	}
	s, err := sqlite.Open(ctx, to, sqlite.Options{})
	if err != nil {
		wrong("the new store: %v", err)
		return r
	}
	defer s.Close()
	v, err := history.Keeper{Store: s, Local: s.Local()}.Verify(ctx, history.VerifyOptions{})
	if err != nil || len(v.Store) > 0 {
		wrong("the new store is not sound: %v %v", v.Store, err)
	}
	r.damaged, r.lost = map[string]bool{}, map[string]bool{}
	for _, d := range v.Damaged {
		r.damaged[d.ID] = true
	}
	for _, l := range r.Lost {
		r.lost[l.ID] = true
		if w.sums[l.ID] == "" {
			wrong("it says that %s was lost, and it was never there", l.ID)
		}
	}
	for id, want := range w.sums {
		state, err := s.State(ctx, id)
		switch sum := sha256.Sum256(state); {
		case err == nil && hex.EncodeToString(sum[:]) != want:
			wrong("%s: a wrong state", id)
		case err == nil && !r.damaged[id]:
			if r.intact++; r.lost[id] {
				wrong("%s is there and called lost", id)
			}
		case !r.damaged[id] && !r.lost[id]:
			wrong("%s is neither there nor named: %v", id, err)
		}
	}
	for _, id := range w.gone {
		if _, err := s.Checkpoint(ctx, id); piton.CodeOf(err) != piton.NotFound {
			wrong("%s was deleted and is back: %v", id, err)
		}
	}
	// It can be gone on with.
	for n := range 2 {
		state := []byte(fmt.Sprintf(`{"more":%d}`, n))
		c, err := history.Keeper{Store: s, Local: s.Local()}.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "wf_0000000000000000", State: state}})
		if piton.CodeOf(err) == piton.NotFound && len(r.Lost)+len(r.damaged) > 0 {
			continue
		}
		if err != nil {
			wrong("a save: %v", err)
			continue
		}
		if got, err := s.State(ctx, c.ID); err != nil || string(got) != string(state) {
			wrong("a save: got %q, %v", got, err)
		}
	}
	return r
}
