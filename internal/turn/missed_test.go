package turn_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// failing is a store that takes no checkpoint: it refuses to prepare one, or to
// add it.
func failing(l *store.Local, at *string) *store.Local {
	f := *l
	f.Checkpoints, f.Updater = noPrepare{l.Checkpoints, at}, updater{l.Updater, at}
	return &f
}

type noPrepare struct {
	store.Checkpoints
	at *string
}

func (f noPrepare) Prepare(ctx context.Context, p store.Prepared) (store.Prepared, error) {
	if *f.at == "ready" {
		return p, piton.Errorf(piton.Internal, "make it ready", "", "no room \x1b[31mleft")
	}
	return f.Checkpoints.Prepare(ctx, p)
}

type updater struct {
	store.Updater
	at *string
}

func (f updater) Update(ctx context.Context, fn func(store.LocalTx) error) error {
	return f.Updater.Update(ctx, func(tx store.LocalTx) error {
		tx.Writer = noAppend{tx.Writer, f.at}
		return fn(tx)
	})
}

type noAppend struct {
	store.Writer
	at *string
}

func (f noAppend) Append(ctx context.Context, clean redact.Clean[store.Prepared]) (piton.Checkpoint, error) {
	p := clean.Get()
	if *f.at == "append" {
		return piton.Checkpoint{}, piton.Errorf(piton.Internal, "save", "", "no room left")
	}
	return f.Writer.Append(ctx, redact.Value(p))
}

func TestMissedIsToldOnce(t *testing.T) {
	saved := func(text string) bool {
		return strings.HasPrefix(text, "notice: "+agent.Prefix+"some of this session may not be saved: ")
	}
	for _, at := range []string{"ready", "append"} {
		t.Run(at, func(t *testing.T) {
			w := shop(t)
			w.set.MinTurn = time.Hour
			trouble := at
			w.open = func(context.Context) (*store.Local, error) { return failing(w.store, &trouble), nil }
			w.asks("mend it")
			w.edits("README.md", "more\n")
			w.after(time.Minute)
			if got := w.stops(); !saved(got) || !strings.Contains(got, "no room") || strings.Contains(got, "\x1b") || !strings.Contains(got, "piton doctor") {
				t.Errorf("got %q, want the person told", got)
			}
			if w.session().TurnOpen || len(w.checkpoints()) > 0 {
				t.Error("got the turn open, or a checkpoint, want the turn's end kept without one")
			}
			w.asks("go on")
			w.edits("README.md", "more still\n")
			if got := w.stops(); got != "" {
				t.Errorf("got %q, want it told once a session", got)
			}
			trouble = ""
			w.asks("go on")
			w.edits("README.md", "and more\n")
			if got := w.stops(); got != "" || len(w.checkpoints()) != 1 {
				t.Errorf("got %q and %d checkpoints, want the next turn kept", got, len(w.checkpoints()))
			}
			list := turn.MissedIn(w.home, w.now)
			if len(list) != 1 || list[0].Session != w.id || list[0].Agent != "claude" || list[0].Event != agent.EventStop || !strings.Contains(list[0].Why, "no room") {
				t.Errorf("got %+v, want what doctor is to show", list)
			}
			if list := turn.MissedIn(w.home, w.now.Add(8*24*time.Hour)); len(list) > 0 {
				t.Errorf("got %+v after a week, want nothing", list)
			}
			other := *w
			other.id = "another"
			trouble = at
			other.asks("mend it")
			other.edits("README.md", "other\n")
			if got := other.stops(); !saved(got) {
				t.Errorf("got %q, want the person told in each session", got)
			}
		})
	}
	t.Run("inside a turn, behind a hold", func(t *testing.T) {
		w := shop(t)
		w.set.MinTurn = 0
		trouble := "ready"
		w.open = func(context.Context) (*store.Local, error) { return failing(w.store, &trouble), nil }
		w.asks("mend it")
		w.edits("main.go", "package shop\n\nconst text = `1`\n")
		if reply, err := w.try("PostToolUse", map[string]any{"tool_name": "Write", "tool_input": map[string]any{"file_path": w.path("main.go")}}); err == nil || reply != nil {
			t.Fatalf("got %q and %v, want the save to fail in silence", reply, err)
		}
		trouble = ""
		w.after(time.Minute)
		if got := w.stops(); !strings.HasPrefix(got, "held: ") {
			t.Fatalf("got %q, want a hold to go first", got)
		}
		w.runs("go test ./...", "ok  \tshop\t0.01s")
		if got := w.stops(); !saved(got) {
			t.Errorf("got %q, want the person told", got)
		}
	})
	t.Run("where PITON_HOME cannot be written", func(t *testing.T) {
		w := shop(t)
		w.home = filepath.Join(w.root, "go.mod", "piton")
		trouble := "ready"
		w.open = func(context.Context) (*store.Local, error) { return failing(w.store, &trouble), nil }
		for i, want := range []bool{true, false} {
			w.asks("mend it")
			w.edits("README.md", strings.Repeat("more\n", i+1))
			if got := w.stops(); saved(got) != want {
				t.Errorf("stop %d: got %q, want the person told once", i+1, got)
			}
		}
	})
	t.Run("a note that is none", func(t *testing.T) {
		w := shop(t)
		if err := os.MkdirAll(filepath.Join(w.home, "missed", "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"a": "", "b": "{", "c": `{"at":"yesterday"}`, "d": `{"at":"` + piton.At(w.now).String() + `","why":"\u001b[2J"}`} {
			if err := os.WriteFile(filepath.Join(w.home, "missed", name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if list := turn.MissedIn(w.home, w.now); len(list) != 1 || list[0].Why != `\x1b[2J` {
			t.Errorf("got %+v", list)
		}
	})
}
