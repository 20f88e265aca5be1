// Package insight is what callers learn of what has happened: why an agent was held, what the
// rules in force say of recorded turns and logs, how well they score against labels, and
// numbers of saves, holds and hooks.
package insight

import (
	"github.com/piton-project/piton/internal/app/caller"
)

// Insight is what a caller can learn of the sessions that it can reach.
type Insight struct{ *caller.Caller }
