package history

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
)

// ForkDraft is what a caller asks to start a branch with.
type ForkDraft struct {
	piton.ForkRequest // its project is an id
	Origin            piton.Origin
	Once              *piton.StartKey // as that of a Draft
}

// Forked is the answer to a fork.
type Forked struct {
	Saved
	RecoveredFrom string `json:"recovered_from,omitempty"` // the damaged checkpoint that was requested; `parent_id` is its nearest intact ancestor; absent: `--nearest` was not needed
	Why           string `json:"-"`                        // what was wrong with it
}

// Fork starts a branch from any checkpoint: it saves one whose parent is the
// chosen one, with its state and its place in the work again, not completed. It
// is durable when Fork returns. Invalid: the draft is not acceptable. NotFound:
// there is no such checkpoint. Conflict: the workflow has a branch of that
// name. Corrupt: the checkpoint is damaged; the hint names the nearest intact
// ancestor. On any error nothing was written.
func (k Keeper) Fork(ctx context.Context, f ForkDraft) (Forked, error) {
	if f.Branch != "" {
		if err := newName("the branch's name", f.Branch); err != nil {
			return Forked{}, err
		}
		if piton.IsAside(f.Branch) {
			return Forked{}, piton.Errorf(piton.Invalid, "fork", "choose another name", "names of branches that begin with %s are for imports", piton.AsidePrefix)
		}
	}
	from, err := k.forkFrom(ctx, f)
	if err != nil {
		return Forked{}, err
	}
	c := from.Checkpoint
	k = k.writer(ctx, c.WorkflowID)
	if err := k.foreign(piton.Workflow{ID: c.WorkflowID, Name: c.Workflow, Type: c.WorkflowType}); err != nil {
		return Forked{}, err
	}
	d := f.draft(from)
	d.Step, d.StepName = cmp.Or(f.Step, d.Step), cmp.Or(f.StepName, d.StepName)
	s, err := k.session(ctx, &d)
	if err != nil {
		return Forked{}, err
	}
	p, err := k.prepared(d, s)
	if err != nil {
		return Forked{}, err
	}
	state := FromCaller
	if f.State == nil {
		state = FromEarlier
		p.Record.Completed, p.Record.CompletedAt = false, piton.Time{} // what was finished is taken up again
	}
	p.Fork, p.Record.WorkflowID, p.Record.Workflow, p.Record.ParentID = true, c.WorkflowID, c.Workflow, c.ID
	saved, err := k.commit(ctx, p, s, state, func(tx store.Tx, p *store.Prepared) (err error) {
		if f.Branch == "" {
			// Looked up in here, so that two forks at once get two names.
			p.Record.Branch, err = freeBranch(ctx, tx, c.WorkflowID)
		}
		if err == nil {
			err = Draft{Once: f.Once}.once(ctx, tx, p)
		}
		return err
	})
	if err != nil {
		return Forked{}, err
	}
	return Forked{Saved: saved, RecoveredFrom: from.RecoveredFrom, Why: from.Why}, nil
}

// forkFrom finds what to start from. Where the caller brings a state of its
// own the old one is not read, so a damaged checkpoint will do.
func (k Keeper) forkFrom(ctx context.Context, f ForkDraft) (Loaded, error) {
	c, err := k.Find(ctx, Selector{ID: f.From})
	if err != nil || f.State != nil {
		return Loaded{Checkpoint: c, State: f.State}, err
	}
	return k.load(ctx, c, f.Nearest)
}

// draft takes over what the checkpoint says of its place in the work. What a
// new state says of that itself goes first.
func (f ForkDraft) draft(from Loaded) Draft {
	c := from.Checkpoint
	d := Draft{SaveRequest: piton.SaveRequest{Type: c.WorkflowType, Session: f.Session, InProject: piton.InProject{Project: c.Project}, Branch: f.Branch, Verbatim: f.Verbatim, Name: f.Name, Description: f.Description, Tags: f.Tags, Trigger: piton.TriggerManual, State: from.State, Step: c.StepNumber, StepName: c.StepName, PhaseNumber: c.PhaseNumber, PhaseTotal: c.PhaseTotal, Task: c.TaskSummary, Progress: c.Progress}, Origin: f.Origin}
	if f.State == nil || f.Project != c.Project {
		// What the state was made on, not where the fork is typed.
		d.Origin.GitHead, d.Origin.GitBranch = c.Origin.GitHead, c.Origin.GitBranch
	}
	if f.State == nil {
		return d
	}
	said := piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: c.WorkflowType}}
	if s, err := states.Read(f.State); err == nil {
		_ = states.Describe(&said, s) // Prepare says what is wrong with it
	}
	if said.StepNumber != nil || said.PhaseNumber > 0 || said.StepName != "" {
		d.Step, d.StepName, d.PhaseNumber, d.PhaseTotal = said.StepNumber, fitted(said.StepName, maxName), said.PhaseNumber, said.PhaseTotal
	}
	if said.Progress != nil {
		d.Progress = said.Progress
	}
	d.Task = cmp.Or(fitted(said.TaskSummary, maxText), d.Task)
	return d
}

// freeBranch is the first fork-<n> that a workflow does not have.
func freeBranch(ctx context.Context, r store.Reader, workflow string) (string, error) {
	branches, err := r.Branches(ctx, workflow)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		name := "fork-" + strconv.Itoa(n)
		if !slices.ContainsFunc(branches, func(b store.Branch) bool { return b.Name == name }) {
			return name, nil
		}
	}
}

// Branches lists the branches of a workflow by id or name, in the order they
// began.
func (k Keeper) Branches(ctx context.Context, ref, project string) ([]store.Branch, error) {
	w, err := k.Workflow(ctx, ref, project)
	if err != nil {
		return nil, err
	}
	return k.Store.Branches(ctx, w.ID)
}
