package planruns

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/run/runner"
)

func (j *job) startKey() piton.StartKey {
	folder := j.r.Dir
	if folder == "" {
		_, folder, _ = j.places() // where that is not known, it is the same everywhere
	}
	if rel, err := filepath.Rel(j.at.Root, client.RealPath(folder)); err == nil {
		folder = rel // the same in each clone
	}
	return piton.StartKey{
		Scope: j.keyScope(j.at.Namespace), Key: j.r.Key,
		Sum: caller.SumOf(map[string]any{"plan": j.plan.Sum(), "inputs": j.inputs, "query": j.r.Query, "folder": folder}),
	}
}

func (j *job) keyScope(namespace string) string {
	return "run " + namespace + " " + cmp.Or(j.r.Workflow, j.plan.Name)
}

// kept finds a key that something has begun under, also where the project had another
// name then.
func (j *job) kept(ctx context.Context, key string) (piton.StartKey, error) {
	k, none := j.runs.StartKey(ctx, j.keyScope(j.at.Namespace), key)
	if !caller.Missing(none) || j.project == "" || j.r.KeyHere {
		return k, none
	}
	list, err := j.runs.Runs(ctx, piton.RunQuery{Project: j.project})
	if err != nil {
		return k, err
	}
	tried := map[string]bool{j.at.Namespace: true}
	for _, r := range list {
		if tried[r.Namespace] {
			continue
		}
		tried[r.Namespace] = true
		if k, err := j.runs.StartKey(ctx, j.keyScope(r.Namespace), key); !caller.Missing(err) {
			return k, err
		}
	}
	return k, none
}

// begun finds what has begun under the caller's key: it is the answer, finished or not.
// An unfinished run goes on where the caller resumes it. Without one a new run begins,
// beside those of other keys.
func (j *job) begun(ctx context.Context) error {
	op := "run " + cmp.Or(j.plan.Name, j.r.File)
	if err := caller.CheckKey(op, j.r.Key); err != nil {
		return err
	}
	if j.r.Ref != "" || j.r.New {
		return piton.Errorf(piton.Invalid, op, "leave 'key' out to name the run, or to begin another one", "a key names one run of the plan")
	}
	if j.runs == nil {
		return nil
	}
	k, err := j.kept(ctx, j.r.Key)
	if caller.Missing(err) {
		j.r.New = true
		return nil
	}
	if err != nil {
		return err
	}
	run, err := j.runs.Run(ctx, k.Ref)
	switch {
	case caller.Missing(err):
		return piton.Errorf(piton.Conflict, op, "another key begins another run", "the key %q has begun %s at %s, which is no longer kept", k.Key, k.Ref, k.At)
	case err != nil:
		return err
	case j.r.Resume && !run.Status.Ended():
		j.run = run
		return nil
	}
	if err := j.fill(j.plan); err != nil {
		return err
	}
	if j.startKey().Sum != k.Sum {
		return piton.Errorf(piton.Conflict, op, "'runs show "+run.ID+"' shows it; another key begins another run", "the key %q has begun %s with another plan, other inputs, another query or in another folder", k.Key, run.ID)
	}
	j.before = &run
	return nil
}

// standsAs is the answer for a run that has begun before.
func (j *job) standsAs(ctx context.Context, r piton.Run) (RunResult, error) {
	s, err := runner.ReadState(ctx, j.k, r.CheckpointID)
	if err != nil {
		return RunResult{}, err
	}
	x := j.result(ctx, runner.Outcome{Run: r, State: s})
	x.Existing = true
	return x, nil
}

// lost is what a start that came too late answers with: under a key the run of the other
// one, else who was faster. retry: nobody was, as far as this start is concerned.
func (j *job) lost(ctx context.Context, mine string, err error) (x RunResult, retry bool, _ error) {
	if _, errRun := j.runs.Run(ctx, mine); mine != "" && !caller.Missing(errRun) {
		return x, false, err // it had begun
	}
	if j.r.Key != "" {
		resume := j.r.Resume
		j.r.New, j.r.Resume = false, false
		errKey := j.begun(ctx)
		j.r.Resume = resume
		if errKey != nil {
			return x, false, errKey
		}
		if j.before != nil {
			x, err = j.standsAs(ctx, *j.before)
			return x, false, err
		}
		return x, true, err
	}
	open, errOpen := j.openOf(ctx, cmp.Or(j.r.Workflow, j.plan.Name))
	if errOpen != nil || len(open) == 0 || j.r.New {
		return x, true, err
	}
	id := open[0].ID
	return x, false, piton.Errorf(piton.Conflict, "run "+cmp.Or(j.plan.Name, j.r.File), "'runs logs "+id+" follow' watches it, 'runs show "+id+"' shows how it stands",
		"another start made %s a moment ago; this one has run nothing", id)
}

// AgainKey is the caller's key for a run that goes on; nil where there is none.
func AgainKey(r piton.ContinueRequest) *piton.StartKey {
	if r.Key == "" {
		return nil
	}
	k := piton.StartKey{Key: r.Key}
	r.Run, r.Project, r.Key = "", "", ""
	k.Sum = caller.SumOf(r)
	return &k
}

func (j *job) againKey() *piton.StartKey {
	if j.r.Again == nil {
		return nil
	}
	k := *j.r.Again
	k.Scope, k.Ref, k.At = againScope(j.run.ID), j.run.ID, j.a.Now()
	return &k
}

func againScope(run string) string { return "continue " + run }

// Continued tells whether a run has gone on under the caller's key before: then how it stands
// is the answer. Conflict where that was asked for in another way.
func (a PlanRuns) Continued(ctx context.Context, r piton.ContinueRequest) (bool, error) {
	const op = "continue a run"
	want := AgainKey(r)
	if want == nil {
		return false, nil
	}
	if err := caller.CheckKey(op, r.Key); err != nil {
		return false, err
	}
	_, runs, run, err := a.openRun(ctx, r.Run)
	if err != nil {
		return false, err
	}
	k, err := runs.StartKey(ctx, againScope(run.ID), r.Key)
	if err == nil && k.Sum != want.Sum {
		err = piton.Errorf(piton.Conflict, op, "'runs show "+run.ID+"' shows it; take another key to continue it again", "the key %q has continued %s with another body", k.Key, run.ID)
	}
	return err == nil, caller.UnlessMissing(err)
}
