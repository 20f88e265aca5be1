package runner

import (
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/plan"
)

// A changed input is found, with the completed steps whose results come of its old value:
// those that name it in an expression, in any place and any spelling.
func TestChangedInputs(t *testing.T) {
	say := func(text string) plan.Step {
		return plan.Step{ID: "a", Action: "do", Parameters: map[string]any{"text": text}}
	}
	after := plan.Step{ID: "b", Action: "do", Dependencies: []string{"a"}}
	for _, c := range []struct {
		name    string
		a       plan.Step
		kept    map[string]any
		given   map[string]any
		was, is any // defaults of day
		changed string
		used    string
	}{
		{"named", say("x ${{ inputs.day }}"), nil, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
		{"named by brackets", say(`${{ inputs["day"] }}`), nil, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
		{"in a function", say("${{ upper(inputs.day) }}"), nil, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
		{"all of them at once", say("${{ toJSON(inputs) }}"), nil, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
		{"by a computed name", say(`${{ inputs["d" + "ay"] }}`), nil, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
		{"one name and all", say("${{ inputs.who + toJSON(inputs) }}"), nil, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
		{"another input", say("${{ inputs.who }}"), nil, map[string]any{"day": "tue"}, nil, nil, "day", ""},
		{"only a word", say("inputs.day"), nil, map[string]any{"day": "tue"}, nil, nil, "day", ""},
		{"in a list", plan.Step{ID: "a", Parameters: map[string]any{"l": []any{"x", "${{ inputs.day }}"}}}, nil, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
		{"in an object", plan.Step{ID: "a", Parameters: map[string]any{"m": map[string]any{"k": "${{ inputs.day }}"}}}, nil, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
		{"in when", plan.Step{ID: "a", When: `inputs.day == "mon"`}, nil, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
		{"in a check", plan.Step{ID: "a", Check: []plan.Check{{Expr: "output == inputs.day"}}}, nil, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
		{"in a check's command", plan.Step{ID: "a", Check: []plan.Check{{Run: "test ${{ inputs.day }}"}}}, nil, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
		{"two inputs", say("${{ inputs.who }}"), nil, map[string]any{"day": "tue", "who": "bob"}, nil, nil, "day who", "a"},
		{"the same value", say("${{ inputs.day }}"), nil, map[string]any{"day": "mon"}, nil, nil, "", ""},
		{"nothing given", say("${{ inputs.day }}"), nil, nil, nil, nil, "", ""},
		{"a changed default", say("${{ inputs.day }}"), nil, nil, "mon", "tue", "day", "a"},
		{"a changed default that was overridden", say("${{ inputs.day }}"), nil, nil, "sun", "tue", "", ""},
		{"a changed default that is overridden", say("${{ inputs.day }}"), nil, map[string]any{"day": "mon"}, "mon", "tue", "", ""},
		{"an input that was not set", say("${{ inputs.day }}"), map[string]any{"who": "ann"}, map[string]any{"day": "tue"}, nil, nil, "day", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			was := plan.Plan{Inputs: []plan.Input{{Name: "day", Default: c.was}, {Name: "who"}}, Steps: []plan.Step{c.a, after}}
			p := plan.Plan{Inputs: []plan.Input{{Name: "day", Default: c.is}, {Name: "who"}}, Steps: was.Steps}
			if c.kept == nil {
				c.kept = map[string]any{"day": "mon", "who": "ann"}
			}
			s := State{Inputs: c.kept, Plan: []Step{{ID: "a", Status: Completed}, {ID: "b", Status: Completed}}}
			x, err := (&Runner{Keeper: history.Keeper{}}).ChangedInputs(was, p, s, c.given)
			if err != nil || strings.Join(x.Names, " ") != c.changed || strings.Join(x.used, " ") != c.used {
				t.Errorf("got %q used by %q, %v, want %q used by %q", x.Names, x.used, err, c.changed, c.used)
			}
			if depends := strings.Contains(x.String(), "step b is completed and depends on"); depends != (c.used != "") {
				t.Errorf("got %q", x)
			}
		})
	}
}

// Accepted inputs run again what used the old value; without a word nothing runs.
func TestAcceptedInputs(t *testing.T) {
	p := plan.Plan{Inputs: []plan.Input{{Name: "day"}}, Steps: []plan.Step{
		{ID: "fetch", Action: "do", Parameters: map[string]any{"day": "${{ inputs.day }}"}},
		{ID: "shape", Action: "do", Dependencies: []string{"fetch"}},
		{ID: "other", Action: "do"},
		{ID: "doubt", Action: "do", Parameters: map[string]any{"day": "${{ inputs.day }}"}},
	}}
	s := State{Inputs: map[string]any{"day": "mon"}, Plan: []Step{{ID: "fetch", Status: Completed}, {ID: "shape", Status: Completed}, {ID: "other", Status: Completed}, {ID: "doubt", Status: InDoubt}}}
	r := newDesk(t).Runner
	g := Again{Inputs: map[string]any{"day": "tue"}}
	if _, err := r.prepared(p, p, s, g); piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "step fetch is completed and used the old value") {
		t.Errorf("got %v, want a conflict that names the step", err)
	}
	g.AcceptPlan = true
	s, err := r.prepared(p, p, s, g)
	var got []Status
	for _, x := range s.Plan {
		got = append(got, x.Status)
	}
	if want := []Status{Pending, Pending, Completed, InDoubt}; err != nil || !slices.Equal(got, want) || s.Inputs["day"] != "tue" {
		t.Errorf("got %v with %v, %v, want %v: a step in doubt stays so", got, s.Inputs, err, want)
	}
}
