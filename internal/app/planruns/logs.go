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
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store"
)

// RunLogs reads the logs of a run's steps that were written on this machine, in the
// order they began; of all where no step is named.
func (a PlanRuns) RunLogs(ctx context.Context, q piton.RunLogsRequest) (RunLogs, error) {
	x := RunLogs{Logs: []RunLog{}}
	run, err := a.readLogs(ctx, q.Run, q.Step, false, func(l RunLog) error {
		x.Logs = append(x.Logs, l)
		return nil
	})
	x.RunID = run
	return x, err
}

// hasStep is NotFound where the plan of a run has no such step; "" is all steps.
func hasStep(ctx context.Context, runs store.RunReader, run, step string) error {
	if step == "" {
		return nil
	}
	p, err := runner.ReadPlan(ctx, runs, run)
	of, _, _ := strings.Cut(step, ".") // of an item, or of what undoes it
	if err != nil || slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.ID == of }) {
		return err
	}
	return piton.Errorf(piton.NotFound, "find a step of "+run, "'runs show "+run+"' lists its steps", "its plan has no step %q", step)
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
	_, err := a.readLogs(ctx, ref, step, true, show)
	return err
}

// readLogs reads the logs of a run, and returns its id; a line says where the middle of one was
// left out. Who follows it is shown what is added, too.
func (a PlanRuns) readLogs(ctx context.Context, ref, step string, follow bool, show func(RunLog) error) (string, error) {
	_, runs, r, err := a.openRun(ctx, ref)
	if err == nil {
		err = hasStep(ctx, runs, r.ID, step)
	}
	if err != nil {
		return "", err
	}
	readers := map[string]*action.LogReader{}
	for {
		now, err := runs.Run(ctx, r.ID)
		if err != nil {
			return r.ID, err
		}
		files, err := a.logFiles(r.ID, step)
		if err != nil {
			return r.ID, err
		}
		for _, l := range files {
			reader := readers[l.Path]
			if reader == nil {
				reader, err = action.OpenLog(l.Path)
			}
			var more []byte
			if err == nil {
				readers[l.Path] = reader
				more, err = io.ReadAll(reader)
			}
			if err != nil {
				return r.ID, &piton.Error{Code: piton.Unavailable, Op: "read the log of step " + l.StepID, Err: err}
			}
			if l.Text = string(more); l.Text == "" && follow {
				continue
			}
			if err := show(l); err != nil {
				return r.ID, err
			}
		}
		if !follow || !a.row(now).Works() {
			return r.ID, nil
		}
		select {
		case <-ctx.Done():
			return r.ID, ctx.Err()
		case <-time.After(followEvery):
		}
	}
}
