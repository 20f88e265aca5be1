package runner

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
)

// TestUsageIsTold: what a step has used so far is told while it works, and with its
// failure.
func TestUsageIsTold(t *testing.T) {
	d := newDesk(t)
	used := func(n int64) action.Note {
		return action.Note{Agent: "claude", Usage: piton.TokenUsage{Input: n}, CostUSD: 0.25}
	}
	d.do["a"] = func(ctx context.Context, c action.Call) (action.Result, error) {
		if err := c.Note(ctx, used(100)); err != nil {
			return action.Result{}, err
		}
		n := used(300)
		return action.Result{}, &action.Failed{Err: errors.New("down"), Final: true, Result: action.Result{Usage: n.Usage, CostUSD: n.CostUSD, Note: n}}
	}
	d.start(Request{Plan: steps("a")})
	type told struct {
		Kind EventKind
		Used int64
	}
	var got []told
	for _, e := range d.events {
		if e.Step == "a" && e.CostUSD == 0.25 {
			got = append(got, told{e.Kind, e.Usage.Input})
		}
	}
	if diff := cmp.Diff([]told{{StepSays, 100}, {StepFailed, 300}}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestInterruptIsTold: who interrupts a run hears at once that its steps are ended.
func TestInterruptIsTold(t *testing.T) {
	d := newDesk(t)
	begun := make(chan struct{})
	d.do["a"] = hangs(begun)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	if _, err := d.Start(ctx, Request{Plan: steps("a")}); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(d.events, func(e Event) bool { return e.Kind == RunStopping && e.Message == "interrupted" }) {
		t.Errorf("got %v, want that it is stopping", d.events)
	}
}
