package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

// Runs lists runs, the newest first.
func (a *App) Runs(ctx context.Context, f RunFilter) (RunList, error) {
	list := RunList{[]RunRow{}}
	q, err := a.runQuery(f)
	if err != nil {
		return list, err
	}
	k, runs, err := a.openRuns(ctx, true)
	if err != nil {
		return list, unlessMissing(err)
	}
	if f.Dir != "" || f.Workflow != "" {
		p, err := a.Project(ctx, f.Dir, false)
		switch {
		case missing(err) && f.Workflow == "":
			return list, nil
		case err != nil && !missing(err):
			return list, err
		}
		q.Project = p.ID
		if dir, err := a.path(cmp.Or(f.Dir, ".")); err == nil && f.Workflow == "" {
			q.Namespace = a.standing(dir).namespace
		}
	}
	if f.Workflow != "" {
		w, err := k.Workflow(ctx, f.Workflow, q.Project)
		if err != nil {
			return list, err
		}
		q.Workflow, q.Project = w.ID, ""
	}
	all, err := runs.Runs(ctx, q)
	if err != nil {
		return list, err
	}
	waiting, err := runs.Runs(ctx, piton.RunQuery{Status: piton.RunQueued})
	for _, r := range all {
		row := a.row(r)
		row.Place = queuePlace(r, waiting)
		row.Answered = r.Status == piton.RunWaiting && allAnswered(ctx, k, runs, r)
		list.Runs = append(list.Runs, row)
	}
	return list, err
}

// runQuery reads the texts of a filter.
func (a *App) runQuery(f RunFilter) (piton.RunQuery, error) {
	q := piton.RunQuery{Open: f.Open, Limit: f.Limit, Status: piton.RunStatus(f.Status)}
	switch {
	case f.Limit < 0:
		return q, piton.Errorf(piton.Invalid, "", "give a number, 0 for all", "the limit %d is negative", f.Limit)
	case q.Status != "" && !slices.Contains(piton.RunStatuses, q.Status):
		return q, piton.Errorf(piton.Invalid, "", "one of "+RunStatusNames(), "there is no status %q", f.Status)
	case q.Open && q.Status.Ended():
		return q, piton.Errorf(piton.Invalid, "", "leave out one of them", "a run that is %s is not open", f.Status)
	}
	if f.Since == "" {
		return q, nil
	}
	var err error
	q.Since, err = ParseTime(f.Since, a.o.Now())
	return q, err
}

// RunStatusNames are the statuses of runs.
func RunStatusNames() string {
	var names []string
	for _, s := range piton.RunStatuses {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// allAnswered tells whether a person has answered all that a run waits for. One that
// cannot be read is shown as it stands.
func allAnswered(ctx context.Context, k history.Keeper, runs store.RunReader, r piton.Run) bool {
	answers, err := runs.Answers(ctx, r.ID)
	if err != nil || len(answers) == 0 {
		return false
	}
	s, _, err := runState(ctx, k, r)
	if err != nil {
		return false
	}
	list := questions(r.ID, s)
	answered(list, answers, s)
	return len(list) > 0 && !slices.ContainsFunc(list, func(q Question) bool { return q.Answer == nil })
}
