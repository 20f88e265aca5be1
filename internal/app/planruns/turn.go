package planruns

import (
	"context"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store"
)

// EngineRun is an unfinished run of another engine.
type EngineRun struct {
	RunRow
	Queued bool   // it is to be begun, or to go on
	News   string // other words than before: something has been said to the run since
}

// EngineRuns are the unfinished runs that an engine's workers begin, or tell of news.
func (a PlanRuns) EngineRuns(ctx context.Context) (list []EngineRun, err error) {
	_, runs, err := a.openRuns(ctx, true)
	if err != nil { // where nothing was saved yet there are none
		return nil, caller.UnlessMissing(err)
	}
	open, err := runs.Runs(ctx, piton.RunQuery{Open: true})
	for _, r := range open {
		x := EngineRun{RunRow: a.row(r), Queued: r.Status == piton.RunQueued, News: string(r.Wish)}
		if has := x.Queued || r.Owner.Host == runner.EngineHost; !has || r.Daemon != piton.EngineTemporal {
			continue
		}
		answers, err := runs.Answers(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		for _, n := range answers {
			x.News += " " + n.At.String()
		}
		list = append(list, x)
	}
	slices.Reverse(list) // in the order they began in
	return list, err
}

// engineRunner is a runner for one part of the work on a run.
func (a PlanRuns) engineRunner(ctx context.Context, id, work string, own map[string]action.Action) (*runner.Runner, *job, error) {
	j := &job{a: a, r: RunRequest{Ref: id}, actions: a.actions(own)}
	var err error
	j.k, j.runs, j.run, err = a.openRun(ctx, id)
	r := a.runner(j)
	r.Owner = piton.Owner{PID: 1, Host: runner.EngineHost, Boot: work}
	return r, j, err
}

// Turn takes in what has happened to a run, and says what is to be carried out now. work
// names the engine's own work on the run: where another one has had it, what that has begun
// was broken off. own are actions of the caller's.
func (a PlanRuns) Turn(ctx context.Context, work string, t runner.Turn, own map[string]action.Action) (runner.Hands, error) {
	r, j, err := a.engineRunner(ctx, t.Run, work, own)
	if err != nil {
		return runner.Hands{}, err
	}
	var out runner.Outcome
	var h runner.Hands
	takes := j.run.Status == piton.RunQueued || j.run.Owner.Host == runner.EngineHost
	if takes && j.run.Owner != r.Owner {
		r.Hands = &runner.Hands{}
		out, err = r.Resume(ctx, runner.Again{Run: t.Run, WaitPerson: true, Daemon: piton.EngineTemporal})
		h = *r.Hands
	} else { // it may have been given back, by a turn of which nobody has heard, or taken
		out, h, err = r.Turn(ctx, t)
	}
	if err == nil && h.Over && out.Run.Status != piton.RunRunning {
		err = j.tellOthers(ctx, out)
	}
	return h, err
}

// storeTime is how long a store that is away is waited for before an attempt has failed.
const storeTime = time.Minute

// Attempt carries an attempt out that a turn has begun. One that cannot be begun has failed
// before it could take effect.
func (a PlanRuns) Attempt(ctx context.Context, run string, x runner.Attempt, own map[string]action.Action) (runner.Ended, error) {
	for begun := time.Now(); ; time.Sleep(time.Second) {
		r, _, err := a.engineRunner(ctx, run, "", own)
		var out runner.Ended
		if err == nil {
			out, err = r.Attempt(ctx, run, x)
		}
		away := piton.CodeOf(err) == piton.Unavailable && time.Since(begun) < storeTime
		switch {
		case err == nil:
			return out, nil
		case !away || ctx.Err() != nil:
			return runner.NotBegun(x, err), nil
		}
	}
}

// AnswerBy keeps the word of a person who has given it through an engine, to what was shown.
func (a PlanRuns) AnswerBy(ctx context.Context, x piton.Answer) error {
	k, _, _, err := a.openRun(ctx, x.RunID)
	if err != nil {
		return err
	}
	x.At = a.Now()
	return k.Store.Save(ctx, func(tx store.Tx) error { return tx.Runs.AnswerRun(ctx, redact.Value(x)) })
}

// Follow waits for a run that others work on, until it is not worked on or, unless stay is
// set, waits for somebody. The end of ctx ends the wait, and not the run.
func (a PlanRuns) Follow(ctx context.Context, id string, stay bool, show func(RunRow)) (RunResult, error) {
	for {
		ended := ctx.Err() != nil
		ctx := context.WithoutCancel(ctx)
		k, runs, r, err := a.openRun(ctx, id)
		if err != nil {
			return RunResult{}, err
		}
		row := a.row(r)
		a.setStand(ctx, k, runs, &row)
		show(row)
		over := r.Status != piton.RunQueued && !row.Works()
		waits := !stay && !over && a.waitsForAnyone(ctx, k, runs, row)
		if over || waits || ended {
			j := job{a: a, k: k, runs: runs}
			x, err := j.standsAs(ctx, r)
			if x.Existing = false; waits {
				x.Status = piton.RunWaiting
			}
			if ended && !over {
				x.Hint = "the run goes on: 'runs show " + r.ID + "' shows it, 'runs cancel " + r.ID + "' ends it"
			}
			return x, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(followEvery):
		}
	}
}

// waitsForAnyone tells whether a run waits for a person or a signal, or one of its steps' runs
// does.
func (a PlanRuns) waitsForAnyone(ctx context.Context, k history.Keeper, runs store.RunReader, r RunRow) bool {
	if slices.ContainsFunc(r.Stood, func(s Stood) bool { return s.Waits && s.Is != StandChild && s.Is != StandWorker }) {
		return true
	}
	open, err := runs.Runs(ctx, piton.RunQuery{Open: true})
	return err == nil && slices.ContainsFunc(open, func(x piton.Run) bool {
		row := a.row(x)
		if x.Parent == r.ID {
			a.setStand(ctx, k, runs, &row)
		}
		return x.Parent == r.ID && a.waitsForAnyone(ctx, k, runs, row)
	})
}

// EngineQueue is the name of the queue that the workers of a store share: a store that is a
// file has one of its own.
func (a PlanRuns) EngineQueue(ctx context.Context) (string, error) {
	if _, err := a.Keeper(ctx, false); err != nil || a.Shared != nil {
		return "piton", err
	}
	home, err := a.HomeID(ctx)
	return "piton-" + home, err
}
