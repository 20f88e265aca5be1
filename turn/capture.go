package turn

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/git"
	"github.com/piton-project/piton/history"
)

// interval is the work after which a state is saved inside a turn.
const interval = 10 * time.Minute

// sessionState is the state that hooks save (docs/spec.md, "Kinds", session).
type sessionState struct {
	TaskSummary   string            `json:"task_summary"`
	Todos         []piton.Todo      `json:"todos"`
	FilesModified []string          `json:"files_modified"`
	Commands      []command         `json:"commands"`
	Unverified    []string          `json:"unverified,omitempty"` // what the debrief still asked for
	AgentOutputs  map[string]string `json:"agent_outputs,omitempty"`
	Decisions     []json.RawMessage `json:"decisions"`
	GitHead       string            `json:"git_head,omitempty"`
	GitBranch     string            `json:"git_branch,omitempty"`
	TokenUsage    piton.TokenUsage  `json:"token_usage"`
}

// command is a shell command of the turn.
type command struct {
	Command string     `json:"command"`
	Failed  bool       `json:"failed,omitempty"`
	At      piton.Time `json:"at"`
}

// commandsKept bounds the commands of a state: the newest.
const commandsKept = 30

// found is what was seen of a turn from outside.
type found struct {
	changes   git.Changes
	gitErr    error
	script    piton.Transcript
	scriptErr error
	tests     []testCommand
}

// look asks git and the transcript about the open turn, both at once.
func (t Turns) look(ctx context.Context, s piton.Session, turn piton.Turn, status func() statusOrError) found {
	var f found
	script := soon(func() found {
		var f found
		f.script, f.scriptErr = t.transcript(s, turn)
		f.tests = testCommands(s.Root, edited(s.Root, f.script.Calls))
		return f
	})
	f.changes, f.gitErr = t.changes(ctx, s.Root, turn, status)
	x := script()
	f.script, f.scriptErr, f.tests = x.script, x.scriptErr, x.tests
	return f
}

func (t Turns) transcript(s piton.Session, turn piton.Turn) (piton.Transcript, error) {
	if s.Transcript == "" {
		return piton.Transcript{}, piton.Errorf(piton.NotFound, "read the transcript", "", "the client named none")
	}
	return t.Client.Transcript(s.Transcript, turn.StartedAt.Time)
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
		st, err := (git.Repo{Dir: dir}).Status(ctx)
		return statusOrError{dir: dir, status: st, err: err}
	})
}

// changes compares git's answer with the turn's baseline.
func (t Turns) changes(ctx context.Context, dir string, turn piton.Turn, status func() statusOrError) (git.Changes, error) {
	st := status()
	if st.dir != dir && dir != "" {
		st = t.status(ctx, dir)() // the client is in another work tree than the session
	}
	if st.err != nil {
		return git.Changes{}, st.err
	}
	var base *git.Baseline
	if len(turn.Baseline) > 0 {
		base = new(git.Baseline)
		if err := json.Unmarshal(turn.Baseline, base); err != nil {
			t.log().WarnContext(ctx, "the baseline cannot be read", "err", err)
			base = nil
		}
	}
	return (git.Repo{Dir: dir}).Compare(ctx, st.status, base)
}

// draft builds the checkpoint of a session as it stands.
func (t Turns) draft(ctx context.Context, st Store, s piton.Session, f found, unverified []string, own []string, why piton.Trigger, at piton.Time) history.Draft {
	before := t.before(ctx, st, s)
	x := sessionState{
		TaskSummary:   firstOf(s.LastMessage, cut(f.script.LastPrompt, maxMessage)),
		Todos:         f.script.CarryTodos(before.Todos),
		FilesModified: union(before.FilesModified, own),
		Commands:      commands(f.script.Calls, before.Commands),
		Unverified:    unverified,
		AgentOutputs:  s.Outputs,
		Decisions:     before.Decisions,
		GitHead:       firstOf(f.changes.Head, before.GitHead),
		GitBranch:     firstOf(f.changes.Branch, before.GitBranch),
		TokenUsage:    s.Usage.Plus(f.script.Usage),
	}
	if x.Todos == nil {
		x.Todos = []piton.Todo{}
	}
	if x.Decisions == nil {
		x.Decisions = []json.RawMessage{}
	}
	state, err := json.Marshal(x)
	if err != nil {
		// Only a decision carried over can be unmarshalable; it was read as JSON.
		state = []byte("{}")
	}
	return history.Draft{
		Type: piton.TypeSession, Project: s.Project, Task: runeCut(x.TaskSummary, 1000), Trigger: why,
		Step: &s.Turn, State: state, Progress: progress(x.Todos),
		DurationMS: s.Elapsed(piton.TimerUnified, at.Time).Milliseconds(), TokenUsage: &x.TokenUsage,
		Origin: piton.Origin{Agent: s.Agent, ClientVersion: firstOf(s.ClientVersion, f.script.ClientVersion), GitHead: x.GitHead, GitBranch: x.GitBranch},
	}
}

// before is the newest state of the session's own workflow; what cannot be
// read is as if it were not there.
func (t Turns) before(ctx context.Context, st Store, s piton.Session) sessionState {
	var x sessionState
	if s.WorkflowID == "" {
		return x
	}
	head, err := st.Head(ctx, s.WorkflowID, piton.MainBranch)
	if err != nil {
		return x
	}
	state, err := st.State(ctx, head.ID)
	if err == nil {
		err = json.Unmarshal(state, &x)
	}
	if err != nil {
		t.log().WarnContext(ctx, "the state before cannot be read", "checkpoint", head.ID, "err", err)
	}
	return x
}

// prepared is a checkpoint ready to be appended, and its workflow.
type prepared struct {
	piton.Prepared
	workflow string // empty: the session has none yet
}

// prepare does the slow part of a session's save.
func (t Turns) prepare(ctx context.Context, st Store, s piton.Session, d history.Draft) (*prepared, error) {
	p, _, err := t.keeper(st).Prepare(d)
	if err != nil {
		return nil, err
	}
	p.Record.SessionID = s.ID
	p.Keep = true
	return &prepared{Prepared: p, workflow: s.WorkflowID}, nil
}

// append adds a prepared checkpoint inside a transaction and returns the
// session that knows of it.
func (p *prepared) append(ctx context.Context, tx piton.LocalTx, s piton.Session) (piton.Session, error) {
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
		if err := tx.PutWorkflow(ctx, w); err != nil {
			return s, err
		}
	}
	if s.CurrentID == "" {
		s.CurrentID = s.WorkflowID
	}
	q := p.Prepared
	q.Record.WorkflowID = s.WorkflowID
	if _, err := tx.Append(ctx, q); err != nil {
		return s, err
	}
	s.SavedAt = r.CreatedAt
	return s, tx.Count(ctx, "checkpoint_save_count", 1)
}

// save captures the session's state and keeps it, outside of a decision.
func (t Turns) save(ctx context.Context, st Store, s piton.Session, why piton.Trigger, at piton.Time) error {
	d, err := t.capture(ctx, st, s, why, at)
	if err != nil {
		return err
	}
	p, err := t.prepare(ctx, st, s, d)
	if err != nil {
		return err
	}
	return st.Update(ctx, func(tx piton.LocalTx) error {
		s, err := again(ctx, tx, s)
		if err != nil {
			return err
		}
		if s, err = p.append(ctx, tx, s); err != nil {
			return err
		}
		return tx.PutSession(ctx, s)
	})
}

func (t Turns) capture(ctx context.Context, st Store, s piton.Session, why piton.Trigger, at piton.Time) (history.Draft, error) {
	turn, err := st.Turn(ctx, s.ID, s.Turn)
	if err != nil {
		return history.Draft{}, err
	}
	f := t.look(ctx, s, turn, t.status(ctx, s.Root))
	r := t.debrief(s, f, at)
	return t.draft(ctx, st, s, f, clean(r.Actions), owned(r.Files), why, at), nil
}

// Capture is the state a hook would save for a session now.
func (t Turns) Capture(ctx context.Context, s piton.Session) ([]byte, error) {
	st, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	d, err := t.capture(ctx, st, s, piton.TriggerManual, t.at(piton.Event{}))
	return d.State, err
}

// commands are the shell commands of the turn, the newest; without a turn's
// own those of the state before.
func commands(calls []piton.Call, before []command) []command {
	list := []command{}
	for _, c := range calls {
		if c.Kind == piton.CallShell && c.Subagent == "" {
			list = append(list, command{Command: cut(c.Command, maxOutput), Failed: c.Failed, At: piton.At(c.StartedAt)})
		}
	}
	if len(list) == 0 && len(before) > 0 {
		return before
	}
	return list[max(0, len(list)-commandsKept):]
}

// union adds paths to a list, sorted, each once, bounded.
func union(before, more []string) []string {
	all := append(slices.Clone(before), more...)
	slices.Sort(all)
	all = slices.Compact(all)
	if all == nil {
		return []string{}
	}
	return all[:min(len(all), maxListed)]
}

// progress is how much of the todos is done; nil without any.
func progress(todos []piton.Todo) *int {
	if len(todos) == 0 {
		return nil
	}
	done := 0
	for _, t := range todos {
		if !t.Open() {
			done++
		}
	}
	p := 100 * done / len(todos)
	return &p
}

func openTodos(todos []piton.Todo) bool {
	return slices.ContainsFunc(todos, piton.Todo.Open)
}

// edited are the files the calls name as edited, as seen from the work tree:
// beside them lie the tests of a project within the project.
func edited(root string, calls []piton.Call) []string {
	var paths []string
	for _, c := range calls {
		if c.Kind == piton.CallEdit {
			for _, p := range c.Paths {
				paths = append(paths, relative(root, p))
			}
		}
	}
	return paths
}

// relative writes a path as seen from the work tree, where it lies in it.
func relative(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(rel)
	}
	return path
}

func itoa(n int) string { return strconv.Itoa(n) }
