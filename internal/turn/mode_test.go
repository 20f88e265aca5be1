package turn_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

func TestModes(t *testing.T) {
	tell(t, []story{
		{"audit decides, records and never holds", func(w *world) {
			w.set.Mode = debrief.ModeAudit
			changed(w)
			if got := w.stops(); got != "" {
				w.Errorf("got %q, want silence", got)
			}
			if d := w.decision(); d.Reason != agent.ReasonAudit || len(d.Actions) == 0 || d.Held || w.session().Holds != 0 {
				w.Errorf("got %+v, want audit with actions and no hold", d)
			}
		}},
		{"off looks away and still saves", func(w *world) {
			w.set.Mode = debrief.ModeOff
			changed(w)
			w.want(w.stops(), agent.ReasonOff)
			if n := len(w.checkpoints()); n != 1 {
				w.Errorf("got %d checkpoints, want 1", n)
			}
		}},
		{"all clear as a message is one hold", func(w *world) {
			w.set.AllClear = debrief.AllClearMessage
			changed(w)
			w.runs("go test ./...", "ok")
			w.want(w.stops(), agent.ReasonClear, "held: ", "all clear")
			w.runs("ls", "x")
			w.after(time.Minute)
			if got := w.stops(); !strings.HasPrefix(got, "notice: ") || w.session().Holds != 1 {
				w.Errorf("got %q after %d holds, want a notice after 1", got, w.session().Holds)
			}
		}},
		{"all clear in silence", func(w *world) {
			w.set.AllClear = debrief.AllClearSilent
			changed(w)
			w.runs("go test ./...", "ok")
			if got := w.stops(); got != "" {
				w.Errorf("got %q, want silence", got)
			}
		}},
		{"observations alone are for piton explain", func(w *world) {
			spread(w)
			if got := w.stops(); strings.Contains(got, "top-level folders") {
				w.Errorf("got %q, want what was only noticed left out", got)
			}
			if d := w.decision(); d.Reason != agent.ReasonFine || !slices.ContainsFunc(d.Observations, func(o string) bool { return strings.Contains(o, "top-level folders") }) {
				w.Errorf("got %+v, want it let go, and what was noticed kept", d)
			}
		}},
		{"observations hold where they are to, once", func(w *world) {
			w.set.HoldOnObservations = true
			spread(w)
			w.want(w.stops(), agent.ReasonHeld, "top-level folders")
			w.runs("ls", "x")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonFine)
		}},
	})
}

// spread is a turn that writes settings all over the place.
func spread(w *world) {
	w.Helper()
	w.asks("write it down")
	w.after(time.Minute)
	for _, dir := range []string{"a", "b", "c", "d"} {
		w.edits(dir+"/x.conf", "x\n")
	}
}

func TestClearMarker(t *testing.T) {
	for _, c := range []struct {
		name string
		path func(w *world) string
	}{
		{"in PITON_HOME", func(w *world) string { return filepath.Join(w.home, "sessions", "checkpoint_clear_"+w.session().ID) }},
		{"in TMPDIR", func(w *world) string { return filepath.Join(w.tmp, "piton_checkpoint_clear_"+w.session().ID) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			changed(w)
			held := w.heldAgain()
			w.want(held, agent.ReasonHeld)
			if way := filepath.Join(w.home, "sessions", "checkpoint_clear_"+w.session().ID); !strings.Contains(held, way) {
				t.Errorf("got %q, want the way out %s in it", held, way)
			}
			w.after(time.Minute)
			w.edits("main.go", "package shop\n\nconst text = `2`\n")
			marker := c.path(w)
			if err := os.WriteFile(marker, nil, 0o600); err != nil {
				t.Fatalf("the agent could not take the way out: %v", err)
			}
			w.want(w.stops(), agent.ReasonMarker)
			if _, err := os.Stat(marker); !os.IsNotExist(err) {
				t.Errorf("the marker is still there (%v), want it consumed", err)
			}
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
		})
	}
	t.Run("looked at first, before any budget or time", func(t *testing.T) {
		w := shop(t)
		w.asks("hi")
		if err := os.WriteFile(filepath.Join(w.tmp, "piton_checkpoint_clear_"+w.session().ID), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		w.want(w.stops(), agent.ReasonMarker)
	})
	t.Run("where no folder can be made the other one is named", func(t *testing.T) {
		w := shop(t)
		if err := os.WriteFile(filepath.Join(w.home, "sessions"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		changed(w)
		w.want(w.heldAgain(), agent.ReasonHeld, filepath.Join(w.tmp, "piton_checkpoint_clear_"+w.session().ID))
	})
}
