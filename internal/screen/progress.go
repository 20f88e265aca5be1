package screen

import (
	"fmt"
	"time"
)

const (
	progressAfter = time.Second            // how long something takes before its progress is shown
	progressEvery = 100 * time.Millisecond // how often it is drawn
)

// Progress shows on stderr how far something has come, once it has taken a
// second, and on a terminal only. It is drawn when the func is called, and wiped
// When done reaches total: call it so at the end, whatever the end was.
func (s *Screen) Progress(what string) func(done, total int64) {
	if !IsTerminal(s.Err) || s.JSON || s.Quiet {
		return func(int64, int64) {}
	}
	start := time.Now()
	var drawn time.Time
	return func(done, total int64) {
		now := time.Now()
		switch {
		case done >= total && !drawn.IsZero():
			fmt.Fprint(s.Err, wipe)
			drawn = time.Time{}
		case done < total && now.Sub(start) >= progressAfter && now.Sub(drawn) >= progressEvery:
			fmt.Fprint(s.Err, wipe+progressLine(what, done, total, now.Sub(start)))
			drawn = now
		}
	}
}

// wipe clears the line that the cursor is on.
const wipe = "\r\x1b[K"

// progressLine says how far something has come in a time, and how long the rest
// takes at that pace.
func progressLine(what string, done, total int64, spent time.Duration) string {
	text := fmt.Sprintf("%s %d%% (%d of %d", what, 100*done/max(total, 1), done, total)
	if done > 0 {
		left := time.Duration(float64(spent) / float64(done) * float64(total-done))
		text += ", " + left.Round(time.Second).String() + " left"
	}
	return text + ")"
}
