package turn_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// opens gives every event a store of its own, as hooks have.
func (w *world) opens(wait time.Duration) {
	w.open = func(ctx context.Context) (*store.Local, error) {
		st, err := sqlite.Open(ctx, filepath.Join(w.home, "piton.db"), sqlite.Options{Wait: wait})
		if err != nil {
			return nil, err
		}
		w.Cleanup(func() { st.Close() })
		return st.Local(), nil
	}
}

// together runs n at once and returns what they returned.
func together[T any](n int, f func(i int) T) []T {
	all := make([]T, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			all[i] = f(i)
		})
	}
	close(start)
	wg.Wait()
	return all
}

func TestTwoStopsAtOnce(t *testing.T) {
	w := shop(t)
	w.opens(10 * time.Second)
	for round := range 20 {
		changed(w)
		w.after(2 * time.Second)
		w.says("Done.")
		replies := together(3, func(int) []byte {
			reply, err := w.try("Stop", map[string]any{"last_assistant_message": "Done."})
			if err != nil {
				t.Errorf("round %d: %v", round, err)
			}
			return reply
		})
		held := 0
		for _, r := range replies {
			if len(r) > 0 {
				held++
			}
		}
		if s := w.session(); held != 1 || s.Holds != 1 || !s.TurnOpen {
			t.Fatalf("round %d: got %d held answers, %d holds, turn open %v; want 1, 1, open", round, held, s.Holds, s.TurnOpen)
		}
		w.runs("go test ./...", "ok")
		w.after(time.Minute)
		w.want(w.stops(), agent.ReasonClear)
	}
}

// A stop a moment after a hold is another one where the agent has said something
// else, although the client has not logged it yet.
func TestStopRightAfterHold(t *testing.T) {
	for said, want := range map[string]agent.Reason{"Done.": agent.ReasonMoved, "I leave it so.": agent.ReasonNoActivity, "": agent.ReasonMoved} {
		w := shop(t)
		changed(w)
		w.want(w.stops(), agent.ReasonHeld)
		w.after(time.Second)
		reply := w.answer(w.happens("Stop", map[string]any{"stop_hook_active": true, "last_assistant_message": said}))
		w.want(reply, want)
		if told := strings.Contains(reply, "go test"); told != (want == agent.ReasonNoActivity) {
			t.Errorf("%q: got the answer %q; what lies open is told at the end of a turn, and only there", said, reply)
		}
	}
}

func TestStopAndPromptAtOnce(t *testing.T) {
	w := shop(t)
	w.opens(10 * time.Second)
	changed(w)
	w.after(2 * time.Second)
	w.says("Done.")
	together(2, func(i int) error {
		fields := []map[string]any{{"last_assistant_message": "Done."}, {"prompt": "and the docs"}}[i]
		_, err := w.try([]string{"Stop", "UserPromptSubmit"}[i], fields)
		if err != nil {
			t.Error(err)
		}
		return err
	})
	if s := w.session(); s.LastMessage != "and the docs" || s.Holds > 1 {
		t.Errorf("got %q and %d holds, want the new words and at most 1", s.LastMessage, s.Holds)
	}
}

func TestManyHooksAtOnce(t *testing.T) {
	w := shop(t)
	w.opens(10 * time.Second)
	w.asks("mend it")
	w.after(11 * time.Minute)
	errs := together(12, func(i int) error {
		_, err := w.try("PostToolUse", map[string]any{"tool_name": "Bash"})
		return err
	})
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if all := w.checkpoints(); len(all) != 1 || all[0].Trigger != piton.TriggerInterval {
		t.Errorf("got %d checkpoints, want one of the interval", len(all))
	}
}

func TestFirstEventsAtOnce(t *testing.T) {
	w := shop(t)
	w.home = t.TempDir()
	w.opens(10 * time.Second)
	together(8, func(i int) error {
		_, err := w.try([]string{"SessionStart", "UserPromptSubmit"}[i%2], map[string]any{"prompt": "mend it"})
		if err != nil {
			t.Error(err)
		}
		return err
	})
	st, err := w.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := st.Sessions(t.Context(), store.SessionQuery{})
	if err != nil || len(list) != 1 || list[0].Turn != 1 {
		t.Errorf("got %+v (%v), want one session in its first turn", list, err)
	}
}

func TestStoreTrouble(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, w *world, db string)
		code  piton.Code
	}{
		{"locked by another", func(t *testing.T, w *world, db string) {
			release := make(chan struct{})
			done := make(chan error)
			locked := make(chan struct{})
			go func() {
				done <- w.store.Update(context.Background(), func(store.LocalTx) error { close(locked); <-release; return nil })
			}()
			<-locked
			t.Cleanup(func() { close(release); <-done })
		}, piton.Unavailable},
		{"no database", func(t *testing.T, w *world, db string) {
			overwrite(t, db, "this is not a database, and it is long enough to be looked at as one")
		}, piton.Corrupt},
		{"a folder in its place", func(t *testing.T, w *world, db string) {
			if err := os.Remove(db); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(db, 0o700); err != nil {
				t.Fatal(err)
			}
		}, piton.Invalid},
		{"read-only", func(t *testing.T, w *world, db string) {
			w.open = func(ctx context.Context) (*store.Local, error) { return readOnly(w.store), nil }
		}, piton.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			changed(w)
			w.opens(50 * time.Millisecond)
			c.spoil(t, w, filepath.Join(w.home, "piton.db"))
			w.after(2 * time.Second)
			var told []string
			for _, e := range []struct {
				event  string
				fields map[string]any
			}{
				{"UserPromptSubmit", map[string]any{"prompt": "go on"}}, {"PostToolUse", nil}, {"Notification", nil},
				{"Stop", map[string]any{"last_assistant_message": "Done."}}, {"Stop", map[string]any{"last_assistant_message": "Done."}}, {"SessionEnd", nil},
			} {
				reply, err := w.try(e.event, e.fields)
				if piton.CodeOf(err) != c.code {
					t.Errorf("%s: got %v, want code %s", e.event, err, c.code)
				}
				if len(reply) > 0 {
					told = append(told, e.event+" "+w.answer(reply))
				}
			}
			words := "some of this session may not be saved: "
			if c.code == piton.Corrupt {
				words = "the store needs you: "
			}
			if len(told) != 1 || !strings.HasPrefix(told[0], "Stop notice: "+agent.Prefix+words) {
				t.Errorf("got %q, want the agent let go and the person told once", told)
			}
		})
	}
	t.Run("missing: it is made again and knows no turn", func(t *testing.T) {
		w := shop(t)
		changed(w)
		w.opens(50 * time.Millisecond)
		for _, end := range []string{"", "-wal", "-shm"} {
			os.Remove(filepath.Join(w.home, "piton.db"+end))
		}
		if reply, err := w.try("Stop", nil); err != nil || len(reply) > 0 {
			t.Errorf("got %q and %v, want the agent let go", reply, err)
		}
	})
}

func overwrite(t *testing.T, db, text string) {
	t.Helper()
	for _, end := range []string{"-wal", "-shm"} {
		os.Remove(db + end)
	}
	if err := os.WriteFile(db, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// readOnly is a store on a file that cannot be written.
func readOnly(l *store.Local) *store.Local {
	r := *l
	r.Updater, r.Checkpoints = noUpdate{l.Updater}, noSave{l.Checkpoints}
	return &r
}

type noUpdate struct{ store.Updater }

func (noUpdate) Update(context.Context, func(store.LocalTx) error) error {
	return piton.Errorf(piton.Unavailable, "update", "", "attempt to write a readonly database")
}

type noSave struct{ store.Checkpoints }

func (noSave) Save(context.Context, func(store.Tx) error) error {
	return piton.Errorf(piton.Unavailable, "save", "", "attempt to write a readonly database")
}
