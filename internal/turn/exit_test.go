package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// sandboxed is a client whose agent writes in the work tree and the temporary
// folder only; its forms are those of the tests.
type sandboxed struct{ fake }

func (sandboxed) Program() client.Program { return client.Program{Name: "codex", Confined: true} }

func TestWayOut(t *testing.T) {
	each(t, []story{
		{"a marker of an earlier prompt lets nothing through", func(w *world) {
			w.asks("hi")
			w.want(w.stops(), agent.ReasonShort)
			marker := filepath.Join(w.tmp, "piton_checkpoint_clear_"+w.session().ID)
			if err := os.WriteFile(marker, nil, 0o600); err != nil {
				w.Fatal(err)
			}
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
		}},
		{"a marker that cannot be made is not a failure of the work", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.fails("mkdir -p /x/sessions && touch /x/sessions/checkpoint_clear", "touch: cannot touch '/x/sessions/checkpoint_clear': Read-only file system")
			w.after(time.Minute)
			w.want(w.stops(), agent.ReasonClear)
		}},
		{"a test run beside the marker still is one", func(w *world) {
			changed(w)
			w.fails("go test ./... && touch /x/checkpoint_clear", "--- FAIL: TestShop\nFAIL\tshop")
			w.want(w.stops(), agent.ReasonHeld, "go test")
		}},
		{"what the marker leaves open is said", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.runs("ls", "main.go")
			if err := os.WriteFile(filepath.Join(w.tmp, "piton_checkpoint_clear_"+w.session().ID), nil, 0o600); err != nil {
				w.Fatal(err)
			}
			w.want(w.stops(), agent.ReasonMarker, "notice: ", "let go by the marker file with this left open: ", "main.go")
		}},
	})
	t.Run("in a sandbox the temporary folder is named", func(t *testing.T) {
		w := shop(t)
		w.client = sandboxed{fake{name: "codex", takes: func(agent.Event) bool { return true }}}
		changed(w)
		got := w.heldAgain()
		w.want(got, agent.ReasonHeld, filepath.Join(w.tmp, "piton_checkpoint_clear_"))
		if strings.Contains(got, w.home) {
			t.Errorf("got %q, want no path that the agent cannot write to", got)
		}
	})
}
