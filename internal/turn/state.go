package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

// sessionState is the state that hooks save (docs/spec.md, "Kinds", session).
type sessionState struct {
	TaskSummary   string            `json:"task_summary"`
	Todos         []agent.Todo      `json:"todos"`
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

// Bounds of what a state takes over from todos, file names and the state before,
// in bytes: far from what occurs, and together below history.MaxState, because a
// state that is too large could not be saved at all.
const (
	maxTodo      = 8 << 10
	maxName      = 4096
	maxDecisions = 16 << 20
)

// commandsKept bounds the commands of a state: the newest.
const commandsKept = 30

// draft builds the checkpoint of a session as it stands.
func (t Turns) draft(ctx context.Context, st *store.Local, s agent.Session, f found, unverified []string, own []string, why piton.Trigger, at piton.Time) history.Draft {
	before := t.before(ctx, st, s)
	if f.gitErr != nil {
		own = edited(s.Root, f.script.Calls, f.links) // all that is known
	}
	x := sessionState{
		TaskSummary:   firstOf(s.LastMessage, cut(f.script.LastPrompt, maxMessage)),
		Todos:         bounded(f.script.CarryTodos(before.Todos)),
		FilesModified: union(before.FilesModified, own),
		Commands:      commands(f.script.Calls, before.Commands),
		Unverified:    unverified,
		AgentOutputs:  s.Outputs,
		Decisions:     newest(before.Decisions, maxDecisions),
		GitHead:       firstOf(f.changes.Head, cut(before.GitHead, maxName)),
		GitBranch:     firstOf(jsonName(f.changes.Branch), cut(before.GitBranch, maxName)),
		TokenUsage:    s.Usage.Plus(f.script.Usage),
	}
	if x.Decisions == nil {
		x.Decisions = []json.RawMessage{}
	}
	state, err := marshal(x)
	if err != nil {
		// Only a decision carried over can be unmarshalable; it was read as JSON.
		state = []byte("{}")
	}
	return history.Draft{
		Type: piton.TypeSession, Project: s.Project, Description: changedSince(s.SavedAt, before.FilesModified, own, f), Task: runeCut(x.TaskSummary, 1000), Trigger: why, Collected: true,
		Step: &s.Turn, State: state, Progress: progress(x.Todos),
		DurationMS: s.Worked(at.Time).Milliseconds(), TokenUsage: &x.TokenUsage,
		Origin: piton.Origin{Agent: s.Agent, ClientVersion: firstOf(s.ClientVersion, f.script.ClientVersion), GitHead: x.GitHead, GitBranch: x.GitBranch},
	}
}

// before is the newest state of the session's own workflow; of a damaged one
// its nearest intact ancestor. What cannot be read is as if it were not there.
func (t Turns) before(ctx context.Context, st *store.Local, s agent.Session) sessionState {
	var x sessionState
	if s.WorkflowID == "" {
		return x
	}
	last, err := t.keeper(st).Load(ctx, history.Selector{Workflow: s.WorkflowID, Branch: piton.MainBranch}, true)
	if piton.CodeOf(err) == piton.NotFound {
		return x // all deleted
	}
	if err == nil {
		err = json.Unmarshal(last.State, &x)
	}
	if err != nil {
		t.log().WarnContext(ctx, "the state before cannot be read", "session", s.ID, "err", err)
	}
	return x
}

// commands are the shell commands of the turn, the newest; without a turn's
// own those of the state before.
func commands(calls []agent.Call, before []command) []command {
	list := []command{}
	for _, c := range calls {
		if c.Kind == agent.CallShell && c.Subagent == "" {
			list = append(list, command{Command: cut(c.Command, maxOutput), Failed: c.Failed, At: piton.At(c.StartedAt)})
		}
	}
	if len(list) == 0 && len(before) > 0 {
		list = slices.Clone(before[max(0, len(before)-commandsKept):])
		for i := range list {
			list[i].Command = cut(list[i].Command, maxOutput)
		}
	}
	return list[max(0, len(list)-commandsKept):]
}

// bounded is a list of todos that a state can hold: the newest, each cut; never
// nil.
func bounded(todos []agent.Todo) []agent.Todo {
	list := []agent.Todo{}
	for _, t := range todos[max(0, len(todos)-maxListed):] {
		list = append(list, agent.Todo{ID: cut(t.ID, maxVersion), Content: cut(t.Content, maxTodo), Status: cut(t.Status, maxVersion)})
	}
	return list
}

// newest are the last values of a list that have room in so many bytes.
func newest(list []json.RawMessage, room int) []json.RawMessage {
	for i := len(list) - 1; i >= 0; i-- {
		if room -= len(list[i]) + 1; room < 0 {
			return list[i+1:]
		}
	}
	return list
}

// union adds paths to a list, sorted, each once, bounded.
func union(before, more []string) []string {
	all := slices.Clone(before)
	for _, path := range more {
		all = append(all, jsonName(path))
	}
	all = slices.DeleteFunc(all, func(path string) bool { return len(path) > 4*maxName }) // no file can have it
	slices.Sort(all)
	all = slices.Compact(all)
	if all == nil {
		return []string{}
	}
	return all[:min(len(all), maxListed)]
}

// progress is how much of the todos is done; nil without any.
func progress(todos []agent.Todo) *int {
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

// edited are the files that the calls name as edited, each once, as seen from
// the work tree.
func edited(root string, calls []agent.Call, l *links) []string {
	var paths []string
	for _, c := range calls {
		if c.Kind == agent.CallEdit && !c.Failed && !c.Interrupted {
			for _, p := range c.Paths {
				if rel := relative(root, p); rel != p {
					p = rel
				} else {
					p = relative(root, l.resolve(p)) // outside, or seen through a link
				}
				if !slices.Contains(paths, p) {
					paths = append(paths, p)
				}
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

// marshal writes JSON that people can read too: & and < as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
