package app

import (
	"cmp"
	"context"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// Load reads a state. nearest: the nearest intact ancestor of a damaged
// checkpoint is taken in its place.
func (a *App) Load(ctx context.Context, c Choice, nearest bool) (history.Loaded, error) {
	k, s, err := a.open(ctx, c)
	if err != nil {
		return history.Loaded{}, err
	}
	return k.Load(ctx, s, nearest)
}

// Complete marks the head of a branch as completed and closes its workflow. What the
// work of an agent's session left open is closed with it by a person only.
func (a *App) Complete(ctx context.Context, c Choice) (piton.Checkpoint, error) {
	k, s, err := a.open(ctx, c)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	head, err := k.WouldComplete(ctx, s)
	if err != nil {
		return head, err
	}
	if err := a.ownProject(ctx, "complete "+head.ID, head.Project, ""); err != nil {
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

// WouldComplete is the head that Complete would mark; nothing is changed.
func (a *App) WouldComplete(ctx context.Context, c Choice) (piton.Checkpoint, error) {
	k, s, err := a.open(ctx, c)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	return k.WouldComplete(ctx, s)
}

// DeleteRequest says what to delete: one checkpoint, a workflow's or a session's.
type DeleteRequest struct {
	Choice
	Older  string // only what is older than this span of time (ParseAge); empty: all
	DryRun bool
}

// Delete deletes checkpoints. With an error the answer says what was deleted
// before it.
func (a *App) Delete(ctx context.Context, r DeleteRequest) (history.Removal, error) {
	age, err := ParseAge(cmp.Or(r.Older, "0"))
	if err != nil {
		return history.Removal{}, err
	}
	k, s, err := a.open(ctx, r.Choice)
	if err != nil {
		return history.Removal{}, err
	}
	o := history.DeleteOptions{OlderThan: age, DryRun: r.DryRun}
	if a.notPerson(ctx) == "" {
		return k.Delete(ctx, s, o)
	}
	o.Spare = a.spares(ctx)
	x, err := k.Delete(ctx, s, o)
	if err == nil && s.ID != "" && x.Deleted == 0 && strings.HasSuffix(x.Rows[0].Reason, personDeletes) {
		err = a.byPerson(ctx, "delete "+s.ID, "it is "+strings.TrimSuffix(x.Rows[0].Reason, personDeletes))
	}
	return x, err
}

const personDeletes = ": a person deletes it"

// spares says what is kept from a caller who is no person: what another project has
// saved, and what others than the caller's own session have named.
func (a *App) spares(ctx context.Context) func(piton.Checkpoint) string {
	own, elsewhere := a.Session(ctx), a.elsewhere(ctx)
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

// Inspect shows a checkpoint. needState: it fails where the state is damaged.
func (a *App) Inspect(ctx context.Context, ref string, needState bool) (history.Inspection, error) {
	k, id, err := a.named(ctx, ref)
	if err != nil {
		return history.Inspection{}, err
	}
	x, err := k.Inspect(ctx, id)
	if err == nil && x.Damage != nil && needState {
		e := *AsError(x.Damage)
		e.Hint = cmp.Or(e.Hint, "the rest is shown without the state; 'load "+x.Checkpoint.ID+" nearest' loads the nearest intact ancestor")
		err = &e
	}
	return x, err
}

// Raw reads what is left of a state.
func (a *App) Raw(ctx context.Context, ref string) (history.Remains, error) {
	k, id, err := a.named(ctx, ref)
	if err != nil {
		return history.Remains{}, err
	}
	return k.Raw(ctx, id)
}

// named opens the stores for a reader and finds the id that ref names.
func (a *App) named(ctx context.Context, ref string) (history.Keeper, string, error) {
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return k, "", err
	}
	id, err := a.id(ctx, k, ref)
	return k, id, err
}

// Compare compares two checkpoints; where to is empty, from with its parent.
func (a *App) Compare(ctx context.Context, from, to string) (history.Comparison, error) {
	k, ids, err := a.both(ctx, from, to)
	if err != nil {
		return history.Comparison{}, err
	}
	return k.Compare(ctx, ids[0], ids[1])
}

// Pair is the two records and states that Compare compares.
func (a *App) Pair(ctx context.Context, from, to string) (history.Pair, error) {
	k, ids, err := a.both(ctx, from, to)
	if err != nil {
		return history.Pair{}, err
	}
	return k.Pair(ctx, ids[0], ids[1])
}

func (a *App) both(ctx context.Context, from, to string) (k history.Keeper, ids [2]string, err error) {
	if k, err = a.Keeper(ctx, true); err != nil {
		return k, ids, err
	}
	for i, ref := range []string{from, to} {
		if ids[i], err = a.id(ctx, k, ref); err != nil {
			break
		}
	}
	return k, ids, err
}
