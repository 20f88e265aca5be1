package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
)

// TestStands plays events, one a minute, and looks how the session stands then. "prompt"
// and "stop" are what handlers do beside: they begin and end a turn.
func TestStands(t *testing.T) {
	begin := time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)
	limit := Event{Kind: EventStopFailed, Limit: true, Resets: begin.Add(time.Hour)}
	events := map[string]Event{
		"start": {Kind: EventSessionStart, Source: SourceStartup}, "resume": {Kind: EventSessionStart, Source: SourceResume}, "compact": {Kind: EventSessionStart, Source: SourceCompact},
		"use": {Kind: EventToolUse}, "done": {Kind: EventToolDone}, "permission": {Kind: EventPermissionRequest}, "question": {Kind: EventPermissionRequest, Asks: true}, "fails": {Kind: EventStopFailed}, "limit": limit,
		"limit-for-ever": {Kind: EventStopFailed, Limit: true}, "interrupt": {Kind: EventInterrupt}, "end": {Kind: EventSessionEnd}, "asks": {Kind: EventNotification, Asks: true},
		"tells": {Kind: EventNotification}, "sub-stop": {Kind: EventSubagentStop, Subagent: "a"}, "sub-done": {Kind: EventToolDone, Subagent: "a"}, "sub-end": {Kind: EventSessionEnd, Subagent: "a"},
		"prompt": {Kind: EventPrompt}, "stop": {Kind: EventStop}, "held": {Kind: EventStop},
	}
	for _, c := range []struct {
		events string
		alive  bool
		after  time.Duration // the last event
		want   string
	}{
		{"start", true, 0, "waiting"},
		{"start prompt", true, 0, "working"},
		{"start prompt use done", true, 0, "working"},
		{"start prompt permission", true, 0, "waiting permission 3"},
		{"start prompt permission asks", true, 0, "waiting permission 3"},
		{"start prompt permission done", true, 0, "working"},
		{"start prompt question", true, 0, "waiting answer 3"},
		{"start prompt question asks", true, 0, "waiting answer 3"},
		{"start prompt question done", true, 0, "working"},
		{"start prompt question done permission", true, 0, "waiting permission 5"},
		{"start prompt asks", true, 0, "waiting answer 3"},
		{"start prompt asks tells", true, 0, "working"},
		{"start prompt stop", true, 0, "waiting prompt 3"},
		{"start prompt stop asks", true, 0, "waiting prompt 3"},
		{"start prompt held", true, 0, "held"},
		{"start prompt held done", true, 0, "held"},
		{"start prompt held stop", true, 0, "waiting prompt 4"},
		{"start prompt fails", true, 0, "waiting prompt 3"},
		{"start prompt limit", true, 0, "waiting limit 3 10:00"},
		{"start prompt limit asks", true, 0, "waiting limit 3 10:00"},
		{"start prompt limit", true, 2 * time.Hour, "waiting prompt 10:00"},
		{"start prompt limit-for-ever", true, 200 * time.Hour, "waiting limit 3"},
		{"start prompt limit prompt", true, 0, "working"},
		{"start prompt limit done", true, 0, "working"},
		{"start prompt limit sub-done", true, 0, "waiting limit 3 10:00"},
		{"start prompt held limit", true, 0, "waiting limit 4 10:00"},
		{"start prompt interrupt", true, 0, "waiting prompt 3"},
		{"start prompt interrupt prompt", true, 0, "working"},
		{"start prompt resume", true, 0, "waiting prompt 3"},
		{"start prompt compact", true, 0, "working"},
		{"start prompt resume prompt", true, 0, "working"},
		{"start prompt stop end", true, 0, "ended"},
		{"start prompt end", true, 0, "ended"},
		{"start prompt end end", true, 0, "ended"},
		{"start prompt sub-end", true, 0, "working"},
		{"start prompt end prompt", true, 0, "working"},
		{"start prompt", false, 0, "broken_off"},
		{"start prompt limit", false, 0, "broken_off"},
		{"start prompt stop", false, 0, "ended"},
	} {
		s, now := Session{}, piton.At(begin)
		for _, name := range strings.Fields(c.events) {
			now = piton.At(now.Add(time.Minute))
			s = s.Happened(events[name], now)
			s.SeenAt = now
			switch name {
			case "prompt":
				s = s.Prompted("go", now)
			case "use", "done":
				s = s.Waited(now, 0).Used(now)
			case "stop":
				s = s.Stopped("done", "", now)
			case "held":
				s = s.Held(now, 0)
			}
		}
		x := s.Stands(c.alive, piton.At(now.Add(c.after)))
		got := string(x.State)
		if x.Wait != "" {
			got += " " + string(x.Wait) + " " + strings.TrimPrefix(x.Since.Format("15:04"), "09:0")
		}
		if !x.Until.IsZero() {
			got += " " + x.Until.Format("15:04")
		}
		if got != c.want {
			t.Errorf("%s, %s later, alive %t: got %q, want %q", c.events, c.after, c.alive, got, c.want)
		}
	}
}

// A client's log says what no event has told.
func TestAsLogged(t *testing.T) {
	at := func(minutes int) time.Time { return time.Date(2026, 5, 4, 9, minutes, 0, 0, time.UTC) }
	open := Session{InTurn: InTurn{TurnOpen: true, PromptedAt: piton.At(at(5))}}
	for _, c := range []struct {
		name    string
		session Session
		log     Transcript
		want    Wait
	}{
		{"nothing", open, Transcript{}, ""},
		{"an interruption", open, Transcript{Interrupted: at(6)}, WaitPrompt},
		{"one before the prompt", open, Transcript{Interrupted: at(4)}, ""},
		{"a failed request", open, Transcript{Broke: Failed(at(6), false, time.Time{})}, WaitPrompt},
		{"a limit", open, Transcript{Broke: Failed(at(6), true, time.Time{})}, WaitLimit},
		{"a limit, of which a hook has told that a request failed", open.Happened(Event{Kind: EventStopFailed}, piton.At(at(6))), Transcript{Broke: Failed(at(6), true, time.Time{})}, WaitLimit},
		{"a limit before the prompt", open, Transcript{Broke: Failed(at(4), true, time.Time{})}, ""},
		{"a limit, and the turn has ended", Session{OnPerson: OnPerson{Notified: true}}, Transcript{Broke: Failed(at(6), true, time.Time{})}, WaitPrompt},
	} {
		if got := c.session.AsLogged(c.log).Stands(true, piton.At(at(7))).Wait; got != c.want {
			t.Errorf("%s: got it waiting for %q, want %q", c.name, got, c.want)
		}
	}
}
