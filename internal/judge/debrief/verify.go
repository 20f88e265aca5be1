package debrief

import (
	"slices"
	"time"
)

// What the commands that Piton runs may take (docs/spec.md, "Modes").
const (
	VerifyTimeout = time.Minute      // one of them, unless it says otherwise
	VerifyLimit   = 10 * time.Minute // all of one stop together
)

// Limit is how long the command may take.
func (v Verify) Limit() time.Duration {
	if v.Timeout <= 0 {
		return VerifyTimeout
	}
	return min(v.Timeout, VerifyLimit)
}

// Applies tells whether the command is to run for these files of the agent's,
// paths relative to the work tree's root.
func (v Verify) Applies(files []string) bool {
	if v.Files == nil {
		return len(files) > 0
	}
	return slices.ContainsFunc(files, func(path string) bool {
		return slices.ContainsFunc(v.Files, func(glob string) bool { return match(glob, path) })
	})
}

// VerifyBound is how long all the commands together may take at most, one
// after the other; 0 when there is none. What else a stop takes comes on top.
func (s Settings) VerifyBound() time.Duration {
	var sum time.Duration
	for _, v := range s.Verify {
		sum = min(sum+v.Limit(), VerifyLimit)
	}
	return sum
}
