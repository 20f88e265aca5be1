package history

import (
	"context"
	"encoding/json"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// own is the store of this machine that keeps what hooks save, where the
// checkpoints' store is another.
func (k Keeper) own() (store.Checkpoints, bool) {
	if k.Local == nil || k.oneFile() {
		return nil, false
	}
	return k.Local.Checkpoints, k.Local.Checkpoints != nil
}

// writer is the keeper over the one store that may write to a workflow: what
// hooks save has its final numbers on this machine, so whatever else is saved
// to it is saved here too and copied from here.
func (k Keeper) writer(ctx context.Context, workflow string) Keeper {
	own, ok := k.own()
	if !ok || workflow == "" || k.OneOff {
		return k
	}
	w, err := own.Workflow(ctx, workflow, "")
	if err != nil || w.Type != piton.TypeSession {
		return k
	}
	k.Store = own
	return k
}

// foreign refuses to write to a session's workflow that another machine writes
// to: both would give out the same numbers.
func (k Keeper) foreign(w piton.Workflow) error {
	if _, ok := k.own(); !ok || w.Type != piton.TypeSession {
		return nil
	}
	return piton.Errorf(piton.Conflict, "save to "+w.Label(), "go on in a workflow of your own: --workflow NAME; 'piton resume' gives an agent what is there",
		"the workflow belongs to a session on another machine")
}

// Flushed says what was copied to the store.
type Flushed struct {
	Copied    int `json:"copied"`
	Completed int `json:"completed"`
	Deleted   int `json:"deleted"`
	Offered   int `json:"offered"` // open heads of the store that this machine knows of now
	// LeftOut are checkpoints that are damaged here and were not copied.
	LeftOut int `json:"left_out,omitempty"`
	// Aside are the workflows that have gone on by themselves in the store, with
	// what could not stand beside that.
	Aside []Aside `json:"aside,omitempty"`
}

// flushStep is how many events are carried over at a time.
const flushStep = 64

// Flush carries to the store what was saved on this machine since the last
// time, under its final ids and numbers, and notes the open heads of the
// store for the hooks. Doing it twice changes nothing; broken off, the next
// one goes on. What is saved in a workflow whose numbers the store has given to
// others comes to a branch set aside from then on, as with an import.
// A OneOff store is Invalid: nothing is carried to it.
func (k Keeper) Flush(ctx context.Context, progress func(done, total int64)) (Flushed, error) {
	var f Flushed
	own, ok := k.own()
	if !ok {
		return f, nil
	}
	if k.OneOff {
		return f, piton.Errorf(piton.Invalid, "carry to the store", "make it the configured one", "the store was named for this command alone")
	}
	shared, err := k.sharedProjects(ctx)
	if err != nil {
		return f, err
	}
	mark := "flushed:" + k.StoreName
	if k.Carries == nil {
		mark = "flushed all:" + k.StoreName // what was left out before is carried too
	}
	last, err := k.Local.Mark(ctx, mark)
	if err != nil {
		return f, err
	}
	done := int64(0)
	for {
		if err := ctx.Err(); err != nil {
			return f, err
		}
		events, err := k.Local.Events(ctx, last, flushStep)
		if err != nil {
			return f, err
		}
		if len(events) == 0 {
			break
		}
		if err := k.carry(ctx, own, events, shared, &f); err != nil {
			return f, err
		}
		last = events[len(events)-1].ID
		if err := k.Local.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, mark, last) }); err != nil {
			return f, err
		}
		if done += int64(len(events)); progress != nil {
			progress(done, done)
		}
	}
	if f.Offered, err = k.mirror(ctx, shared); err != nil {
		return f, err
	}
	return f, k.finish(ctx, own)
}

// finish completes here what was completed in the store, so that it is not
// offered any more.
func (k Keeper) finish(ctx context.Context, own store.Checkpoints) error {
	page, err := own.List(ctx, piton.Query{Open: true, Limit: mirrored})
	if err != nil {
		return err
	}
	for _, c := range page.Checkpoints {
		far, err := k.Store.Checkpoint(ctx, c.ID)
		if piton.CodeOf(err) == piton.NotFound || err == nil && !far.Completed {
			continue
		}
		if err == nil {
			err = own.Save(ctx, func(tx store.Tx) error { return tx.Complete(ctx, c.ID, far.CompletedAt) })
		}
		if err != nil && piton.CodeOf(err) != piton.NotFound {
			return err
		}
	}
	return nil
}

// sharedProjects are the ids that this machine's projects have in the store.
func (k Keeper) sharedProjects(ctx context.Context) (map[string]string, error) {
	list, err := k.Local.Projects(ctx)
	if err != nil {
		return nil, err
	}
	shared := map[string]string{"": ""}
	for _, p := range list {
		shared[p.ID] = p.SharedID()
	}
	return shared, nil
}

// carry brings the effect of events to the store.
func (k Keeper) carry(ctx context.Context, own store.Checkpoints, events []store.LogEvent, shared map[string]string, f *Flushed) error {
	var entries []accepted
	workflows := map[string]piton.Workflow{}
	conflicts := map[string]int{} // by workflow
	for _, e := range events {
		if e.Kind != store.CheckpointCreated && e.Kind != store.CheckpointImported {
			continue
		}
		c, err := own.Checkpoint(ctx, e.Checkpoint)
		if piton.CodeOf(err) == piton.NotFound {
			continue // deleted since
		}
		if err != nil {
			return err
		}
		w, err := own.Workflow(ctx, c.WorkflowID, "")
		if err != nil {
			return err
		}
		if k.Carries != nil && !k.Carries(w) {
			continue
		}
		here := k
		here.Store = own
		state, err := here.state(ctx, c)
		if piton.CodeOf(err) == piton.Corrupt {
			k.log().WarnContext(ctx, "a damaged checkpoint was not copied to the store", "checkpoint", c.ID, "err", err)
			f.LeftOut++
			continue
		}
		if err != nil {
			return err
		}
		if p, ok := shared[c.Project]; ok {
			c.Project, w.Project = p, p
		}
		c.Archive = ""
		apart, err := k.Local.Mark(ctx, k.apart(w.ID))
		if err != nil {
			return err
		}
		if apart != 0 {
			conflicts[w.ID] = conflictsMost
		}
		workflows[w.ID] = w
		entries = append(entries, accepted{store.Entry{Workflow: w, Checkpoint: c, State: state}, redact.Unchecked(json.RawMessage(state))})
	}
	var now Flushed
	var suspect string // the workflow that a conflict was about
	isApart := func(workflow string) bool { return conflicts[workflow] >= conflictsMost }
	bring := func(tx store.Tx) error {
		now, suspect = Flushed{}, ""
		for _, e := range entries {
			apart := isApart(e.Workflow.ID)
			if apart {
				e.Checkpoint.Branch, e.Checkpoint.Seq = asideBranch(e.Checkpoint.Branch), 0
			}
			added, err := tx.Import(ctx, e.clean(k.Redact))
			if err != nil {
				if !apart {
					suspect = e.Workflow.ID
				}
				return err
			}
			if !added {
				continue
			}
			now.Copied++
			if apart {
				now.Aside = addAside(now.Aside, asideOne(e.Checkpoint, e.Checkpoint.Branch))
			}
		}
		if err := carryMarks(ctx, tx, own, events, &now); err != nil {
			return err
		}
		for _, w := range workflows {
			if isApart(w.ID) {
				continue
			}
			if err := tx.PutWorkflow(ctx, redact.Value(w)); err != nil {
				return err
			}
		}
		return nil
	}
	err := k.Store.Save(ctx, bring)
	for piton.CodeOf(err) == piton.Conflict && suspect != "" {
		if conflicts[suspect]++; isApart(suspect) {
			k.log().WarnContext(ctx, "a workflow has gone on by itself in the store; what is saved here comes to a branch beside it", "workflow", suspect, "err", err)
		}
		err = k.Store.Save(ctx, bring)
	}
	if err != nil {
		return err
	}
	f.add(now)
	return k.setApart(ctx, conflicts, isApart)
}

// add adds what one step did.
func (f *Flushed) add(step Flushed) {
	f.Copied, f.Completed, f.Deleted = f.Copied+step.Copied, f.Completed+step.Completed, f.Deleted+step.Deleted
	for _, x := range step.Aside {
		f.Aside = addAside(f.Aside, x)
	}
}

// conflictsMost is how often a workflow is tried: another flush may have been
// at the same one.
const conflictsMost = 2

// setApart marks the workflows that are carried to a branch set aside from now on.
func (k Keeper) setApart(ctx context.Context, conflicts map[string]int, isApart func(string) bool) error {
	if len(conflicts) == 0 {
		return nil
	}
	return k.Local.Update(ctx, func(tx store.LocalTx) error {
		for w := range conflicts {
			if !isApart(w) {
				continue
			}
			if err := tx.SetMark(ctx, k.apart(w), 1); err != nil {
				return err
			}
		}
		return nil
	})
}

// apart is the mark of a workflow that is carried to a branch set aside.
func (k Keeper) apart(workflow string) string { return "apart:" + k.StoreName + ":" + workflow }

// carryMarks carries what people did to checkpoints that are in the store. What
// was deleted and came back by an import is as it is here now.
func carryMarks(ctx context.Context, tx store.Tx, own store.Reader, events []store.LogEvent, f *Flushed) error {
	for _, e := range events {
		if e.Kind != store.CheckpointCompleted && e.Kind != store.CheckpointDeleted {
			continue
		}
		c, err := tx.Checkpoint(ctx, e.Checkpoint)
		if piton.CodeOf(err) == piton.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		here, err := own.Checkpoint(ctx, e.Checkpoint)
		if err != nil && piton.CodeOf(err) != piton.NotFound {
			return err
		}
		kept := err == nil
		if e.Kind == store.CheckpointDeleted {
			if kept {
				continue
			}
			if _, err := tx.Delete(ctx, []string{c.ID}); err != nil {
				return err
			}
			f.Deleted++
			continue
		}
		if !c.Completed && (!kept || here.Completed) {
			if err := tx.Complete(ctx, c.ID, e.At); err != nil {
				return err
			}
			f.Completed++
		}
	}
	return nil
}

// mirrored bounds how many open heads of a project are kept here.
const mirrored = 50

// mirror notes the store's open heads of this machine's projects.
func (k Keeper) mirror(ctx context.Context, shared map[string]string) (int, error) {
	offered := 0
	for project, id := range shared {
		if project == "" {
			continue
		}
		page, err := k.Store.List(ctx, piton.Query{Project: id, Shared: k.unowned(id), Open: true, Limit: mirrored})
		if err != nil {
			return offered, err
		}
		offered += len(page.Checkpoints)
		heads, _ := redact.By(k.Redact, page.Checkpoints)
		err = k.Local.Update(ctx, func(tx store.LocalTx) error {
			return tx.SetMirror(ctx, k.StoreName, project, heads)
		})
		if err != nil {
			return offered, err
		}
	}
	return offered, nil
}
