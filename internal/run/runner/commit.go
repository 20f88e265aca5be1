package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// complete is the description of the checkpoint that ends a run, as in every saved
// plan (docs/spec.md, "Runs").
const complete = "Execution complete"

// save writes the state as a checkpoint and the run's row, in one transaction
// under the run's fence. Where the store cannot be reached it tries again for a
// bounded time; what it writes stays in memory meanwhile. Conflict when another
// process has taken the run over. A status other than running gives the run back.
func (e *engine) save(ctx context.Context, status piton.RunStatus, why string, cause piton.RunCause) error {
	e.tally()
	d, run, err := e.draft(status, why, cause)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // an interruption must not lose a result
	k := e.Keeper
	k.Validate = nil // the state is of our own making
	begun := time.Now()
	for try := 0; ; try++ {
		saved, err := k.SaveWith(ctx, d, func(tx store.Tx, p *store.Prepared) error { return e.write(ctx, tx, p, run, status) })
		if err == nil {
			e.wrote(run, status, saved.ID)
			return nil
		}
		if piton.CodeOf(err) != piton.Unavailable || e.starting != nil || context.Cause(e.steps) == errLost {
			return err
		}
		if try > 0 && time.Since(begun) > e.waitForStore() { // one refusal that took that long is none of a store that stays away
			return &piton.Error{
				Code: piton.Unavailable, Op: "keep run " + e.run.ID, Err: err,
				Hint: "what was acknowledged is safe; when the store can be written again, 'run resume " + e.id + "' goes on",
			}
		}
		e.log().WarnContext(ctx, "the run's state cannot be saved yet", "err", err)
		time.Sleep(min(50*time.Millisecond<<min(try, 5), time.Second))
	}
}

// draft is the checkpoint that says how far the run is, and its row.
func (e *engine) draft(status piton.RunStatus, why string, cause piton.RunCause) (history.Draft, piton.Run, error) {
	run := e.run
	run.Done, run.Total = e.state.Done(), len(e.state.Plan)
	run.Now, run.Error, run.Cause, run.EndedAt = e.doing(), "", "", piton.Time{}
	run.UpdatedAt, run.Daemon = piton.At(e.now()), e.state.Daemon
	run.Usage, run.CostUSD, run.WorkMS = e.state.Used.Tokens, e.state.Used.CostUSD, e.state.Used.WorkMS
	d := history.Draft{SaveRequest: piton.SaveRequest{Workflow: run.WorkflowID, Type: piton.TypePlan, Session: run.SessionID, InProject: piton.InProject{Project: run.Project}, Branch: run.Branch, Trigger: piton.TriggerAuto, DurationMS: run.WorkMS}, Collected: true}
	if run.Total > 0 {
		progress := 100 * run.Done / run.Total
		d.Progress = &progress
	}
	if run.Usage != (piton.TokenUsage{}) {
		usage := run.Usage
		d.TokenUsage = &usage
	}
	run.DueAt = piton.Time{}
	if status == piton.RunWaiting {
		run.DueAt = e.state.due()
	}
	if status != piton.RunRunning {
		run.Error, run.Cause, run.EndedAt, run.Now = why, cause, run.UpdatedAt, ""
		d.Description = lastWords(status, why)
	}
	if n := e.named; n != nil {
		d.Name, d.Tags = n.Name, n.Tags
		if n.Description != "" {
			d.Description = n.Description
		}
	}
	if x := e.failed; x != nil {
		d.Trigger, d.Description = piton.TriggerError, fmt.Sprintf("Failed at step %d: %s", e.state.step(x.ID), cmp.Or(x.Description, x.ID))
	}
	if status == piton.RunCompleted {
		d.Description = complete
	}
	err := e.put(&d)
	if err != nil {
		err = &piton.Error{Code: piton.Internal, Op: "write the state of run " + run.ID, Err: err}
	}
	return d, run, err
}

// put gives a draft the state. What another program has put beside may say anything,
// so that state is read again like any other.
func (e *engine) put(d *history.Draft) error {
	parts, err := e.state.parts(e.texts)
	if err != nil {
		return err
	}
	foreign := func(x Step) bool { return len(x.Other) > 0 }
	if len(e.state.Other) > 0 || slices.ContainsFunc(e.state.Plan, foreign) {
		d.State, err = beside(parts.JSON(), e.state.Other)
		return err
	}
	d.Made = &history.Made{Parts: parts, Step: e.state.Index, Task: e.state.Query, Completed: e.state.finished()}
	if i := e.state.Index; i < len(e.state.Plan) {
		x := e.state.Plan[i]
		d.Made.StepName = cmp.Or(x.Description, x.ID, x.Action)
	}
	return nil
}

// lastWords describes the last checkpoint of an owner.
func lastWords(status piton.RunStatus, why string) string {
	word := string(status)
	word = strings.ToUpper(word[:1]) + strings.ReplaceAll(word[1:], "_", " ")
	return strings.TrimSuffix(word+": "+why, ": ")
}

// doing is what the run does or waits for, in words.
func (e *engine) doing() string {
	var runs, waits []string
	for _, x := range e.state.Plan {
		switch x.Status {
		case Running:
			runs = append(runs, x.ID)
		case Waiting:
			waits = append(waits, x.ID)
		}
	}
	if len(runs) > 0 {
		return named(runs)
	}
	return waitsFor(e.state, waits)
}

// write writes what belongs to a checkpoint, ahead of it. It may run again from its
// beginning.
func (e *engine) write(ctx context.Context, tx store.Tx, p *store.Prepared, run piton.Run, status piton.RunStatus) error {
	if tx.Runs == nil {
		return piton.Errorf(piton.Invalid, "run a plan", "choose a SQLite or PostgreSQL store", "this store keeps no runs")
	}
	p.Record.WorkflowID, p.Record.Workflow, p.Record.SessionID, p.Record.Branch = run.WorkflowID, run.Workflow, run.SessionID, run.Branch
	p.Close = status == piton.RunCancelled
	if e.fork != "" {
		p.Fork, p.Record.ParentID = true, e.fork
	}
	run.CheckpointID = p.Record.ID
	if err := keepFiles(ctx, tx, run.ID, e.left); err != nil {
		return err
	}
	if e.starting != nil {
		first := run
		first.Status, first.EndedAt = piton.RunRunning, piton.Time{}
		for _, start := range e.starting {
			if err := start(ctx, tx, p, first); err != nil {
				return err
			}
		}
		if status == piton.RunRunning {
			return nil
		}
	}
	if e.starting == nil && status != piton.RunRunning && !status.Ended() {
		// Who gives an unfinished run back carries out what a person was promised.
		now, err := tx.Runs.RenewRun(ctx, run.ID, run.Fence, run.LeaseUntil)
		if err != nil {
			return err
		}
		if now.Wish == piton.WishCancel {
			return errCancelled
		}
	}
	run.Status = status
	clean, _ := redact.By(e.Keeper.Redact, run)
	return tx.Runs.PutRun(ctx, clean)
}

// wrote notes what has been kept, and tells it.
func (e *engine) wrote(run piton.Run, status piton.RunStatus, checkpoint string) {
	run.CheckpointID, run.Status = checkpoint, status
	e.run, e.starting, e.fork = run, nil, ""
	e.unsaved, e.mild, e.failed, e.named, e.left = false, false, nil, nil, nil
	e.flush(checkpoint)
}

// tally counts the time in which steps have run.
func (e *engine) tally() {
	now := time.Now()
	if !e.Busy.IsZero() {
		e.state.Used.WorkMS += now.Sub(e.Busy).Milliseconds()
		e.Busy = e.Busy.Add(now.Sub(e.Busy).Truncate(time.Millisecond))
	}
	if len(e.flight) == 0 {
		e.Busy = time.Time{}
	} else if e.Busy.IsZero() {
		e.Busy = now
	}
}

// document is JSON that may be kept; Invalid where it holds a secret.
func (r *Runner) document(what string, text json.RawMessage) (redact.Document, error) {
	doc, paths, err := r.Keeper.Redact.Find(text)
	if err != nil {
		return doc, &piton.Error{Code: piton.Internal, Op: "look for secrets in " + what, Err: err}
	}
	if len(paths) > 0 {
		return doc, piton.Errorf(piton.Invalid, "run the plan", "write ${env:NAME} in its place and set the variable", "%s holds what looks like a secret at %s", what, strings.Join(paths, ", "))
	}
	return doc, nil
}
