package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

func TestDueSave(t *testing.T) {
	const edit, command = agent.CallEdit, agent.CallShell
	begun := agent.Session{}.Prompted("go", at(0))
	edited := begun.Saved(piton.TriggerFileChange, at(100))
	both := edited.Saved(piton.TriggerInterval, at(800))
	for _, c := range []struct {
		name string
		s    agent.Session
		done agent.CallKind
		now  int
		want piton.Trigger
	}{
		{"no turn", agent.Session{}, edit, 1000, ""},
		{"the first edit", begun, edit, 1, piton.TriggerFileChange},
		{"a command", begun, command, 1, ""},
		{"an edit just behind a save", edited, edit, 159, ""},
		{"an edit a minute behind a save", edited, edit, 160, piton.TriggerFileChange},
		{"an edit just behind a save for another reason", begun.Saved(piton.TriggerPreRisky, at(100)), edit, 159, ""},
		{"an edit after the clock went back", edited, edit, 99, piton.TriggerFileChange},
		{"work of less than ten minutes", begun, command, 599, ""},
		{"work of ten minutes", begun, command, 600, piton.TriggerInterval},
		{"work of ten minutes since a save", edited, command, 699, ""},
		{"the same", edited, command, 700, piton.TriggerInterval},
		{"an older save of the turn before", agent.Session{Saves: agent.Saves{SavedAt: at(-1000)}}.Prompted("go", at(0)), command, 599, ""},
		{"an interval's save", both, command, 1399, ""},
		{"an edit after it", both, edit, 860, piton.TriggerFileChange},
	} {
		if got := c.s.DueSave(c.done, at(c.now)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// A prompt resets the time of work, not the pause of a trigger.
func TestIntervalRestsAfterAPrompt(t *testing.T) {
	s := agent.Session{Remembers: agent.Remembers{LastMessageAt: at(0)}, Saves: agent.Saves{SavedFor: map[piton.Trigger]piton.Time{piton.TriggerInterval: at(600)}}}
	if got := s.DueSave(agent.CallRead, at(659)); got != "" {
		t.Errorf("got %q within the pause, want none", got)
	}
	if got := s.DueSave(agent.CallRead, at(660)); got != piton.TriggerInterval {
		t.Errorf("got %q behind the pause, want %q", got, piton.TriggerInterval)
	}
}

func TestMaySave(t *testing.T) {
	s := agent.Session{}.Saved(piton.TriggerAgentHandoff, at(0)).Saved(piton.TriggerPreRisky, at(0))
	for why, want := range map[piton.Trigger]bool{
		piton.TriggerAgentHandoff: false,
		piton.TriggerFileChange:   true, // it has not saved yet
		piton.TriggerPreRisky:     true, // it is not limited
	} {
		if got := s.MaySave(why, at(1)); got != want {
			t.Errorf("%s a second after a save: got %v, want %v", why, got, want)
		}
	}
	if !s.MaySave(piton.TriggerAgentHandoff, at(60)) {
		t.Error("a handoff a minute after a save: got no, want yes")
	}
}

func TestSavedChangesNothingThatWasReadBefore(t *testing.T) {
	was := agent.Session{}.Saved(piton.TriggerFileChange, at(1))
	now := was.Saved(piton.TriggerInterval, at(2)).Saved(piton.TriggerPreCompact, at(3))
	if diff := cmp.Diff(map[piton.Trigger]piton.Time{piton.TriggerFileChange: at(1)}, was.SavedFor); diff != "" {
		t.Errorf("the session before (want -, got +):\n%s", diff)
	}
	if diff := cmp.Diff(map[piton.Trigger]piton.Time{piton.TriggerFileChange: at(1), piton.TriggerInterval: at(2)}, now.SavedFor); diff != "" || now.SavedAt != at(3) {
		t.Errorf("saved at %s, want at %s, and for (want -, got +):\n%s", now.SavedAt, at(3), diff)
	}
}
