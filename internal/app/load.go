package app

import (
	"cmp"
	"context"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/states"
)

// Load reads a state, or a part of it.
func (a Checkpoints) Load(ctx context.Context, r piton.LoadRequest) (history.Loaded, error) {
	if err := says("load", r.Ref, r.Workflow, r.Session, r.Name); err != nil {
		return history.Loaded{}, err
	}
	k, s, err := a.open(ctx, r.Choice)
	if err != nil {
		return history.Loaded{}, err
	}
	l, err := k.Load(ctx, s, r.Nearest)
	if err == nil && r.Path != "" {
		l.State, err = states.At(l.State, r.Path)
	}
	return l, err
}

// Record is the record of what Load loads. Its state is not read.
func (a Checkpoints) Record(ctx context.Context, r piton.LoadRequest) (piton.Checkpoint, error) {
	if err := says("load", r.Ref, r.Workflow, r.Session, r.Name); err != nil {
		return piton.Checkpoint{}, err
	}
	k, s, err := a.open(ctx, r.Choice)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	return k.Find(ctx, s)
}

// Complete marks the head of a branch as completed and closes its workflow. What the
// work of an agent's session left open is closed with it by a person only.
// A dry run answers with that head and changes nothing.
func (a Checkpoints) Complete(ctx context.Context, r piton.CompleteRequest) (piton.Checkpoint, error) {
	if err := says("complete", r.Ref, r.Workflow, r.Session); err != nil {
		return piton.Checkpoint{}, err
	}
	c := r.Choice()
	c.Own = a.Options.Model && c.Session != ""
	k, s, err := a.open(ctx, c)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	head, err := k.WouldComplete(ctx, s)
	if err != nil || r.DryRun {
		return head, err
	}
	if err := a.OwnProject(ctx, "complete "+head.ID, head.Project, ""); err != nil {
		return piton.Checkpoint{}, err
	}
	open, err := a.mayComplete(ctx, head.WorkflowID)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	if head, err = k.Complete(ctx, s); err != nil {
		return head, err
	}
	return head, a.closeNeeds(ctx, open, "completed")
}

// Delete deletes checkpoints. With an error the answer says what was deleted
// before it.
func (a Checkpoints) Delete(ctx context.Context, r piton.DeleteRequest) (history.Removal, error) {
	age, err := caller.ParseAge(cmp.Or(r.OlderThan, "0"))
	if err == nil {
		err = says("delete", r.Ref, r.Workflow, r.Session)
	}
	if err == nil && r.Ref != "" && IsName(r.Ref) {
		err = piton.Errorf(piton.Invalid, "delete", "'list' shows the ids", "%q is not an id, and what is to be deleted is named by its id", r.Ref)
	}
	if err != nil {
		return history.Removal{}, err
	}
	k, s, err := a.open(ctx, r.Choice())
	if err != nil {
		return history.Removal{}, err
	}
	o := history.DeleteOptions{OlderThan: age, DryRun: r.DryRun}
	if a.NotPerson(ctx) == "" {
		return k.Delete(ctx, s, o)
	}
	o.Spare = a.spares(ctx)
	x, err := k.Delete(ctx, s, o)
	if err == nil && s.ID != "" && x.Deleted == 0 && strings.HasSuffix(x.Rows[0].Reason, personDeletes) {
		err = a.ByPerson(ctx, "delete "+s.ID, "it is "+strings.TrimSuffix(x.Rows[0].Reason, personDeletes))
	}
	return x, err
}

const personDeletes = ": a person deletes it"

// spares says what is kept from a caller who is not a person: what another project has
// saved, and what others than the caller's own session have named.
func (a Checkpoints) spares(ctx context.Context) func(piton.Checkpoint) string {
	own, elsewhere := a.Session(ctx), a.Elsewhere(ctx)
	return func(c piton.Checkpoint) string {
		switch {
		case elsewhere(c.Project, ""):
			return "of another project" + personDeletes
		case c.Name != "" && (own == "" || c.SessionID != own):
			return "named" + personDeletes
		}
		return ""
	}
}

// Inspect shows a checkpoint. Where the state is asked for and damaged, it fails.
func (a Checkpoints) Inspect(ctx context.Context, r piton.InspectRequest) (history.Inspection, error) {
	k, id, err := a.one(ctx, r.Ref, r.Project)
	if err != nil {
		return history.Inspection{}, err
	}
	x, err := k.Inspect(ctx, id)
	if err == nil && x.Damage != nil && r.State {
		e := *caller.AsError(x.Damage)
		e.Hint = cmp.Or(e.Hint, "the rest is shown without the state; 'load "+x.Checkpoint.ID+" nearest' loads the nearest intact ancestor")
		err = &e
	}
	return x, err
}

// Raw reads what is left of a state.
func (a Checkpoints) Raw(ctx context.Context, r piton.OneRequest) (history.Remains, error) {
	k, id, err := a.one(ctx, r.Ref, r.Project)
	if err != nil {
		return history.Remains{}, err
	}
	return k.Raw(ctx, id)
}

// says refuses a request that names nothing: what loads, ends or deletes something does
// not look for it.
func says(op string, names ...string) error {
	if strings.Join(names, "") != "" {
		return nil
	}
	return piton.Errorf(piton.Invalid, op, "give 'id', 'workflow' or 'session', one of them; 'list' shows what there is", "no checkpoint is named")
}

// one opens the stores for a reader and finds the id that ref names.
func (a Checkpoints) one(ctx context.Context, ref, dir string) (history.Keeper, string, error) {
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return k, "", err
	}
	id, err := a.id(ctx, k, ref, dir)
	return k, id, err
}

// Compare compares two checkpoints; where one is named, it with its parent.
func (a Checkpoints) Compare(ctx context.Context, r piton.DiffRequest) (history.Comparison, error) {
	k, ids, err := a.both(ctx, r)
	if err != nil {
		return history.Comparison{}, err
	}
	return k.Compare(ctx, ids[0], ids[1])
}

// Pair is the two records and states that Compare compares.
func (a Checkpoints) Pair(ctx context.Context, r piton.DiffRequest) (history.Pair, error) {
	k, ids, err := a.both(ctx, r)
	if err != nil {
		return history.Pair{}, err
	}
	return k.Pair(ctx, ids[0], ids[1])
}

func (a Checkpoints) both(ctx context.Context, r piton.DiffRequest) (k history.Keeper, ids [2]string, err error) {
	if k, err = a.Keeper(ctx, true); err != nil {
		return k, ids, err
	}
	for i, ref := range []string{r.From, r.To} {
		if ids[i], err = a.id(ctx, k, ref, r.Project); err != nil {
			break
		}
	}
	return k, ids, err
}
