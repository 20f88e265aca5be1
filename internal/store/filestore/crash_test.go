package filestore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/need"
)

var when = time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)

// Ids of the world the crash tests act in.
const (
	oldFlow = "wf_0000000000000001"
	newFlow = "wf_0000000000000002"
	chkA    = "chk_000000000000000a"
	chkB    = "chk_000000000000000b"
	chkC    = "chk_000000000000000c"
	chkD    = "chk_000000000000000d"
	chkE    = "chk_000000000000000e"
)

// prepared is what Append takes.
func prepared(id, workflow, state string) store.Prepared {
	sum := sha256.Sum256([]byte(state))
	return store.Prepared{State: redact.Unchecked(json.RawMessage(state)), Record: piton.Checkpoint{
		ID: id, InWorkflow: piton.InWorkflow{WorkflowID: workflow}, Trigger: piton.TriggerManual, AtStep: piton.AtStep{StepName: "step " + id[len(id)-1:], PhaseNumber: 1}, CreatedAt: piton.At(when),
		OfState: piton.OfState{StateBytes: int64(len(state)), SHA256: hex.EncodeToString(sum[:]), SchemaVersion: 1},
	}}
}

func put(t testing.TB, s *Store, ps ...store.Prepared) {
	t.Helper()
	err := s.Save(context.Background(), func(tx store.Tx) error {
		for _, p := range ps {
			if _, err := tx.Append(context.Background(), redact.Value(p)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("append: got %v, want no error", err)
	}
}

func flow(t testing.TB, s *Store, id, name string) {
	t.Helper()
	err := s.Save(context.Background(), func(tx store.Tx) error {
		return tx.PutWorkflow(context.Background(), redact.Value(piton.Workflow{ID: id, Name: name, Type: piton.TypePhases, Project: "prj_1", CreatedAt: piton.At(when)}))
	})
	if err != nil {
		t.Fatalf("put workflow: got %v, want no error", err)
	}
}

// before makes the world: a line a, b, c and a file of another program.
func before(t testing.TB, dir string) {
	t.Helper()
	s := reopened(t, dir)
	flow(t, s, oldFlow, "old")
	put(t, s, prepared(chkA, oldFlow, `{"a":1}`))
	put(t, s, prepared(chkB, oldFlow, `{"b":1}`))
	put(t, s, prepared(chkC, oldFlow, `{"c":"`+strings.Repeat("x", 9000)+`"}`))
	theirs := `{"id":"V1StGXR8_Z5jdHi6B-myT","sessionId":"s1","phase":"Build","phaseNumber":3,"createdAt":"2026-02-01T12:00:00.000Z","completed":false,"taskSummary":"t","iscCriteria":[],"metadata":{}}`
	if err := os.WriteFile(filepath.Join(dir, checkpoints, "ckpt-2026-02-01T12-00-00-build.json"), []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
}

var theirID = derived(piton.CheckpointPrefix, "ckpt-2026-02-01T12-00-00-build.json")

// kinds are all kinds of transaction, each on the world before.
var kinds = []struct {
	name string
	run  func(ctx context.Context, tx store.Tx) error
}{
	{"append", func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Append(ctx, redact.Value(prepared(chkD, oldFlow, `{"d":1}`)))
		return err
	}},
	{"append two to a new workflow", func(ctx context.Context, tx store.Tx) error {
		if err := tx.PutWorkflow(ctx, redact.Value(piton.Workflow{ID: newFlow, Name: "new", Type: piton.TypePlan, CreatedAt: piton.At(when)})); err != nil {
			return err
		}
		_, err := tx.Append(ctx, redact.Value(prepared(chkD, newFlow, `{"d":1}`)))
		_, err2 := tx.Append(ctx, redact.Value(prepared(chkE, newFlow, `{"e":1}`)))
		return errors.Join(err, err2)
	}},
	{"complete", func(ctx context.Context, tx store.Tx) error { return tx.Complete(ctx, chkC, piton.At(when)) }},
	{"complete another program's", func(ctx context.Context, tx store.Tx) error {
		return tx.Complete(ctx, theirID, piton.At(when))
	}},
	{"delete", func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Delete(ctx, []string{chkB, chkC})
		return err
	}},
	{"delete in the middle", func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Delete(ctx, []string{chkA})
		return err
	}},
	{"archive", func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Archive(ctx, []string{chkA, chkB}, "2026/a.piton")
		return err
	}},
	{"import", func(ctx context.Context, tx store.Tx) error {
		p := prepared(chkD, newFlow, `{"d":1}`)
		p.Record.Seq = 7
		_, err := tx.Import(ctx, redact.Value(store.Entry{Workflow: piton.Workflow{ID: newFlow, Name: "old", Project: "prj_1", Type: piton.TypePlan}, Checkpoint: p.Record, State: p.State.Get()}))
		return err
	}},
	{"log and count", func(ctx context.Context, tx store.Tx) error {
		return errors.Join(tx.Log(ctx, redact.Value(store.LogEvent{At: piton.At(when), Kind: "x"})), tx.Log(ctx, redact.Value(store.LogEvent{At: piton.At(when), Kind: "x"})), tx.Count(ctx, piton.Time{}, "", store.Counted{Name: "n", N: 2}))
	}},
	{"everything", func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Append(ctx, redact.Value(prepared(chkD, oldFlow, `{"d":1}`)))
		err2 := tx.Complete(ctx, chkA, piton.At(when))
		_, err3 := tx.Delete(ctx, []string{chkB})
		_, err4 := tx.Archive(ctx, []string{chkC}, "f")
		return errors.Join(err, err2, err3, err4)
	}},
}

// world is everything a store answers.
type world struct {
	List      []piton.Checkpoint
	States    map[string]string
	Workflows map[string]piton.Workflow
	Branches  map[string][]store.Branch
	Ordinal   int64
	Counters  map[string]int64
	Current   string
	Events    []string
}

// seen reads the world.
func seen(t testing.TB, s *Store) world {
	t.Helper()
	w, err := look(s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// look reads the world. Events that say when they were logged by the store's
// own clock lose that time; a line that a crash has torn is none.
func look(s *Store) (w world, err error) {
	ctx := context.Background()
	w = world{States: map[string]string{}, Workflows: map[string]piton.Workflow{}, Branches: map[string][]store.Branch{}}
	page, err := s.List(ctx, piton.Query{})
	if err != nil {
		return w, err
	}
	w.List = page.Checkpoints
	var flows []string
	if w.Ordinal, w.Counters, flows, err = numbers(ctx, s); err != nil {
		return w, err
	}
	for _, c := range w.List {
		state, err := s.State(ctx, c.ID)
		if c.Archive != "" && piton.CodeOf(err) == piton.NotFound {
			continue
		}
		if err != nil {
			return w, err
		}
		w.States[c.ID] = string(state)
	}
	for _, id := range flows {
		if w.Workflows[id], err = s.Workflow(ctx, id, ""); err != nil {
			return w, err
		}
		if w.Branches[id], err = s.Branches(ctx, id); err != nil {
			return w, err
		}
	}
	var seed struct {
		State struct{ CheckpointRef string }
	}
	if raw, err := os.ReadFile(filepath.Join(s.disk.dir, seedFile)); err == nil {
		if err := json.Unmarshal(raw, &seed); err != nil {
			return w, fmt.Errorf("seed.json: %w in %q", err, raw)
		}
	}
	w.Current = seed.State.CheckpointRef
	files, _ := filepath.Glob(filepath.Join(s.disk.dir, events, "*.jsonl"))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return w, err
		}
		for line := range strings.Lines(string(raw)) {
			var e store.LogEvent
			if json.Unmarshal([]byte(line), &e) != nil {
				continue
			}
			if e.Kind == "checkpoint_archived" || e.Kind == "checkpoint_imported" {
				e.At = piton.Time{}
			}
			text, _ := plain(e)
			w.Events = append(w.Events, string(text))
		}
	}
	return w, nil
}

// numbers are the last ordinal, the counters and the workflows of a store.
func numbers(ctx context.Context, s *Store) (ordinal int64, counters map[string]int64, flows []string, err error) {
	m, err := s.look()
	if err != nil {
		return 0, nil, nil, err
	}
	l, err := s.list(m)
	if err != nil {
		return 0, nil, nil, err
	}
	_, err = s.ask(ctx, "look", false, func(x snap) (none []piton.Checkpoint, err error) {
		if ordinal, err = x.Mark(ctx, ordinalMark); err != nil {
			return nil, err
		}
		rows, err := x.QueryContext(ctx, `SELECT id FROM workflows`)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for flows = nil; rows.Next(); {
			var id string
			if err := rows.Scan(&id); err != nil {
				return nil, err
			}
			flows = append(flows, id)
		}
		return nil, rows.Err()
	})
	return ordinal, maps.Clone(l.store.Counters), flows, err
}

func differ(a, b world) string {
	byText := cmpopts.SortSlices(func(a, b string) bool { return a < b })
	return cmp.Diff(a, b, cmpopts.EquateEmpty(), byText, cmp.Comparer(func(a, b piton.Time) bool { return a.Equal(b.Time) }))
}

// worlds are what is there before a kind of transaction and after it, and how many
// operations that takes.
func worlds(t testing.TB, dir string, run func(context.Context, store.Tx) error) (w0, w1 world, operations int) {
	t.Helper()
	s, err := open(dir, Options{}, func(string) error {
		operations++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w0 = seen(t, s)
	if err := s.Save(context.Background(), func(tx store.Tx) error { return run(context.Background(), tx) }); err != nil {
		t.Fatalf("the transaction: got %v, want no error", err)
	}
	w1 = seen(t, s)
	if differ(w0, w1) == "" {
		t.Fatal("the transaction changes nothing that is looked at")
	}
	return w0, w1, operations
}

// copied is a copy of a folder.
func copied(t testing.TB, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

var errStop = errors.New("stopped here")

// TestStoppedAfterEachOperation ends every kind of transaction after each of
// its file operations, a third of these a day, and wants all of it or nothing: for who reads at once,
// for who opens anew, and after the next write.
func TestStoppedAfterEachOperation(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			origin := t.TempDir()
			before(t, origin)
			w0, w1, operations := worlds(t, copied(t, origin), k.run)
			if operations < 7 {
				t.Fatalf("got %d operations, want at least 7", operations)
			}
			tried := need.Share(t, 3)
			for n := 1; n <= operations; n++ {
				if !tried(n) {
					continue
				}
				dir := copied(t, origin)
				reader := reopened(t, dir)
				seen(t, reader)
				left, last := n, ""
				s, err := open(dir, Options{}, func(name string) error {
					if left--; left == 0 {
						last = name
						return errStop
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				err = s.Save(t.Context(), func(tx store.Tx) error { return k.run(t.Context(), tx) })
				if left > 0 {
					t.Fatalf("got %d operations, want %d", n-left, operations)
				}
				what := fmt.Sprintf("stopped after operation %d (%s)", n, last)
				wholly(t, what+", read", reader, w0, w1, err == nil)
				got := wholly(t, what+", opened", reopened(t, dir), w0, w1, err == nil)
				next := reopened(t, dir)
				if err := next.Save(t.Context(), func(tx store.Tx) error {
					return tx.Count(t.Context(), piton.Time{}, "", store.Counted{Name: "next", N: 1})
				}); err != nil {
					t.Fatalf("%s, the next write: got %v, want no error", what, err)
				}
				after := seen(t, next)
				delete(after.Counters, "next")
				if diff := differ(got, after); diff != "" {
					t.Fatalf("%s: the next write changed something else:\n%s", what, diff)
				}
				left2, _ := filepath.Glob(filepath.Join(dir, "*", ".piton-*"))
				for _, name := range left2 {
					if strings.Contains(name, checkpoints) {
						t.Errorf("%s: got the leftover %s, want none", what, name)
					}
				}
				if faults, err := next.Check(t.Context()); err != nil || len(faults) > 0 {
					t.Errorf("%s: got the faults %q (%v), want none", what, faults, err)
				}
			}
		})
	}
}

// wholly fails unless the store is in one of the two worlds; in the second if
// the transaction was acknowledged. Events and seed.json count only for who
// has opened the store, for they are written last.
func wholly(t *testing.T, what string, s *Store, w0, w1 world, acked bool) world {
	t.Helper()
	got := seen(t, s)
	if strings.HasSuffix(what, "read") {
		w0.Events, w1.Events, w0.Current, w1.Current = got.Events, got.Events, got.Current, got.Current
	}
	d0, d1 := differ(w0, got), differ(w1, got)
	if d1 != "" && (acked || d0 != "") {
		t.Fatalf("%s (acknowledged: %v): got neither world\nbefore, got:\n%s\nafter, got:\n%s", what, acked, d0, d1)
	}
	return got
}
