package agent

import "github.com/piton-project/piton"

// State is how a session stands. It is one machine: Happened changes what it is made of,
// by event, and Stands reads it. Every door shows what Stands says.
type State string

// The states.
const (
	StateWorking   State = "working"    // in a turn
	StateHeld      State = "held"       // in a turn whose last stop was held
	StateWaiting   State = "waiting"    // for what `waits_for` says
	StateBrokenOff State = "broken_off" // its agent is gone, in a turn and without an event
	StateEnded     State = "ended"
	StateDamaged   State = "damaged" // its record cannot be read
)

// Standing is how a session stands: what it waits for, since when, and of a limit
// until when, where the client says so.
type Standing struct {
	State State
	Wait  Wait
	Since piton.Time
	Until piton.Time
}

// Happened returns the session after an event, as far as it says how the session stands.
// What begins and ends turns changes more (Prompted, Held, Stopped).
func (s Session) Happened(e Event, at piton.Time) Session {
	own := e.Subagent == ""
	switch {
	case e.Kind == EventSessionEnd && own:
		if s.EndedAt.IsZero() { // it may be reported again
			s.EndedAt = at
		}
		return s
	case e.Kind != EventSessionEnd:
		s.EndedAt = piton.Time{}
	}
	switch e.Kind {
	case EventPermissionRequest:
		if s.WaitingSince.IsZero() {
			s.WaitingSince, s.Question = at, e.Asks
		}
	case EventNotification:
		if e.Asks && own && (!s.Notified || s.TurnOpen) { // behind a turn's end it waits since that end
			s.Notified, s.NotifiedAt = true, at
		}
	case EventStopFailed:
		s.Broke = Failed(at.Time, e.Limit, e.Resets)
	case EventInterrupt:
		s.Broke = Break{At: at, Wait: WaitPrompt}
	case EventSessionStart:
		if e.Source != SourceCompact && s.TurnOpen { // nothing runs before somebody speaks
			s.Broke = Break{At: at, Wait: WaitPrompt}
		}
	case EventPrompt, EventToolUse, EventToolDone, EventStop:
		if own {
			s.Broke = Break{}
		}
	}
	return s
}

// AsLogged returns the session as its client's log shows it, where no event has told
// that the turn stands still, or only that a request has failed.
func (s Session) AsLogged(t Transcript) Session {
	broke := t.Broke
	if broke == (Break{}) && !t.Interrupted.IsZero() {
		broke = Break{At: piton.At(t.Interrupted), Wait: WaitPrompt}
	}
	more := s.Broke == (Break{}) || broke.Wait == WaitLimit && s.Broke.Wait == WaitPrompt
	if s.TurnOpen && more && broke.At.After(s.PromptedAt.Time) {
		s.Broke = broke
	}
	return s
}

// Stands is how the session stands now; whether its agent is still there, the caller
// knows. A notification inside a turn counts until anything else is heard of the
// session: most clients do not report that it was answered.
func (s Session) Stands(alive bool, now piton.Time) Standing {
	waits := func(w Wait, since piton.Time) Standing { return Standing{State: StateWaiting, Wait: w, Since: since} }
	b := s.Broke
	switch {
	case s.Damaged:
		return Standing{State: StateDamaged}
	case !s.EndedAt.IsZero(), !alive && !s.TurnOpen:
		return Standing{State: StateEnded}
	case !alive:
		return Standing{State: StateBrokenOff}
	case !s.TurnOpen && !s.Notified: // it was never given anything to do
		return Standing{State: StateWaiting}
	case !s.TurnOpen && s.NotifiedAt.IsZero(): // kept by an earlier version
		return waits(WaitPrompt, s.SeenAt)
	case !s.TurnOpen:
		return waits(WaitPrompt, s.NotifiedAt)
	case !s.WaitingSince.IsZero() && s.Question:
		return waits(WaitAnswer, s.WaitingSince)
	case !s.WaitingSince.IsZero():
		return waits(WaitPermission, s.WaitingSince)
	case b.Wait == WaitLimit && !b.Until.IsZero() && !b.Until.After(now.Time):
		return waits(WaitPrompt, b.Until)
	case b != (Break{}):
		return Standing{State: StateWaiting, Wait: b.Wait, Since: b.At, Until: b.Until}
	case s.Notified && !s.SeenAt.After(s.NotifiedAt.Time):
		return waits(WaitAnswer, s.NotifiedAt)
	case s.Holds > 0:
		return Standing{State: StateHeld}
	}
	return Standing{State: StateWorking}
}

// Said reports whether the last output of a stop is another than that of the stop
// before (docs/spec.md, "Announcements"); cut and sum are as Stopped takes them.
func (s Session) Said(cut, sum string) bool {
	if cut == "" {
		return false
	}
	if s.FeedbackSum == "" { // kept by an earlier version
		return cut != s.LastFeedback
	}
	return sum != s.FeedbackSum
}
