package turn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// An agent is asked only what it can do, and in a step of a run the step's own checks
// say what is missing.
func TestWhatAStepSaysOfItsAgent(t *testing.T) {
	for _, c := range []struct {
		gate  []string
		holds bool
	}{
		{nil, true},
		{[]string{agent.GateChecked}, false},
		{[]string{agent.GateNoShell}, false},
		{[]string{"something newer"}, true},
	} {
		t.Run(strings.Join(c.gate, " "), func(t *testing.T) {
			w := shop(t)
			changed(w)
			w.after(2 * time.Second)
			e := w.event("Stop", stopping)
			e.Gate = c.gate
			reply, err := w.turns().Handle(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.HasPrefix(w.answer(reply.Get()), "held: "); got != c.holds {
				t.Errorf("held %v, want %v: %s", got, c.holds, reply.Get())
			}
		})
	}
}

// That Piton can run the tests itself is said once for a project, to the person, at a
// hold for tests that did not run; where it does already, it is not.
func TestTheOfferToRunTests(t *testing.T) {
	const offer = "piton rules verify 'go test ./...'"
	w := shop(t)
	changed(w)
	if got := string(w.happens("Stop", stopping)); !strings.Contains(got, offer) || !strings.Contains(got, `"systemMessage"`) {
		t.Errorf("got %s, want the offer beside the hold", got)
	}
	w.asks("and more")
	changed(w)
	if got := string(w.happens("Stop", stopping)); !strings.Contains(got, "have not run since") || strings.Contains(got, offer) {
		t.Errorf("got %s, want a hold without the offer", got)
	}
	w = shop(t)
	w.set.Verify = []debrief.Verify{{Run: "sleep 0; false", When: debrief.WhenUnproven}}
	changed(w)
	if got := string(w.happens("Stop", stopping)); strings.Contains(got, offer) {
		t.Errorf("got %s, want no offer of what is there", got)
	}
}

var stopping = map[string]any{"stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": []any{}}
