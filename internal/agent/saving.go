package agent

import (
	"maps"
	"time"

	"github.com/piton-project/piton"
)

// Between two automatic checkpoints.
const (
	saveInterval = 10 * time.Minute // the work after which a state is saved inside a turn
	savePause    = time.Minute      // of a limited trigger
)

// Limited tells of a trigger that may come often: it saves at most once a
// minute.
func Limited(why piton.Trigger) bool {
	return why == piton.TriggerFileChange || why == piton.TriggerInterval || why == piton.TriggerAgentHandoff
}

// MaySave reports whether a trigger may save now, or has just saved.
func (s Session) MaySave(why piton.Trigger, at piton.Time) bool {
	return !Limited(why) || passed(s.SavedFor[why], at, savePause)
}

// DueSave tells for what reason a tool that is done is one to save, so that a
// crash in the middle of a turn costs little: a file was edited and a minute has
// passed since the last save (the first edit is kept at once), or ten minutes of
// work have. "" for none.
func (s Session) DueSave(done CallKind, at piton.Time) piton.Trigger {
	last := s.LastMessageAt
	if s.SavedAt.After(last.Time) {
		last = s.SavedAt
	}
	switch {
	case last.IsZero():
		return ""
	case done == CallEdit && passed(s.SavedAt, at, savePause) && s.MaySave(piton.TriggerFileChange, at):
		return piton.TriggerFileChange
	case at.Sub(last.Time) >= saveInterval && s.MaySave(piton.TriggerInterval, at):
		return piton.TriggerInterval
	}
	return ""
}

// Saved returns the session after an automatic checkpoint.
func (s Session) Saved(why piton.Trigger, at piton.Time) Session {
	s.SavedAt = at
	if Limited(why) {
		s.SavedFor = maps.Clone(s.SavedFor) // what was read before keeps its own
		if s.SavedFor == nil {
			s.SavedFor = map[piton.Trigger]piton.Time{}
		}
		s.SavedFor[why] = at
	}
	return s
}

// passed reports whether so much time has passed since then. A clock that was set
// back keeps nothing from being saved.
func passed(then, at piton.Time, d time.Duration) bool {
	return then.IsZero() || at.Before(then.Time) || at.Sub(then.Time) >= d
}
