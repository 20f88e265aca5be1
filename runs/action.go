package runs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// Action is what a step can do; Func makes one of a function.
type Action struct {
	effect Effect
	do     func(ctx context.Context, parameters []byte) (any, error)
}

// Func makes an action of a function. P is the type of a step's parameters, a struct
// or a map; a parameter that P does not have fails the step. R is what it brings: the
// steps after it see the JSON that encoding/json makes of it. The function must end
// when its context does, and may run again after a crash, as effect says.
func Func[P, R any](effect Effect, f func(context.Context, P) (R, error)) Action {
	return Action{effect, func(ctx context.Context, parameters []byte) (any, error) {
		var p P
		dec := json.NewDecoder(bytes.NewReader(parameters))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&p); err != nil {
			return nil, &action.Failed{Err: fmt.Errorf("the parameters do not fit: %w", err), Final: true}
		}
		return f(ctx, p)
	}}
}

// Info is what a function may want to know of the step it carries out.
type Info struct {
	Run, Step string
	Attempt   int    // from 1, over all processes
	Key       string // the same for every attempt at this step: an idempotency key for servers
	Words     string // why a person has sent the step back; empty otherwise
	Log       io.Writer
}

type infoKey struct{}

// InfoOf returns what is known of the step whose function was called with ctx.
func InfoOf(ctx context.Context) Info {
	i, _ := ctx.Value(infoKey{}).(Info)
	i.Log = cmp.Or(i.Log, io.Discard)
	return i
}

// Permanent marks an error after which another attempt cannot help.
func Permanent(err error) error { return &action.Failed{Err: err, Final: true} }

// Actions are functions that the steps of plans can name, by name. Piton's own
// actions (shell, http and the others) are there too.
type Actions map[string]Action

// inner are the actions as runs have them.
func (a Actions) inner() map[string]action.Action {
	all := map[string]action.Action{}
	for name, x := range a {
		all[name] = action.Func(plan.Effect(x.effect), func(ctx context.Context, c action.Call) (any, error) {
			given := c.Parameters
			if given == nil {
				given = map[string]any{}
			}
			b, err := json.Marshal(given)
			if err != nil {
				return nil, &action.Failed{Err: err, Final: true}
			}
			return x.do(context.WithValue(ctx, infoKey{}, Info{c.Run, c.Step, c.Attempt, c.Key, c.Words, c.Log}), b)
		})
	}
	return all
}
