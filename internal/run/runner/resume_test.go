package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/testkit/draw"
)

// byName is the effect that a step's name ends in: a! may happen only once.
func byName(s plan.Step) plan.Effect {
	if strings.HasSuffix(s.ID, "!") {
		return plan.Once
	}
	return plan.Pure
}

func TestAgain(t *testing.T) {
	for _, c := range []struct {
		name     string
		steps    []string
		again    Again
		redacted string // steps whose output was not kept whole
		want     string
		refused  string
	}{
		{name: "completed steps stay, the others run", steps: []string{"a completed", "b failed", "c could_not", "d skipped", "e pending"},
			want: "a completed, b pending, c pending, d pending, e pending"},
		{name: "a step that was broken off runs again where that is harmless", steps: []string{"a running"}, want: "a pending"},
		{name: "else nobody knows whether it took effect", steps: []string{"a! running", "b pending <- a!"}, want: "a! in_doubt, b pending"},
		{name: "what is in doubt stays so", steps: []string{"a! in_doubt"}, want: "a! in_doubt"},
		{name: "a person says that it did", steps: []string{"a! running", "b! in_doubt"}, again: Again{Took: []string{"a!", "b!"}}, want: "a! completed, b! completed"},
		{name: "and it does not run again though what it depends on does", steps: []string{"a failed", "b! in_doubt <- a if always()", "c completed <- b!"}, again: Again{Took: []string{"b!"}},
			want: "a pending, b! completed, c pending"},
		{name: "a person has it run again", steps: []string{"a! in_doubt"}, again: Again{Redo: []string{"a!"}}, want: "a! pending"},
		{name: "what waits asks again", steps: []string{"a waiting"}, want: "a pending"},
		{name: "from a step with all that depends on it", steps: []string{"a completed", "b completed <- a", "c completed <- b", "d completed <- a"}, again: Again{From: []string{"b"}},
			want: "a completed, b pending, c pending, d completed"},
		{name: "what depended on a step that is redone runs again", steps: []string{"a! completed", "b completed <- a!"}, again: Again{Redo: []string{"a!"}}, want: "a! pending, b pending"},
		{name: "what came after a failure runs again with it", steps: []string{"a failed", "b skipped <- a", "c completed <- b if always()"}, want: "a pending, b pending, c pending"},
		{name: "an output that was not kept is made again", steps: []string{"a completed", "b failed <- a if steps.a.output"}, redacted: "a", want: "a pending, b pending"},
		{name: "an output that nobody needs is left", steps: []string{"a completed", "b failed <- a"}, redacted: "a", want: "a completed, b pending"},
		{name: "an output that may come only once is asked for", steps: []string{"a! completed", `b failed <- a! if steps["a!"].output`}, redacted: "a!", want: "a! in_doubt, b pending"},
		{name: "a person does without it", steps: []string{"a! completed", `b failed <- a! if steps["a!"].output`}, redacted: "a!", again: Again{Took: []string{"a!"}}, want: "a! completed, b pending"},
		{name: "to make it, another one is needed", steps: []string{"a completed", "b completed <- a if steps.a", "c failed <- b if steps.b"}, redacted: "a b", want: "a pending, b pending, c pending"},
		{name: "a step that is not there", steps: []string{"a failed"}, again: Again{From: []string{"z"}}, refused: `no step "z"`},
		{name: "what waits and was answered waits until the answer is heard", steps: []string{"a waiting", "b waiting"}, again: Again{answered: map[string]bool{"a": true}}, want: "a waiting, b pending"},
		{name: "a step cannot have taken effect and run again", steps: []string{"a! in_doubt"}, again: Again{Redo: []string{"a!"}, Took: []string{"a!"}}, refused: "both"},
		{name: "nor with all that depends on it", steps: []string{"a! in_doubt"}, again: Again{From: []string{"a!"}, Took: []string{"a!"}}, refused: "both"},
		{name: "a completed step that would run again stays by a person's word", steps: []string{"a completed", "b completed <- a"}, again: Again{Redo: []string{"a"}, Took: []string{"b"}}, want: "a pending, b completed"},
		{name: "a word that changes nothing", steps: []string{"a completed", "b failed <- a"}, again: Again{Took: []string{"a"}}, refused: "step a is completed and does not run again"},
		{name: "a step that is not in doubt", steps: []string{"a failed"}, again: Again{Took: []string{"a"}}, refused: "is failed, not in doubt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, s := of(c.steps...)
			for i := range s.Results {
				s.Results[i].Redacted = slices.Contains(strings.Fields(c.redacted), s.Results[i].StepID)
			}
			got, err := again(p, s, byName, c.again)
			if c.refused != "" {
				if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("got %v, want it refused: %s", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, statuses(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, x := range got.Plan {
				if (got.result(x.ID) != nil) != (x.Status == Completed) && x.Status != InDoubt {
					t.Errorf("step %s is %s, and its result is %v", x.ID, x.Status, got.result(x.ID))
				}
			}
		})
	}
}

// randomPlan is a plan in any order of its steps, without cycles.
func randomPlan(t *rapid.T) (p plan.Plan, s State) {
	n := rapid.IntRange(1, 12).Draw(t, "steps")
	p.Parallel = rapid.IntRange(1, 4).Draw(t, "parallel")
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("s", i)
		if rapid.Bool().Draw(t, "once") {
			names[i] += "!"
		}
		x := plan.Step{ID: names[i], Action: "shell"}
		for j := range i {
			if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
				x.Dependencies = append(x.Dependencies, names[j])
			}
		}
		if rapid.IntRange(0, 5).Draw(t, "when") == 0 {
			x.When = "always()"
		}
		p.Steps = append(p.Steps, x)
	}
	p.Steps = rapid.Permutation(p.Steps).Draw(t, "order")
	for _, x := range p.Steps {
		s.Plan = append(s.Plan, Step{ID: x.ID, Status: Pending})
	}
	return p, s
}

// TestRunsOfAnyPlan plays runs of random plans that fail and crash at random, and
// are resumed until they are over.
func TestRunsOfAnyPlan(t *testing.T) {
	now := time.Now()
	draw.Check(t, func(t *rapid.T) {
		p, s := randomPlan(t)
		budget := rapid.IntRange(0, 6).Draw(t, "troubles")
		for round := 0; ; round++ {
			if round > 500 {
				t.Fatal("the run comes to no end")
			}
			n := next(p, s, now, ask)
			s = n.State
			for _, i := range n.Start {
				x := &s.Plan[i]
				for _, d := range p.Steps[i].Dependencies {
					if st := s.Plan[s.step(d)].Status; st != Completed && !(p.Steps[i].When != "" && st.Ended()) {
						t.Fatalf("step %s starts while %s is %s", x.ID, d, st)
					}
				}
				if x.Status != Pending {
					t.Fatalf("step %s starts, and is %s", x.ID, x.Status)
				}
				x.Status = Running
			}
			var running []int
			for i, x := range s.Plan {
				if x.Status == Running {
					running = append(running, i)
				}
			}
			if len(running) > p.Parallel {
				t.Fatalf("%d steps run at once, want %d at most", len(running), p.Parallel)
			}
			trouble := budget > 0 && rapid.IntRange(0, 3).Draw(t, "trouble") == 0
			switch {
			case n.Over && n.Status == piton.RunCompleted:
				for _, x := range s.Plan {
					if !x.Status.Done() {
						t.Fatalf("the run is completed, and step %s is %s", x.ID, x.Status)
					}
				}
				return
			case n.Over || trouble && rapid.Bool().Draw(t, "crash"):
				if !n.Over {
					budget--
				}
				g := Again{}
				for _, x := range s.Plan {
					if n.Over && x.Status == InDoubt {
						g.Took = append(g.Took, x.ID)
					}
				}
				s = crash(t, p, s, g)
			case trouble && len(running) > 0:
				budget--
				s.Plan[running[0]].Status = Failed
			case len(running) > 0:
				i := rapid.SampledFrom(running).Draw(t, "ends")
				x := &s.Plan[i]
				x.Status = Completed
				s.Results = append(s.Results, Result{StepID: x.ID})
			}
		}
	})
}

// crash resumes, and checks what holds of every resume.
func crash(t *rapid.T, p plan.Plan, s State, g Again) State {
	same := cmpopts.IgnoreUnexported(Result{})
	once, err := again(p, s, byName, g)
	if err != nil {
		t.Fatal(err)
	}
	twice := once
	for range 2 { // what a person has said is kept, and need not be said again
		if twice, err = again(p, twice, byName, Again{}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(once, twice, same); diff != "" {
		t.Fatalf("three crashes in a row are not as one (-one +three)\n%s", diff)
	}
	failed := map[int]bool{}
	for i, x := range s.Plan {
		failed[i] = x.Status == Failed || x.Status == CouldNot
	}
	maps.DeleteFunc(failed, func(_ int, f bool) bool { return !f })
	after := dependents(p, failed)
	for i, x := range s.Plan {
		if x.Status == Completed && once.Plan[i].Status != Completed && !after[i] {
			t.Fatalf("step %s was completed and is %s", x.ID, once.Plan[i].Status)
		}
		if x.Status == Running && strings.HasSuffix(x.ID, "!") && once.Plan[i].Status == Pending {
			t.Fatalf("step %s may run twice", x.ID)
		}
	}
	return once
}

// A secret that is written into a changed plan is not shown as a change: the plan is
// refused, accepted or not.
func TestASecretInAChangedPlanIsNotShown(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyZ"
	for name, accept := range map[string]bool{"shown": false, "accepted": true} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.do["b"] = fails("no")
			o := d.start(Request{Plan: steps("a", "b <- a")})
			changed := steps("a", "b <- a")
			changed.Steps[1].Parameters = map[string]any{"env": map[string]any{"GH_TOKEN": secret}}
			for _, g := range []Again{{Run: o.RunID}, {Checkpoint: o.Run.CheckpointID}} {
				g.Plan, g.AcceptPlan = &changed, accept
				_, err := d.Resume(t.Context(), g)
				if piton.CodeOf(err) != piton.Invalid || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "/steps/1/parameters/env/GH_TOKEN") {
					t.Errorf("got %v, want it refused by the place of the secret", err)
				}
			}
		})
	}
}
