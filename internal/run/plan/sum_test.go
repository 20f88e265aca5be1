package plan_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/testkit/draw"
)

func parsed(t testing.TB, text string) plan.Plan {
	t.Helper()
	p, err := plan.Parse("p.yaml", []byte(text), known)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parsedDuration(t testing.TB, text string) plan.Duration {
	t.Helper()
	return parsed(t, "steps: [{run: x, timeout: "+text+"}]").Steps[0].Timeout
}

func TestSum(t *testing.T) {
	one := parsed(t, "name: x # a comment\nquery: <q> & more\ninputs: {a: {default: 1}, b: {}}\nsteps:\n  b: {run: y, needs: [c, a], timeout: 90s}\n  a: {run: x}\n  c: {run: z}\n")
	for name, text := range map[string]string{
		"other formatting": "steps:\n  a:\n    run: x\n  c:\n    command: z\n  b:\n    timeout: 1.5m\n    depends_on:\n    - a\n    - c\n    run: y\ninputs:\n  b:\n  a: 1\nquery: \"<q> & more\"\nname: x\n",
		"JSON":             `{"name":"x","query":"<q> & more","inputs":[{"name":"b"},{"name":"a","type":"number","default":1.0}],"steps":[{"id":"c","action":"shell","parameters":{"command":"z"}},{"id":"a","run":"x"},{"id":"b","run":"y","needs":["a","c"],"timeout":90}]}`,
	} {
		other := parsed(t, text)
		if one.Sum() != other.Sum() || len(plan.Diff(one, other)) > 0 {
			t.Errorf("%s: got another sum, %v", name, plan.Diff(one, other))
		}
	}
	if !strings.Contains(string(one.JSON()), `"query":"<q> & more"`) || !strings.Contains(string(one.JSON()), `"timeout":"1m30s"`) {
		t.Errorf("got %s", one.JSON())
	}
	if got := one.Sum(); len(got) != 64 {
		t.Errorf("got the sum %q", got)
	}
	for text, want := range map[string]string{`"1.5m"`: "1m30s", `90`: "1m30s", `"90"`: "1m30s", `"\ud800"`: "", `"x`: "", `0`: "", `"366d"`: "366d", `"367d"`: "", `-1`: "", `true`: "", `""`: ""} {
		var d plan.Duration
		if err := d.UnmarshalJSON([]byte(text)); (err == nil) != (want != "") || want != "" && d.String() != parsedDuration(t, want).String() {
			t.Errorf("%s: got %v (%v), want %q", text, d, err, want)
		}
	}
	for _, bad := range []string{"", "{}", "[]", `{"steps":[]}`, `{"steps":[{"id":"a","action":"b"}],"x":1}`, `{"steps":[{"id":"a","action":"b","timeout":"x"}]}`, `{"steps":[{"id":"a","action":"b"}]} {}`} {
		if _, err := plan.FromJSON([]byte(bad)); piton.CodeOf(err) != piton.Corrupt {
			t.Errorf("%s: got %v, want corrupt", bad, err)
		}
	}
}

func TestDiff(t *testing.T) {
	old := parsed(t, "parallel: 2\nbudget: {tokens: 10}\ninputs: {a: x, gone: y}\nsteps:\n- {id: a, run: one, env: {A: 1}}\n- {id: b, name: Second, run: '"+strings.Repeat("long ", 30)+"end', needs: a}\n- {id: c, prompt: z}\n")
	new := parsed(t, "budget: {tokens: 20, tries: 3}\ninputs: {a: z, more: y}\nsteps:\n- {id: a, run: 'one\n\n  two', env: {A: 2}, timeout: 5m}\n- {id: b, name: Second, run: '"+strings.Repeat("long ", 30)+"END', needs: d}\n- {id: d, name: Fourth, run: y}\n")
	var got []string
	for _, c := range plan.Diff(old, new) {
		got = append(got, c.String())
	}
	want := []string{
		"budget.tokens: 10 -> 20", "budget.tries: added 3", "parallel: removed (was 2)",
		"input a: default: x -> z", "input more: added an input", "input gone: removed (was an input)",
		"step a: parameters.command: one -> one⏎two", "step a: parameters.env.A: 1 -> 2", "step a: timeout: added 5m",
		`step b: dependencies: ["a"] -> ["d"]`, "step b: parameters.command: …long long long long end -> …long long long long END",
		"step d: added shell (Fourth)", "step c: removed (was agent)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFromState(t *testing.T) {
	p, err := plan.FromState([]byte(`{"query":"q","plan":[{"id":"1","description":"d","action":"shell","parameters":{"command":"a"},"status":"completed"},{"id":2,"action":"shell","parameters":{"command":"b ${{ steps.1.output }}"},"status":"failed","dependencies":[]},{"action":"agent","parameters":{"prompt":"c"}}],"currentStepIndex":1,"results":[{"stepId":"1","output":[1]}],"lastError":{"message":"x"}}`), known)
	want := plan.Plan{Query: "q", Steps: []plan.Step{
		{ID: "1", Description: "d", Action: "shell", Parameters: map[string]any{"command": "a"}, Line: 1},
		{ID: "2", Action: "shell", Parameters: map[string]any{"command": "b ${{ steps.1.output }}"}, Dependencies: []string{"1"}, Line: 1},
		{ID: "3", Action: "agent", Parameters: map[string]any{"prompt": "c"}, Dependencies: []string{"2"}, Line: 1}}}
	if err != nil || !reflect.DeepEqual(p, want) {
		t.Errorf("got %+v (%v), want %+v", p, err, want)
	}
	p, err = plan.FromState([]byte(`{"plan":[{"id":"a","action":"http"},{"id":"b","action":"http","dependencies":["c"]},{"id":"c","action":"http"}],"current_step_index":0}`), known)
	if err != nil || len(p.Steps[2].Dependencies) > 0 || !slices.Equal(p.Steps[1].Dependencies, []string{"c"}) {
		t.Errorf("got %+v (%v), want the dependencies as they are", p, err)
	}
	for state, want := range map[string]string{
		`[]`: "a state is one JSON object", `{"plan":[]}`: "no steps", `{"plan":[3]}`: "a step wants keys with values", `{`: "too early",
		`{"plan":[{"id":"a","action":"search"}]}`: `there is no action "search"`, `{"plan":[{"id":"a","action":"http","dependencies":["b"]}]}`: "which is not a step",
	} {
		if _, err := plan.FromState([]byte(state), known); piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", state, err, want)
		}
	}
}

// drawn is a plan of any form.
func drawn(t *rapid.T, name string) plan.Plan {
	word := rapid.SampledFrom([]string{"", "a", "b", "<x>", "ü\n", "1"})
	params := rapid.MapOfN(rapid.SampledFrom([]string{"x", "y"}), rapid.SampledFrom([]any{nil, true, 1.0, 1.5, "t", []any{"l", 2.0}, map[string]any{"k": "v"}}), 0, 2)
	p := plan.Plan{Name: word.Draw(t, name+" name"), Query: word.Draw(t, name+" query"), Parallel: rapid.IntRange(0, 2).Draw(t, name+" parallel"), Budget: plan.Budget{Tries: rapid.IntRange(0, 1).Draw(t, name+" tries")}}
	for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID[string]).Draw(t, name+" inputs") {
		p.Inputs = append(p.Inputs, plan.Input{Name: id, Default: rapid.SampledFrom([]any{nil, false, "", 0.0}).Draw(t, name+" default"), Required: rapid.Bool().Draw(t, name+" required")})
	}
	for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 1, 4, rapid.ID[string]).Draw(t, name+" steps") {
		at := fmt.Sprintf("%s step %s", name, id)
		s := plan.Step{ID: id, Action: rapid.SampledFrom([]string{"shell", "http"}).Draw(t, at), When: word.Draw(t, at+" when"), Timeout: plan.Duration(rapid.SampledFrom([]int64{0, 1, 1500, 1e9, 90e9, 3600e9}).Draw(t, at+" timeout"))}
		if m := params.Draw(t, at+" parameters"); len(m) > 0 {
			s.Parameters = m
		}
		s.Dependencies = rapid.SampledFrom([][]string{nil, {"x"}, {"x", "y"}, {"y", "x"}}).Draw(t, at+" needs")
		s.Retry = rapid.SampledFrom([]plan.Retry{{}, {Attempts: 2}, {Attempts: 2, Exact: true, Factor: 1.5}}).Draw(t, at+" retry")
		s.Check = rapid.SampledFrom([][]plan.Check{nil, {{Run: "x"}}, {{Verified: true}, {Expr: "y"}}}).Draw(t, at+" check")
		p.Steps = append(p.Steps, s)
	}
	return p
}

// TestSumAndDiffAgree: a plan is kept whole, and two plans have one sum exactly
// where nothing has changed, in whatever order.
func TestSumAndDiffAgree(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		a := drawn(t, "a")
		back, err := plan.FromJSON(a.JSON())
		if err != nil || !reflect.DeepEqual(a, back) {
			t.Fatalf("got %+v (%v), want %+v", back, err, a)
		}
		b := drawn(t, "b")
		if rapid.Bool().Draw(t, "same") {
			b = a
			b.Steps, b.Inputs = rapid.Permutation(a.Steps).Draw(t, "steps"), rapid.Permutation(a.Inputs).Draw(t, "inputs")
			for i := range b.Steps {
				b.Steps[i].Parameters = maps.Clone(b.Steps[i].Parameters)
				b.Steps[i].Line = i
			}
		}
		changes := plan.Diff(a, b)
		if (a.Sum() == b.Sum()) != (len(changes) == 0) {
			t.Fatalf("got the changes %v, and sums %s and %s", changes, a.Sum(), b.Sum())
		}
		if len(plan.Diff(b, a)) != len(changes) {
			t.Fatalf("got %v one way, and %v the other", changes, plan.Diff(b, a))
		}
	})
}

// FuzzParse: nothing breaks, and what is read is kept whole.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add("p.yaml", string(text))
	}
	f.Add("p.json", `{"plan":[{"id":1,"action":"shell","parameters":{"command":["a","${{ query }}"]}}]}`)
	f.Add("p.yaml", "jobs:\n  a: &a {run: 'x ${{ inputs.b-c }} <<E\n\n  E', if: always()}\n  b: {<<: *a, needs: a, when: steps.a.output?.x in [1]}\ninputs: {b-c: 1}\n")
	f.Add("p.yaml", "nodes:\n- {id: a, bash: \"echo \\\"$(x ${{ query ?? {} }})\\\"\", retry: {max_attempts: 2}}\n")
	f.Fuzz(func(t *testing.T, file, text string) {
		p, err := plan.Parse(file, []byte(text), known)
		if err != nil {
			if piton.CodeOf(err) != piton.Invalid {
				t.Fatalf("got %v, want invalid", err)
			}
			return
		}
		back, err := plan.FromJSON(p.JSON())
		if err != nil || back.Sum() != p.Sum() || len(plan.Diff(p, back)) > 0 {
			t.Fatalf("got %s back of %s (%v)", back.JSON(), p.JSON(), err)
		}
		again, err := plan.Parse("p.json", p.JSON(), known)
		if err != nil || again.Sum() != p.Sum() {
			t.Fatalf("got %s (%v), want %s", again.JSON(), err, p.JSON())
		}
		for _, s := range p.Steps {
			_, _ = plan.Resolve(s, plan.Resolver{})
			_, _, _ = plan.When(p, s, plan.Resolver{})
		}
	})
}
