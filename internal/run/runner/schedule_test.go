package runner

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// ask is a stand-in for plan.When: "always()" runs, "false" does not, "bad" cannot
// be evaluated; else all dependencies must be completed.
func ask(p plan.Plan, i int, s State) (bool, string, error) {
	switch p.Steps[i].When {
	case "always()":
		return true, "", nil
	case "bad":
		return false, "", errors.New("no such name")
	}
	for _, d := range p.Steps[i].Dependencies {
		if x := s.Plan[s.step(d)]; x.Status != Completed {
			return false, fmt.Sprintf("step %s is %s", d, x.Status), nil
		}
	}
	return p.Steps[i].When != "false", "its condition is false", nil
}

// of makes a plan and a state of lines "id status <- dep,dep if when".
func of(lines ...string) (p plan.Plan, s State) {
	for _, line := range lines {
		head, when, _ := strings.Cut(line, " if ")
		head, deps, _ := strings.Cut(head, " <- ")
		id, status, _ := strings.Cut(head, " ")
		x := plan.Step{ID: id, Action: "shell", When: when}
		if deps != "" {
			x.Dependencies = strings.Split(deps, ",")
		}
		p.Steps = append(p.Steps, x)
		s.Plan = append(s.Plan, Step{ID: id, Status: Status(status), Dependencies: x.Dependencies})
		if Status(status) == Completed {
			s.Results = append(s.Results, Result{StepID: id})
		}
	}
	return p, s
}

// statuses writes how far the steps are: "a completed, b pending".
func statuses(s State) string {
	var list []string
	for _, x := range s.Plan {
		list = append(list, x.ID+" "+string(x.Status))
	}
	return strings.Join(list, ", ")
}

func TestNext(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name     string
		steps    []string
		parallel int
		later    string // a step that is not tried again yet
		start    string
		want     string // statuses; "" where nothing changes
		over     piton.RunStatus
		says     string // of the error or of the reasons
	}{
		{name: "steps without dependencies start together, up to the limit", steps: []string{"a pending", "b pending", "c pending"}, parallel: 2, start: "a b"},
		{name: "four at once unless the plan says", steps: []string{"a pending", "b pending", "c pending", "d pending", "e pending"}, start: "a b c d"},
		{name: "what runs already counts", steps: []string{"a running", "b pending", "c pending"}, parallel: 2, start: "b"},
		{name: "the order of the file has no meaning", steps: []string{"b pending <- a", "a pending"}, start: "a"},
		{name: "a step waits for all its dependencies", steps: []string{"a completed", "b running", "c pending <- a,b"}},
		{name: "what depends on a failure is skipped, over any way", steps: []string{"a failed", "b pending <- a", "c pending <- b", "d pending"}, start: "d",
			want: "a failed, b skipped, c skipped, d pending", says: "step a is failed"},
		{name: "what could not be done counts as a failure", steps: []string{"a could_not", "b pending <- a"}, want: "a could_not, b skipped", over: piton.RunFailed, says: "could not be done"},
		{name: "a condition may ask for it", steps: []string{"a failed", "b pending <- a if always()"}, start: "b"},
		{name: "a false condition skips", steps: []string{"a pending if false", "b completed"}, want: "a skipped, b completed", over: piton.RunCompleted, says: "condition is false"},
		{name: "a condition that cannot be evaluated fails its step", steps: []string{"a pending if bad"}, want: "a failed", over: piton.RunFailed, says: "no such name"},
		{name: "a step in doubt holds what depends on it", steps: []string{"a in_doubt", "b pending <- a", "c pending"}, start: "c"},
		{name: "in doubt at the end", steps: []string{"a in_doubt", "b pending <- a", "c failed"}, over: piton.RunInDoubt, says: "step a took effect"},
		{name: "a person is waited for", steps: []string{"a waiting", "b pending <- a", "c failed"}, over: piton.RunWaiting, says: "step a needs a person's approval"},
		{name: "a failure at the end", steps: []string{"a failed", "b completed"}, over: piton.RunFailed, says: "step a failed"},
		{name: "all is done", steps: []string{"a completed", "b skipped"}, over: piton.RunCompleted},
		{name: "a plan without steps is done", over: piton.RunCompleted},
		{name: "what is tried again later is not over", steps: []string{"a pending", "b completed"}, later: "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, s := of(c.steps...)
			p.Parallel = c.parallel
			if c.later != "" {
				s.Plan[s.step(c.later)].RetryAt = piton.At(now.Add(time.Second))
			}
			before := statuses(s)
			n := next(p, s, now, ask)
			var start, reasons []string
			for _, i := range n.Start {
				start = append(start, p.Steps[i].ID)
			}
			for _, i := range n.Changed {
				reasons = append(reasons, n.State.Plan[i].Reason)
			}
			want := c.want
			if want == "" {
				want = before
			}
			if got := strings.Join(start, " "); got != c.start {
				t.Errorf("got %q to start, want %q", got, c.start)
			}
			if diff := cmp.Diff(want, statuses(n.State)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if n.Over != (c.over != "") || n.Status != c.over {
				t.Errorf("got over %t as %q, want %q", n.Over, n.Status, c.over)
			}
			if said := n.Error + strings.Join(reasons, "\n"); !strings.Contains(said, c.says) {
				t.Errorf("got %q, want %q in it", said, c.says)
			}
			if statuses(s) != before {
				t.Errorf("the state given was changed to %s", statuses(s))
			}
			if slices.Contains(c.steps, c.later+" pending") && !n.Wake.Equal(now.Add(time.Second)) {
				t.Errorf("got the next look at %s", n.Wake)
			}
		})
	}
}
