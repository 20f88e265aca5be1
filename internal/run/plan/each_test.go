package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMoreThanOnce reads plans with steps that run more than once, wait, come last or undo,
// in our words and those of others. want is a line of a step each, or a part of the error.
func TestMoreThanOnce(t *testing.T) {
	for _, c := range []struct{ name, plan, want string }{
		{"a list", `steps: [{id: a, for_each: [1, "x ${{ query }}"], run: "echo ${{ item }} ${{ index }}"}]`, "a"},
		{"an expression that brings a list", `steps: [{id: l, run: ls}, {id: a, needs: [l], for_each: "${{ steps.l.output }}", parallel: 3, run: "echo ${{ item }}"}]`, "l\na <- l"},
		{"a range", `steps: [{id: a, for_each: {from: 1, to: 3}, run: "echo ${{ item }}"}]`, "a"},
		{"a range without its end", `steps: [{id: a, for_each: {from: 1}, run: echo}]`, "wants a list, or a range as in {from: 1, to: 10}"},
		{"a matrix of GitHub", `steps: [{id: a, strategy: {matrix: {go-version: [1, 2]}, max-parallel: 2, fail-fast: false}, run: "echo ${{ matrix.go-version }}"}]`, "a"},
		{"a matrix that is no object", `steps: [{id: a, matrix: [1], run: echo}]`, "wants names with lists, as in {os: [linux, mac]}"},
		{"both", `steps: [{id: a, matrix: {x: [1]}, for_each: [1], run: echo}]`, "both say what the step runs for"},
		{"an item where there is none", `steps: [{id: a, run: "echo ${{ item }}"}]`, "it belongs into a step with 'for_each' or 'matrix'"},
		{"a secret in an item", `steps: [{id: a, for_each: ["${env:TOKEN}"], run: echo}]`, "name the variable in the step"},
		{"parallel of Dagu", `steps: [{id: a, parallel: {items: [a, b]}, run: echo}]`, "the items stand under 'for_each'"},
		{"parallel of nothing", `steps: [{id: a, parallel: 2, run: echo}]`, "are for one with for_each or matrix"},
		{"a list of steps that come before", `steps: [{id: a, needs: [b], for_each: steps.c.output, run: echo}, {id: b, run: ls}, {id: c, run: ls}]`, "it uses step c, which the step does not depend on"},
		{"repeat", `steps: [{id: a, run: "echo ${{ iteration }}", repeat: {until: "output == 'ok' || iteration > 2", max: 3, delay: 1s}}]`, "a"},
		{"repeat of Dagu", `steps: [{id: a, run: x, repeat_policy: {while: output == "", interval_sec: 5, limit: 3}}]`, "a"},
		{"repeat of Dagu that cannot be", `steps: [{id: a, run: x, repeat_policy: {repeat: until, condition: x}}]`, "write until: EXPRESSION"},
		{"a loop of Archon", `nodes: [{id: a, loop: {prompt: Go on, until: COMPLETE, max_iterations: 5}}]`, "a"},
		{"repeat without an end", `steps: [{id: a, run: x, repeat: {max: 3}}]`, "wants 'until' or 'while'"},
		{"last steps", `{steps: [{id: a, run: x}, {id: b, run: y}, {id: c, run: z, needs: [a]}], finally: [{id: f, run: f}, g], parallel: 2}`, "a\nb\nc <- a\nf <- b,c if always()\n5 <- f if always()"},
		{"last steps with a condition", `{steps: [{id: a, run: x}], finally: [{id: f, if: failure(), run: f}]}`, "a\nf <- a if always() && (failure())"},
		{"handlers of Dagu", `{steps: [{id: a, run: x}], handler_on: {failure: {id: f, command: f}, exit: e}}`, "a\nf <- a if always() && (failure())\nexit <- f if always()"},
		{"a handler that is none", `{steps: [{id: a, run: x}], handler_on: {cancel: e}}`, "write 'exit', which runs after a cancellation too"},
		{"a step behind the last ones", `{steps: [{id: a, run: x}, {id: b, run: x, needs: [f]}], finally: [{id: f, run: f}]}`, "in a cycle"},
		{"undo", `steps: [{id: a, run: x, undo: "echo ${{ steps.a.output }}"}, {id: b, for_each: [1], run: x, undo: {run: "echo ${{ item }}", retry: {attempts: 2}}}]`, "a\nb <- a\na.undo <- a\nb.undo <- b"},
		{"undo with a place of its own", `steps: [{id: a, run: x, undo: {run: y, needs: [a]}}]`, "what undoes a step has no key"},
		{"undoes", `steps: [{id: a, run: x}, {id: b, undoes: a, run: y}]`, "write it at the step that is undone"},
		{"a plan", `steps: [{id: a, plan: c.yaml, inputs: {x: 1}}]`, "a"},
		{"inputs of a command", `steps: [{id: a, run: x, inputs: {x: 1}}]`, "for the plan that it runs"},
		{"a plan of Dagu", `steps: [{id: a, call: child}]`, "a"},
		{"a wait", `steps: [{id: a, wait: 90}, {id: b, sleep: 2h}, {id: c, wait: {signal: go, timeout: 1d}}]`, "a\nb <- a\nc <- b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Parse("p.yaml", []byte(c.plan), nil)
			if err != nil {
				if !strings.Contains(err.Error(), c.want) || !strings.Contains(c.want, " ") {
					t.Fatalf("got %v, want %q", err, c.want)
				}
				return
			}
			if got := lines(p); got != c.want {
				t.Fatalf("got\n%s, want\n%s", got, c.want)
			}
			again, err := FromJSON(p.JSON())
			if err != nil || again.Sum() != p.Sum() {
				t.Errorf("read again: %v\n%s\n%s", err, p.JSON(), again.JSON())
			}
			if got, err := FromState(stateOf(t, p), nil); err != nil || got.Sum() != p.Sum() {
				t.Errorf("from a state: %v\n%s\n%s", err, p.JSON(), got.JSON())
			}
		})
	}
}

// lines are the steps of a plan, a line each.
func lines(p Plan) string {
	var list []string
	for _, s := range p.Steps {
		line := s.ID
		if len(s.Dependencies) > 0 {
			line += " <- " + strings.Join(s.Dependencies, ",")
		}
		if s.When != "" {
			line += " if " + s.When
		}
		list = append(list, line)
	}
	return strings.Join(list, "\n")
}

// stateOf is a run's saved state of a plan, with an item's step and one that undoes, which
// are not the plan's.
func stateOf(t *testing.T, p Plan) []byte {
	t.Helper()
	steps := []map[string]any{{"id": "x.0", "of": "x", "status": "completed"}, {"id": "x.undo", "undoes": "x", "status": "pending"}}
	for _, s := range p.Steps {
		if s.Undoes == "" {
			steps = append(steps, map[string]any{"id": s.ID, "description": s.Description, "action": s.Action, "parameters": s.Parameters, "dependencies": s.Dependencies})
		}
	}
	b, err := json.Marshal(map[string]any{"run_id": "run_0123456789abcdef", "plan": steps, "terms": p.Terms(), "results": []any{}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPlansInAPlan: a plan that holds others is the same when it is read again, also of a
// saved state, whatever its steps' order in theirs.
func TestPlansInAPlan(t *testing.T) {
	p, err := Parse("p.yaml", []byte(`
plans:
  c.yaml:
    inputs: {x: {}}
    type: graph
    steps: [{id: a, run: x, undo: y}, {id: b, run: "echo ${{ inputs.x }}"}]
    finally: [{id: f, run: z}]
steps: [{id: sub, plan: c.yaml, inputs: {x: 1}}]
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("a\nb\nf <- a,b if always()\na.undo <- a", lines(p.Plans["c.yaml"])); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got, err := FromState(stateOf(t, p), nil); err != nil || got.Sum() != p.Sum() {
		t.Errorf("from a state: %v\n%s\n%s", err, p.JSON(), got.JSON())
	}
	if _, err := Parse("p.yaml", []byte(`{plans: {c: {steps: [{id: a, rnu: x}]}}, steps: [{id: s, plan: c}]}`), nil); err == nil || !strings.Contains(err.Error(), `has no key "rnu"`) {
		t.Errorf("got %v, want the inner plan's slip", err)
	}
}
