package runner

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
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
func (w written) step(x *Step) (*states.Part, error) {
	now := stampOf(*x)
	if old, ok := w[x.ID]; ok && old.of == now {
		return old.part, nil
	}
	type plain Step
	text, err := with(plain(*x), x.Other)
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

// parts writes the state without what another program has put beside: its fields in their
// order, as their tags say.
func (s *State) parts(w written) (parts states.Parts, err error) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		key, omits, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		field, m := v.Field(i), states.Member{Key: key}
		counted := field.Kind() == reflect.Slice || field.Kind() == reflect.Map
		empty := field.IsZero() || counted && field.Len() == 0
		if key == "-" || omits != "" && empty {
			continue
		}
		switch x := field.Interface().(type) {
		case []Step:
			m.Items, err = listed(x, w.step)
		case []Result:
			m.Items, err = listed(x, (*Result).write)
		case json.RawMessage: // it was encoded before
			m.Value = x
		default:
			m.Value, err = encode(x)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, m)
	}
	return parts, nil
}

func listed[T any](list []T, write func(*T) (*states.Part, error)) (items []*states.Part, err error) {
	items = make([]*states.Part, len(list))
	for i := range list {
		if items[i], err = write(&list[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// MarshalJSON writes the error with what another program has put beside.
func (x LastError) MarshalJSON() ([]byte, error) {
	type plain LastError
	return with(plain(x), x.Other)
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
