package record

import (
	"cmp"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// The row of a session is read and written at every event of an agent, by a
// process that does little else. encoding/json first makes tables of the type's
// fields, which took longer than all the rest. Here the fields are listed once,
// for both ways, in the order in which encoding/json writes them. What is in any
// other form is left to encoding/json (see readRow).

// rowForm is what goes through the fields of a session: a rowWriter or a rowReader.
type rowForm interface {
	text(name string, v *string, omit bool)
	number(name string, v *int64)
	flag(name string, v *bool, omit bool)
	time(name string, v *piton.Time, omit bool)
	object(name string, fields func())
	// other is a value that most sessions do not have: empty says so. It is left
	// out then, or written as null.
	other(name string, v any, empty, omit bool)
}

// sessionFields goes through all fields that are stored. A test compares it with
// the type.
func sessionFields(r rowForm, s *agent.Session) {
	r.text("ID", &s.ID, false)
	r.text("Agent", &s.Agent, false)
	r.text("ClientID", &s.ClientID, false)
	r.text("Project", &s.Project, false)
	r.text("Root", &s.Root, false)
	r.text("Cwd", &s.Cwd, false)
	r.text("Transcript", &s.Transcript, false)
	r.text("ClientVersion", &s.ClientVersion, false)
	r.object("Process", func() {
		number(r, "PID", &s.Process.PID)
		r.text("Start", &s.Process.Start, false)
		r.text("Boot", &s.Process.Boot, false)
		r.text("Space", &s.Process.Space, false)
	})
	r.time("StartedAt", &s.StartedAt, false)
	r.time("SeenAt", &s.SeenAt, false)
	r.time("EndedAt", &s.EndedAt, false)
	r.text("WorkflowID", &s.WorkflowID, false)
	r.text("CurrentID", &s.CurrentID, false)
	r.text("Run", &s.Run, true)
	r.text("Step", &s.Step, true)
	r.flag("Adopted", &s.Adopted, true)
	number(r, "Turn", &s.Turn)
	r.flag("TurnOpen", &s.TurnOpen, false)
	r.text("Asked", &s.Asked, true)
	r.time("LastToolUseAt", &s.LastToolUseAt, false)
	r.time("FirstToolUseAt", &s.FirstToolUseAt, false)
	r.number("IdleMS", &s.IdleMS)
	usageFields(r, "Usage", &s.Usage)
	usageFields(r, "TurnUsage", &s.TurnUsage)
	r.time("WorkedAt", &s.WorkedAt, true)
	r.time("PromptedAt", &s.PromptedAt, false)
	r.flag("Heard", &s.Heard, true)
	number(r, "Holds", &s.Holds)
	r.other("HeldBefore", &s.HeldBefore, s.HeldBefore == 0, true)
	r.text("HeldSum", &s.HeldSum, true)
	r.time("LastCheckpoint", &s.LastCheckpoint, false)
	r.text("LastFeedback", &s.LastFeedback, false)
	r.text("FeedbackSum", &s.FeedbackSum, true)
	r.number("HeldIdleMS", &s.HeldIdleMS)
	r.flag("Notified", &s.Notified, false)
	r.time("NotifiedAt", &s.NotifiedAt, true)
	r.time("WaitingSince", &s.WaitingSince, false)
	r.flag("Question", &s.Question, true)
	r.other("Broke", &s.Broke, s.Broke == agent.Break{}, true)
	r.text("LastMessage", &s.LastMessage, false)
	r.time("LastMessageAt", &s.LastMessageAt, false)
	r.other("Outputs", &s.Outputs, s.Outputs == nil, false)
	r.other("Seen", &s.Seen, len(s.Seen) == 0, true)
	r.flag("SeenAll", &s.SeenAll, true)
	r.time("SavedAt", &s.SavedAt, false)
	r.other("SavedFor", &s.SavedFor, len(s.SavedFor) == 0, true)
	r.flag("Offered", &s.Offered, true)
	r.text("Offer", &s.Offer, true)
	r.other("Open", &s.Open, len(s.Open) == 0, true)
	r.other("Took", &s.Took, s.Took == nil, true)
	r.text("TakenBy", &s.TakenBy, true)
	r.text("Owed", &s.Owed, true)
	r.flag("Troubled", &s.Troubled, true)
	r.text("Waiting", &s.Waiting, true)
	r.other("Pane", &s.Pane, s.Pane == nil, true)
	r.text("Restarted", &s.Restarted, true)
	r.text("Typing", &s.Typing, true)
	r.time("TypingAt", &s.TypingAt, true)
}

func usageFields(r rowForm, name string, u *piton.TokenUsage) {
	r.object(name, func() {
		r.number("input", &u.Input)
		r.number("output", &u.Output)
		r.number("cache_read", &u.CacheRead)
		r.number("cache_write", &u.CacheWrite)
	})
}

func number(r rowForm, name string, v *int) {
	n := int64(*v)
	r.number(name, &n)
	*v = int(n)
}

// WriteSession is a session as its row has it.
func WriteSession(s agent.Session) ([]byte, error) {
	w := rowWriter{b: make([]byte, 0, 2<<10)}
	w.b = append(w.b, '{')
	sessionFields(&w, &s)
	return append(w.b, '}'), w.err
}

// ReadSession reads what WriteSession has written.
func ReadSession(text []byte) (agent.Session, error) { return readRow(text, storedSession) }

func storedSession(r *rowReader, s *agent.Session) { sessionFields(r, s) }

type rowWriter struct {
	b   []byte
	err error
}

func (w *rowWriter) name(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(append(append(w.b, '"'), name...), `":`...)
}

func (w *rowWriter) text(name string, v *string, omit bool) {
	if omit && *v == "" {
		return
	}
	w.name(name)
	w.b, _ = jsontext.AppendQuote(w.b, *v) // what is not UTF-8 becomes U+FFFD
}

func (w *rowWriter) number(name string, v *int64) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, *v, 10)
}

func (w *rowWriter) flag(name string, v *bool, omit bool) {
	if omit && !*v {
		return
	}
	w.name(name)
	w.b = strconv.AppendBool(w.b, *v)
}

func (w *rowWriter) time(name string, v *piton.Time, omit bool) {
	if omit && v.IsZero() {
		return
	}
	w.name(name)
	t, err := v.MarshalJSON()
	w.b, w.err = append(w.b, t...), cmp.Or(w.err, err)
}

func (w *rowWriter) object(name string, fields func()) {
	w.name(name)
	w.b = append(w.b, '{')
	fields()
	w.b = append(w.b, '}')
}

func (w *rowWriter) other(name string, v any, empty, omit bool) {
	if empty && omit {
		return
	}
	w.name(name)
	if empty {
		w.b = append(w.b, "null"...)
		return
	}
	t, err := json.Marshal(v)
	w.b, w.err = append(w.b, t...), cmp.Or(w.err, err)
}
