package agent_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

func TestHears(t *testing.T) {
	heldOnly := agent.Listener{Events: []agent.EventKind{agent.EventHeld}}
	for _, c := range []struct {
		name string
		l    agent.Listener
		kind agent.EventKind
		want bool
	}{
		{"an announcement without a choice", agent.Listener{}, agent.EventAnnouncement, true},
		{"another event without a choice", agent.Listener{}, agent.EventHeld, false},
		{"what it chose", heldOnly, agent.EventHeld, true},
		{"an announcement that it did not choose", heldOnly, agent.EventAnnouncement, false},
		{"one that is off", agent.Listener{Off: true}, agent.EventAnnouncement, false},
		{"one that is off, and chose it", agent.Listener{Off: true, Events: heldOnly.Events}, agent.EventHeld, false},
	} {
		if got := c.l.Hears(c.kind); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLimit(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{-1: agent.DefaultListenerTimeout, 0: agent.DefaultListenerTimeout, 1: 1, time.Minute: time.Minute} {
		if got := (agent.Listener{Timeout: timeout}).Limit(); got != want {
			t.Errorf("a timeout of %s: got %s for a try, want %s", timeout, got, want)
		}
	}
}

func TestCritical(t *testing.T) {
	var critical []agent.EventKind
	for _, kind := range agent.Heard {
		if kind.Critical() {
			critical = append(critical, kind)
		}
	}
	if diff := cmp.Diff([]agent.EventKind{"agent_held", "agent_stop_failed", "permission_request", "run_waiting"}, critical); diff != "" {
		t.Errorf("events that somebody has to act on (want -, got +):\n%s", diff)
	}
}

func TestLetterListener(t *testing.T) {
	if name, ok := (agent.Letter{To: agent.ToListener("voice")}).Listener(); name != "voice" || !ok {
		t.Errorf("got %q, %v; want the listener voice", name, ok)
	}
	if _, ok := (agent.Letter{}).Listener(); ok {
		t.Error("a letter to the agent: got a listener")
	}
}

func TestExpand(t *testing.T) {
	variables := map[string]string{"A": "1", "B": "${env:A}"}
	for text, want := range map[string]struct {
		filled  string
		missing []string
	}{
		"":                          {"", nil},
		"plain":                     {"plain", nil},
		"${env:A}":                  {"1", nil},
		"x${env:A}y${env:A}z":       {"x1y1z", nil},
		"${env:B}":                  {"${env:A}", nil},
		"a${env:NO}b${env:A}":       {"ab1", []string{"NO"}},
		"${env:NO}${env:ALSO}":      {"", []string{"NO", "ALSO"}},
		"${env:A":                   {"${env:A", nil},
		"${env:A} and then ${env:A": {"1 and then ${env:A", nil},
		"${A} $A {env:A}":           {"${A} $A {env:A}", nil},
	} {
		filled, missing := agent.Expand(text, func(name string) string { return variables[name] })
		if filled != want.filled || !slices.Equal(missing, want.missing) {
			t.Errorf("%q: got %q without %q, want %q without %q", text, filled, missing, want.filled, want.missing)
		}
	}
}

// What a letter that is done changes in its session, and that it leaves the rest alone.
func TestSettled(t *testing.T) {
	s := agent.Session{InTurn: agent.InTurn{TurnOpen: true, FirstToolUseAt: at(1)}, OnHold: agent.OnHold{Holds: 1},
		Post: agent.Post{Waiting: "hold", Restarted: "restart", Typing: "typed", TypingAt: at(5)}}
	for _, c := range []struct {
		name      string
		l         agent.Letter
		delivered bool
		change    func(*agent.Session)
	}{
		{"a letter of nobody", agent.Letter{ID: "other"}, true, func(*agent.Session) {}},
		{"to a listener", agent.Letter{ID: "hold", To: agent.ToListener("voice")}, true, func(*agent.Session) {}},
		{"a hold that arrived", agent.Letter{ID: "hold", Kind: agent.LetterHold}, true, func(s *agent.Session) {
			s.Waiting, s.LastCheckpoint, s.FirstToolUseAt = "", at(9), piton.Time{}
		}},
		{"a hold that was dropped", agent.Letter{ID: "hold", Kind: agent.LetterHold}, false, func(s *agent.Session) { s.Waiting = "" }},
		{"a hold that crossed a prompt", agent.Letter{ID: "old", Kind: agent.LetterHold}, true, func(s *agent.Session) { s.Holds = 2 }},
		{"a hold that was dropped after a prompt", agent.Letter{ID: "old", Kind: agent.LetterHold}, false, func(*agent.Session) {}},
		{"a restart that arrived", agent.Letter{ID: "restart", Kind: agent.LetterRestart}, true, func(s *agent.Session) {
			s.Restarted, s.LastCheckpoint, s.FirstToolUseAt = "", at(9), piton.Time{}
		}},
		{"a restart that did not", agent.Letter{ID: "restart", Kind: agent.LetterRestart}, false, func(s *agent.Session) { s.Restarted = "" }},
		{"one that was typed, in vain", agent.Letter{ID: "typed"}, false, func(s *agent.Session) { s.Typing, s.TypingAt = "", piton.Time{} }},
	} {
		want := s
		c.change(&want)
		if diff := cmp.Diff(want, s.Settled(c.l, c.delivered, at(9))); diff != "" {
			t.Errorf("%s (want -, got +):\n%s", c.name, diff)
		}
	}
	s.Holds = agent.MaxHolds
	if got := s.Settled(agent.Letter{ID: "old", Kind: agent.LetterHold}, true, at(9)).Holds; got != agent.MaxHolds {
		t.Errorf("got %d holds, want never more than %d", got, agent.MaxHolds)
	}
}

func TestSaid(t *testing.T) {
	for _, c := range []struct {
		name, cut, sum string
		last, lastSum  string
		want           bool
	}{
		{"nothing", "", "1", "old", "2", false},
		{"something new", "new", "1", "old", "2", true},
		{"the same", "old", "2", "old", "2", false},
		{"what only begins the same", "old", "1", "old", "2", true},
		{"something new, after an earlier version", "new", "1", "old", "", true},
		{"the same, after an earlier version", "old", "1", "old", "", false},
	} {
		s := agent.Session{}.Stopped(c.last, c.lastSum, at(0))
		if got := s.Said(c.cut, c.sum); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestVerifiedCounts(t *testing.T) {
	for _, c := range []struct {
		name             string
		v                agent.Verified
		answered, counts bool
	}{
		{"it passed", agent.Verified{OK: true}, true, true},
		{"it failed", agent.Verified{}, true, true},
		{"it ran out of time", agent.Verified{TimedOut: true}, false, false},
		{"the tree changed under it", agent.Verified{OK: true, Unsure: "the tree changed"}, false, false},
		{"measured, and it passed", agent.Verified{Measured: true, OK: true}, true, true},
		{"measured, and it passed without the changes", agent.Verified{Measured: true, Before: agent.BeforePassed}, true, true},
		{"measured, and it failed without them too", agent.Verified{Measured: true, Before: agent.BeforeFailed}, true, false},
		{"measured, and nobody knows", agent.Verified{Measured: true, Before: agent.BeforeNoTime}, true, false},
	} {
		if got := c.v.Answered(); got != c.answered {
			t.Errorf("%s: got answered %v", c.name, got)
		}
		if got := c.v.Counts(); got != c.counts {
			t.Errorf("%s: got that it counts %v", c.name, got)
		}
	}
}

func TestLeavesOpen(t *testing.T) {
	for reason, want := range map[agent.Reason]bool{
		agent.ReasonBackground: true, agent.ReasonRunning: true, agent.ReasonMoved: true, agent.ReasonCancelled: true, agent.ReasonLetter: true,
		agent.ReasonOwnText: false, "": false,
	} {
		if got := reason.LeavesOpen(); got != want {
			t.Errorf("%s: got a turn left open %v, want %v", reason, got, want)
		}
	}
}

func TestPriceOf(t *testing.T) {
	price := agent.Price{Input: 1, Output: 10, CacheRead: 100, CacheWrite: 1000}
	if got := price.Of(piton.TokenUsage{Input: 2e6, Output: 3e6, CacheRead: 4e6, CacheWrite: 5e6}); got != 5432 {
		t.Errorf("got $%g, want $5432", got)
	}
}
