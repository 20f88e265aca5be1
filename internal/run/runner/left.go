package runner

import (
	"path"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// artifactsDir is where the artifacts lie that steps of a run are given: below the folder of
// its logs, and removed with that. "" where this program has no such folder.
func (r *Runner) artifactsDir(run string) string {
	if r.Logs == nil {
		return ""
	}
	return filepath.Join(r.Logs(run), "artifacts")
}

// placeIn is where an artifact lies for the steps that are given it: under its sum.
func placeIn(dir string, a piton.Artifact) string {
	return filepath.Join(dir, a.Sum, path.Base(a.Path))
}

// leaves gives the value of a step the places of what it has left, by their names; of a step
// with items it is a list of these.
func (r *Result) leaves(dir string, steps map[string]plan.StepValue) {
	if r == nil || len(r.Artifacts) == 0 {
		return
	}
	places := make(map[string]any, len(r.Artifacts))
	for _, a := range r.Artifacts {
		places[a.Name] = placeIn(dir, a)
	}
	of := undone(r.StepID)
	v := steps[of]
	if n := itemOf(r.StepID); of == r.StepID {
		v.Artifacts = places
	} else if n >= 0 && n < plan.MaxItems {
		list, _ := v.Artifacts.([]any)
		list = append(list, make([]any, max(0, n+1-len(list)))...)
		list[n], v.Artifacts = places, list
	}
	steps[of] = v
}
