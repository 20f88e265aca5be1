package turn

import (
	"slices"

	"github.com/piton-project/piton/internal/agent"
)

// seen is what the session has seen once this turn has ended, and whether that
// is all: each turn before it was looked at, and nothing was dropped.
func seen(s agent.Session, shown []string, whole bool) (agent.Seen, bool) {
	if s.Turn == 0 {
		return s.Seen, s.SeenAll
	}
	all, full := s.Seen.With(shown)
	return all, s.SeenAll && whole && !full
}

// workSeen reports whether a hook has reported an edit or a command in this turn.
func workSeen(s agent.Session) bool {
	return !s.WorkedAt.IsZero() && !s.WorkedAt.Before(s.LastMessageAt.Time)
}

// callsSeen reports whether the log tells what the agent did. A log that cannot
// be read does not; neither does one of which a part is missing, where the agent
// is known to have worked: a hook reported an edit or a command in this turn, or
// what is left of the log has one. Without any sign of work, an empty log is the
// log of an agent that did nothing (docs/spec.md, "Result").
func (f found) callsSeen(s agent.Session) bool {
	if f.scriptErr != nil {
		return false
	}
	worked := workSeen(s) || slices.ContainsFunc(f.script.Calls, func(c agent.Call) bool { return c.Kind == agent.CallEdit || c.Kind == agent.CallShell })
	return f.script.Unreadable == "" || !worked
}
