package debrief

import (
	"cmp"
	"time"
)

// slack is how far a file's time may lie outside the call that wrote it: clients
// note their times in other processes than the ones that write.
const slack = time.Second

// moment is a place in the turn: a time and, where a call is known, its place and
// that of the command in it (-1: not known which).
type moment struct {
	At            time.Time
	Call, Command int
}

// beforeAll is a moment before everything.
var beforeAll = moment{Call: -1, Command: -1}

// none reports whether nothing is known of the moment.
func (m moment) none() bool { return m.Call < 0 && m.At.IsZero() }

// after reports whether m came after the edit at e.
func (m moment) after(e moment) bool {
	switch {
	case e.none():
		return true
	case e.Call < 0: // only the file's time is known
		return !m.At.Add(slack).Before(e.At)
	case m.Call == e.Call: // a command may write what it checks: snapshots, lock files
		return m.Command >= e.Command
	case m.At.IsZero() || e.At.IsZero() || m.At.Equal(e.At):
		return m.Call > e.Call
	}
	return m.At.After(e.At)
}

// compare is positive where m is the newer of two moments, negative where the other is.
func (m moment) compare(other moment) int {
	if m.At.IsZero() || other.At.IsZero() || m.At.Equal(other.At) {
		return cmp.Or(cmp.Compare(m.Call, other.Call), cmp.Compare(m.Command, other.Command))
	}
	return m.At.Compare(other.At)
}

// later reports whether m is the newer of two moments.
func (m moment) later(than moment) bool { return m.compare(than) > 0 }

// known are the moments of which something is known; beforeAll where there is none.
func known(all []moment) []moment {
	if all = keep(all, func(m moment) bool { return !m.none() }); len(all) == 0 {
		return []moment{beforeAll}
	}
	return all
}
