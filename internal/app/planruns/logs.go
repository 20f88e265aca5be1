package planruns

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
)

// RunLogs reads the logs of a run's steps that were written on this machine, in the
// order they began; of all where no step
// is named.
func (a PlanRuns) RunLogs(ctx context.Context, q piton.RunLogsRequest) (RunLogs, error) {
	step := q.Step
	_, runs, r, err := a.openRun(ctx, q.Run)
	if err == nil {
		err = hasStep(ctx, runs, r.ID, step)
	}
	if err != nil {
		return RunLogs{}, err
	}
	x := RunLogs{RunID: r.ID, Logs: []RunLog{}}
	files, err := a.logFiles(r.ID, step)
	for _, l := range files {
		text, err := wholeLog(l.Path)
		if err != nil {
			return x, &piton.Error{Code: piton.Unavailable, Op: "read the log of step " + l.StepID, Err: err}
		}
		l.Text = string(text)
		x.Logs = append(x.Logs, l)
	}
	return x, err
}

// hasStep is NotFound where the plan of a run has no such step; "" is all steps.
func hasStep(ctx context.Context, runs store.RunReader, run, step string) error {
	if step == "" {
		return nil
	}
	p, err := keptPlan(ctx, runs, run)
	of, _, _ := strings.Cut(step, ".") // of an item, or of what undoes it
	if err != nil || slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.ID == of }) {
		return err
	}
	return piton.Errorf(piton.NotFound, "read the logs of "+run, "'runs show "+run+"' lists its steps", "its plan has no step %q", step)
}

// logFiles are the logs of a run, or of one step, the oldest first; runner.LogName names
// them.
func (a PlanRuns) logFiles(run, step string) (list []RunLog, _ error) {
	dir := a.runLogs(run)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &piton.Error{Code: piton.Unavailable, Op: "read the logs of " + run, Err: err}
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".log")
		info, err := e.Info()
		if !ok || err != nil || !info.Mode().IsRegular() {
			continue
		}
		l := RunLog{StepID: name, Path: filepath.Join(dir, e.Name()), at: info.ModTime()}
		if i := strings.LastIndexByte(name, '.'); i > 0 {
			if n, err := strconv.Atoi(name[i+1:]); err == nil {
				l.StepID, l.Attempt = name[:i], n
			}
		}
		if id, err := url.PathUnescape(l.StepID); err == nil {
			l.StepID = id
		}
		if step == "" || l.StepID == step {
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(x, y RunLog) int {
		if x.StepID == y.StepID {
			return x.Attempt - y.Attempt
		}
		return x.at.Compare(y.at)
	})
	return list, nil
}

// followEvery is how often a log that is followed is looked at.
const followEvery = 200 * time.Millisecond

// FollowRun hands out what the logs of a run have, and what is added to them, until
// the run works no more or ctx ends.
func (a PlanRuns) FollowRun(ctx context.Context, ref, step string, show func(RunLog) error) error {
	_, runs, r, err := a.openRun(ctx, ref)
	if err == nil {
		err = hasStep(ctx, runs, r.ID, step)
	}
	if err != nil {
		return err
	}
	readers := map[string]*action.LogReader{}
	for {
		works, err := a.works(ctx, runs, r.ID)
		if err != nil {
			return err
		}
		files, err := a.logFiles(r.ID, step)
		if err != nil {
			return err
		}
		for _, l := range files {
			reader := readers[l.Path]
			if reader == nil {
				if reader, err = action.OpenLog(l.Path); err == nil {
					readers[l.Path] = reader
				}
			}
			var more []byte
			if err == nil {
				more, err = io.ReadAll(reader)
			}
			if err != nil {
				return &piton.Error{Code: piton.Unavailable, Op: "read the log of step " + l.StepID, Err: err}
			}
			if l.Text = string(more); l.Text == "" {
				continue
			}
			if err := show(l); err != nil {
				return err
			}
		}
		if !works {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followEvery):
		}
	}
}

// works tells whether a process works on a run.
func (a PlanRuns) works(ctx context.Context, runs store.RunReader, id string) (bool, error) {
	r, err := runs.Run(ctx, id)
	state := a.row(r).Alive
	return state == caller.OwnerAlive || state == caller.OwnerUnknown, err
}

// wholeLog is the text of a log; a line says where its middle was left out.
func wholeLog(path string) ([]byte, error) {
	r, err := action.OpenLog(path)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
