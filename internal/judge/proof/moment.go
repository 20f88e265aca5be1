package proof

import "time"

// Slack is how far a file's time may lie outside the call that wrote it:
// clients note their times in other processes than the ones that write.
const Slack = time.Second

// Moment is a place in the turn: a time and, where a call is known, its place
// and that of the command in it (-1: not known which).
type Moment struct {
	At            time.Time
	Call, Command int
}

// Nowhere is a moment before everything.
var Nowhere = Moment{Call: -1, Command: -1}

// None reports whether nothing is known of the moment.
func (m Moment) None() bool { return m.Call < 0 && m.At.IsZero() }

// After reports whether m came after the edit at e.
func (m Moment) After(e Moment) bool {
	switch {
	case e.None():
		return true
	case e.Call < 0: // only the file's time is known
		return !m.At.Add(Slack).Before(e.At)
	case m.Call == e.Call: // a command may write what it proves: snapshots, lock files
		return m.Command >= e.Command
	case m.At.IsZero() || e.At.IsZero() || m.At.Equal(e.At):
		return m.Call > e.Call
	}
	return m.At.After(e.At)
}

// Later reports whether m is the newer of two moments.
func (m Moment) Later(than Moment) bool {
	if m.At.IsZero() || than.At.IsZero() || m.At.Equal(than.At) {
		return m.Call > than.Call || m.Call == than.Call && m.Command > than.Command
	}
	return m.At.After(than.At)
}
