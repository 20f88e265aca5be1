package runner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
)

// members are those of a JSON object that nobody has taken yet.
type members map[string]json.RawMessage

// take decodes the first of the keys that is there and not null. A value of
// another form stays where it is.
func (m members) take(v any, keys ...string) bool {
	for _, k := range keys {
		raw, ok := m[k]
		if !ok || string(raw) == "null" {
			continue
		}
		if json.Unmarshal(raw, v) == nil {
			delete(m, k)
			return true
		}
	}
	return false
}

// text takes a string or a number.
func (m members) text(keys ...string) string {
	for _, k := range keys {
		if s, ok := scalar(m[k]); ok {
			delete(m, k)
			return s
		}
	}
	return ""
}

// scalar is a string or a number as text.
func scalar(raw json.RawMessage) (string, bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil && string(raw) != "null" {
		return s, true
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil && n != "" {
		return n.String(), true
	}
	return "", false
}

// number takes a whole number; what stands behind the point is cut off.
func (m members) number(keys ...string) (int64, bool) {
	var f float64
	ok := m.take(&f, keys...)
	return int64(f), ok
}

// time takes a moment: RFC 3339, or milliseconds since 1970.
func (m members) time(keys ...string) piton.Time {
	var t piton.Time
	if m.take(&t, keys...) {
		return t
	}
	if ms, ok := m.number(keys...); ok {
		return piton.At(time.UnixMilli(ms))
	}
	return piton.Time{}
}

// usage takes counts of tokens: by kind, or one number, which counts as read.
func (m members) usage(keys ...string) (u piton.TokenUsage) {
	if !m.take(&u, keys...) {
		u.Input, _ = m.number(keys...)
	}
	return u
}

// rest is what is left, without nulls.
func (m members) rest() map[string]json.RawMessage {
	for k, v := range m {
		if string(v) == "null" {
			delete(m, k)
		}
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

// members takes the members of an object that stands under one of the keys.
func (m members) object(keys ...string) (in members, found bool) {
	found = m.take(&in, keys...)
	return in, found && in != nil
}

// UnmarshalJSON reads a state in either spelling. Ids may be numbers, an error
// and a usage of tokens may be one text and one number.
func (s *State) UnmarshalJSON(b []byte) error {
	var m members
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	*s = State{Run: m.text("run_id", "runId"), Query: m.text("query")}
	m.take(&s.Inputs, "inputs")
	if raw := m["context"]; len(raw) > 0 && string(raw) != "null" {
		s.Context = bytes.Clone(raw)
	}
	delete(m, "context")
	index, _ := m.number("current_step_index", "currentStepIndex")
	var steps, results []members
	if raw, ok := m["plan"]; ok && json.Unmarshal(raw, &steps) != nil {
		return fmt.Errorf("/plan is not a list of steps")
	}
	if raw, ok := m["results"]; ok && json.Unmarshal(raw, &results) != nil {
		return fmt.Errorf("/results is not a list of results")
	}
	delete(m, "plan")
	delete(m, "results")
	for i, x := range steps {
		step := readStep(x, i, int(index))
		if n, is := x.number("items"); is && s.Run != "" {
			items := int(n)
			step.Items = &items
		}
		step.Other = x.rest()
		s.Plan = append(s.Plan, step)
	}
	for _, x := range results {
		s.Results = append(s.Results, readResult(x))
	}
	s.LastError = readError(m, int(index))
	s.Used = readUsed(m)
	if s.Run != "" {
		m.take(&s.Budget, "budget")
		s.Daemon = m.text("daemon")
		n, _ := m.number("parallel")
		s.Parallel = int(n)
		m.take(&s.NoAuto, "no_auto_checkpoint")
		s.Undo = Undoing(m.text("undo"))
		m.take(&s.Signals, "signals")
		if raw := m["terms"]; len(raw) > 0 && raw[0] == '{' {
			s.Terms = bytes.Clone(raw)
			delete(m, "terms")
		}
	}
	s.Other = m.rest()
	s.count()
	return nil
}

// readStep reads a step. One without a status is completed where the work is
// beyond it.
func readStep(m members, at, index int) Step {
	s := Step{
		ID: cmp.Or(m.text("id"), fmt.Sprint(at+1)), Description: m.text("description"), Action: m.text("action"),
		Reason: m.text("reason"), Cause: piton.RunCause(m.text("cause")), RetryAt: m.time("retry_at"), StartedAt: m.time("started_at", "startedAt"), EndedAt: m.time("ended_at", "endedAt"),
		Words: m.text("words"), Shown: m.text("shown"), Shows: m.text("shows"), Of: m.text("of"), Undoes: m.text("undoes"), DueAt: m.time("due_at"), Signal: m.text("signal"), Child: m.text("run"), AnsweredAt: m.time("answered_at"), Used: readUsed(m),
	}
	for to, key := range map[*int]string{&s.Attempt: "attempt", &s.Tried: "tried", &s.Round: "round", &s.Iteration: "iteration"} {
		n, _ := m.number(key)
		*to = int(n)
	}
	if raw := m["parameters"]; len(raw) > 0 && string(raw) != "null" {
		s.Parameters = bytes.Clone(raw)
	}
	delete(m, "parameters")
	if raw, is := m["item"]; is && s.Of+s.Undoes != "" {
		s.Item = bytes.Clone(raw)
		delete(m, "item")
	}
	var deps []json.RawMessage
	m.take(&deps, "dependencies")
	for _, d := range deps {
		if id, ok := scalar(d); ok {
			s.Dependencies = append(s.Dependencies, id)
		}
	}
	m.take(&s.Note, "note")
	m.take(&s.Early, "early")
	m.take(&s.Prints, "fingerprints")
	s.Status = readStatus(m.text("status"), at < index)
	return s
}

// readStatus reads a step's status. A word that is not known is work that is
// still to be done.
func readStatus(word string, passed bool) Status {
	switch s := Status(strings.ToLower(word)); s {
	case Pending, Running, Completed, Failed, Skipped, Waiting, InDoubt, CouldNot:
		return s
	case "in_progress":
		return Running
	case "":
		if passed {
			return Completed
		}
	}
	return Pending
}

func readResult(m members) Result {
	r := Result{StepID: m.text("step_id", "stepId"), CompletedAt: m.time("completed_at", "completedAt"), Usage: m.usage("token_usage", "tokenUsage")}
	r.DurationMS, _ = m.number("duration_ms", "durationMs")
	r.output = bytes.Clone(m["output"])
	if len(r.output) > 0 {
		r.Output, _ = action.ReadJSON(r.output) // as it was when the step brought it: large integers are exact
	}
	delete(m, "output")
	m.take(&r.CostUSD, "cost_usd")
	m.take(&r.Artifacts, "artifacts")
	m.take(&r.Redacted, "redacted")
	m.take(&r.GivenBy, "given_by")
	r.Other = m.rest()
	return r
}

// readError reads the last error: an object, or its text alone.
func readError(m members, index int) *LastError {
	if s := m.text("last_error", "lastError"); s != "" {
		return &LastError{StepIndex: index, Message: s}
	}
	in, ok := m.object("last_error", "lastError")
	if !ok {
		return nil
	}
	e := &LastError{StepIndex: index, Message: in.text("message"), Timestamp: in.time("timestamp")}
	if n, ok := in.number("step_index", "stepIndex"); ok {
		e.StepIndex = int(n)
	}
	e.Other = in.rest()
	return e
}

func readUsed(m members) (u Used) {
	in, ok := m.object("used")
	if !ok {
		return u
	}
	u.Tokens = in.usage("token_usage")
	in.take(&u.CostUSD, "cost_usd")
	u.WorkMS, _ = in.number("work_ms")
	tries, _ := in.number("tries")
	u.Tries = int(tries)
	return u
}
