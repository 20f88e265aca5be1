package planruns

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store"
)

// maxPayload bounds what a signal carries.
const maxPayload = 64 << 10

// Signalled is a signal that was sent.
type Signalled struct {
	RunID  string     `json:"run_id"`
	Signal string     `json:"signal"`         // its name
	ID     string     `json:"id"`             // by which it counts once
	At     piton.Time `json:"at"`             // when it was sent
	Hint   string     `json:"hint,omitempty"` // what to do now; absent: nothing is to be done
}

// Signal sends a signal to a run. It is kept until a step waits for it; sent again under the
// same id it counts once. Conflict where the run has ended.
func (a PlanRuns) Signal(ctx context.Context, q piton.SignalRequest) (Signalled, error) {
	return a.SignalBy(ctx, q, UserName())
}

// SignalBy is Signal in the name of whoever has sent it through an engine.
func (a PlanRuns) SignalBy(ctx context.Context, q piton.SignalRequest, by string) (Signalled, error) {
	const op = "send a signal"
	k, runs, r, err := a.openRun(ctx, q.Run)
	if err != nil {
		return Signalled{}, err
	}
	payload := q.Payload
	if len(payload) == 0 {
		payload = json.RawMessage("null")
	}
	_, isJSON := runner.Payload(payload)
	switch {
	case !action.IsSignal(q.Name):
		return Signalled{}, piton.Errorf(piton.Invalid, op, "a name has letters, digits, '-', '_' and '.'", "%q cannot be the name of a signal", q.Name)
	case len(payload) > maxPayload:
		return Signalled{}, piton.Errorf(piton.Invalid, op, "write it into a file, and send the file's path", "the payload has %d bytes, more than %d", len(payload), maxPayload)
	case !isJSON:
		return Signalled{}, piton.Errorf(piton.Invalid, op, `a text stands in quotes: '"done"'`, "the payload is not JSON, or is too deep")
	case len(q.ID) > piton.MaxStartKey:
		return Signalled{}, piton.Errorf(piton.Invalid, op, "", "an id has at most %d bytes", piton.MaxStartKey)
	case r.Status.Ended():
		return Signalled{}, store.RunEnded(op, r)
	}
	if err := a.awaited(ctx, runs, r, q.Name); err != nil {
		return Signalled{}, err
	}
	x := Signalled{RunID: r.ID, Signal: q.Name, ID: cmp.Or(q.ID, piton.NewID("sig_")), At: a.Now()}
	s := runner.Signal(r.ID, q.Name, x.ID, payload, by, x.At)
	if err := k.Store.Save(ctx, func(tx store.Tx) error { return tx.Runs.AnswerRun(ctx, redact.Value(s)) }); err != nil {
		return Signalled{}, err
	}
	x.Hint = a.nextOf(ctx, k, runs, r)
	return x, nil
}

// awaited refuses a signal that no step of a run's plan waits for. A name that an expression
// makes may be any, and so may one that a program's own action waits for.
func (a PlanRuns) awaited(ctx context.Context, runs store.RunReader, r piton.Run, signal string) error {
	p, err := runner.ReadPlan(ctx, runs, r.ID)
	if err != nil {
		return err
	}
	var names []string
	own := a.actions(nil)
	for _, s := range p.Steps {
		name, _ := s.Parameters["signal"].(string)
		if own[s.Action] == nil || s.Action == plan.Wait && (name == signal || strings.Contains(name, "${{")) {
			return nil
		}
		if name != "" && s.Action == plan.Wait {
			names = append(names, name)
		}
	}
	return piton.Errorf(piton.NotFound, "send a signal", "'runs show "+r.ID+"' shows what its steps wait for", "no step of the run waits for the signal %q%s", signal, plan.DidYouMean(signal, names))
}
