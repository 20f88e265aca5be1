package turn_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// A session whose record is damaged is let go; the person is told, once, and the
// other sessions go on. A repair begins the record anew.
func TestDamagedSession(t *testing.T) {
	each(t, []story{{"its record cannot be read", func(w *world) {
		changed(w)
		id := w.session().ID
		st, err := sqlite.Open(w.Context(), filepath.Join(w.home, "piton.db"), sqlite.Options{})
		if err != nil {
			w.Fatal(err)
		}
		defer st.Close()
		if _, err := st.DB.Exec(`UPDATE sessions SET rest = substr(rest, 1, 40) WHERE id = '` + id + `'`); err != nil {
			w.Fatal(err)
		}
		stop := func() string {
			w.after(time.Minute)
			w.says("Done.")
			reply, err := w.try("Stop", map[string]any{"last_assistant_message": "Done."})
			if piton.CodeOf(err) != piton.Corrupt {
				w.Errorf("got %v, want it corrupt", err)
			}
			return w.answer(reply)
		}
		if got := stop(); !strings.HasPrefix(got, "notice: ") || !strings.Contains(got, "the store needs you") || !strings.Contains(got, id) || !strings.Contains(got, "piton doctor") {
			w.Errorf("got %q, want the person told", got)
		}
		if got := stop(); got != "" {
			w.Errorf("got %q, want it told once", got)
		}
		faults, err := st.Check(w.Context())
		if err != nil || len(faults) != 1 || !strings.Contains(faults[0], id) {
			w.Errorf("got the faults %q (%v), want the session named", faults, err)
		}
		if list := w.sessions(); len(list) != 1 || !list[0].Damaged || list[0].ID != id {
			w.Errorf("got %+v, want it listed as damaged", list)
		}
		was := w.id
		w.another()
		w.script = filepath.Join(w.TempDir(), "other.jsonl")
		changed(w)
		w.want(w.stops(), agent.ReasonHeld)
		w.id = was
		done, err := st.Repair(w.Context())
		if err != nil || !strings.Contains(strings.Join(done, "\n"), "began the record of session "+id+" anew") {
			w.Errorf("got %q (%v), want the session mended", done, err)
		}
		if faults, err := st.Check(w.Context()); err != nil || len(faults) > 0 {
			w.Errorf("got the faults %q (%v) after the repair", faults, err)
		}
		w.after(time.Hour)
		w.script = filepath.Join(w.TempDir(), "again.jsonl")
		w.asks("mend it")
		w.after(time.Minute)
		w.edits("main.go", "package shop\n\nconst text = `again`\n")
		w.want(w.stops(), agent.ReasonHeld)
	}}})
}
