package history

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Flushed says what was copied to the store.
type Flushed struct {
	Copied    int     `json:"copied"`             // checkpoints that were copied to the store
	Completed int     `json:"completed"`          // checkpoints in the store that were completed here since the last flush
	Deleted   int     `json:"deleted"`            // likewise deleted
	Offered   int     `json:"offered"`            // open heads in the store, of this machine's projects, that hooks can offer now
	LeftOut   int     `json:"left_out,omitempty"` // checkpoints that are damaged here and were not copied; the log names them
	Aside     []Aside `json:"aside,omitempty"`    // workflows that have continued separately in the store; absent: there are none
}

// Bounds of a flush.
const (
	maxFlushEvents = 64 // carried over at a time
	maxMirrored    = 50 // open heads of a project that are kept here
	maxConflicts   = 2  // tries of a workflow: another flush may have been at it
)

// Flush carries to the store what was saved on this machine since the last
// time, under its final ids and numbers, and notes the open heads of the
// store for the hooks. Doing it twice changes nothing; broken off, the next
// one goes on. What is saved in a workflow whose numbers the store has given to
// others comes to a branch set aside from then on, as with an import.
// A OneOff store is Invalid: nothing is carried to it.
func (k Keeper) Flush(ctx context.Context, progress func(done, total int64)) (Flushed, error) {
	const op = "carry to the store"
	if err := k.ready(op); err != nil {
		return Flushed{}, err
	}
	own, ok := k.own()
	if !ok {
		return Flushed{}, nil
	}
	if k.OneOff {
		return Flushed{}, piton.Errorf(piton.Invalid, op, "make it the configured one", "the store was named for this command alone")
	}
	c := carrier{Keeper: k, own: own, projects: map[string]string{"": ""}}
	list, err := k.Local.Projects(ctx)
	if err != nil {
		return Flushed{}, err
	}
	for _, p := range list {
		c.projects[p.ID] = p.SharedID()
	}
	if err = c.carryAll(ctx, progress); err == nil {
		err = c.mirror(ctx)
	}
	if err == nil {
		err = c.finish(ctx)
	}
	return c.Flushed, err
}

// carrier is one flush.
type carrier struct {
	Keeper
	Flushed
	own      store.Checkpoints
	projects map[string]string // the ids that this machine's projects have in the store
}

// carryAll carries over the events since the last time, some at a time, and
// moves the mark.
func (c *carrier) carryAll(ctx context.Context, progress func(done, total int64)) (err error) {
	mark := "flushed:" + c.StoreName
	if c.Carries == nil {
		mark = "flushed all:" + c.StoreName // what was left out before is carried too
	}
	last, err := c.Local.Mark(ctx, mark)
	if err != nil {
		return err
	}
	reached := store.ReachedMark + mark
	defer func() {
		if err == nil {
			err = c.Local.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, reached, c.now().Millis()) })
		}
	}()
	if gone, err := c.Local.Mark(ctx, store.GoneMark); err != nil {
		return err
	} else if gone > last {
		if err := c.carryWhole(ctx); err != nil {
			return err
		}
		last = gone
		if err := c.Local.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, mark, last) }); err != nil {
			return err
		}
	}
	for done := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		events, err := c.Local.Events(ctx, last, maxFlushEvents)
		if err != nil || len(events) == 0 {
			return err
		}
		if err := c.carry(ctx, events); err != nil {
			return err
		}
		last = events[len(events)-1].ID
		if err := c.Local.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, mark, last) }); err != nil {
			return err
		}
		if done += int64(len(events)); progress != nil {
			progress(done, done)
		}
	}
}

// carryWhole carries over all that is here: the events that would tell of it have
// expired before the store was reached. It is as if everything had been saved just now.
func (c *carrier) carryWhole(ctx context.Context) error {
	for q := (piton.Query{Limit: maxFlushEvents}); ; {
		page, err := c.own.List(ctx, q)
		if err != nil {
			return err
		}
		var events []store.LogEvent
		for _, x := range page.Checkpoints {
			events = append(events, store.EventOf(store.CheckpointCreated, x.CreatedAt, x))
			if x.Completed {
				events = append(events, store.EventOf(store.CheckpointCompleted, x.CompletedAt, x))
			}
		}
		if err := c.carry(ctx, events); err != nil {
			return err
		}
		if page.Next == 0 {
			return nil
		}
		q.Before = page.Next
	}
}

// carry brings the effect of events to the store. A workflow whose numbers are
// taken there is carried to a branch set aside from then on.
func (c *carrier) carry(ctx context.Context, events []store.LogEvent) error {
	entries, err := c.read(ctx, events)
	if err != nil {
		return err
	}
	apart, conflicts := map[string]bool{}, map[string]int{} // by workflow
	for _, e := range entries {
		mark, err := c.Local.Mark(ctx, c.apartMark(e.Workflow.ID))
		if err != nil {
			return err
		}
		apart[e.Workflow.ID] = mark != 0
	}
	for {
		var step Flushed
		var suspect string // the workflow that a conflict was about
		err := c.Store.Save(ctx, func(tx store.Tx) (err error) {
			step, suspect, err = c.bring(ctx, tx, entries, events, apart)
			return err
		})
		if piton.CodeOf(err) == piton.Conflict && suspect != "" {
			if conflicts[suspect]++; conflicts[suspect] == maxConflicts {
				c.log().WarnContext(ctx, "a workflow has gone on by itself in the store; what is saved here comes to a branch beside it", "workflow", suspect, "err", err)
				apart[suspect] = true
			}
			continue
		}
		if err != nil {
			return err
		}
		c.Copied, c.Completed, c.Deleted = c.Copied+step.Copied, c.Completed+step.Completed, c.Deleted+step.Deleted
		for _, x := range step.Aside {
			c.Aside = addAside(c.Aside, x)
		}
		break
	}
	for w := range conflicts {
		if !apart[w] {
			continue
		}
		if err := c.Local.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, c.apartMark(w), 1) }); err != nil {
			return err
		}
	}
	return nil
}

// apartMark is the mark of a workflow that is carried to a branch set aside.
func (c *carrier) apartMark(workflow string) string { return "apart:" + c.StoreName + ":" + workflow }

// read reads what the events made, as it is in this machine's file now.
func (c *carrier) read(ctx context.Context, events []store.LogEvent) (entries []acceptedEntry, err error) {
	here := c.Keeper
	here.Store = c.own
	for _, e := range events {
		if e.Kind != store.CheckpointCreated && e.Kind != store.CheckpointImported {
			continue
		}
		x, err := c.own.Checkpoint(ctx, e.Checkpoint)
		if notFound(err) {
			continue // deleted since
		}
		if err != nil {
			return nil, err
		}
		w, err := c.own.Workflow(ctx, x.WorkflowID, "")
		if err != nil {
			return nil, err
		}
		if c.Carries != nil && !c.Carries(w) {
			continue
		}
		state, err := here.state(ctx, x)
		if piton.CodeOf(err) == piton.Corrupt {
			c.log().WarnContext(ctx, "a damaged checkpoint was not copied to the store", "checkpoint", x.ID, "err", err)
			c.LeftOut++
			continue
		}
		if err != nil {
			return nil, err
		}
		if p, ok := c.projects[x.Project]; ok {
			x.Project, w.Project = p, p
		}
		x.Archive = ""
		entries = append(entries, acceptedEntry{store.Entry{Workflow: w, Checkpoint: x, State: state}, redact.Unchecked(json.RawMessage(state))})
	}
	return entries, nil
}

// bring adds entries to the store, those of workflows that are apart on branches
// set aside, then what else the events say, and their workflows as they are here.
// suspect is the workflow that an error is about.
func (c *carrier) bring(ctx context.Context, tx store.Tx, entries []acceptedEntry, events []store.LogEvent, apart map[string]bool) (done Flushed, suspect string, err error) {
	workflows := map[string]piton.Workflow{}
	for _, e := range entries {
		w := e.Workflow
		if apart[w.ID] {
			e.Checkpoint.Branch, e.Checkpoint.Seq = asideBranch(e.Checkpoint.Branch), 0
		} else {
			workflows[w.ID], suspect = w, w.ID
		}
		added, err := tx.Import(ctx, e.clean(c.Redact))
		if err != nil {
			return done, suspect, err
		}
		if suspect = ""; !added {
			continue
		}
		done.Copied++
		if apart[w.ID] {
			done.Aside = addAside(done.Aside, asideOne(e.Checkpoint, e.Checkpoint.Branch))
		}
	}
	if err := c.bringMarks(ctx, tx, events, &done); err != nil {
		return done, "", err
	}
	for _, w := range workflows {
		if err := tx.PutWorkflow(ctx, redact.Value(w)); err != nil {
			return done, "", err
		}
	}
	return done, "", nil
}

// bringMarks repeats in the store what people did to checkpoints that are there.
// What was deleted and came back by an import is as it is here now.
func (c *carrier) bringMarks(ctx context.Context, tx store.Tx, events []store.LogEvent, f *Flushed) error {
	for _, e := range events {
		if e.Kind != store.CheckpointCompleted && e.Kind != store.CheckpointDeleted {
			continue
		}
		far, err := tx.Checkpoint(ctx, e.Checkpoint)
		if notFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		here, err := c.own.Checkpoint(ctx, e.Checkpoint)
		if err != nil && !notFound(err) {
			return err
		}
		switch kept := err == nil; {
		case e.Kind == store.CheckpointDeleted && !kept:
			if _, err := tx.Delete(ctx, []string{far.ID}); err != nil {
				return err
			}
			f.Deleted++
		case e.Kind == store.CheckpointCompleted && !far.Completed && (!kept || here.Completed):
			if err := tx.Complete(ctx, far.ID, e.At); err != nil {
				return err
			}
			f.Completed++
		}
	}
	return nil
}

// mirror notes the store's open heads of this machine's projects, but not of runs that
// somebody works on: what is noted here is offered.
func (c *carrier) mirror(ctx context.Context) error {
	for project, id := range c.projects {
		if project == "" {
			continue
		}
		page, err := c.Store.List(ctx, piton.Query{Project: id, Shared: c.unowned(id), Open: true, Limit: maxMirrored})
		if err != nil {
			return err
		}
		runs := c.working(ctx, id)
		offered := slices.DeleteFunc(page.Checkpoints, func(x piton.Checkpoint) bool { return atWork(runs, x) })
		heads, _ := redact.By(c.Redact, offered)
		err = c.Local.Update(ctx, func(tx store.LocalTx) error { return tx.SetMirror(ctx, c.StoreName, project, heads) })
		if err != nil {
			return err
		}
		c.Offered += len(offered)
	}
	return nil
}

// finish completes here what was completed in the store, so that it is not
// offered any more.
func (c *carrier) finish(ctx context.Context) error {
	page, err := c.own.List(ctx, piton.Query{Open: true, Limit: maxMirrored})
	if err != nil {
		return err
	}
	for _, x := range page.Checkpoints {
		far, err := c.Store.Checkpoint(ctx, x.ID)
		if notFound(err) || err == nil && !far.Completed {
			continue
		}
		if err == nil {
			err = c.own.Save(ctx, func(tx store.Tx) error { return tx.Complete(ctx, x.ID, far.CompletedAt) })
		}
		if err != nil && !notFound(err) {
			return err
		}
	}
	return nil
}
