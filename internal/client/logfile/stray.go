package logfile

import "time"

// Stray ends a reading backwards among lines that tell nothing of the turn. A
// quarter of a log's bytes can be such lines (attachments, the progress of a
// command in older versions), and where a log has nothing else before the turn it
// would be read to its first line. The zero Stray ends nothing.
type Stray struct {
	Since  time.Time // when the turn began
	passed int       // bytes since a line's time was looked at
}

// One line in this many bytes is looked at: its time may stand at its end, behind
// all that makes it long. Its time counts where it is older than the turn by a
// good deal, because a line is stamped when its content began, a prompt may have
// waited for other hooks before ours was run, and clocks are set.
const (
	strayEvery = 64 << 10
	StraySlack = time.Minute
)

// Ends reports whether the turn began after a line that tells nothing of it. at is
// when the line was written, the zero Time where it does not tell.
func (s *Stray) Ends(line []byte, at func(line []byte) time.Time) bool {
	if s.passed += len(line) + 1; s.Since.IsZero() || s.passed < strayEvery {
		return false
	}
	t := at(line)
	if t.IsZero() {
		return false // the next one may tell
	}
	s.passed = 0
	return t.Before(s.Since.Add(-StraySlack))
}
