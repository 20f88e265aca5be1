package runner

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/states"
)

// encode writes a value as JSON, without escapes for HTML.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// with writes v, an object, and the members that another program has put beside.
func with(v any, other map[string]json.RawMessage) (json.RawMessage, error) {
	b, err := encode(v)
	if err != nil {
		return b, err
	}
	return beside(b, other)
}

// beside adds members to an object.
func beside(b json.RawMessage, other map[string]json.RawMessage) (json.RawMessage, error) {
	if len(other) == 0 {
		return b, nil
	}
	b = b[:len(b)-1]
	for _, k := range slices.Sorted(maps.Keys(other)) {
		name, err := encode(k)
		if err != nil {
			return nil, err
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, name...), ':'), other[k]...)
	}
	return append(b, '}'), nil
}

// MarshalJSON writes the state in snake_case.
func (s State) MarshalJSON() ([]byte, error) {
	parts, err := s.parts(nil)
	if err != nil {
		return nil, err
	}
	return beside(parts.JSON(), s.Other)
}

// written remembers how steps were written, by their ids: of a large plan few change
// from one checkpoint to the next.
type written map[string]writtenStep

type writtenStep struct {
	of   stamp
	part *states.Part
}

// stamp is what changes of a step while a run works on it.
type stamp struct {
	status                                         Status
	reason, words, shown, shows                    string
	cause                                          piton.RunCause
	early                                          bool
	attempt, tried, round, iteration, prints       int
	items                                          *int
	signal, child, of, item, undoes                string
	retryAt, startedAt, endedAt, answeredAt, dueAt piton.Time
	used                                           Used
	note                                           *action.Note
}

func stampOf(x Step) stamp {
	return stamp{x.Status, x.Reason, x.Words, x.Shown, x.Shows, x.Cause, x.Early, x.Attempt, x.Tried, x.Round, x.Iteration, len(x.Prints), x.Items, x.Signal, x.Child, x.Of, string(x.Item), x.Undoes, x.RetryAt, x.StartedAt, x.EndedAt, x.AnsweredAt, x.DueAt, x.Used, x.Note}
}

// step writes a step, or finds how it was written.
func (w written) step(x Step) (*states.Part, error) {
	now := stampOf(x)
	if old, ok := w[x.ID]; ok && old.of == now {
		return old.part, nil
	}
	type plain Step
	text, err := with(plain(x), x.Other)
	if err != nil {
		return nil, err
	}
	part := &states.Part{JSON: text}
	if w != nil {
		w[x.ID] = writtenStep{now, part}
	}
	return part, nil
}

// finished tells whether nothing is left of the plan (states.Finished).
func (s *State) finished() bool {
	return len(s.Plan) > 0 && !slices.ContainsFunc(s.Plan, func(x Step) bool { return !x.Status.Done() })
}

// parts writes the state without what another program has put beside.
func (s *State) parts(w written) (states.Parts, error) {
	m := memberWriter{}
	m.unless(s.Run == "", "run_id", s.Run)
	m.unless(s.Query == "", "query", s.Query)
	m.unless(len(s.Inputs) == 0, "inputs", s.Inputs)
	m.unless(len(s.Context) == 0, "context", s.Context)
	m.unless(s.Used == Used{}, "used", s.Used)
	m.unless(s.Budget == plan.Budget{}, "budget", s.Budget)
	m.unless(s.Daemon == "", "daemon", s.Daemon)
	m.unless(s.Parallel == 0, "parallel", s.Parallel)
	m.unless(!s.NoAuto, "no_auto_checkpoint", s.NoAuto)
	m.unless(s.Undo == "", "undo", s.Undo)
	m.unless(len(s.Signals) == 0, "signals", s.Signals)
	m.unless(len(s.Terms) == 0, "terms", s.Terms)
	steps, results := make([]*states.Part, len(s.Plan)), make([]*states.Part, len(s.Results))
	for i := range s.Plan {
		var err error
		if steps[i], err = w.step(s.Plan[i]); err != nil {
			return nil, err
		}
	}
	for i := range s.Results {
		var err error
		if results[i], err = s.Results[i].write(); err != nil {
			return nil, err
		}
	}
	m.list("plan", steps)
	m.unless(false, "current_step_index", s.Index)
	m.list("results", results)
	if e := s.LastError; e != nil {
		type plain LastError
		text, err := with(plain(*e), e.Other)
		if err != nil {
			return nil, err
		}
		m.unless(false, "last_error", text)
	}
	return m.parts, m.err
}

// memberWriter writes the members of a state one after the other.
type memberWriter struct {
	parts states.Parts
	err   error // the first one
}

// unless writes a member unless it is to be left out.
func (m *memberWriter) unless(out bool, key string, v any) {
	if out || m.err != nil {
		return
	}
	text, done := v.(json.RawMessage) // it was encoded before
	if !done {
		text, m.err = encode(v)
	}
	m.parts = append(m.parts, states.Member{Key: key, Value: text})
}

// list writes a list.
func (m *memberWriter) list(key string, items []*states.Part) {
	m.parts = append(m.parts, states.Member{Key: key, Items: items})
}

// write writes a result, and remembers how.
func (r *Result) write() (*states.Part, error) {
	if r.part != nil {
		return r.part, nil
	}
	type plain Result
	v := struct {
		plain
		Output any `json:"output"`
	}{plain(*r), r.Output}
	if r.output != nil {
		v.Output = r.output
	}
	text, err := with(v, r.Other)
	if err != nil {
		return nil, err
	}
	r.part = &states.Part{JSON: text}
	return r.part, nil
}
