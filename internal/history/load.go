package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// walkMost bounds the walk from a damaged checkpoint to an intact ancestor.
const walkMost = 10_000

// Loaded is a checkpoint with its state.
type Loaded struct {
	Checkpoint    piton.Checkpoint
	State         []byte
	RecoveredFrom string // the damaged checkpoint this one stands in for
	Why           string // what was wrong with it
}

// Selector names a checkpoint: by ID (or its beginning), by its Name in Project
// (or in a Session or Workflow), or as the newest of a Session or Workflow (in
// Project, where it is a name).
type Selector struct {
	ID, Name, Session, Workflow, Project string
	Branch                               string
}

// Find returns the checkpoint a selector names. Invalid when it names none or
// more than one way.
func (k Keeper) Find(ctx context.Context, s Selector) (piton.Checkpoint, error) {
	if s.Name != "" && s.ID == "" && (s.Session == "" || s.Workflow == "") {
		return k.named(ctx, s)
	}
	given := 0
	for _, x := range []string{s.ID, s.Session, s.Workflow} {
		if x != "" {
			given++
		}
	}
	if given != 1 {
		return piton.Checkpoint{}, piton.Errorf(piton.Invalid, "find the checkpoint", "give an id, --session or --workflow, one of them", "%d ways were given to name it", given)
	}
	switch {
	case s.Session != "":
		ids, err := k.sessions(ctx, s.Session)
		if err != nil {
			return piton.Checkpoint{}, err
		}
		return k.newestOf(ctx, s.Session, piton.Query{Sessions: ids, Branch: cleanName(s.Branch)})
	case s.Workflow != "":
		return k.head(ctx, s.Workflow, s.Project, cleanName(s.Branch))
	}
	return k.checkpoint(ctx, s.ID)
}

// head finds the newest checkpoint of a workflow by id or name.
func (k Keeper) head(ctx context.Context, ref, project, branch string) (piton.Checkpoint, error) {
	w, err := k.Workflow(ctx, ref, project)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	return k.Store.Head(ctx, w.ID, branch)
}

// Load returns a checkpoint's state. A damaged one is Corrupt, with the
// nearest intact ancestor in the hint; with nearest that one is returned
// instead, and says so. Never a wrong state (docs/spec.md, "Corruption").
func (k Keeper) Load(ctx context.Context, s Selector, nearest bool) (Loaded, error) {
	c, err := k.Find(ctx, s)
	if err != nil {
		return Loaded{}, err
	}
	return k.load(ctx, c, nearest)
}

func (k Keeper) load(ctx context.Context, c piton.Checkpoint, nearest bool) (Loaded, error) {
	state, err := k.state(ctx, c)
	if err == nil || piton.CodeOf(err) != piton.Corrupt {
		return Loaded{Checkpoint: c, State: state}, err
	}
	good, tried, found := k.ancestor(ctx, c)
	if !nearest || !found {
		var e *piton.Error
		if errors.As(err, &e) {
			hinted := *e
			hinted.Hint = "no intact ancestor was found; 'piton inspect " + c.ID + "' shows what is known of it"
			if found {
				hinted.Hint = fmt.Sprintf("the nearest intact ancestor is %s (%s): load that, or give --nearest", good.Checkpoint.ID, good.Checkpoint.Step())
			}
			err = &hinted
		}
		return Loaded{}, err
	}
	k.log().WarnContext(ctx, "a damaged checkpoint was replaced by an ancestor", "checkpoint", c.ID, "ancestor", good.Checkpoint.ID, "tried", tried)
	good.RecoveredFrom, good.Why = c.ID, why(err)
	return good, nil
}

// state reads a state and sets the checkpoint aside when it is damaged.
func (k Keeper) state(ctx context.Context, c piton.Checkpoint) ([]byte, error) {
	state, err := k.read(ctx, c)
	if piton.CodeOf(err) == piton.Corrupt && (c.Damaged == "" || c.BadRecord) {
		if err2 := k.Store.Upkeep().SetAside(ctx, c.ID, redact.Value(why(err))); err2 != nil {
			k.log().WarnContext(ctx, "a damaged checkpoint could not be marked", "checkpoint", c.ID, "err", err2)
		}
	}
	return state, err
}

// why is what is wrong, without what was tried: it is told beside the id.
func why(err error) string {
	var e *piton.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// read refuses the state of a checkpoint whose record is damaged: who it
// belongs to is not known for certain.
func (k Keeper) read(ctx context.Context, c piton.Checkpoint) ([]byte, error) {
	if c.BadRecord {
		return nil, piton.Errorf(piton.Corrupt, "load checkpoint "+c.ID, "", "%s", c.Damaged)
	}
	return k.stateOf(ctx, c)
}

// ancestor walks up from a damaged checkpoint to the first intact one: bounded
// and safe against circles.
func (k Keeper) ancestor(ctx context.Context, c piton.Checkpoint) (good Loaded, tried int, found bool) {
	seen := map[string]bool{c.ID: true}
	for p, ok := k.parent(ctx, c); ok && !seen[p.ID] && tried < walkMost; p, ok = k.parent(ctx, p) {
		seen[p.ID] = true
		state, err := k.state(ctx, p)
		switch {
		case err == nil:
			return Loaded{Checkpoint: p, State: state}, tried, true
		case piton.CodeOf(err) != piton.Corrupt:
			return Loaded{}, tried, false // it may be intact: no older one stands in for it
		}
		tried++
	}
	return Loaded{}, tried, false
}

// parent finds a checkpoint's parent. Where damage hides it, the one before it
// on its branch is an ancestor all the same.
func (k Keeper) parent(ctx context.Context, c piton.Checkpoint) (piton.Checkpoint, bool) {
	if c.ParentID == "" && !c.BadRecord {
		return piton.Checkpoint{}, false
	}
	if c.ParentID != "" {
		p, err := k.Store.Checkpoint(ctx, c.ParentID)
		if err == nil && p.ID == c.ParentID {
			return p, true
		}
		if piton.CodeOf(err) == piton.Unavailable {
			return piton.Checkpoint{}, false
		}
	}
	page, err := k.Store.List(ctx, piton.Query{Workflow: c.WorkflowID, Branch: c.Branch, Before: c.Ordinal, Limit: 1})
	if err != nil || len(page.Checkpoints) == 0 || c.WorkflowID == "" || c.Branch == "" || c.Ordinal == 0 {
		return piton.Checkpoint{}, false
	}
	return page.Checkpoints[0], true
}

// Inspection is all that is known of a checkpoint.
type Inspection struct {
	Checkpoint piton.Checkpoint
	Parent     *piton.Checkpoint
	Children   []piton.Checkpoint
	Changes    []byte // RFC 6902, against the parent; nil without one
	State      []byte // nil when damaged
	Damage     error  // why there is no state
}

// Inspect returns metadata, state, lineage and what changed since the parent.
// A damaged state is reported in Damage, not as an error.
func (k Keeper) Inspect(ctx context.Context, id string) (Inspection, error) {
	c, err := k.checkpoint(ctx, id)
	if err != nil {
		return Inspection{}, err
	}
	x := Inspection{Checkpoint: c}
	if x.Children, err = k.Store.Children(ctx, c.ID); err != nil {
		return x, err
	}
	x.State, x.Damage = k.state(ctx, c)
	if x.Damage != nil && piton.CodeOf(x.Damage) != piton.Corrupt {
		return x, x.Damage
	}
	if x.Damage != nil && c.Damaged == "" {
		x.Checkpoint.Damaged = why(x.Damage)
	}
	if c.ParentID == "" {
		return x, nil
	}
	p, err := k.Store.Checkpoint(ctx, c.ParentID)
	if piton.CodeOf(err) == piton.NotFound {
		return x, nil // its row is lost; what there is is still shown
	}
	if err != nil {
		return x, err
	}
	x.Parent = &p
	if k.Diff == nil || x.State == nil {
		return x, nil
	}
	before, err := k.state(ctx, p)
	if err != nil {
		return x, nil // a damaged parent leaves the changes unknown
	}
	x.Changes, err = k.Diff(before, x.State)
	return x, err
}

// List returns what fits the query, newest first; it never reads a state. Of
// open heads it leaves out those of sessions that are at work.
func (k Keeper) List(ctx context.Context, q piton.Query) (piton.Page, error) {
	q, err := k.resolve(ctx, q)
	if err != nil {
		return piton.Page{}, err
	}
	page, err := k.Store.List(ctx, q)
	return k.withoutBusy(ctx, q, page), err
}

// withoutBusy leaves the open heads of sessions at work out of a page.
func (k Keeper) withoutBusy(ctx context.Context, q piton.Query, page piton.Page) piton.Page {
	if q.Open {
		page.Checkpoints = slices.DeleteFunc(page.Checkpoints, func(c piton.Checkpoint) bool {
			return c.WorkflowType == piton.TypeSession && k.alive(ctx, c.SessionID)
		})
	}
	return page
}

// AtWork is the newest open head that fits a query and that List and Detect
// leave out because its session counts as alive: for minutes after a crash, too,
// where the client's process is not known. Without one its ID is empty.
func (k Keeper) AtWork(ctx context.Context, q piton.Query) piton.Checkpoint {
	q.Open, q.Limit, q.Before = true, offered, 0
	q, err := k.resolve(ctx, q)
	if err != nil {
		return piton.Checkpoint{}
	}
	page, err := k.Store.List(ctx, q)
	if err != nil {
		return piton.Checkpoint{}
	}
	for _, c := range page.Checkpoints {
		if c.SessionID != "" && k.alive(ctx, c.SessionID) {
			return c
		}
	}
	return piton.Checkpoint{}
}

// resolve turns a caller's names in a query into ids.
func (k Keeper) resolve(ctx context.Context, q piton.Query) (piton.Query, error) {
	if q.Workflow != "" {
		w, err := k.Workflow(ctx, q.Workflow, q.Project)
		if err != nil {
			return q, err
		}
		// A workflow belongs to one project; its checkpoints are all its own.
		q.Workflow, q.Project = w.ID, ""
	}
	if q.Session != "" {
		ids, err := k.sessions(ctx, q.Session)
		if err != nil {
			return q, err
		}
		q.Session, q.Sessions = "", ids
	}
	q.Name, _ = k.Redact.Text(q.Name) // as it was saved
	q.Branch = cleanName(q.Branch)
	q.Shared = q.Shared || q.Open && k.unowned(q.Project)
	return q, nil
}

// offered bounds how many open heads of each kind detection looks at.
const offered = 100

// Detect returns the heads of a project's open workflows that nobody is at
// work on, any type before type session, newest first, at most limit, and how
// many more open ones there are (docs/spec.md, "Crash recovery"). except is a
// session whose own work is left out. A hook waits for it, so it reads no more
// heads than it has to. An offer belongs to the store that the settings name:
// beside another one than the local file, what was saved here by hand is not
// offered, because it is not carried there.
func (k Keeper) Detect(ctx context.Context, project, except string, limit int) (open []piton.Checkpoint, more int, err error) {
	if k.oneFile() && k.StoreName != "" {
		return k.detectFar(ctx, project, except, limit)
	}
	shared := k.unowned(project)
	bySession, err := k.countOpen(ctx, project, shared)
	if err != nil || len(bySession) == 0 {
		return nil, 0, err
	}
	busy, all := map[string]bool{}, 0
	for session, n := range bySession {
		busy[session] = session != "" && (session == except || k.alive(ctx, session))
		if !busy[session] {
			all += n
		}
	}
	for _, q := range []piton.Query{{NotType: piton.TypeSession}, {Type: piton.TypeSession}} {
		q.Project, q.Shared, q.Open, q.Limit = project, shared, true, min(limit, offered)
		for seen := 0; len(open) < limit && seen < offered; seen += q.Limit {
			page, err := k.Store.List(ctx, q)
			if err != nil {
				return nil, 0, err
			}
			for _, c := range page.Checkpoints {
				if !busy[c.SessionID] {
					open = append(open, c)
				}
			}
			if q.Before = page.Next; q.Before == 0 {
				break
			}
		}
	}
	open = open[:min(len(open), limit)]
	return open, max(all-len(open), 0), nil
}

// unowned tells whether a project's open work takes in what names no project.
func (k Keeper) unowned(project string) bool {
	return project != "" && k.Unowned != nil && k.Unowned(project)
}

// countOpen counts the open heads of a project by their sessions; shared: those
// of none too.
func (k Keeper) countOpen(ctx context.Context, project string, shared bool) (map[string]int, error) {
	count, err := k.Store.CountOpen(ctx, project)
	if err != nil || !shared {
		return count, err
	}
	also, err := k.Store.CountOpen(ctx, "")
	for session, n := range also {
		count[session] += n
	}
	return count, err
}

// detectFar detects from this machine what is open in another store: the heads
// that were noted of it, and of the sessions of this machine, which are carried
// there, those that lie here.
func (k Keeper) detectFar(ctx context.Context, project, except string, limit int) (open []piton.Checkpoint, more int, err error) {
	far, err := k.Local.Mirrored(ctx, k.StoreName, project)
	if err != nil {
		return nil, 0, err
	}
	page, err := k.Store.List(ctx, piton.Query{Project: project, Type: piton.TypeSession, Open: true, Limit: offered})
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(far, func(a, b piton.Checkpoint) int { return b.CreatedAt.Compare(a.CreatedAt.Time) })
	session := func(c piton.Checkpoint) bool { return c.WorkflowType == piton.TypeSession }
	open = append(open, slices.DeleteFunc(slices.Clone(far), session)...)
	for _, c := range page.Checkpoints {
		if c.SessionID == "" || c.SessionID != except && !k.alive(ctx, c.SessionID) {
			open = append(open, c)
		}
	}
	for _, c := range far {
		if session(c) {
			open = append(open, c)
		}
	}
	all := len(open)
	open = open[:min(all, limit)]
	return open, all - len(open), nil
}
