package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/piton-project/piton"
)

// entries reads the entries of checkpoints. What is damaged, or lies in a file
// of the archive that cannot be reached, is told to skip
// and left out, unless skip returns an error; what is gone is left out too. The
// ids that were read are added to ids, which may be nil.
func (k Keeper) entries(ctx context.Context, cs []piton.Checkpoint, skip func(piton.Checkpoint, error) error, ids *[]string) piton.Entries {
	return func(yield func(piton.Entry, error) bool) {
		var w piton.Workflow
		origins := k.origins(ctx)
		for _, c := range cs {
			if w.ID != c.WorkflowID {
				var err error
				if w, err = k.Store.Workflow(ctx, c.WorkflowID, ""); err != nil {
					yield(piton.Entry{}, err)
					return
				}
			}
			state, err := k.state(ctx, c)
			if code := piton.CodeOf(err); code == piton.Corrupt || code == piton.Unavailable && c.Archive != "" && ctx.Err() == nil {
				if err := skip(c, err); err != nil {
					yield(piton.Entry{}, err)
					return
				}
				continue
			}
			if piton.CodeOf(err) == piton.NotFound {
				continue // deleted since it was listed
			}
			if err != nil {
				yield(piton.Entry{}, err)
				return
			}
			e := piton.Entry{Workflow: w, Checkpoint: c, State: state}
			e.Origin = origins[c.Project]
			// Where it lies here means nothing in the file.
			e.Checkpoint.Archive, e.Checkpoint.File, e.Checkpoint.Damaged = "", "", ""
			if ids != nil {
				*ids = append(*ids, c.ID)
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// origins are the origins of projects, by their ids here and in a shared
// store. What cannot be found out is left out.
func (k Keeper) origins(ctx context.Context) map[string]string {
	by := map[string]string{}
	if k.Local == nil {
		return by
	}
	list, err := k.Local.Projects(ctx)
	if err != nil {
		k.log().WarnContext(ctx, "the projects' origins were not found", "err", err)
	}
	for _, p := range list {
		if p.Origin != "" {
			by[p.ID], by[p.SharedID()] = p.Origin, p.Origin
		}
	}
	return by
}

// Export returns what fits a query with its states, those in the archive too,
// workflow by workflow, oldest first, and how many there are. What is damaged
// (Corrupt) or out of reach (Unavailable) is told to skip and left out.
func (k Keeper) Export(ctx context.Context, q piton.Query, skip func(piton.Checkpoint, error)) (piton.Entries, int, error) {
	q, err := k.resolve(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	var cs []piton.Checkpoint
	for c, err := range k.pages(ctx, q) {
		if err != nil {
			return nil, 0, err
		}
		cs = append(cs, c)
	}
	byWorkflow(cs)
	return k.entries(ctx, cs, func(c piton.Checkpoint, err error) error { skip(c, err); return nil }, nil), len(cs), nil
}

// Imported is the answer to an import.
type Imported struct {
	Added    int      `json:"added"`
	Known    int      `json:"known"` // were there already
	Redacted int      `json:"redacted"`
	IDs      []string `json:"ids"` // of those added, in their order
}

// Bounds of one transaction of an import.
const (
	importStep = 32
	importSize = 4 << 20
)

// Import adds entries of another store or another program. It checks, redacts
// and sums them as a save does; what is there already stays as it is, so that
// importing twice changes nothing. project gives the project an entry belongs
// to here. On an error what was imported before stays; the same import again
// goes on.
func (k Keeper) Import(ctx context.Context, entries piton.Entries, project func(piton.Entry) (string, error)) (Imported, error) {
	r := Imported{IDs: []string{}}
	last := map[string]piton.Workflow{} // as the last entry of each knows it
	var batch []piton.Entry
	size := 0
	flush := func() error {
		added, known, err := k.bring(ctx, batch)
		r.Added, r.Known = r.Added+len(added), r.Known+known
		r.IDs = append(r.IDs, added...)
		batch, size = batch[:0], 0
		return err
	}
	for e, err := range entries {
		if err != nil {
			if err2 := flush(); err2 != nil {
				return r, err2
			}
			return r, err
		}
		taken, err := k.accept(&e)
		if err != nil {
			return r, err
		}
		r.Redacted += taken
		if e.Checkpoint.Project, err = project(e); err != nil {
			return r, err
		}
		e.Workflow.Project = e.Checkpoint.Project
		last[e.Workflow.ID] = e.Workflow
		batch = append(batch, e)
		if size += len(e.State); len(batch) == importStep || size > importSize {
			if err := flush(); err != nil {
				return r, err
			}
		}
	}
	if err := flush(); err != nil || r.Added == 0 {
		return r, err
	}
	return r, k.settle(ctx, last)
}

// settle gives workflows of other programs the closed mark that their last
// entry has; those of an export have it in every entry.
func (k Keeper) settle(ctx context.Context, last map[string]piton.Workflow) error {
	return k.Store.Save(ctx, func(tx piton.CheckpointTx) error {
		for _, w := range last {
			if w.HeadID != "" {
				continue
			}
			if err := tx.PutWorkflow(ctx, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// bring imports a batch in one transaction.
func (k Keeper) bring(ctx context.Context, batch []piton.Entry) (added []string, known int, err error) {
	if len(batch) == 0 {
		return nil, 0, nil
	}
	err = k.Store.Save(ctx, func(tx piton.CheckpointTx) error {
		added, known = nil, 0
		for _, e := range batch {
			fresh, err := tx.Import(ctx, e)
			if err != nil {
				return err
			}
			if fresh {
				added = append(added, e.Checkpoint.ID)
			} else {
				known++
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return added, known, nil
}

// accept checks an entry as a save checks a draft, and takes secrets out.
func (k Keeper) accept(e *piton.Entry) (taken int, err error) {
	c, w := &e.Checkpoint, &e.Workflow
	op := "import " + c.ID
	// A file store may hold another program's checkpoints, whose sessions bear
	// names of its own.
	for _, s := range []*string{&c.SessionID, &w.SessionID} {
		if *s != "" && !piton.IsWholeID(piton.SessionPrefix, *s) {
			*s = piton.DeriveID(piton.SessionPrefix, *s)
		}
	}
	if err := checkNumbers(op, *w, *c); err != nil {
		return 0, err
	}
	if c.Branch == "" {
		c.Branch = piton.MainBranch
	}
	c.WorkflowID, c.WorkflowType = w.ID, w.Type
	state, err := Compact(e.State)
	if err != nil {
		return 0, err
	}
	if state, taken, err = k.Redact.JSON(state); err != nil {
		return 0, &piton.Error{Code: piton.Internal, Op: op, Err: err}
	}
	taken += len(takeOut(k.Redact, append(recordFields(c), field{text: &w.Name}, field{text: &w.Type}, field{text: &c.Branch})...))
	if err := checkWorkflowName(op, w.Name); err != nil {
		return 0, err
	}
	d := Draft{StepName: c.StepName, Name: c.Name, Branch: c.Branch, Type: w.Type, Description: c.Description, Task: c.TaskSummary, Tags: c.Tags,
		Trigger: c.Trigger, Progress: c.Progress, Step: c.StepNumber, PhaseNumber: c.PhaseNumber, PhaseTotal: c.PhaseTotal, DurationMS: c.DurationMS}
	if err := d.check(); err != nil {
		return 0, err
	}
	c.Trigger = d.Trigger
	if w.Type == "" {
		w.Type, c.WorkflowType = piton.TypeCustom, piton.TypeCustom
	}
	if c.CreatedAt.IsZero() {
		c.CreatedAt = k.now()
	}
	if c.Completed && c.CompletedAt.IsZero() {
		c.CompletedAt = c.CreatedAt // some programs say only that it is
	}
	if w.CreatedAt.IsZero() {
		w.CreatedAt = c.CreatedAt
	}
	sum := sha256.Sum256(state)
	c.SHA256, e.State = hex.EncodeToString(sum[:]), state
	if c.SchemaVersion == 0 {
		c.SchemaVersion = schemaVersion
	}
	return taken, nil
}

// maxNumber bounds the numbers that are imported: others come behind them, and
// readers of JSON hold what is below as it is.
const maxNumber = 1 << 53

// checkNumbers refuses ids and numbers that no export has.
func checkNumbers(op string, w piton.Workflow, c piton.Checkpoint) error {
	const hint = "import what 'piton export' wrote"
	for _, id := range []struct {
		what, prefix, id string
		must             bool
	}{
		{"checkpoint", piton.CheckpointPrefix, c.ID, true}, {"workflow", piton.WorkflowPrefix, w.ID, true}, {"checkpoint", piton.CheckpointPrefix, c.ParentID, false},
		{"session", piton.SessionPrefix, c.SessionID, false}, {"session", piton.SessionPrefix, w.SessionID, false},
	} {
		if (id.id != "" || id.must) && !piton.IsWholeID(id.prefix, id.id) {
			return piton.Errorf(piton.Invalid, op, hint, "%q is no %s's id", id.id, id.what)
		}
	}
	if c.Seq < 0 || c.Seq > maxNumber || w.Seq < 0 || w.Seq > maxNumber {
		return piton.Errorf(piton.Invalid, op, hint, "number %d of %d in its workflow does not exist", c.Seq, w.Seq)
	}
	if u := c.TokenUsage; u != nil && min(u.Input, u.Output, u.CacheRead, u.CacheWrite) < 0 {
		return piton.Errorf(piton.Invalid, op, hint, "it says that less than no tokens were used")
	}
	return nil
}

// checkWorkflowName refuses a workflow's name that no save would have made.
func checkWorkflowName(op, name string) error {
	if strings.HasPrefix(name, piton.WorkflowPrefix) {
		return piton.Errorf(piton.Invalid, op, "", "a workflow's own name does not begin with %s: %q", piton.WorkflowPrefix, name)
	}
	return checkText("the workflow's name", name, 2*maxName, false) // with a number, or marks of secrets, in it
}
