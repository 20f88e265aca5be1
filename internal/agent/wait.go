package agent

import "github.com/piton-project/piton"

// Notice returns the session after its client has asked for a person. Behind a
// turn's end it waits since that end.
func (s Session) Notice(now piton.Time) Session {
	if !s.Notified || s.TurnOpen {
		s.Notified, s.NotifiedAt = true, now
	}
	return s
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

// Wait is what a session waits for.
type Wait string

// What a person is waited for.
const (
	WaitPermission Wait = "permission" // to let a tool run
	WaitAnswer     Wait = "answer"     // to a question inside the turn
	WaitPrompt     Wait = "prompt"     // the turn is over
)

// WaitsFor is what a session waits for a person for, and since when; "" where it
// is at work or was never given anything to do. Whether its agent is still there,
// the caller knows. A notification inside a turn counts until anything else is
// heard of the session: most clients do not report that it was answered.
func (s Session) WaitsFor() (Wait, piton.Time) {
	switch {
	case !s.EndedAt.IsZero():
		return "", piton.Time{}
	case s.TurnOpen && !s.WaitingSince.IsZero():
		return WaitPermission, s.WaitingSince
	case s.TurnOpen && s.Notified && !s.SeenAt.After(s.NotifiedAt.Time):
		return WaitAnswer, s.NotifiedAt
	case !s.TurnOpen && s.Notified && s.NotifiedAt.IsZero(): // kept by an earlier version
		return WaitPrompt, s.SeenAt
	case !s.TurnOpen && s.Notified:
		return WaitPrompt, s.NotifiedAt
	}
	return "", piton.Time{}
}
