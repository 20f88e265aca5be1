package planruns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/nearest"
	"github.com/piton-project/piton/internal/store"
)

// openRuns opens the stores and returns the verbs and the runs. Invalid for a store
// that keeps no runs.
func (a PlanRuns) openRuns(ctx context.Context, existing bool) (history.Keeper, store.RunReader, error) {
	k, err := a.Keeper(ctx, existing)
	if err != nil {
		return k, nil, err
	}
	runs := k.Store.Runs()
	if runs == nil {
		return k, nil, piton.Errorf(piton.Invalid, "open the runs", "name another store: 'store sqlite:PATH' or 'store postgres://…'", "a folder of files keeps checkpoints and no runs")
	}
	return k, runs, nil
}

// Label is the name of a run's workflow; its id where it has none.
func (r RunRow) Label() string { return cmp.Or(r.Workflow, r.Plan, r.WorkflowID) }

// row adds what is known of a run's owner.
func (a PlanRuns) row(r piton.Run) RunRow {
	if r.Status == piton.RunQueued {
		r.EndedAt = piton.Time{} // it has not begun
	}
	return RunRow{Run: r, Alive: a.OwnerState(r)}
}

// IsRunRef tells a run, a checkpoint or a workflow from the file of a plan: by the
// form of an id, else because there is no such file and the name is none of a file.
func (a PlanRuns) IsRunRef(ref string) bool {
	for _, prefix := range []string{piton.RunPrefix, piton.CheckpointPrefix, piton.WorkflowPrefix} {
		if strings.HasPrefix(strings.ToLower(ref), prefix) {
			return true
		}
	}
	if ref == "-" || slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(ref))) {
		return false
	}
	path, err := a.Path(ref)
	if err == nil {
		_, err = os.Stat(path)
	}
	return errors.Is(err, fs.ErrNotExist)
}

// findRun finds a run by its id or an id's beginning, or as the newest of a
// workflow; one that is not finished goes first.
func (a PlanRuns) findRun(ctx context.Context, k history.Keeper, runs store.RunReader, ref string) (piton.Run, error) {
	if strings.HasPrefix(strings.ToLower(ref), piton.RunPrefix) {
		return runs.Run(ctx, ref)
	}
	p, err := a.Project(ctx, "", false)
	if err != nil && !caller.Missing(err) {
		return piton.Run{}, err
	}
	w, err := k.Workflow(ctx, ref, p.ID)
	if caller.Missing(err) && a.Placed() { // another home of the project may have it
		if dir, errDir := a.Dir(); errDir == nil {
			list, errRuns := runs.Runs(ctx, piton.RunQuery{Namespace: a.StandingOf(dir).Namespace, Name: ref})
			if i := slices.IndexFunc(list, func(r piton.Run) bool { return !r.Status.Ended() }); errRuns == nil && len(list) > 0 {
				return list[max(i, 0)], nil
			}
		}
	}
	if caller.Missing(err) {
		err = piton.Errorf(piton.NotFound, "find the run "+ref, runHint(ctx, runs, ref, p.ID), "no run has this id, and no workflow of this project this name")
	}
	if err != nil {
		return piton.Run{}, err
	}
	list, err := runs.Runs(ctx, piton.RunQuery{Workflow: w.ID, Open: true, Limit: 1})
	if err == nil && len(list) == 0 {
		list, err = runs.Runs(ctx, piton.RunQuery{Workflow: w.ID, Limit: 1})
	}
	if err == nil && len(list) == 0 {
		err = piton.Errorf(piton.NotFound, "find the run "+ref, hintRuns, "the workflow has no run")
	}
	if err != nil {
		return piton.Run{}, err
	}
	return list[0], nil
}

// maxHinted bounds the newest runs among which a misspelt name is sought.
const maxHinted = 1000

const hintRuns = "'runs list' shows what there is"

// runHint is what helps who has named a run that the project does not have.
func runHint(ctx context.Context, runs store.RunReader, name, project string) string {
	list, err := runs.Runs(ctx, piton.RunQuery{Limit: maxHinted})
	if err != nil {
		return hintRuns
	}
	var names []string
	for _, r := range list {
		if r.Project != project && strings.EqualFold(r.Workflow, name) {
			return "a name belongs to its project, and another project has this one: give its id, as in 'runs show " + r.ID + "'"
		}
		if r.Project == project {
			names = append(names, r.Workflow)
		}
	}
	if near := nearest.InHint(name, names); near != "" {
		return fmt.Sprintf("did you mean %q? ", near) + hintRuns
	}
	return hintRuns
}

// RunNamed finds a run by its id.
func (a PlanRuns) RunNamed(ctx context.Context, id string) (piton.Run, error) {
	_, runs, err := a.openRuns(ctx, true)
	if err != nil {
		return piton.Run{}, err
	}
	return runs.Run(ctx, id)
}

// openRun opens the stores and finds a run.
func (a PlanRuns) openRun(ctx context.Context, ref string) (history.Keeper, store.RunReader, piton.Run, error) {
	k, runs, err := a.openRuns(ctx, true)
	if err != nil {
		return k, runs, piton.Run{}, err
	}
	r, err := a.findRun(ctx, k, runs, ref)
	return k, runs, r, err
}
