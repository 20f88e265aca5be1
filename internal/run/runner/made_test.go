package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/testkit/draw"
)

// TestMadeStateIsLikeAnyOther prepares states as the runner makes them, and as a
// caller would give them: record, state and sum are the same.
func TestMadeStateIsLikeAnyOther(t *testing.T) {
	words := rapid.SampledFrom([]string{"", "fetch", "two\nlines", "password=Zx81kkPq0!", "ü <b>", "a\tb", string(make([]byte, 3)), longText(300)})
	statuses := rapid.SampledFrom([]Status{Pending, Running, Completed, Failed, Skipped, Waiting, InDoubt, CouldNot})
	draw.Check(t, func(t *rapid.T) {
		s := State{Run: "run_x", Query: words.Draw(t, "query"), Inputs: map[string]any{"a": words.Draw(t, "input")}, Used: Used{Tries: 3, WorkMS: 17}}
		all := rapid.Bool().Draw(t, "all is done")
		for i := range rapid.IntRange(0, 5).Draw(t, "steps") {
			x := Step{ID: string(rune('a' + i)), Description: words.Draw(t, "description"), Action: "shell", Status: statuses.Draw(t, "status"), Reason: words.Draw(t, "reason"), Attempt: i}
			if all {
				x.Status = Completed
			}
			s.Plan = append(s.Plan, x)
			if x.Status == Completed {
				s.Results = append(s.Results, Result{StepID: x.ID, Output: map[string]any{"out": words.Draw(t, "output")}})
			}
		}
		if rapid.Bool().Draw(t, "an error") {
			s.LastError = &LastError{Message: words.Draw(t, "message")}
		}
		s.count()
		e := newEngine(&Runner{}, piton.Run{ID: "run_x"}, plan.Plan{}, s)
		d := history.Draft{SaveRequest: piton.SaveRequest{Type: piton.TypePlan, Trigger: piton.TriggerAuto}, Collected: true}
		if progress := 40; len(s.Plan) > 0 {
			d.Progress = &progress // the runner's own, which says more than the state
		}
		for range 2 { // the second time all parts are known
			made := d
			if err := e.put(&made); err != nil {
				t.Fatal(err)
			}
			if made.Made == nil {
				t.Fatal("got a state that is read again, want one that is made")
			}
			given := d
			given.State = made.Made.Parts.JSON()
			got, gotOut, err := e.Keeper.Prepare(made)
			if err != nil {
				t.Fatal(err)
			}
			want, wantOut, err := e.Keeper.Prepare(given)
			if err != nil {
				t.Fatal(err)
			}
			if gotOut != wantOut || string(got.State.Get()) != string(want.State.Get()) {
				t.Fatalf("got %d secrets and %s, want %d and %s", gotOut, got.State.Get(), wantOut, want.State.Get())
			}
			if diff := cmp.Diff(want.Record, got.Record, cmpopts.IgnoreFields(piton.Checkpoint{}, "ID", "CreatedAt", "CompletedAt")); diff != "" {
				t.Fatalf("%s\n(-want +got)\n%s", given.State, diff)
			}
			if got.Record.Completed && got.Record.CompletedAt != got.Record.CreatedAt {
				t.Fatalf("got a completion at %v, want at %v", got.Record.CompletedAt, got.Record.CreatedAt)
			}
		}
	})
}

func longText(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'x'
	}
	return string(b)
}
