package screen

import (
	"cmp"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
)

// Now is the time that ages are counted to.
func (s *Screen) Now() time.Time {
	if s.Clock != nil {
		return s.Clock()
	}
	return time.Now()
}

// When writes a time for people, in their own zone, which it names; "" for none.
// Programs read UTC in JSON.
func (s *Screen) When(t piton.Time) string {
	if t.IsZero() {
		return ""
	}
	zone := cmp.Or(s.Zone, time.Local)
	return t.In(zone).Format("2006-01-02 15:04:05 MST")
}

// Age says how long ago a time was, as lists have it: 40s, 12m, 2h, 3d; "" for none.
func (s *Screen) Age(t piton.Time) string {
	if t.IsZero() {
		return ""
	}
	return states.Age(s.Now().Sub(t.Time))
}

// Ago is age as a column of a person's list has it, where the terminal has room for
// the word.
func (s *Screen) Ago(t piton.Time) string {
	age := s.Age(t)
	if age == "" || !s.ForPerson() || s.Width() > 0 && s.Width() < narrowScreen {
		return age
	}
	return age + " ago"
}

// narrowScreen is how many columns a terminal has at least that is not narrow.
const narrowScreen = 80
