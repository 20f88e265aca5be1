// Package planruns is what callers do with runs of plans: begin, resume, list, show and
// steer them. It finds the run that is meant and where its steps work, asks the person what
// only a person may say, and tells how a run stands and what brings it on. What a step does
// and when is the runner's.
package planruns

import (
	"github.com/piton-project/piton/internal/app/caller"
)

// PlanRuns are the runs that a caller can reach.
type PlanRuns struct{ *caller.Caller }
