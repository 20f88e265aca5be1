package daemon

import (
	"slices"
	"testing"

	"github.com/piton-project/piton/internal/app"
)

// TestRunThatPanics: a run whose work panics ends alone, makes its room free, and those
// who watch it are told that nobody works on it.
func TestRunThatPanics(t *testing.T) {
	w := newWorks(app.Options{Home: t.TempDir(), Getenv: func(string) string { return "" }, Environ: []string{}}, nil, nil)
	r := newRuns(t.Context(), w)
	var told, left []string
	r.tell = func(e app.RunEvent) {
		told = append(told, e.Run)
		panic("a defect")
	}
	r.left = func(id string) { left = append(left, id) }
	plan := app.RunRequest{File: "plan", FileLess: true, Plan: []byte(`{"name":"p","steps":[{"id":"a","action":"shell","parameters":{"command":"true"}}]}`)}
	if err := r.enter(""); err != nil {
		t.Fatal(err)
	}
	begun := make(chan answer, 1)
	r.carryOut("", t.TempDir(), plan, begun)
	if x := <-begun; x.err == nil {
		t.Errorf("got %+v, want an error", x)
	}
	if len(told) == 0 || r.number != 0 {
		t.Errorf("got the events of %q and %d runs at work, want one event and none", told, r.number)
	}
	// Its second event is that of a run that is known.
	calls := 0
	r.tell = func(e app.RunEvent) {
		if calls++; calls > 1 {
			panic("a defect")
		}
		told = []string{e.Run}
	}
	if err := r.enter(""); err != nil {
		t.Fatal(err)
	}
	plan.New = true
	r.carryOut("", t.TempDir(), plan, begun)
	if x := <-begun; x.err != nil || !slices.Equal(left, told) || r.number != 0 {
		t.Errorf("got %+v, left %q and %d runs at work, want that %q was left", x, left, r.number, told)
	}
}
