package filestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// entries are all checkpoints of a store, oldest first.
func entries(t testing.TB, s *Store) []store.Entry {
	t.Helper()
	page, err := s.List(t.Context(), piton.Query{})
	if err != nil {
		t.Fatal(err)
	}
	var all []store.Entry
	for _, c := range page.Checkpoints {
		w, err := s.Workflow(t.Context(), c.WorkflowID, "")
		state, err2 := s.State(t.Context(), c.ID)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		all = append([]store.Entry{{Workflow: w, Checkpoint: c, State: state}}, all...)
	}
	return all
}

func imported(t testing.TB, s *Store, e store.Entry) (added bool, err error) {
	t.Helper()
	err = s.Save(t.Context(), func(tx store.Tx) error {
		added, err = tx.Import(t.Context(), redact.Value(e))
		return err
	})
	return added, err
}

func TestImport(t *testing.T) {
	from, to := fresh(t), fresh(t)
	flow(t, from, oldFlow, "release")
	put(t, from, prepared(chkA, oldFlow, `{"a":1}`), prepared(chkB, oldFlow, someState), prepared(chkC, oldFlow, `{"c":1}`))
	fork := prepared(chkD, oldFlow, `{"d":1}`)
	fork.Fork, fork.Record.ParentID, fork.Record.Branch = true, chkA, "try"
	put(t, from, fork)
	do(t, from, func(tx store.Tx) error { return tx.Complete(t.Context(), chkD, piton.At(when)) })
	flow(t, to, newFlow, "release")
	all := entries(t, from)
	// The newest comes first: heads and parents come out the same.
	for i := len(all) - 1; i >= 0; i-- {
		if added, err := imported(t, to, all[i]); err != nil || !added {
			t.Fatalf("import %s: got %v, %v, want it added", all[i].Checkpoint.ID, added, err)
		}
	}
	for _, want := range all {
		got, err := to.Checkpoint(t.Context(), want.Checkpoint.ID)
		ignore := cmpopts.IgnoreFields(piton.Checkpoint{}, "Ordinal", "Workflow", "StoredBytes", "File")
		if diff := cmp.Diff(want.Checkpoint, got, ignore); err != nil || diff != "" {
			t.Errorf("record: %v, got + , want -\n%s", err, diff)
		}
		if state, err := to.State(t.Context(), want.Checkpoint.ID); err != nil || string(state) != string(want.State) {
			t.Errorf("state: got %q, %v, want %q", state, err, want.State)
		}
	}
	w, err := to.Workflow(t.Context(), oldFlow, "")
	if err != nil || w.Name != "release-2" || w.Seq != 4 || w.HeadID != chkD || !w.Closed || w.Type != piton.TypePhases {
		t.Errorf("workflow: got %+v, %v, want it with a number behind its name and the highest as head", w, err)
	}
	if head, err := to.Head(t.Context(), oldFlow, piton.MainBranch); err != nil || head.ID != chkC {
		t.Errorf("head of main: got %s, %v, want %s", head.ID, err, chkC)
	}
	if added, err := imported(t, to, all[0]); err != nil || added {
		t.Errorf("again: got %v, %v, want nothing added", added, err)
	}
	other := all[1]
	other.Checkpoint.ID = chkE
	if _, err := imported(t, to, other); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("a number that is taken: got %v, want a conflict", err)
	}
	other.Checkpoint.Seq, other.State = 9, []byte(`{"wrong":1}`)
	if _, err := imported(t, to, other); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("a state that does not sum up: got %v, want invalid", err)
	}
	put(t, to, prepared(piton.NewID(piton.CheckpointPrefix), oldFlow, `{}`))
	if w, err := to.Workflow(t.Context(), oldFlow, ""); err != nil || w.Seq != 5 {
		t.Errorf("the next number: got %d, %v, want 5", w.Seq, err)
	}
	if raw, err := os.ReadFile(filepath.Join(to.disk.dir, seedFile)); err != nil || strings.Contains(string(raw), chkA) {
		t.Errorf("seed.json: got %s, %v, want no import in it", raw, err)
	}

	// In their order the parents come along.
	second := fresh(t)
	for _, e := range all {
		if _, err := imported(t, second, e); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := second.Checkpoint(t.Context(), chkD); err != nil || c.ParentID != chkA || c.Branch != "try" {
		t.Errorf("fork: got %+v, %v, want its parent and branch", c, err)
	}
}

func TestArchive(t *testing.T) {
	dir, file := one(t)
	s := reopened(t, dir)
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	was, err := s.Checkpoint(t.Context(), chkB)
	if err != nil {
		t.Fatal(err)
	}
	archive := func(ids ...string) (freed int64, err error) {
		err = s.Save(t.Context(), func(tx store.Tx) error {
			freed, err = tx.Archive(t.Context(), ids, "2026-03.piton")
			return err
		})
		return freed, err
	}
	if freed, err := archive(chkB); err != nil || freed < int64(len(someState))-30 {
		t.Errorf("got %d bytes free, %v, want the state's %d without the archive's name", freed, err, len(someState))
	}
	for _, s := range []*Store{s, reopened(t, dir)} {
		got, err := s.Checkpoint(t.Context(), chkB)
		want := was
		want.Archive = "2026-03.piton"
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("record: %v, got + , want -\n%s", err, diff)
		}
		_, err = s.State(t.Context(), chkB)
		var e *piton.Error
		if !errors.As(err, &e) || e.Code != piton.NotFound || !strings.Contains(e.Hint, "2026-03.piton") {
			t.Errorf("state: got %v, want not found with the archive's file in the hint", err)
		}
	}
	if raw, err := os.ReadFile(file); err != nil || strings.Contains(string(raw), "1e400") {
		t.Errorf("got %s, %v, want no state in the file", raw, err)
	}
	if freed, err := archive(chkB); err != nil || freed != 0 {
		t.Errorf("again: got %d, %v, want nothing", freed, err)
	}
	if _, err := archive(chkE); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("an unknown one: got %v, want not found", err)
	}
	// What is archived can still be completed, be a parent and be deleted.
	do(t, s, func(tx store.Tx) error { return tx.Complete(t.Context(), chkB, piton.At(when)) })
	do(t, s, func(tx store.Tx) error {
		_, err := tx.Delete(t.Context(), []string{chkA})
		return err
	})
	if c, err := reopened(t, dir).Checkpoint(t.Context(), chkB); err != nil || !c.Completed || c.ParentID != "" || c.Archive == "" || c.Damaged != "" {
		t.Errorf("got %+v, %v, want it completed, without parent, archived", c, err)
	}
}

func TestBranches(t *testing.T) {
	dir, _ := one(t)
	s := reopened(t, dir)
	fork := prepared(chkD, oldFlow, `{"d":1}`)
	fork.Fork, fork.Record.ParentID, fork.Record.Branch = true, chkB, "try"
	put(t, s, fork)
	want := func(what string, want ...store.Branch) {
		t.Helper()
		for _, s := range []*Store{s, reopened(t, dir)} {
			got, err := s.Branches(t.Context(), oldFlow)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Fatalf("%s: %v, got + , want -\n%s", what, err, diff)
			}
		}
	}
	want("after a fork", store.Branch{Name: "main", HeadID: chkC, Count: 3}, store.Branch{Name: "try", HeadID: chkD, FromID: chkB, Count: 1})
	do(t, s, func(tx store.Tx) error {
		_, err := tx.Delete(t.Context(), []string{chkB, chkD})
		return err
	})
	want("after the fork was emptied", store.Branch{Name: "main", HeadID: chkC, Count: 2}, store.Branch{Name: "try", HeadID: chkA, FromID: chkA})
	settled()
	if err := os.Remove(filepath.Join(dir, workflowName(oldFlow))); err != nil {
		t.Fatal(err)
	}
	s = reopened(t, dir)
	want("after the workflow's file was lost", store.Branch{Name: "main", HeadID: chkC, Count: 2})
	_, err := s.Branches(t.Context(), newFlow)
	if piton.CodeOf(err) != piton.NotFound {
		t.Errorf("an unknown workflow: got %v, want not found", err)
	}
}

func TestSearch(t *testing.T) {
	dir, file := one(t)
	s := reopened(t, dir)
	asked := map[string]int{}
	text := func(c piton.Checkpoint, state []byte) string {
		asked[c.ID]++
		return c.StepName + " " + string(state)
	}
	find := func(words string, q piton.Query) string {
		t.Helper()
		page, err := s.Search(t.Context(), words, q, text)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, c := range page.Checkpoints {
			ids = append(ids, c.ID[len(c.ID)-1:])
		}
		return strings.Join(ids, "")
	}
	for words, want := range map[string]string{"step": "cba", "STEP b": "b", "1e400": "b", "ste": "cba", "ste b": "", "step nothing": ""} {
		if got := find(words, piton.Query{}); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
	if got := find("step", piton.Query{Limit: 1, Before: 3}); got != "b" {
		t.Errorf("a part: got %q, want b", got)
	}
	put(t, s, prepared(chkD, oldFlow, `{"mountain":"größe"}`))
	if got := find("GRÖSSE mountain", piton.Query{}); got != "d" {
		t.Errorf("the new one: got %q, want d", got)
	}
	if want := map[string]int{chkA: 1, chkB: 1, chkC: 1, chkD: 1}; !cmp.Equal(asked, want) {
		t.Errorf("asked: got %v, want each once", asked)
	}
	if err := os.Truncate(file, 50); err != nil {
		t.Fatal(err)
	}
	s = reopened(t, dir)
	if got := find("step", piton.Query{}); got != "dcba" {
		t.Errorf("with a damaged one: got %q, want it found by its record", got)
	}
	if _, err := s.Search(t.Context(), " ,", piton.Query{}, text); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("no word: got %v, want invalid", err)
	}
}

func TestReclaimRemovesLeftovers(t *testing.T) {
	dir, _ := one(t)
	left := filepath.Join(dir, checkpoints, stagedPrefix+"ckpt-x.json"+stagedSuffix)
	if err := os.WriteFile(left, make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	s := reopened(t, dir)
	if faults, err := s.Check(t.Context()); err != nil || len(faults) != 1 {
		t.Errorf("check: got %q, %v, want the leftover", faults, err)
	}
	if freed, err := s.Reclaim(t.Context(), nil); err != nil || freed != 1000 {
		t.Errorf("got %d, %v, want 1000", freed, err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("got %v, want it gone", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]piton.Code{"": piton.Invalid, file: piton.Invalid, filepath.Join(file, "x"): piton.Unavailable} {
		if _, err := Open(path, Options{}); piton.CodeOf(err) != want {
			t.Errorf("%q: got %v, want %s", path, err, want)
		}
	}
	missing := filepath.Join(dir, "a", "b")
	reopened(t, missing)
	if info, err := os.Stat(missing); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v, want a folder with mode 0700", info.Mode(), err)
	}
}

// TestReadersSeeWholeTransactions has writers that move a pair of workflows
// together, and readers, in stores of their own, that must never see them
// apart.
func TestReadersSeeWholeTransactions(t *testing.T) {
	dir := t.TempDir()
	s := reopened(t, dir)
	flow(t, s, oldFlow, "")
	flow(t, s, newFlow, "")
	const writers, each = 2, 12
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	ctx := context.Background()
	for w := range writers {
		s := reopened(t, dir)
		writing.Go(func() {
			for i := range each {
				err := s.Save(ctx, func(tx store.Tx) error {
					for _, flow := range []string{oldFlow, newFlow} {
						if _, err := tx.Append(ctx, redact.Value(prepared(piton.NewID(piton.CheckpointPrefix), flow, fmt.Sprintf(`{"w":%d,"i":%d}`, w, i)))); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Errorf("save: %v", err)
				}
			}
		})
	}
	for range 2 {
		s := reopened(t, dir)
		reading.Go(func() {
			last := 0
			for {
				page, err := s.List(ctx, piton.Query{})
				if err != nil {
					t.Errorf("list: %v", err)
					return
				}
				n := len(page.Checkpoints)
				if n%2 != 0 || n < last {
					t.Errorf("got %d checkpoints after %d, want an even number that grows", n, last)
				}
				for i, c := range page.Checkpoints {
					if c.Ordinal != int64(n-i) || c.Damaged != "" {
						t.Errorf("got %+v at place %d of %d", c, i, n)
						return
					}
				}
				if n > 0 {
					c := page.Checkpoints[0]
					if _, err := s.State(ctx, c.ID); err != nil {
						t.Errorf("state of the newest: %v", err)
					}
				}
				last = n
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	page, err := reopened(t, dir).List(ctx, piton.Query{})
	if err != nil || len(page.Checkpoints) != 2*writers*each {
		t.Errorf("got %d, %v, want %d", len(page.Checkpoints), err, 2*writers*each)
	}
}

// TestOpenedAtOnce: whoever opens a new store while another makes it finds its folders.
func TestOpenedAtOnce(t *testing.T) {
	s := fresh(t)
	b := s.batch()
	for _, name := range []string{checkpoints, workflows, events} {
		b.mkdir(name)
	}
	if b.err != nil {
		t.Errorf("folders that are there: %v", b.err)
	}
}
