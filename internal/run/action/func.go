package action

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/piton-project/piton/internal/run/plan"
)

// Func makes an action of a Go function. What it returns is kept as the JSON that
// encoding/json makes of it. The function must end when its ctx does: nothing can
// end it from outside. A panic is a failure of the step, not of the program. An
// effect of "" is Once. It takes any parameters.
func Func(effect plan.Effect, do func(ctx context.Context, c Call) (any, error)) Action {
	effect = cmp.Or(effect, plan.Once)
	return function{effect, do}
}

type function struct {
	effect plan.Effect
	do     func(context.Context, Call) (any, error)
}

func (function) Check(plan.Step) error          { return nil }
func (f function) Effect(plan.Step) plan.Effect { return f.effect }

func (f function) Do(ctx context.Context, c Call) (r Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(c.log(), "panic: %v\n\n%s", p, debug.Stack())
			r, err = Result{}, &Failed{Err: fmt.Errorf("the function panicked: %v", p), Final: true}
		}
	}()
	v, err := f.do(ctx, c)
	if err != nil {
		return Result{}, Told(err)
	}
	if r, is := v.(Result); is {
		r.Output, err = plainJSON(r.Output)
		return r, err
	}
	out, err := plainJSON(v)
	return Result{Output: out}, err
}

// plainJSON is a Go value as it is read back from the JSON it is kept as, so that
// the next step sees the same now and after a crash.
func plainJSON(v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, &Failed{Err: fmt.Errorf("what the function returned cannot be kept as JSON: %w", err), Final: true}
	}
	return ReadJSON(b)
}
