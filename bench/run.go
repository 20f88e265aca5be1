package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store/sqlite"
)

const (
	chainSteps = 20
	runsAtOnce = 16
	manySteps  = 1000
)

// runs measures runs of plans: a step that does nothing but is kept, beside a bare
// durable insert; many runs at once; a long plan; and how soon a killed run goes on.
func (l lab) runs(ctx context.Context) ([]row, error) {
	var rows []row
	for _, part := range []func(context.Context) ([]row, error){l.runStep, l.runMany, l.runLong, l.runKilled} {
		more, err := part(ctx)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// noop is an action that does nothing, once: each step has its intent.
func noop() map[string]action.Action {
	return map[string]action.Action{"noop": action.Func(plan.Once, func(context.Context, action.Call) (any, error) { return nil, nil })}
}

// chain is a plan of steps one after the other.
func chain(steps int) plan.Plan {
	p := plan.Plan{}
	for i := range steps {
		s := plan.Step{ID: fmt.Sprintf("s%d", i), Action: "noop"}
		if i > 0 {
			s.Dependencies = []string{fmt.Sprintf("s%d", i-1)}
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}

// runner works on runs in a store of its own connection.
func (l lab) runner(ctx context.Context, path string) (*runner.Runner, func() error, error) {
	k, end, err := keeper(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	r, err := l.runnerOn(k)
	return r, end, err
}

// runnerOn works on runs in a store.
func (l lab) runnerOn(k history.Keeper) (*runner.Runner, error) {
	me, err := proc.Identify(os.Getpid())
	return &runner.Runner{
		Keeper: k, Actions: noop(), Owner: piton.Owner{PID: me.PID, Start: me.Start, Boot: me.Boot, Space: me.Space},
		Alive: func(piton.Owner) (bool, bool) { return true, true }, Getenv: os.Getenv,
		Logs: func(run string) string { return filepath.Join(l.dir, "logs", run) },
	}, err
}

// whole runs a plan and refuses a figure of one that was not carried out.
func whole(ctx context.Context, r *runner.Runner, p plan.Plan) (time.Duration, error) {
	start := time.Now()
	out, err := r.Start(ctx, runner.Request{Plan: p})
	took := time.Since(start)
	if err == nil && (!out.Success || len(out.State.Results) != len(p.Steps)) {
		err = fmt.Errorf("the run did not end well: %s, %d results", out.Error, len(out.State.Results))
	}
	return took, err
}

func (l lab) runStep(ctx context.Context) ([]row, error) {
	r, end, err := l.runner(ctx, filepath.Join(l.dir, "runs.db"))
	if err != nil {
		return nil, err
	}
	defer end()
	plain, err := sqlite.Open(ctx, filepath.Join(l.dir, "runs-plain.db"), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	if _, err := plain.DB.ExecContext(ctx, `CREATE TABLE bare (id INTEGER PRIMARY KEY, text TEXT)`); err != nil {
		return nil, err
	}
	line := row{what: fmt.Sprintf("run of %d steps that do nothing: a step, durable", chainSteps), against: "one row inserted, durable", bar: 3}
	for i := range l.n + 2 {
		took, err := whole(ctx, r, chain(chainSteps))
		if err != nil {
			return nil, err
		}
		start := time.Now()
		for range chainSteps {
			if _, err := plain.DB.ExecContext(ctx, `INSERT INTO bare (text) VALUES ($1)`, "one row"); err != nil {
				return nil, err
			}
		}
		if i < 2 {
			continue
		}
		line.got, line.floor = append(line.got, took/chainSteps), append(line.floor, time.Since(start)/chainSteps)
	}
	return []row{line}, nil
}

// runMany measures many runs at once in one store, each by a runner of its own.
func (l lab) runMany(ctx context.Context) ([]row, error) {
	path := filepath.Join(l.dir, "many.db")
	var all sync.WaitGroup
	errs := make([]error, runsAtOnce)
	start := time.Now()
	for i := range runsAtOnce {
		all.Go(func() {
			r, end, err := l.runner(ctx, path)
			if err != nil {
				errs[i] = err
				return
			}
			defer end()
			_, errs[i] = whole(ctx, r, chain(chainSteps))
		})
	}
	all.Wait()
	took := time.Since(start)
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return []row{{what: fmt.Sprintf("%d runs at once, %d steps each: steps per second", runsAtOnce, chainSteps), figure: runsAtOnce * chainSteps / took.Seconds(), unit: "/s"}}, nil
}

// runLong measures one run of many steps: time per step, and bytes on disk.
func (l lab) runLong(ctx context.Context) ([]row, error) {
	path := filepath.Join(l.dir, "long", "piton.db")
	r, end, err := l.runner(ctx, path)
	if err != nil {
		return nil, err
	}
	defer end()
	var at []time.Time
	r.Events = func(e runner.Event) {
		if e.Kind == runner.StepCompleted {
			at = append(at, time.Now())
			l.progress("a long run", len(at), manySteps)
		}
	}
	took, err := whole(ctx, r, chain(manySteps))
	if err != nil {
		return nil, err
	}
	if err := end(); err != nil {
		return nil, err
	}
	size, err := onDisk(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	tenth := manySteps / 10
	first, last := row{}, row{what: fmt.Sprintf("one run of %d steps: a step of the last tenth", manySteps), against: "a step of the first tenth"}
	for i := 1; i < tenth; i++ {
		first.got = append(first.got, at[i].Sub(at[i-1]))
		last.got = append(last.got, at[len(at)-i].Sub(at[len(at)-i-1]))
	}
	last.floor = first.got
	return []row{
		{what: fmt.Sprintf("one run of %d steps: the whole", manySteps), figure: took.Seconds(), unit: "s"},
		last,
		{what: "the same: bytes on disk per step", figure: float64(size) / manySteps, unit: "B"},
	}, nil
}

// runKilled measures how soon a run goes on that was killed in a step: from the
// start of 'piton run --resume' to its first step, its process and its store's
// opening included.
func (l lab) runKilled(ctx context.Context) ([]row, error) {
	dir := filepath.Join(l.dir, "killed")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := l.make(ctx, "./cmd/piton"); err != nil {
		return nil, err
	}
	text := "steps:\n  - id: first\n    run: 'true'\n  - id: second\n    run: sleep 60\n    effect: idempotent\n    needs: first\n"
	if err := os.WriteFile(filepath.Join(dir, "plan.yaml"), []byte(text), 0o600); err != nil {
		return nil, err
	}
	line := row{what: "a run goes on after kill -9: to its step's start", figure: 0, unit: "ms", bar: 200}
	var took []time.Duration
	for range min(l.n, 20) {
		one, err := l.killedOnce(ctx, dir)
		if err != nil {
			return nil, err
		}
		took = append(took, one)
	}
	line.figure = float64(quantile(took, 0.5).Microseconds()) / 1000
	line.against = fmt.Sprintf("p95 %s", ms(quantile(took, 0.95)))
	return []row{line}, nil
}

func (l lab) killedOnce(ctx context.Context, dir string) (time.Duration, error) {
	workflow := piton.NewID("w")
	_, end, err := l.untilStep(ctx, dir, "second", "run", "plan.yaml", "--workflow", workflow, "--json")
	if err != nil {
		return 0, err
	}
	end()
	took, end, err := l.untilStep(ctx, dir, "second", "run", "plan.yaml", "--workflow", workflow, "--resume", "--json")
	if err != nil {
		return 0, err
	}
	end()
	return took, nil
}

// untilStep starts piton and waits until it says that a step has begun. end kills it.
func (l lab) untilStep(ctx context.Context, dir, step string, args ...string) (took time.Duration, end func(), err error) {
	c := exec.CommandContext(ctx, l.bin("piton"), args...)
	c.Dir, c.Env = dir, l.env()
	var said strings.Builder
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, nil, err
	}
	start := time.Now()
	if err := c.Start(); err != nil {
		return 0, nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var e runner.Event
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Kind == runner.StepStarted && e.Step == step {
			return time.Since(start), func() {
				_ = c.Process.Kill()
				_ = c.Wait()
			}, nil
		}
	}
	_ = c.Wait()
	return 0, nil, fmt.Errorf("piton %s began no step %s: %s", strings.Join(args, " "), step, said.String())
}
