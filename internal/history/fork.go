package history

import (
	"context"
	"strconv"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// ForkDraft is what a caller asks to start a branch with.
type ForkDraft struct {
	From        string // a checkpoint's id or its beginning
	Nearest     bool   // take the nearest intact ancestor of a damaged one
	Branch      string // empty: the first fork-<n> that is free
	State       []byte // JSON; nil: the state of the checkpoint it starts from, again
	Session     string // our id or the client's; empty: none
	Project     string // where the caller is, a project id
	Name        string
	Description string
	Tags        []string
	Origin      piton.Origin
}

// Forked is the answer to a fork.
type Forked struct {
	Saved
	RecoveredFrom string `json:"recovered_from,omitempty"` // the damaged checkpoint whose ancestor was taken
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
		if err := newName("--branch", f.Branch); err != nil {
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
	k = k.writer(ctx, from.Checkpoint.WorkflowID)
	if err := k.foreign(piton.Workflow{ID: from.Checkpoint.WorkflowID, Name: from.Checkpoint.Workflow, Type: from.Checkpoint.WorkflowType}); err != nil {
		return Forked{}, err
	}
	d := f.draft(from)
	session, made, err := k.session(ctx, &d)
	if err != nil {
		return Forked{}, err
	}
	if d.Origin.Agent == "" {
		d.Origin.Agent, d.Origin.ClientVersion = session.Agent, session.ClientVersion
	}
	p, _, err := k.Prepare(d)
	if err != nil {
		return Forked{}, err
	}
	if f.State == nil {
		p.Record.Completed, p.Record.CompletedAt = false, piton.Time{} // what was finished is taken up again
	}
	p.Fork, p.Record.WorkflowID, p.Record.Workflow, p.Record.ParentID = true, from.Checkpoint.WorkflowID, from.Checkpoint.Workflow, from.Checkpoint.ID
	var c piton.Checkpoint
	err = k.write(ctx, &session, made, func(tx store.Tx) (string, error) {
		p.Record.SessionID, p.Record.SessionName = session.ID, SessionName(session)
		if f.Branch == "" {
			// Looked up in here, so that two forks at once get two names.
			if p.Record.Branch, err = freeBranch(ctx, tx, p.Record.WorkflowID); err != nil {
				return "", err
			}
		}
		clean, _ := redact.By(k.Redact, p)
		if c, err = tx.Append(ctx, clean); err != nil {
			return "", err
		}
		return c.WorkflowID, tx.Count(ctx, "checkpoint_save_count", 1)
	})
	if err != nil {
		return Forked{}, err
	}
	state := FromEarlier
	if f.State != nil {
		state = FromCaller
	}
	return Forked{Saved: saved(c, p, state), RecoveredFrom: from.RecoveredFrom, Why: from.Why}, nil
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

// draft takes over what the checkpoint says of its place in the work. Of a new
// state its own word on that goes first.
func (f ForkDraft) draft(from Loaded) Draft {
	c := from.Checkpoint
	d := Draft{
		Type: c.WorkflowType, Session: f.Session, Project: c.Project, Branch: f.Branch,
		Name: f.Name, Description: f.Description, Tags: f.Tags, Trigger: piton.TriggerManual, Origin: f.Origin, State: from.State,
		Step: c.StepNumber, StepName: c.StepName, PhaseNumber: c.PhaseNumber, PhaseTotal: c.PhaseTotal, Task: c.TaskSummary, Progress: c.Progress,
	}
	if f.State == nil || f.Project != c.Project {
		// What the state was made on, not where the fork is typed.
		d.Origin.GitHead, d.Origin.GitBranch = c.Origin.GitHead, c.Origin.GitBranch
	}
	if f.State == nil {
		return d
	}
	said := piton.Checkpoint{WorkflowType: c.WorkflowType}
	_ = Keeper{}.describe(&said, Draft{}, f.State, f.State) // Prepare says what is wrong with it
	if said.StepNumber != nil || said.PhaseNumber > 0 || said.StepName != "" {
		d.Step, d.StepName, d.PhaseNumber, d.PhaseTotal = said.StepNumber, said.StepName, said.PhaseNumber, said.PhaseTotal
	}
	if said.Progress != nil {
		d.Progress = said.Progress
	}
	d.Task = firstOf(said.TaskSummary, d.Task)
	return d
}

// freeBranch is the first fork-<n> that a workflow does not have.
func freeBranch(ctx context.Context, r store.Reader, workflow string) (string, error) {
	branches, err := r.Branches(ctx, workflow)
	if err != nil {
		return "", err
	}
	taken := map[string]bool{}
	for _, b := range branches {
		taken[b.Name] = true
	}
	for n := 1; ; n++ {
		if name := "fork-" + strconv.Itoa(n); !taken[name] {
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
