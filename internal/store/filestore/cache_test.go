package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/need"
)

// settled waits until the folder's time says of every further change that it is
// one.
func settled() { time.Sleep(grain + 10*time.Millisecond) }

// TestCostDoesNotGrow counts the files that a process opens or looks at to save
// and to load, in a small store and in one a hundred times as large, after
// another process has saved.
func TestCostDoesNotGrow(t *testing.T) {
	large := 10_000
	if testing.Short() {
		large = 2_000
	}
	cost := map[string][]int64{}
	for _, n := range []int{100, large} {
		dir := crowd(t, n)
		if _, err := reopened(t, dir).List(t.Context(), piton.Query{Limit: 1}); err != nil {
			t.Fatal(err)
		}
		flow := derived(piton.WorkflowPrefix, fmt.Sprint(n/20)) // one in the middle
		put(t, reopened(t, dir), prepared(piton.NewID(piton.CheckpointPrefix), flow, `{}`))
		settled()
		id := piton.NewID(piton.CheckpointPrefix)
		count := func(what string, verb func(s *Store) error) {
			s := reopened(t, dir)
			if err := verb(s); err != nil {
				t.Fatal(err)
			}
			cost[what] = append(cost[what], s.disk.work.Load())
		}
		count("save", func(s *Store) error { put(t, s, prepared(id, flow, `{"a":1}`)); return nil })
		count("load", func(s *Store) error { _, err := s.State(t.Context(), id); return err })
		count("load the head", func(s *Store) error {
			c, err := s.Head(t.Context(), flow, "")
			if err == nil && c.ID != id {
				err = fmt.Errorf("got %s, want %s", c.ID, id)
			}
			return err
		})
		count("list the newest that are open", func(s *Store) error {
			_, err := s.List(t.Context(), piton.Query{Open: true, Limit: 5})
			return err
		})
		count("complete", func(s *Store) error {
			return s.Save(t.Context(), func(tx store.Tx) error { return tx.Complete(t.Context(), id, piton.At(when)) })
		})
	}
	for what, n := range cost {
		if n[0] != n[1] || n[0] == 0 || n[0] > 40 {
			t.Errorf("%s: %d files opened or looked at among 100, %d among %d; want the same, and few", what, n[0], n[1], large)
		}
	}
	t.Log(cost)
}

// TestCacheIsNotBelieved spoils the cache in every way, or the files behind its
// back. Answers are those of the files.
func TestCacheIsNotBelieved(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(dir, cache string) error
	}{
		{"emptied", func(_, cache string) error { return os.Truncate(cache, 0) }},
		{"cut", func(_, cache string) error { return os.Truncate(cache, 500) }},
		{"cut by one", func(_, cache string) error {
			info, err := os.Stat(cache)
			if err != nil {
				return err
			}
			return os.Truncate(cache, info.Size()-1)
		}},
		{"a flipped bit", func(_, cache string) error {
			raw, err := os.ReadFile(cache)
			if err != nil {
				return err
			}
			raw[len(raw)/2] ^= 1
			return os.WriteFile(cache, raw, 0o600)
		}},
		{"a folder", func(_, cache string) error {
			if err := os.Remove(cache); err != nil {
				return err
			}
			return os.MkdirAll(filepath.Join(cache, "x"), 0o700)
		}},
		{"a link", func(dir, cache string) error {
			if err := os.Remove(cache); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(dir, storeFile), cache)
		}},
		{"a file changed in its place", func(dir, _ string) error {
			return spoilFile(dir, func(text string) string {
				return strings.Replace(text, `"taskSummary": ""`, `"taskSummary": "x"`, 1)
			})
		}},
		{"a file renamed over, the folder's time kept", func(dir, _ string) error {
			info, err := os.Stat(filepath.Join(dir, checkpoints))
			if err != nil {
				return err
			}
			err = spoilFile(dir, func(text string) string { return text[:len(text)/2] })
			if err == nil {
				err = os.Chtimes(filepath.Join(dir, checkpoints), info.ModTime(), info.ModTime())
			}
			return err
		}},
		{"a file gone, the folder's time kept", func(dir, _ string) error {
			info, err := os.Stat(filepath.Join(dir, checkpoints))
			if err != nil {
				return err
			}
			files, _ := filepath.Glob(filepath.Join(dir, checkpoints, "*.json"))
			err = os.Remove(files[1])
			if err == nil {
				err = os.Chtimes(filepath.Join(dir, checkpoints), info.ModTime(), info.ModTime())
			}
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, _ := one(t)
			cache := place(cacheOf(t), dir)
			settled()
			if _, err := os.Stat(cache); err != nil {
				t.Fatal(err)
			}
			if err := c.spoil(dir, cache); err != nil {
				t.Fatal(err)
			}
			// Each id by a process of its own that has looked at nothing else.
			for _, id := range []string{chkA, chkB, chkC} {
				if diff := cmp.Diff(told(t, anew(t, dir), id), told(t, reopened(t, dir), id)); diff != "" {
					t.Errorf("%s: who has a cache is told +, who reads anew -\n%s", id, diff)
				}
			}
		})
	}
}

// TestDamagedPageUnderWork spoils each page of an index that two processes have open, an
// eighth of them a day. What one of them writes then both see, and who reads anew.
func TestDamagedPageUnderWork(t *testing.T) {
	tried := need.Share(t, 8)
	const size = 4096
	for page, pages := int64(0), int64(1); page < pages; page++ {
		if !tried(int(page)) && page > 0 {
			continue
		}
		dir, _ := one(t)
		a, b := reopened(t, dir), reopened(t, dir)
		seen(t, a)
		seen(t, b)
		f, err := os.OpenFile(place(cacheOf(t), dir), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err == nil {
			pages = info.Size() / size
			_, err = f.WriteAt([]byte("damage"), page*size+2000)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		do(t, b, func(tx store.Tx) error { return tx.Complete(t.Context(), chkC, piton.At(when)) })
		want := seen(t, anew(t, dir))
		for who, s := range map[string]*Store{"who looks on": a, "who writes": b, "who comes later": reopened(t, dir)} {
			if diff := differ(want, seen(t, s)); diff != "" {
				t.Errorf("page %d: %s sees +, who reads anew -\n%s", page, who, diff)
			}
		}
	}
}

// TestIndexRemovedUnderWork removes an index that a process has open, and makes another
// in its place.
func TestIndexRemovedUnderWork(t *testing.T) {
	dir, _ := one(t)
	s := reopened(t, dir)
	seen(t, s)
	for what, ask := range map[string]func() error{
		"check": func() error { _, err := s.Check(t.Context()); return err },
		"list":  func() error { _, err := s.List(t.Context(), piton.Query{}); return err },
		"save": func() error {
			return s.Save(t.Context(), func(tx store.Tx) error {
				return tx.Count(t.Context(), piton.Time{}, "", store.Counted{Name: "n", N: 1})
			})
		},
	} {
		// After a save it may be gone already, until it is asked again.
		if err := os.Remove(place(cacheOf(t), dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		seen(t, reopened(t, dir))
		if err := ask(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// told is what a store answers of a checkpoint, errors included.
func told(t testing.TB, s *Store, id string) (all []string) {
	t.Helper()
	for _, ask := range []func() (any, error){
		func() (any, error) { return s.Checkpoint(t.Context(), id) },
		func() (any, error) { return s.State(t.Context(), id) },
		func() (any, error) { return s.List(t.Context(), piton.Query{Workflow: oldFlow}) },
		func() (any, error) { return s.List(t.Context(), piton.Query{}) },
	} {
		v, err := ask()
		all = append(all, fmt.Sprintf("%+v %v", v, err))
	}
	return all
}

// spoilFile changes the second checkpoint's file.
func spoilFile(dir string, change func(string) string) error {
	files, _ := filepath.Glob(filepath.Join(dir, checkpoints, "*.json"))
	raw, err := os.ReadFile(files[1])
	if err != nil {
		return err
	}
	return need.Rewrite(files[1], []byte(change(string(raw))))
}

// TestAnotherProgramBehindTheCache: what another program adds, completes and
// removes is met by the next process, and by a transaction that would write the
// same file.
func TestAnotherProgramBehindTheCache(t *testing.T) {
	s := fresh(t)
	dir := s.disk.dir
	flow(t, s, oldFlow, "flow")
	put(t, s, phaseOne(chkA, phaseState), phaseOne(chkB, phaseState))
	c, err := s.Checkpoint(t.Context(), chkB)
	if err != nil {
		t.Fatal(err)
	}
	settled()
	path := filepath.Join(dir, c.File)
	same := func(what string) {
		t.Helper()
		if diff := differ(seen(t, anew(t, dir)), seen(t, reopened(t, dir))); diff != "" {
			t.Errorf("%s: who has a cache sees +, who reads anew -\n%s", what, diff)
		}
	}
	// In the same file, with the folder's time as it was.
	if raw, err := os.ReadFile(path); err != nil || os.WriteFile(path, []byte(strings.Replace(string(raw), "\n}", "\n\n}", 1)), 0o600) != nil {
		t.Fatal(err)
	}
	do(t, reopened(t, dir), func(tx store.Tx) error {
		return tx.Complete(t.Context(), chkA, piton.At(when))
	})
	theirComplete(t, path)
	if page, err := reopened(t, dir).List(t.Context(), piton.Query{Open: true}); err != nil || len(page.Checkpoints) > 0 {
		t.Errorf("open: got %d, %v, want none: they have completed the head", len(page.Checkpoints), err)
	}
	same("completed")
	theirs(t, dir, "ckpt-x.json", "V1StGXR8_Z5jdHi6B-myT", "s1", "Observe", "1", "2026-02-01T12:00:00.000Z", "false")
	if _, err := reopened(t, dir).Checkpoint(t.Context(), "V1StGXR8_Z5jdHi6B-myT"); err != nil {
		t.Errorf("added: got %v, want it found", err)
	}
	same("added")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := reopened(t, dir).Checkpoint(t.Context(), chkB); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("removed: got %v, want not found", err)
	}
	same("removed")
}

// TestTransactionRunsAgain: another program changes a file in its place while a
// transaction is about to write it.
func TestTransactionRunsAgain(t *testing.T) {
	dir, file := one(t)
	s := reopened(t, dir)
	if _, err := s.List(t.Context(), piton.Query{}); err != nil {
		t.Fatal(err)
	}
	settled()
	runs := 0
	do(t, s, func(tx store.Tx) error {
		if runs++; runs == 1 {
			if err := spoilFile(dir, func(text string) string { return strings.TrimRight(text, "\n") }); err != nil {
				return err
			}
		}
		return tx.Complete(t.Context(), chkB, piton.At(when))
	})
	if runs != 2 {
		t.Errorf("got %d runs, want 2", runs)
	}
	raw, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(raw), `"completed": true`) {
		t.Errorf("got %s, %v, want it completed", raw, err)
	}
}

// TestCacheForgetsWhatIsErased: no text stays in the cache that was deleted or
// rewritten.
func TestCacheForgetsWhatIsErased(t *testing.T) {
	s := fresh(t)
	flow(t, s, oldFlow, "flow")
	secret := prepared(chkA, oldFlow, `{}`)
	secret.Record.TaskSummary = "open sesame"
	put(t, s, secret, prepared(chkB, oldFlow, `{}`))
	has := func() bool {
		files, err := filepath.Glob(s.path + "*")
		return err == nil && slices.ContainsFunc(files, func(file string) bool {
			raw, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(raw), "sesame")
		})
	}
	if !has() {
		t.Fatal("the cache does not hold the record")
	}
	secret.Record.TaskSummary = ""
	do(t, s, func(tx store.Tx) error { return tx.Rewrite(t.Context(), redact.Value(secret)) })
	if has() {
		t.Error("the cache holds what was rewritten")
	}
}
