package agent

import (
	"slices"
	"time"

	"github.com/piton-project/piton"
)

// Transcript is what a client's log tells of the current turn, read backwards
// from its end.
type Transcript struct {
	Calls         []Call // in the order they began
	Todos         []Todo // the list as it stands, where the turn touched it
	TodosSeen     bool   // the turn touched the list
	TodosWhole    bool   // Todos is all of it; else see CarryTodos
	TodoUpdates   []TodoUpdate
	LastPrompt    string // the newest real user message
	LastPromptAt  time.Time
	LastOutput    string // the newest text of the agent
	LastOutputAt  time.Time
	Planned       []string         // the plan that the agent announced last, in words (Announced)
	Words         []Words          // the newest texts of the agent, LastOutput the last of them; at most MaxWords
	Idle          time.Duration    // between interruptions and the prompts after them
	Interrupted   time.Time        // when the newest interruption has no prompt after it yet
	AnewAt        time.Time        // when the newest prompt came that followed an interruption
	Usage         piton.TokenUsage // of the turn
	ClientVersion string
	Complete      bool // reached the turn's beginning
	// UnreadUntil: the turn is longer than what was read, which begins here; zero: it is
	// not, or nothing is known.
	UnreadUntil time.Time
	OwnTextLast bool  // the newest user message bears Piton's prefix
	Broke       Break // the turn ends with a request that failed: the agent has not stopped
	// Behind are the commands in the background whose end nothing has told, of
	// clients that wake the agent at their end.
	Behind []Background
	// Unreadable says why the calls are not all that the agent did; empty where
	// nothing speaks against it. What was read is kept all the same.
	Unreadable string
	Notes      []string // what else could not be read, and why
}

// Words is a text that an agent said in its turn.
type Words struct {
	Text string    `json:"text"`
	At   time.Time `json:"at,omitzero"`
}

// MaxWords is how many texts of a turn a transcript keeps.
const MaxWords = 20

// Spoke notes a text of the agent.
func (t *Transcript) Spoke(text string, at time.Time) {
	t.LastOutput, t.LastOutputAt = text, at
	if plan := Announced(text); plan != nil {
		t.Planned = plan
	}
	t.Words = append(t.Words, Words{text, at})
	t.Words = t.Words[max(0, len(t.Words)-MaxWords):]
}

// CarryTodos returns the list as it stands after the turn, given the list of
// the checkpoint before (docs/spec.md, "Details"). That list
// may be of this same turn: what is applied twice changes nothing.
func (t Transcript) CarryTodos(before []Todo) []Todo {
	switch {
	case !t.TodosSeen:
		return before
	case t.TodosWhole:
		return t.Todos
	}
	list := slices.Clone(before)
	at := func(id string) int {
		return slices.IndexFunc(list, func(t Todo) bool { return t.ID == id && id != "" })
	}
	for _, todo := range t.Todos {
		if i := at(todo.ID); i >= 0 {
			list[i] = todo
		} else {
			list = append(list, todo)
		}
	}
	for _, u := range t.TodoUpdates {
		switch i := at(u.ID); {
		case i < 0:
		case u.Status == TodoDeleted:
			list = slices.Delete(list, i, i+1)
		default:
			list[i] = u.Apply(list[i])
		}
	}
	return list
}
