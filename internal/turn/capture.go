package turn

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/project"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// found is what was seen of a turn from outside.
type found struct {
	changes   git.Changes
	gitErr    error
	script    agent.Transcript
	scriptErr error
	read      *debrief.Reading // of the script's calls
	links     *links
	tests     []testCommand
	doubts    []debrief.Doubt
	was       map[string]*string // settings and definitions of tests as they were, where the turn changed them
	verified  []agent.Verified   // what Piton ran itself
	troubled  bool               // the person is told what of the settings does not count
}

// look asks git and the transcript about the open turn, both at once. also are
// calls that may not stand in the transcript yet.
func (t Turns) look(ctx context.Context, s agent.Session, turn agent.Turn, status func() statusOrError, also ...agent.Call) found {
	var f found
	atRoot := func() *project.Tests { return project.AtRoot(s.Root) }
	script := soon(func() found {
		var f found
		f.script, f.scriptErr = t.transcript(s, turn)
		f.script.Calls = append(f.script.Calls, also...)
		f.links = newLinks()
		f.read = debrief.Read(s.Root, f.script.Calls, f.links.resolve)
		if slices.ContainsFunc(f.script.Calls, func(c agent.Call) bool { return c.Kind == agent.CallEdit || c.Kind == agent.CallShell }) {
			atRoot = soon(atRoot) // files will have changed
		}
		return f
	})
	var base *git.Baseline
	f.changes, base, f.gitErr = t.changes(ctx, s.Root, turn, status)
	x := script()
	f.script, f.scriptErr, f.read, f.links = x.script, x.scriptErr, x.read, x.links
	f.was = t.asItWas(ctx, s.Root, base, f.changes.Files)
	f.tests, f.doubts = testCommands(atRoot, s.Root, f.changes.Files, f.was)
	return f
}

func (t Turns) transcript(s agent.Session, turn agent.Turn) (agent.Transcript, error) {
	if s.Transcript == "" {
		return agent.Transcript{}, piton.Errorf(piton.NotFound, "read the transcript", "", "the client named none")
	}
	x, err := t.Client.Transcript(s.Transcript, turn.StartedAt.Time)
	// What is quoted later may be cut first, and half a secret is not known as
	// one: they are taken out here. Of the outputs only the few that the rules
	// look at are cleaned, and those by them (see cleaned).
	for i := range x.Calls {
		x.Calls[i].Command = cleaned(x.Calls[i].Command)
	}
	x.ClientVersion = cut(x.ClientVersion, maxVersion)
	return x, err
}

// cleaned is a text without its secrets.
func cleaned(text string) string {
	text, _ = redact.Text(text)
	return text
}

// statusOrError is git's answer, or why there is none.
type statusOrError struct {
	dir    string
	status git.Status
	err    error
}

// status asks git in the background.
func (t Turns) status(ctx context.Context, dir string) func() statusOrError {
	return soon(func() statusOrError {
		if dir == "" {
			return statusOrError{err: git.ErrNoRepo}
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		st, err := (git.Repo{Dir: dir}).Status(ctx)
		return statusOrError{dir: dir, status: st, err: err}
	})
}

// changes compares git's answer with the turn's baseline, which it returns too.
func (t Turns) changes(ctx context.Context, dir string, turn agent.Turn, status func() statusOrError) (git.Changes, *git.Baseline, error) {
	st := status()
	if st.dir != dir && dir != "" {
		st = t.status(ctx, dir)() // the client is in another work tree than the session
	}
	if st.err != nil {
		return git.Changes{}, nil, st.err
	}
	var base *git.Baseline
	if len(turn.Baseline) > 0 {
		base = new(git.Baseline)
		if err := json.Unmarshal(turn.Baseline, base); err != nil {
			t.log().WarnContext(ctx, "the baseline cannot be read", "err", err)
			base = nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	changes, err := (git.Repo{Dir: dir}).Compare(ctx, st.status, base)
	return changes, base, err
}

// asItWas are the settings and the definitions of tests that the turn changed, as
// they were in the commit it began at. It asks git only where there are any.
func (t Turns) asItWas(ctx context.Context, root string, base *git.Baseline, changed []git.File) map[string]*string {
	var paths []string
	for _, f := range changed {
		if f.Path == settingsFile || project.Defines(f.Path) {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	commit := ""
	if base != nil {
		commit = base.Head
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	was, err := (git.Repo{Dir: root}).Before(ctx, commit, paths)
	if err != nil {
		t.log().WarnContext(ctx, "the definitions before the turn cannot be read", "err", err)
	}
	return was
}

// settingsFile is where a project's settings lie, as seen from its root.
const settingsFile = ".piton.yaml"

// prepared is a checkpoint ready to be appended.
type prepared struct{ store.Prepared }

// prepare does the slow part of a session's save.
func (t Turns) prepare(ctx context.Context, st *store.Local, s agent.Session, d history.Draft) (*prepared, error) {
	p, _, err := t.keeper(st).Prepare(d)
	if err != nil {
		return nil, err
	}
	if p, err = st.Checkpoints.Prepare(ctx, p); err != nil {
		return nil, err
	}
	p.Record.SessionID, p.Record.SessionName = s.ID, history.SessionName(s)
	p.Keep = true
	return &prepared{p}, nil
}

// append adds a prepared checkpoint inside a transaction and returns the
// session that knows of it.
func (p *prepared) append(ctx context.Context, tx store.LocalTx, s agent.Session) (agent.Session, error) {
	r := p.Record
	if s.WorkflowID != "" {
		if _, err := tx.Workflow(ctx, s.WorkflowID, ""); piton.CodeOf(err) == piton.NotFound {
			s.WorkflowID = ""
		} else if err != nil {
			return s, err
		}
	}
	if s.WorkflowID == "" {
		s.WorkflowID = piton.NewID(piton.WorkflowPrefix)
		w := piton.Workflow{ID: s.WorkflowID, Type: piton.TypeSession, Project: s.Project, SessionID: s.ID, CreatedAt: r.CreatedAt}
		if err := tx.PutWorkflow(ctx, redact.Value(w)); err != nil {
			return s, err
		}
	}
	if s.CurrentID == "" {
		s.CurrentID = s.WorkflowID
	}
	q := p.Prepared
	q.Record.WorkflowID = s.WorkflowID
	if _, err := tx.Append(ctx, redact.Value(q)); err != nil {
		return s, err
	}
	s.SavedAt = r.CreatedAt
	if limited(r.Trigger) {
		saved := maps.Clone(s.SavedFor)
		if saved == nil {
			saved = map[piton.Trigger]piton.Time{}
		}
		saved[r.Trigger] = r.CreatedAt
		s.SavedFor = saved
	}
	return s, tx.Count(ctx, "checkpoint_save_count", 1)
}

// save captures the session's state and keeps it, outside of a decision. said
// is what the checkpoint's description begins with, also see look.
func (t Turns) save(ctx context.Context, st *store.Local, s agent.Session, why piton.Trigger, said string, at piton.Time, also ...agent.Call) error {
	if !t.saves(why) {
		return nil
	}
	d, err := t.capture(ctx, st, s, why, at, also...)
	if err != nil {
		return err
	}
	d.Description = joined(said, d.Description)
	p, err := t.prepare(ctx, st, s, d)
	if err != nil {
		return err
	}
	was := s
	defer t.carry(s.ID)
	return st.Update(ctx, func(tx store.LocalTx) error {
		s, err := again(ctx, tx, was)
		if err != nil || limited(why) && (s.SavedAt != was.SavedAt || !rested(s, why, at)) {
			return err // of tools that end at once one saves
		}
		if s, err = p.append(ctx, tx, s); err != nil {
			return err
		}
		return tx.PutSession(ctx, redact.Value(kept(s)))
	})
}

func (t Turns) capture(ctx context.Context, st *store.Local, s agent.Session, why piton.Trigger, at piton.Time, also ...agent.Call) (history.Draft, error) {
	turn, err := st.Turn(ctx, s.ID, s.Turn)
	if err != nil {
		return history.Draft{}, err
	}
	f := t.look(ctx, s, turn, t.status(ctx, s.Root), also...)
	r := debrief.Look(t.input(ctx, st, s, t.inForce(s.Root, f), turn, f, at))
	if !s.TurnOpen && !turn.EndedAt.IsZero() {
		at = turn.EndedAt
	}
	return t.draft(ctx, st, s, f, clean(r.Actions), owned(r.Files), why, at), nil
}

// Capture is the state a hook would save for a session now.
func (t Turns) Capture(ctx context.Context, s agent.Session) ([]byte, error) {
	st, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	d, err := t.capture(ctx, st, s, piton.TriggerManual, t.at(agent.Event{}))
	return d.State, err
}
