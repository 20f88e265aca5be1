package piton

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

// Call is one tool call of an agent, paired with its result by id.
type Call struct {
	ID          string
	Tool        string // the client's name of it
	Kind        CallKind
	Command     string   // shell: the line as given
	Dir         string   // where it ran, absolute, if known
	Paths       []string // files it names, absolute where the client says so
	Created     bool     // edit: the file was new
	Background  bool     // shell: only started
	StartedAt   time.Time
	EndedAt     time.Time // zero: no result seen
	Failed      bool      // by structure: a flag, an exit code, the client's own notation
	ExitCode    *int      // where the client tells
	Interrupted bool      // a person stopped or refused it
	Output      string    // beginning and end, cut to OutputKept
	Subagent    string    // the subagent that made it
}

// OutputKept is how many bytes of a call's output a transcript reader keeps:
// half from its beginning, half from its end.
const OutputKept = 16 << 10

// Todo is one line of an agent's own list.
type Todo struct {
	Content string `json:"content"`
	Status  string `json:"status"` // pending, in_progress, completed
}

// Open tells whether the todo still waits to be done.
func (t Todo) Open() bool {
	return t.Status != "completed" && t.Status != "cancelled" && t.Status != "deleted"
}

// Transcript is what a client's log tells of the current turn, read backwards
// from its end.
type Transcript struct {
	Calls         []Call // in the order they began
	Todos         []Todo // the list as it stands, where the turn touched it
	TodosSeen     bool
	LastPrompt    string // the newest real user message
	LastPromptAt  time.Time
	LastOutput    string        // the newest text of the agent
	Idle          time.Duration // between interruptions and the prompts after them
	Interrupted   time.Time     // when the newest interruption has no prompt after it yet
	Usage         TokenUsage    // of the turn
	ClientVersion string
	Complete      bool // reached the turn's beginning
	OwnTextLast   bool // the newest user message bears Piton's prefix
}
