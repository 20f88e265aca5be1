package planruns

import (
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
)

// RunArtifacts lists the files that the steps of a run have left, in the order in which the
// steps have ended. NotFound where one is named that is not there.
func (a PlanRuns) RunArtifacts(ctx context.Context, q piton.RunArtifactsRequest) (RunArtifacts, error) {
	k, runs, r, err := a.openRun(ctx, q.Run)
	x := RunArtifacts{RunID: r.ID, Artifacts: []RunArtifact{}}
	if err == nil {
		err = hasStep(ctx, runs, r.ID, q.Step)
	}
	if err != nil || r.CheckpointID == "" {
		return x, err
	}
	s, err := runner.ReadState(ctx, k, r.CheckpointID)
	var names []string
	for _, res := range s.Results {
		for _, f := range res.Artifacts {
			ofStep := q.Step == "" || q.Step == res.StepID
			if ofStep {
				names = append(names, f.Name)
			}
			if ofStep && (q.Name == "" || q.Name == f.Name) {
				x.Artifacts = append(x.Artifacts, RunArtifact{res.StepID, f})
			}
		}
	}
	if err == nil && q.Name != "" && len(x.Artifacts) == 0 {
		err = piton.Errorf(piton.NotFound, "read the artifacts of "+r.ID, "'runs artifacts "+r.ID+"' lists them", "there is no artifact %q%s", q.Name, plan.DidYouMean(q.Name, slices.Compact(slices.Sorted(slices.Values(names)))))
	}
	return x, err
}

// ReadArtifact is the file of a name, with its content. Invalid where that names several.
func (a PlanRuns) ReadArtifact(ctx context.Context, q piton.RunArtifactsRequest) (RunArtifact, []byte, error) {
	x, err := a.RunArtifacts(ctx, q)
	if err == nil && len(x.Artifacts) != 1 {
		err = piton.Errorf(piton.Invalid, "read an artifact of "+x.RunID, "name one, and its 'step STEP'; 'runs artifacts "+x.RunID+"' lists them", "%d files are named", len(x.Artifacts))
	}
	if err != nil {
		return RunArtifact{}, nil, err
	}
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return RunArtifact{}, nil, err
	}
	content, err := k.Store.Runs().Artifact(ctx, x.RunID, x.Artifacts[0].Sum)
	return x.Artifacts[0], content, err
}
