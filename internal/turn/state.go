package turn

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// sessionState is the state that hooks save (docs/spec.md, "Kinds", session).
type sessionState struct {
	TaskSummary   string            `json:"task_summary"`
	Asked         string            `json:"asked,omitempty"`        // the person's newest prompt, where the task is an earlier one
	ResumedFrom   string            `json:"resumed_from,omitempty"` // the checkpoint that the task was taken over from
	Todos         []agent.Todo      `json:"todos"`
	Announced     *announced        `json:"announced,omitempty"`     // the plan that the agent told in words, where it keeps no todos
	FilesModified []string          `json:"files_modified"`          // deleted ones too
	FilesDeleted  []string          `json:"files_deleted,omitempty"` // those of them that the agent removed
	Commands      []command         `json:"commands"`
	Answer        string            `json:"last_answer,omitempty"` // the agent's last words in the turn
	Unverified    []string          `json:"unverified,omitempty"`  // what the debrief still asked for, and what else is open
	Open          []agent.Need      `json:"open,omitempty"`        // what the work leaves open
	AgentOutputs  map[string]string `json:"agent_outputs,omitempty"`
	Decisions     []json.RawMessage `json:"decisions"`
	GitHead       string            `json:"git_head,omitempty"`
	GitBranch     string            `json:"git_branch,omitempty"`
	TokenUsage    piton.TokenUsage  `json:"token_usage"`
}

// announced is a plan as an agent told it. How far it is done is not known, but for
// items with a box.
type announced struct {
	Turn  int      `json:"turn"`
	Steps []string `json:"steps"`
}

// announcedPlan is the plan of this turn, or of the one before it, which a person may
// have agreed to in this one; nil where the agent keeps a list of todos.
func announcedPlan(turn int, script agent.Transcript, before *announced, todos []agent.Todo) *announced {
	switch {
	case len(todos) > 0:
		return nil
	case len(script.Planned) > 0:
		return &announced{turn, cleanList(script.Planned)}
	case before != nil && before.Turn >= turn-1:
		return before
	}
	return nil
}

// command is a shell command of the turn.
type command struct {
	Command string     `json:"command"`
	Failed  bool       `json:"failed,omitempty"`
	At      piton.Time `json:"at"`
}

// Bounds of what a state takes over from todos, file names and the state before,
// in bytes: far from what occurs, and together below states.MaxBytes, because a
// state that is too large could not be saved at all.
const (
	maxTodo      = 8 << 10
	maxName      = 4096
	maxDecisions = 16 << 20
)

// Bounds of how many of each a state and its description name.
const (
	maxCommands   = 30 // the newest
	maxListed     = 500
	maxNamedFiles = 5
	maxNamed      = 80 // bytes of a file's name
)

// stateOf is the session's state as it stands: what was found in this turn on top
// of the state before.
func stateOf(s agent.Session, f found, before sessionState, r debrief.Result, open []agent.Need, own []string) sessionState {
	asked := cmp.Or(s.LastMessage, cut(f.script.LastPrompt, maxMessage))
	task := asked
	if quoted, brief := history.QuotedTask(asked); brief { // a brief names the work that it is of
		asked, task = "", cmp.Or(quoted, before.TaskSummary)
	}
	said := ""
	if (bare(task) || before.goesOn(s)) && task != before.TaskSummary {
		said, task = asked, before.TaskSummary
	}
	x := sessionState{
		TaskSummary:   task,
		Asked:         said,
		Todos:         bounded(f.script.CarryTodos(inherited(before.Todos, f.script))),
		FilesModified: union(before.FilesModified, own),
		FilesDeleted:  deleted(before.FilesDeleted, own, f.changes.Files),
		Commands:      commands(f.script.Calls, before.Commands),
		Answer:        cut(f.script.LastOutput, maxMessage),
		Unverified:    unverified(r, open),
		Open:          open,
		AgentOutputs:  s.Outputs,
		Decisions:     newest(before.Decisions, maxDecisions),
		GitHead:       cmp.Or(f.changes.Head, cut(before.GitHead, maxName)),
		GitBranch:     cmp.Or(jsonName(f.changes.Branch), cut(before.GitBranch, maxName)),
		TokenUsage:    s.Usage.Plus(f.script.Usage),
	}
	if x.Decisions == nil {
		x.Decisions = []json.RawMessage{}
	}
	x.Announced = announcedPlan(s.Turn, f.script, before.Announced, x.Todos)
	return x.takenOver(s.Took, asked)
}

// goesOn reports whether the session's next state is of the same work: it is saved in
// the same turn, or todos or needs of it are open. Then the work keeps its name.
func (x sessionState) goesOn(s agent.Session) bool {
	done := progress(x.Todos)
	finished := len(x.Open) == 0 && (done == nil || *done == 100)
	return x.TaskSummary != "" && (!finished || s.SavedAt.After(s.LastMessageAt.Time))
}

// unverified is what a debrief asked for, and what else is open.
func unverified(r debrief.Result, open []agent.Need) []string {
	list := cleanList(r.Actions)
	for _, n := range open {
		if n.Asked && !slices.Contains(list, n.Text) {
			list = append(list, n.Text)
		}
	}
	return list
}

// deleted are the files of the work that the agent removed, and that are not there
// again.
func deleted(before, own []string, changes []git.File) []string {
	list := slices.Clone(before)
	for _, c := range changes {
		name := jsonName(c.Path)
		list = slices.DeleteFunc(list, func(had string) bool { return had == name && !c.Deleted })
		if c.Deleted && slices.Contains(own, c.Path) {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return union(nil, list)
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
		list = slices.Clone(before[max(0, len(before)-maxCommands):])
		for i := range list {
			list[i].Command = cut(list[i].Command, maxOutput)
		}
	}
	return list[max(0, len(list)-maxCommands):]
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

// changedSince says which of the agent's files have changed since the last
// checkpoint: they are new to its state, or younger than it.
func changedSince(last piton.Time, known, own []string, f found) string {
	var list []string
	for _, path := range own {
		if !slices.Contains(known, jsonName(path)) || f.changedAt(path).After(last.Time) {
			list = append(list, path)
		}
	}
	since := ""
	if !last.IsZero() {
		since = " since the last checkpoint"
	}
	switch {
	case len(list) == 0 && f.gitErr != nil:
		return "no changed file is known" + since // what commands changed only git tells
	case len(list) == 0:
		return "no file changed" + since
	}
	return count(len(list), "file") + " changed" + since + ": " + namedFiles(list)
}

// namedFiles names the first of some files, and says how many more there are.
func namedFiles(list []string) (text string) {
	for i, path := range list[:min(len(list), maxNamedFiles)] {
		if i > 0 {
			text += ", "
		}
		text += inline(cut(shownName(path), maxNamed))
	}
	if more := len(list) - maxNamedFiles; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// changedAt is when a file was last changed, as far as it is known: by the work
// tree, or by the calls that name it. It is as coarse as the times of events: what
// happened in one millisecond with an event was there before it.
func (f found) changedAt(path string) piton.Time {
	var at time.Time
	for _, c := range f.changes.Files {
		if c.Path == path {
			at = c.ModTime
		}
	}
	for _, c := range f.script.Calls {
		named := c.Kind == agent.CallEdit && slices.ContainsFunc(c.Paths, func(p string) bool {
			return p == path || strings.HasSuffix(p, "/"+path)
		})
		if named && c.EndedAt.After(at) {
			at = c.EndedAt
		}
	}
	return piton.At(at)
}

// joined puts two parts of a description together.
func joined(first, then string) string {
	if first == "" || then == "" {
		return first + then
	}
	return first + ". " + strings.ToUpper(then[:1]) + then[1:]
}

// takenOver gives a state the name of the task that was resumed; what the person
// asked since stands beside it.
func (x sessionState) takenOver(t *agent.Took, asked string) sessionState {
	if t == nil {
		return x
	}
	x.ResumedFrom = t.Checkpoint
	if t.Task == "" {
		return x
	}
	if asked != t.Task {
		x.Asked = asked
	}
	x.TaskSummary = t.Task
	return x
}

// takenTodo begins the id of a todo that was taken over: the client knows nothing
// of it, and gives its own the same numbers.
const takenTodo = "taken over "

// inherited are the todos before without those taken over, once the agent keeps a
// list of its own: the brief asked it to take them into that.
func inherited(before []agent.Todo, script agent.Transcript) []agent.Todo {
	if !script.TodosSeen {
		return before
	}
	return slices.DeleteFunc(slices.Clone(before), func(t agent.Todo) bool { return strings.HasPrefix(t.ID, takenTodo) })
}
