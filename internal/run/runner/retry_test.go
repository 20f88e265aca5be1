package runner

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

func TestRetries(t *testing.T) {
	for _, c := range []struct {
		name     string
		attempts int
		fail     []error // of the attempts in turn; then it works
		tries    int
		status   Status
		reason   string
	}{
		{"once unless the plan says", 0, []error{errors.New("no")}, 1, Failed, "no"},
		{"until it works", 3, []error{errors.New("no"), errors.New("no")}, 3, Completed, ""},
		{"until the tries are over", 2, []error{errors.New("one"), errors.New("two"), errors.New("three")}, 2, Failed, "two"},
		{"not where another try cannot help", 3, []error{&action.Failed{Err: errors.New("never"), Final: true}}, 1, Failed, "never"},
		{"not where the agent could not", 3, []error{&action.CouldNot{Reason: "too hard"}}, 1, CouldNot, "too hard"},
		{"not after no progress", 9, []error{
			&action.Failed{Err: errors.New("a"), Result: action.Result{Note: action.Note{Data: map[string]any{"fingerprint": "x"}}}},
			&action.Failed{Err: errors.New("b"), Result: action.Result{Note: action.Note{Data: map[string]any{"fingerprint": "y"}}}},
			&action.Failed{Err: errors.New("c"), Result: action.Result{Note: action.Note{Data: map[string]any{"fingerprint": "x"}}}},
		}, 3, CouldNot, "no progress"},
		{"a failure without a note is none", 3, []error{
			&action.Failed{Err: errors.New("a"), Result: action.Result{Note: action.Note{Data: map[string]any{"fingerprint": "x"}}}}, errors.New("b"),
		}, 3, Completed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.effect = plan.Idempotent
			n, keys := 0, map[string]bool{}
			d.do["a"] = func(_ context.Context, call action.Call) (action.Result, error) {
				n++
				keys[call.Key] = true
				if call.Attempt != n {
					t.Errorf("got attempt %d, want %d", call.Attempt, n)
				}
				if n <= len(c.fail) {
					return action.Result{}, c.fail[n-1]
				}
				return action.Result{}, nil
			}
			p := steps("a")
			p.Steps[0].Retry.Attempts = c.attempts
			o := d.start(Request{Plan: p})
			x := o.State.Plan[0]
			if n != c.tries || x.Status != c.status || !strings.Contains(x.Reason, c.reason) || x.Attempt != n || o.State.Used.Tries != n || len(keys) != 1 {
				t.Errorf("got %d tries, %d keys, %+v, want %d, %s: %s", n, len(keys), x, c.tries, c.status, c.reason)
			}
		})
	}
}

func TestBackoff(t *testing.T) {
	full, none := func() float64 { return 1 }, func() float64 { return 0 }
	second := plan.Duration(time.Second)
	for _, c := range []struct {
		name   string
		retry  plan.Retry
		tried  int
		after  time.Duration
		jitter func() float64
		want   time.Duration
	}{
		{"one second at first", plan.Retry{}, 1, 0, full, time.Second},
		{"twice as long each time", plan.Retry{}, 3, 0, full, 4 * time.Second},
		{"a minute at most", plan.Retry{}, 400, 0, full, time.Minute},
		{"with jitter half of it at least", plan.Retry{}, 2, 0, none, time.Second},
		{"as the plan says", plan.Retry{Delay: 3 * second, Factor: 3, Max: 20 * second}, 2, 0, full, 9 * time.Second},
		{"up to the plan's bound", plan.Retry{Delay: 3 * second, Factor: 3, Max: 20 * second}, 3, 0, full, 20 * time.Second},
		{"exactly", plan.Retry{Exact: true}, 2, 0, none, 2 * time.Second},
		{"no shorter than a server asks", plan.Retry{}, 1, time.Hour, full, time.Hour},
	} {
		if got := backoff(c.retry, c.tried, c.after, c.jitter); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestTimeout(t *testing.T) {
	d := newDesk(t)
	d.effect = plan.Idempotent
	d.do["a"] = hangs(make(chan struct{}))
	p := steps("a")
	p.Steps[0].Timeout = plan.Duration(10 * time.Millisecond)
	o := d.start(Request{Plan: p})
	if x := o.State.Plan[0]; x.Status != Failed || !strings.Contains(x.Reason, "longer than its timeout of 10ms") {
		t.Errorf("got %+v, want it failed by its timeout", x)
	}
}
