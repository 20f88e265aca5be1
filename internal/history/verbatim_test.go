package history_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// What a program must get back exactly is kept with the secrets in it; what is said of it
// is not.
func TestVerbatim(t *testing.T) {
	const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	s := open(t)
	state := `{"messages":["` + strings.Repeat("long ", 5000) + `"],"token":"` + token + `"}`
	one := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "thread", Verbatim: true, Description: "with " + token, State: []byte(" " + state)}})
	if got := s.state(one.ID); got != state || len(one.Paths) != 1 || one.Paths[0] != "/description" {
		t.Errorf("got %d bytes and %v taken out, want the state as it was given, and its description without the secret", len(got), one.Paths)
	}
	if strings.Contains(one.Description, token) {
		t.Errorf("got the description %q, want it without the secret", one.Description)
	}
	s.refused("a key twice", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "thread", Verbatim: true, State: []byte(`{"a":1,"a":2}`)}}, piton.Invalid, "duplicate")
	// Without a state, the head's is not the caller's, and is searched.
	if again := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "thread", Verbatim: true}}); again.Redacted == 0 || strings.Contains(s.state(again.ID), token) {
		t.Errorf("the head's state again: got %d taken out, want the secret", again.Redacted)
	}

	f := s.mustFork(history.ForkDraft{ForkRequest: piton.ForkRequest{From: one.ID, Verbatim: true, State: []byte(state)}})
	if got := s.state(f.ID); got != state || f.Redacted != 0 {
		t.Errorf("fork: got %d taken out, want the state as it was given", f.Redacted)
	}
	if f = s.mustFork(history.ForkDraft{ForkRequest: piton.ForkRequest{From: one.ID, Verbatim: true}}); s.state(f.ID) != state {
		t.Error("a fork without a state of its own: got another one, want it exactly")
	}
	if f = s.mustFork(history.ForkDraft{ForkRequest: piton.ForkRequest{From: one.ID}}); strings.Contains(s.state(f.ID), token) {
		t.Error("a fork that does not say so: got the secret, want it taken out")
	}
}

func TestForkNamesItsStep(t *testing.T) {
	s := open(t)
	one := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", Step: ptr(3), StepName: "three", State: []byte(`{}`)}})
	f := s.mustFork(history.ForkDraft{ForkRequest: piton.ForkRequest{From: one.ID, Step: ptr(4), StepName: "four", State: []byte(`{"a":1}`)}})
	if *f.StepNumber != 4 || f.StepName != "four" {
		t.Errorf("got step %d %q, want the one that was given", *f.StepNumber, f.StepName)
	}
}
