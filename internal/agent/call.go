package agent

import "time"

// CallKind is what a tool call does, in words that all clients share.
type CallKind string

// The kinds of call.
const (
	CallShell CallKind = "shell"
	CallEdit  CallKind = "edit" // writes the files it names
	CallRead  CallKind = "read"
	CallOther CallKind = "other"
)

// Call is one tool call of an agent, paired with its result by id. Its JSON is
// that of a turn recorded by `piton rules test --save`.
type Call struct {
	ID          string    `json:"id,omitempty"`
	Tool        string    `json:"tool,omitempty"` // the client's name of it
	Kind        CallKind  `json:"kind"`
	Command     string    `json:"command,omitempty"`    // shell: the line as given
	Dir         string    `json:"dir,omitempty"`        // where it ran, absolute, if known
	Paths       []string  `json:"paths,omitempty"`      // files it names, absolute where the client says so
	Created     bool      `json:"created,omitempty"`    // edit: the file was new
	Comments    bool      `json:"comments,omitempty"`   // edit: nothing but comments changed
	Background  bool      `json:"background,omitempty"` // shell: started, and its end is not known
	StartedAt   time.Time `json:"started_at,omitzero"`
	EndedAt     time.Time `json:"ended_at,omitzero"`     // zero: no result seen
	Failed      bool      `json:"failed,omitempty"`      // by structure: a flag, an exit code, the client's own notation
	ExitCode    *int      `json:"exit_code,omitempty"`   // where the client tells
	Unsure      bool      `json:"unsure,omitempty"`      // shell: it ended, and the client does not tell how
	Interrupted bool      `json:"interrupted,omitempty"` // a person stopped or refused it, or it never ran: it proves nothing, and is not a failure
	NeverRan    bool      `json:"never_ran,omitempty"`   // it was not started: a person, a rule or a hook refused it, or the client cancelled it; always Interrupted too
	Task        string    `json:"task,omitempty"`        // shell: the client's id of the command that went on behind, as Background.ID has it; empty if it was stopped
	Output      string    `json:"output,omitempty"`      // beginning and end, cut to OutputKept
	Cut         bool      `json:"cut,omitempty"`         // some of the output is missing: the client left it out, and it was not found elsewhere, or OutputKept did
	Subagent    string    `json:"subagent,omitempty"`    // the subagent that made it
}

// OutputKept is how many bytes of a call's output a transcript reader keeps:
// half from its beginning, half from its end. Clients keep less in their logs;
// only outputs that they put into files are longer.
const OutputKept = 512 << 10

// Todo is one line of an agent's own list.
type Todo struct {
	ID      string `json:"id,omitempty"` // the client's, where it gives one
	Content string `json:"content"`
	Status  string `json:"status"` // pending, in_progress, completed
}

// Open reports whether the todo still waits to be done.
func (t Todo) Open() bool {
	return t.Status != TodoCompleted && t.Status != TodoCancelled && t.Status != TodoDeleted
}

// The states in which a todo is no longer open.
const (
	TodoCompleted = "completed"
	TodoCancelled = "cancelled"
	TodoDeleted   = "deleted" // it leaves the list
)

// TodoUpdate is a change to a todo that may be older than the turn. What is
// empty stays as it was.
type TodoUpdate struct {
	ID      string
	Content string
	Status  string
}

// Apply returns the todo after the change.
func (u TodoUpdate) Apply(t Todo) Todo {
	if u.Content != "" {
		t.Content = u.Content
	}
	if u.Status != "" {
		t.Status = u.Status
	}
	return t
}
