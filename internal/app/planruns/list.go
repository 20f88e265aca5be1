package planruns

import (
	"cmp"
	"context"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

// Runs lists runs, the newest first.
func (a PlanRuns) Runs(ctx context.Context, f piton.RunsRequest) (RunList, error) {
	list := RunList{Runs: []RunRow{}}
	q := piton.RunQuery{Open: f.Open, Limit: f.Limit, Status: piton.RunStatus(f.Status)}
	if q.Open && q.Status.Ended() {
		return list, piton.Errorf(piton.Invalid, "", "leave out one of them", "a run that is %s is not open", f.Status)
	}
	var err error
	if q.Since, q.Until, err = caller.ParseTimes(f.Since, f.Until, a.Options.Now()); err != nil {
		return list, err
	}
	k, runs, err := a.openRuns(ctx, true)
	if err != nil {
		return list, caller.UnlessMissing(err)
	}
	if f.Project != "" || f.Workflow != "" {
		p, err := a.Project(ctx, f.Project, false)
		switch {
		case caller.Missing(err) && f.Workflow == "":
			return list, nil
		case err != nil && !caller.Missing(err):
			return list, err
		}
		q.Project = p.ID
		if dir, err := a.Path(cmp.Or(f.Project, ".")); err == nil && f.Workflow == "" {
			q.Namespace = a.StandingOf(dir).Namespace
		}
	}
	if f.Workflow != "" {
		w, err := k.Workflow(ctx, f.Workflow, q.Project)
		if err != nil {
			return list, err
		}
		q.Workflow, q.Project = w.ID, ""
	}
	want := Stand("")
	if stand, ok := standNamed(f.Status); ok {
		want, q.Status, q.Open = stand, "", true
	}
	if q.Limit > 0 && want == "" {
		q.Limit++ // to know whether there are more
	} else {
		q.Limit = 0
	}
	all, err := runs.Runs(ctx, q)
	if err != nil {
		return list, err
	}
	queued, err := runs.Runs(ctx, piton.RunQuery{Status: piton.RunQueued})
	place := places(queued)
	for _, r := range all {
		row := a.row(r)
		row.Place = place[r.ID]
		a.setStand(ctx, k, runs, &row)
		if want != "" && cmp.Or(row.Stands, Stand(r.Status)) != want {
			continue
		}
		if list.More = f.Limit > 0 && len(list.Runs) == f.Limit; list.More {
			break
		}
		list.Runs = append(list.Runs, row)
	}
	return list, err
}

// setStand notes how a run stands; of one that cannot be read that stays unknown.
func (a PlanRuns) setStand(ctx context.Context, k history.Keeper, runs store.RunReader, r *RunRow) {
	var f runFacts
	if !r.Status.Ended() {
		var err error
		if f, _, err = a.facts(ctx, k, runs, *r); err != nil {
			return
		}
	}
	r.stand(f)
}

// standNamed is the stand that a name or a word of a column means, where that is no
// status that stores look for by themselves.
func standNamed(name string) (Stand, bool) {
	for is, text := range standTexts {
		status := slices.Contains(piton.RunStatuses, piton.RunStatus(name)) && is != StandInDoubt
		if !status && (name == string(is) || name != "" && name == text.word) {
			return is, true
		}
	}
	return "", false
}

// RunStatusNames are the statuses of runs, and the other words of their column.
func RunStatusNames() []string {
	var names, stands []string
	for _, s := range piton.RunStatuses {
		names = append(names, string(s))
	}
	for is, text := range standTexts {
		stands = append(stands, string(is), text.word)
	}
	slices.Sort(stands)
	for _, s := range stands {
		if s != "" && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}
