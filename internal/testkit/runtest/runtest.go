// Package runtest has the plans that runs are killed with, whatever engine works on them:
// for each word of plans one, with what must have come of it when it has ended.
package runtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// Word is a word of plans, with what must have come of its plan when that has ended,
// however often it was killed.
type Word struct {
	Name, Plan string
	// Order are the steps that have taken effect, as often as they did, each time under a key
	// of its own; those in brackets may have done so more often, because what has failed is
	// tried again when a run is resumed, and what runs after a doubt runs again.
	Order  string
	After  string // "b>a": b last after a last
	Status piton.RunStatus
	Runs   int // in the store; 0: 1
}

// Words are the words, each with its plan.
var Words = []Word{
	{Name: "for_each", Status: piton.RunCompleted, After: "each.0>list all>each.7 all>each.0", Order: "list each.0 each.1 each.2 each.3 each.4 each.5 each.6 each.7 all",
		Plan: `{name: w, steps: [{id: list, action: do}, {id: each, needs: [list], for_each: {from: 1, to: 8}, parallel: 1, action: do}, {id: all, needs: [each], action: do, with: {of: "${{ steps.each.output }}"}}]}`},
	{Name: "matrix", Status: piton.RunCompleted, Order: "m.0 m.1 m.2 m.3",
		Plan: `{name: w, steps: [{id: m, matrix: {a: [1, 2], b: [3, 4]}, parallel: 1, action: do, with: {of: "${{ matrix.a }}${{ matrix.b }}"}}]}`},
	{Name: "plan", Status: piton.RunCompleted, Order: "a x y z b", After: "x>a b>y b>a", Runs: 2,
		Plan: `{name: w, plans: {c: {type: chain, steps: [{id: x, action: do, effect: idempotent}, {id: y, action: do, effect: idempotent}], finally: [{id: z, action: do, effect: idempotent}]}},
			type: chain, steps: [{id: a, action: do}, {id: sub, plan: c}, {id: b, action: do, with: {of: "${{ steps.sub.output.y }}"}}]}`},
	{Name: "finally after success", Status: piton.RunCompleted, Order: "a b (f) (g)", After: "b>a f>b",
		Plan: `{name: w, type: chain, steps: [{id: a, action: do}, {id: b, action: do}], finally: [{id: f, action: do}, {id: g, action: do}]}`},
	{Name: "finally after a failure", Status: piton.RunFailed, Order: "a (f)", After: "f>a",
		Plan: `{name: w, type: chain, steps: [{id: a, action: do}, {id: fail, action: do, effect: idempotent}, {id: b, action: do}], finally: [{id: f, action: do}]}`},
	{Name: "wait", Status: piton.RunCompleted, Order: "a b",
		Plan: `{name: w, type: chain, steps: [{id: a, action: do}, {id: w, wait: 0.2}, {id: b, action: do, with: {of: "${{ steps.w.output.until }}"}}]}`},
	{Name: "signal", Status: piton.RunCompleted, Order: "a b c",
		Plan: `{name: w, type: chain, steps: [{id: a, action: do}, {id: s, wait: {signal: go}}, {id: b, action: do}, {id: t, wait: {signal: go}}, {id: c, action: do, with: {of: "${{ steps.s.output.payload + steps.t.output.payload }}"}}]}`},
	{Name: "repeat", Status: piton.RunCompleted, Order: "a r r r r r b", After: "b>r r>a",
		Plan: `{name: w, type: chain, steps: [{id: a, action: do}, {id: r, action: do, repeat: {until: iteration == 5}}, {id: b, action: do}]}`},
	{Name: "artifacts", Status: piton.RunCompleted, Order: "left each.0 each.1 each.2 use all", After: "use>left all>each.2",
		Plan: `{name: w, type: chain, steps: [{id: left, action: do, artifacts: {app: left.txt}}, {id: each, for_each: [1, 2, 3], action: do, artifacts: ["each.*.txt"]},
			{id: use, action: do, with: {read: "${{ steps.left.artifacts.app }}", want: "left\n"}}, {id: all, action: do, with: {read: "${{ steps.each.artifacts[2][\"each.2.txt\"] }}", want: "each.2\n"}}]}`},
	{Name: "undo", Status: piton.RunFailed, Order: "a b c e.0 e.1 e.1.undo e.0.undo c.undo a.undo (f)", After: "a.undo>c.undo c.undo>e.0.undo c.undo>e.1.undo e.0.undo>e.0",
		Plan: `{name: w, type: chain, on_failure: undo, steps: [{id: a, action: do, undo: {action: do}}, {id: b, action: do}, {id: c, action: do, undo: {action: do}}, {id: e, for_each: [1, 2], parallel: 1, action: do, undo: {action: do}}, {id: fail, action: do, effect: idempotent}],
			finally: [{id: f, action: do}], parallel: 1}`},
}

// Actions are the actions of such plans: what is called fail does.
func Actions(ledger *os.File) map[string]action.Action {
	does := Ledger(ledger)
	return map[string]action.Action{"wait": action.Waiting{},
		"do": action.Func(plan.Once, func(ctx context.Context, c action.Call) (any, error) {
			if c.Step == "fail" {
				return nil, errors.New("it never works")
			}
			if file, is := c.Parameters["read"].(string); is {
				if text, err := os.ReadFile(file); err != nil || string(text) != c.Parameters["want"] {
					return nil, fmt.Errorf("got %q, %w", text, err)
				}
			}
			for range c.Artifacts {
				if err := os.WriteFile(filepath.Join(c.Dir, c.Step+".txt"), []byte(c.Step+"\n"), 0o600); err != nil {
					return nil, err
				}
			}
			return does.Do(ctx, c)
		})}
}

// Ledger is an action that writes down when a step begins and when it has taken effect.
func Ledger(ledger *os.File) action.Action {
	return action.Func(plan.Once, func(_ context.Context, c action.Call) (any, error) {
		fmt.Fprintf(ledger, "begin %s %s %s\n", c.Step, c.Key, c.Run)
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		fmt.Fprintf(ledger, "effect %s %s %s\n", c.Step, c.Key, c.Run)
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
		return "out of " + c.Step, nil
	})
}

// Wrong is what is wrong with a run of a word that has ended: by the ledger of its steps, by
// its state as JSON, and by how many runs there are.
func (w Word) Wrong(ledger string, state []byte, runs int) (wrong []string) {
	keys := map[string]int{}
	var order []string
	for line := range strings.Lines(ledger) {
		f := strings.Fields(line)
		if f[0] != "effect" {
			continue
		}
		if keys[f[2]]++; keys[f[2]] == 1 {
			order = append(order, f[1])
		}
	}
	want := map[string]int{}
	for _, id := range strings.Fields(w.Order) {
		if bare := strings.Trim(id, "()"); bare != id {
			order = slices.DeleteFunc(order, func(x string) bool { return x == bare })
			continue
		}
		want[id]++
	}
	got := map[string]int{}
	for _, id := range order {
		got[id]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		wrong = append(wrong, "effects (-want +got)\n"+diff)
	}
	for _, pair := range strings.Fields(w.After) {
		b, a, _ := strings.Cut(pair, ">")
		if first, last := strings.LastIndex(ledger, "effect "+b+" "), strings.LastIndex(ledger, "effect "+a+" "); first < last {
			wrong = append(wrong, b+" has taken effect before "+a)
		}
	}
	for key, n := range keys {
		if n > 1 && w.Name != "plan" { // whose steps may run twice
			wrong = append(wrong, fmt.Sprintf("the key %s has taken effect %d times", key, n))
		}
	}
	if runs != max(w.Runs, 1) {
		wrong = append(wrong, fmt.Sprintf("got %d runs", runs))
	}
	var s struct {
		Results []struct {
			StepID string `json:"step_id"`
		} `json:"results"`
		Signals []string `json:"signals"`
	}
	if err := json.Unmarshal(state, &s); err != nil {
		return append(wrong, err.Error())
	}
	seen := map[string]bool{}
	for _, r := range s.Results {
		if seen[r.StepID] {
			wrong = append(wrong, "step "+r.StepID+" has two results")
		}
		seen[r.StepID] = true
	}
	if w.Name == "signal" && (!seen["c"] || len(s.Signals) != 2) {
		wrong = append(wrong, fmt.Sprintf("got the signals %v", s.Signals))
	}
	return wrong
}
