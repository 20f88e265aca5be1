package filestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/piton-project/piton"
)

// crowd makes a folder with n checkpoints in workflows of ten, without the
// store, for its syncs would take minutes.
func crowd(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	reopened(t, dir)
	state := []byte(`{"text":"` + strings.Repeat("green rivers ", 300) + `"}`)
	for i := range n {
		p := prepared(piton.NewID(piton.CheckpointPrefix), derived(piton.WorkflowPrefix, fmt.Sprint(i/10)), string(state))
		c := p.Record
		c.Seq, c.Ordinal, c.Branch, c.WorkflowType = int64(i%10+1), int64(i+1), piton.MainBranch, piton.TypeCustom
		raw, err := encode(c, "", state)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, checkpoints, fmt.Sprintf("ckpt-%06d.json", i)), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestListReadsNoState takes the right to the states away, in a way: they are
// replaced by others of the same length, and a list does not notice.
func TestListReadsNoState(t *testing.T) {
	dir := crowd(t, 300)
	files, err := filepath.Glob(filepath.Join(dir, checkpoints, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(raw), "green", "brown")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := reopened(t, dir)
	page, err := s.List(t.Context(), piton.Query{Open: true})
	if err != nil || len(page.Checkpoints) != 30 {
		t.Fatalf("got %d, %v, want 30 heads", len(page.Checkpoints), err)
	}
	for _, c := range page.Checkpoints {
		if c.Damaged != "" {
			t.Fatalf("got %q, want a list that reads no states", c.Damaged)
		}
		if _, err := s.State(t.Context(), c.ID); piton.CodeOf(err) != piton.Corrupt {
			t.Fatalf("state: got %v, want corrupt", err)
		}
	}
}

// TestANumberCostsTheSameInALargeStore counts the bytes that it takes to number
// another program's files of one session.
func TestANumberCostsTheSameInALargeStore(t *testing.T) {
	perFile := func(n int) uint64 {
		x := &builder{flows: map[string]*workflow{}, ordinals: map[int64]string{}}
		for i := range n {
			name := fmt.Sprintf("ckpt-%d.json", i)
			x.entries = append(x.entries, &entry{name: name, alias: name, c: piton.Checkpoint{ID: derived(piton.CheckpointPrefix, name), InWorkflow: piton.InWorkflow{WorkflowID: oldFlow}}})
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		x.number()
		runtime.ReadMemStats(&after)
		if w := x.flows[oldFlow]; len(x.entries) != n || w.Seq != int64(n) || x.entries[n-1].c.Seq != w.Seq {
			t.Fatalf("got %d numbers up to %d, want %d", len(x.entries), w.Seq, n)
		}
		return (after.TotalAlloc - before.TotalAlloc) / uint64(n)
	}
	if small, large := perFile(200), perFile(4000); large > 3*small {
		t.Errorf("got %d bytes for each of 4000 files and %d for each of 200, want about the same", large, small)
	}
}

// BenchmarkProcess does what a process does that starts, works and ends, in stores
// of a hundred and of ten thousand checkpoints.
func BenchmarkProcess(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		dir, kept := crowd(b, n), b.TempDir()
		process := func(b *testing.B, work func(*Store) error) {
			s, err := Open(dir, Options{Cache: kept})
			if err == nil {
				err = errors.Join(work(s), s.Close())
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		flow, last := derived(piton.WorkflowPrefix, "0"), ""
		save := func(s *Store) error {
			last = piton.NewID(piton.CheckpointPrefix)
			put(b, s, prepared(last, flow, `{"a":1}`))
			return nil
		}
		process(b, save)
		for _, verb := range []struct {
			name string
			work func(*Store) error
		}{
			{"save/", save},
			{"load/", func(s *Store) error { _, err := s.State(b.Context(), last); return err }},
			{"list/", func(s *Store) error {
				_, err := s.List(b.Context(), piton.Query{Open: true, Limit: 5})
				return err
			}},
		} {
			b.Run(fmt.Sprint(verb.name, n), func(b *testing.B) {
				for b.Loop() {
					process(b, verb.work)
				}
			})
		}
		b.Run(fmt.Sprint("list without a cache/", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := anew(b, dir).List(b.Context(), piton.Query{Open: true, Limit: 5}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSave(b *testing.B) {
	s := fresh(b)
	flow(b, s, oldFlow, "")
	for b.Loop() {
		put(b, s, prepared(piton.NewID(piton.CheckpointPrefix), oldFlow, `{"text":"`+strings.Repeat("x", 1000)+`"}`))
	}
}
