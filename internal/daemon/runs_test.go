package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
)

// TestRequestIsNoPerson: what is a person's to say of a run is refused to a request, and
// nothing of the run goes on, though a person has started the daemon.
func TestRequestIsNoPerson(t *testing.T) {
	const asks = `{"name":"rel","inputs":{"ask":{"type":"boolean","default":true}},"steps":[
		{"id":"approve","when":"inputs.ask == true","action":"approve","parameters":{"message":"Release it?"}},
		{"id":"release","needs":"approve","if":"steps.approve.status != \"failed\"","run":"touch effect"}]}`
	const doubt = `{"name":"pay","steps":[{"id":"pay","effect":"once","run":"kill -9 $$"},{"id":"next","needs":"pay","run":"touch effect"}]}`
	for _, c := range []struct {
		name, plan string
		say        planruns.RunRequest
	}{
		{"other inputs", asks, planruns.RunRequest{RunRequest: piton.RunRequest{RunAgain: piton.RunAgain{Inputs: map[string]string{"ask": "false"}, AcceptPlan: true}}}},
		{"another plan", asks, planruns.RunRequest{File: "plan", FileLess: true, RunRequest: piton.RunRequest{Plan: []byte(`{"name":"rel","steps":[{"id":"release","run":"touch effect"}]}`), RunAgain: piton.RunAgain{AcceptPlan: true}}}},
		{"a step took effect", doubt, planruns.RunRequest{RunRequest: piton.RunRequest{RunAgain: piton.RunAgain{Took: []string{"pay"}}}}},
		{"what it has brought", doubt, planruns.RunRequest{RunRequest: piton.RunRequest{RunAgain: piton.RunAgain{Took: []string{"pay"}, Outputs: map[string]any{"pay": "x"}}}}},
		{"a step again", doubt, planruns.RunRequest{RunRequest: piton.RunRequest{RunAgain: piton.RunAgain{Redo: []string{"pay"}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := caller.Options{
				Home: t.TempDir(), Dir: t.TempDir(), Environ: []string{},
				Getenv: func(name string) string { return map[string]string{"PATH": os.Getenv("PATH")}[name] },
			}
			a := app.New(o)
			defer a.Close()
			x, err := a.Run(t.Context(), planruns.RunRequest{File: "plan", FileLess: true, RunRequest: piton.RunRequest{Plan: []byte(c.plan)}})
			if err != nil || x.Success {
				t.Fatalf("got %+v, %v, want a run that waits", x, err)
			}
			r := newRuns(t.Context(), newWorks(o, nil, nil))
			c.say.Ref, c.say.Resume = x.RunID, true
			if _, err := r.Start(t.Context(), o.Dir, c.say); piton.CodeOf(err) != piton.Invalid {
				t.Errorf("got %v, want that a person says it", err)
			}
			if _, err := os.Stat(filepath.Join(o.Dir, "effect")); err == nil {
				t.Error("the run went on")
			}
		})
	}
}

// TestRunThatPanics: a run whose work panics ends alone, makes its room free, and those
// who watch it are told that nobody works on it.
func TestRunThatPanics(t *testing.T) {
	w := newWorks(caller.Options{Home: t.TempDir(), Getenv: func(string) string { return "" }, Environ: []string{}}, nil, nil)
	r := newRuns(t.Context(), w)
	var told, left []string
	r.tell = func(e planruns.RunEvent) {
		told = append(told, e.Run)
		panic("a defect")
	}
	r.left = func(id string) { left = append(left, id) }
	plan := planruns.RunRequest{File: "plan", FileLess: true, RunRequest: piton.RunRequest{Plan: []byte(`{"name":"p","steps":[{"id":"a","action":"shell","parameters":{"command":"true"}}]}`)}}
	dir := t.TempDir()
	id, err := r.Start(t.Context(), dir, plan)
	if err == nil {
		err = r.enter(id)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := r.enter(id); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("entered twice: got %v", err)
	}
	if r.carryOut(id, dir); !slices.Equal(told, []string{id}) || !slices.Equal(left, told) || len(r.at) != 0 {
		t.Errorf("got the events of %q, left %q and %d runs at work, want one event of %s and none", told, left, len(r.at), id)
	}
	r.giveUp()
	if _, err := r.Start(t.Context(), dir, plan); piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("begun at the end: got %v", err)
	}
}
