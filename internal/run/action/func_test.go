package action

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/run/plan"
)

func TestFunc(t *testing.T) {
	type answer struct {
		Names []string `json:"names"`
		ID    int64    `json:"id"`
	}
	broken := errors.New("no network")
	for _, tc := range []struct {
		name  string
		do    func(context.Context, Call) (any, error)
		want  any
		fails string
		final bool
	}{
		{name: "a struct", do: func(context.Context, Call) (any, error) { return answer{[]string{"a"}, 9007199254740993}, nil }, want: p{"names": []any{"a"}, "id": int64(9007199254740993)}},
		{name: "nothing", do: func(context.Context, Call) (any, error) { return nil, nil }},
		{name: "a parameter", do: func(_ context.Context, c Call) (any, error) { return c.Parameters["a"], nil }, want: 1.0},
		{name: "a result", do: func(context.Context, Call) (any, error) { return Result{Output: 1, CostUSD: 2}, nil }, want: 1.0},
		{name: "an error", do: func(context.Context, Call) (any, error) { return nil, broken }, fails: "no network"},
		{name: "a panic", do: func(context.Context, Call) (any, error) { panic("no such index") }, fails: "the function panicked: no such index", final: true},
		{name: "what is not JSON", do: func(context.Context, Call) (any, error) { return func() {}, nil }, fails: "cannot be kept as JSON", final: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var log bytes.Buffer
			r, err := Func("", tc.do).Do(t.Context(), Call{Parameters: p{"a": 1.0}, Log: &log})
			if tc.fails == "" && (err != nil || !reflect.DeepEqual(r.Output, tc.want)) {
				t.Errorf("got %#v, %v, want %#v", r.Output, err, tc.want)
			}
			if tc.fails != "" && (err == nil || !strings.Contains(err.Error(), tc.fails) || isFinal(err) != tc.final) {
				t.Errorf("got %v (final %v), want %q in it", err, isFinal(err), tc.fails)
			}
			if tc.name == "a panic" && !strings.Contains(log.String(), "func_test.go") {
				t.Errorf("got %q in the log, want where it was", log.String())
			}
		})
	}
	if got := Func("", nil).Effect(plan.Step{}); got != plan.Once {
		t.Errorf("got %s, want once where nothing is said", got)
	}
	if got := Func(plan.Pure, nil).Effect(plan.Step{}); got != plan.Pure {
		t.Errorf("got %s, want what was said", got)
	}
}

func TestNamed(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    p
		want Checkpoint
	}{
		{"by the step", nil, Checkpoint{Name: "done", Description: "All is done"}},
		{"by its parameters", p{"name": "v1", "description": "x", "tags": []any{"a", 2.0}}, Checkpoint{Name: "v1", Description: "x", Tags: []string{"a", "2"}}},
		{"with one tag", p{"tags": "a"}, Checkpoint{Name: "done", Description: "All is done", Tags: []string{"a"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := Named{}.Do(t.Context(), Call{Step: "done", Description: "All is done", Parameters: tc.p})
			if err != nil || r.Checkpoint == nil || !reflect.DeepEqual(*r.Checkpoint, tc.want) {
				t.Errorf("got %+v, %v, want %+v", r.Checkpoint, err, tc.want)
			}
		})
	}
}
