package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/store"
)

// Bounds of what an import takes from one log, and how long work that broke off, or has
// open todos, counts as unfinished.
const (
	MaxToldTurns = 50        // the newest
	MaxToldBytes = 256 << 20 // of the log
	toldOpen     = 7 * 24 * time.Hour
)

// Told is a session as its client's log tells it, for an import.
type Told struct {
	Session agent.Session // as its row would be if hooks had reported it
	Entries []store.Entry // a checkpoint for each turn, the oldest first
	Known   int           // turns that ended before the checkpoint they go on from
	Before  int           // turns that are older than what is taken of a log
	Same    bool          // it holds the newest prompt that is known of the session
}

// ToldAfter is what is there of a session: its newest checkpoint, and that one's state; the
// zero value for nothing.
type ToldAfter struct {
	Head  piton.Checkpoint
	State []byte
}

// Told reads a whole log. The session says what is known of it already: its ids, its
// project and its work tree. Nothing is run, and nothing outside of the log is read but
// what its client keeps beside it.
func (l Log) Told(ctx context.Context, s agent.Session, about client.About, after ToldAfter, now piton.Time) (x Told, err error) {
	defer func() {
		if slip := recover(); slip != nil {
			err = piton.Errorf(piton.Invalid, "read "+l.Path, "this is an error of Piton: please report it", "%v", slip)
		}
	}()
	prompts, err := l.asked()
	if err != nil {
		return x, err
	}
	x.Before = max(0, len(prompts)-MaxToldTurns)
	x.Same = slices.ContainsFunc(prompts, func(p client.Prompt) bool { return cut(p.Text, maxMessage) == s.LastMessage })
	t := teller{Log: l, about: about, now: now, session: s, parent: after.Head.ID}
	if json.Unmarshal(after.State, &t.before) != nil {
		t.before = sessionState{}
	}
	known := t
	for i := x.Before; i < len(prompts); i++ {
		if err := ctx.Err(); err != nil {
			return x, &piton.Error{Code: piton.Unavailable, Op: "read " + l.Path, Err: err}
		}
		later := prompts[i+1:]
		if len(later) > 0 && !later[0].At.IsZero() && !later[0].At.After(after.Head.CreatedAt.Time) {
			x.Known++
			continue // it is not read at all
		}
		was := t // what the session and the head say of a turn that is known holds already
		e := t.turn(i+1, prompts[i], later)
		at := e.Checkpoint.CreatedAt
		switch {
		case e.Checkpoint.ID == after.Head.ID: // whatever the clock of those before it said
			x.Known += len(x.Entries) + 1
			x.Entries, t = nil, known
		case !at.IsZero() && !at.After(after.Head.CreatedAt.Time):
			x.Known++
			t = was
		default:
			t.parent = e.Checkpoint.ID
			x.Entries = append(x.Entries, e)
		}
	}
	x.Session = t.session
	t.close(x.Entries)
	return x, nil
}

// teller goes through one log.
type teller struct {
	Log
	about   client.About
	now     piton.Time
	session agent.Session
	before  sessionState
	parent  string
	root    string // of the work tree, as the session's paths have it
	broke   bool   // the turn has not come to a stop
}

// turn is the checkpoint of one turn.
func (t *teller) turn(n int, p client.Prompt, later []client.Prompt) store.Entry {
	script, stopped, err := t.read(time.Time{}, later)
	ended := ending(script, p.At)
	t.broke = err != nil || !stopped
	s := t.session
	s.SavedAt = t.at(s.SeenAt.Time)
	s.Turn, s.LastMessage, s.Usage = n, cut(p.Text, maxMessage), s.Usage.Plus(s.TurnUsage)
	s.LastMessageAt, s.PromptedAt, s.TurnUsage = t.at(p.At), t.at(p.At), script.Usage
	s.SeenAt, s.EndedAt, s.IdleMS = t.at(ended), t.at(ended), script.Idle.Milliseconds()
	if s.ClientVersion == "" {
		s.ClientVersion = cut(script.ClientVersion, maxVersion)
	}
	if s.StartedAt.IsZero() {
		s.StartedAt = s.LastMessageAt
	}
	if t.root == "" {
		t.root = t.rootOf(script.Calls)
	}
	f := found{script: script, changes: git.Changes{Branch: t.about.Branch}, gitErr: git.ErrNoRepo}
	var own []string
	read := debrief.Read(t.root, script.Calls, nil)
	for _, file := range read.Written(nil) {
		own = append(own, file.Path)
		f.changes.Files = append(f.changes.Files, git.File{Path: file.Path, Deleted: file.Deleted})
	}
	d, state := drafted(s, f, t.before, debrief.Result{}, nil, own, s.SeenAt)
	d.Description = changedSince(s.SavedAt, t.before.FilesModified, slices.Concat(own, read.Outside()), f)
	id := store.ImportedID(piton.CheckpointPrefix, s.Agent, fmt.Sprintf("%s %d %d %d", s.ClientID, n, p.At.UnixMilli(), ended.UnixMilli()))
	c := piton.Checkpoint{
		ID:         id,
		InWorkflow: piton.InWorkflow{WorkflowID: s.WorkflowID, WorkflowType: piton.TypeSession, SessionID: s.ID, SessionName: history.SessionName(s), Project: s.Project, Branch: piton.MainBranch, ParentID: t.parent},
		AtStep:     piton.AtStep{StepNumber: &n},
		Described:  piton.Described{Description: d.Description, TaskSummary: piton.PrintableLines(d.Task)},
		Trigger:    piton.TriggerTurnEnd, CreatedAt: t.at(ended),
		SoFar:  piton.SoFar{Progress: d.Progress, DurationMS: d.DurationMS, TokenUsage: d.TokenUsage},
		Origin: piton.Origin{Agent: s.Agent, ClientVersion: piton.Printable(s.ClientVersion), GitBranch: piton.Printable(d.Origin.GitBranch)},
	}
	t.before, t.session = state, s
	return store.Entry{Checkpoint: c, State: d.State}
}

// rootOf is the work tree's root as the session's paths have it: where the log says that the
// client worked in the tree that is here, that one.
func (t *teller) rootOf(calls []agent.Call) string {
	if dir := t.about.Dir; t.Tree != "" && (dir == t.Tree || strings.HasPrefix(dir, t.Tree+"/")) {
		return t.Tree
	}
	return cmp.Or(rootOf(t.Tree, calls), t.about.Dir, t.about.Windows)
}

// close gives entries the workflow that they are of. It is unfinished where its last turn
// broke off or left todos open, and that was not long ago: else a machine's whole past
// would be offered.
func (t *teller) close(list []store.Entry) {
	if len(list) == 0 {
		return
	}
	last := &list[len(list)-1].Checkpoint
	open := t.broke || slices.ContainsFunc(t.before.Todos, agent.Todo.Open)
	w := piton.Workflow{ID: last.WorkflowID, Type: piton.TypeSession, Project: last.Project, SessionID: last.SessionID, CreatedAt: list[0].Checkpoint.CreatedAt, HeadID: last.ID}
	if w.Closed = !open || t.now.Sub(last.CreatedAt.Time) > toldOpen; w.Closed {
		last.Completed, last.CompletedAt = true, last.CreatedAt
	}
	for i := range list {
		list[i].Workflow = w
	}
}

// at is a time of the log as it can be kept: not one that is yet to come. The zero Time
// where the log does not tell.
func (t *teller) at(at time.Time) piton.Time {
	switch {
	case at.Year() < 2000:
		return piton.Time{}
	case at.After(t.now.Time):
		return t.now
	}
	return piton.At(at)
}
