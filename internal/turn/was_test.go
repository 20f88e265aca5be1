package turn_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// What the only tests of a project said is not forgotten when they are deleted,
// unless the code that they tested goes with them.
func TestTheOnlyTestsAreDeleted(t *testing.T) {
	remove := func(w *world, files ...string) {
		w.Helper()
		for _, f := range files {
			if err := os.Remove(filepath.Join(w.root, f)); err != nil {
				w.Fatal(err)
			}
			w.runs("rm "+f, "")
		}
	}
	tell(t, []story{
		{"and nothing is run", func(w *world) {
			changed(w)
			remove(w, "main_test.go")
			w.want(w.stops(), agent.ReasonHeld, "go test", "main_test.go")
		}},
		{"and what is left has none", func(w *world) {
			changed(w)
			remove(w, "main_test.go")
			w.runs("go test ./...", "?   \tshop\t[no test files]")
			w.want(w.stops(), agent.ReasonHeld, "main_test.go")
		}},
		{"with the code that they tested", func(w *world) {
			w.asks("remove it")
			w.after(time.Minute)
			remove(w, "main.go", "main_test.go")
			if d := w.stops(); w.decision().Held {
				w.Errorf("got %s, want it let go: nothing is left to be tested", d)
			}
		}},
	})
}
