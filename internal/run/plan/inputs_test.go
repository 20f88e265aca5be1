package plan_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

func TestValues(t *testing.T) {
	one := func(in plan.Input) plan.Plan { in.Name = "v"; return plan.Plan{Inputs: []plan.Input{in}} }
	for _, c := range []struct {
		name  string
		in    plan.Input
		given any
		want  any
		err   string
	}{
		{"a text", plan.Input{}, "a", "a", ""},
		{"a text like a number", plan.Input{}, "007", "007", ""},
		{"a number as a text", plan.Input{}, 7, "7", ""},
		{"a number", plan.Input{Type: "number"}, "2.5", 2.5, ""},
		{"a Go number", plan.Input{Type: "number"}, int64(2), 2.0, ""},
		{"a Go int", plan.Input{Type: "number"}, 2, 2.0, ""},
		{"a list as a text", plan.Input{}, []any{"a"}, nil, "it wants a text"},
		{"a truth as a text", plan.Input{Type: "string"}, true, "true", ""},
		{"a function", plan.Input{}, func() {}, nil, "it is not a value of JSON"},
		{"a truth as a number", plan.Input{Type: "number"}, true, nil, "it wants a number"},
		{"a number with blanks", plan.Input{Type: "number"}, " 5 ", 5.0, ""},
		{"a number as a truth", plan.Input{Type: "boolean"}, 1.0, nil, "it wants true or false"},
		{"a truth with blanks", plan.Input{Type: "boolean"}, " F ", false, ""},
		{"a truth", plan.Input{Type: "boolean"}, true, true, ""},
		{"a number as a choice", plan.Input{Type: "choice", Options: []string{"1", "b"}}, 1, "1", ""},
		{"a number as a list", plan.Input{Type: "list"}, 5, []any{5.0}, ""},
		{"a number in JSON as a list", plan.Input{Type: "list"}, "5", []any{5.0}, ""},
		{"an object as a list", plan.Input{Type: "list"}, map[string]any{"a": 1.0}, nil, "it wants a list"},
		{"words with commas too many", plan.Input{Type: "list"}, ",a,, b,", []any{"a", "b"}, ""},
		{"no words", plan.Input{Type: "list"}, "", []any{}, ""},
		{"a Go object", plan.Input{Type: "object"}, map[string]int{"a": 1}, map[string]any{"a": 1.0}, ""},
		{"a number as an object", plan.Input{Type: "object"}, 5, nil, "it wants a JSON object"},
		{"no number", plan.Input{Type: "number"}, "ten", nil, "it wants a number"},
		{"not a number", plan.Input{Type: "number"}, "NaN", nil, "it wants a number"},
		{"true", plan.Input{Type: "boolean"}, "true", true, ""},
		{"no truth", plan.Input{Type: "boolean"}, "maybe", nil, "it wants true or false"},
		{"a choice", plan.Input{Type: "choice", Options: []string{"a", "b"}}, "b", "b", ""},
		{"no choice", plan.Input{Type: "choice", Options: []string{"a", "b"}}, "s3cr3t", nil, "it wants one of a, b"},
		{"a list in JSON", plan.Input{Type: "list"}, `["a",1]`, []any{"a", 1.0}, ""},
		{"a list of words", plan.Input{Type: "list"}, "a, b", []any{"a", "b"}, ""},
		{"a Go list", plan.Input{Type: "list"}, []string{"a"}, []any{"a"}, ""},
		{"no list", plan.Input{Type: "list"}, "[a", nil, "it wants a list"},
		{"an object", plan.Input{Type: "object"}, `{"a":1}`, map[string]any{"a": 1.0}, ""},
		{"no object", plan.Input{Type: "object"}, `[1]`, nil, "it wants a JSON object"},
		{"no JSON", plan.Input{Type: "object"}, "{a", nil, "it wants a JSON object"},
		{"the default", plan.Input{Type: "boolean", Default: false}, nil, false, ""},
		{"neither", plan.Input{}, nil, nil, ""},
	} {
		given := map[string]any{"v": c.given}
		if c.given == nil {
			given = nil
		}
		got, missing, err := plan.Values(one(c.in), given)
		if c.err != "" {
			if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), `the input "v": `+c.err) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("%s: got %v (%v), want %q", c.name, got, err, c.err)
			}
			continue
		}
		if v, there := got["v"]; err != nil || len(missing) > 0 || !there || !reflect.DeepEqual(v, c.want) {
			t.Errorf("%s: got %#v (%v), want %#v", c.name, got, err, c.want)
		}
	}
	if _, _, err := plan.Values(plan.Plan{}, map[string]any{"a": 1}); err == nil || !strings.HasSuffix(err.Error(), `there is no input "a"; the plan has none`) {
		t.Errorf("got %v, want that the plan has none", err)
	}
	p := plan.Plan{Inputs: []plan.Input{{Name: "lang", Required: true}, {Name: "n", Type: "number", Required: true, Default: 1.0}}}
	if _, missing, err := plan.Values(p, nil); err != nil || len(missing) != 1 || missing[0].Name != "lang" {
		t.Errorf("got %v (%v), want lang to be missing", missing, err)
	}
	if _, _, err := plan.Values(p, map[string]any{"lnag": "x"}); piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), `there is no input "lnag"; did you mean "lang"?`) {
		t.Errorf("got %v, want a suggestion", err)
	}
}

// TestNewValues: a run that goes on reads new inputs as a new run does, and keeps the
// others.
func TestNewValues(t *testing.T) {
	p := plan.Plan{Inputs: []plan.Input{{Name: "n", Type: "number", Required: true}, {Name: "deploy", Type: "boolean", Default: false}}}
	for _, c := range []struct {
		name        string
		kept, given map[string]any
		want        map[string]any
		err         string
	}{
		{"a text is read as the type", map[string]any{"n": 1.0, "deploy": false}, map[string]any{"deploy": "true"}, map[string]any{"n": 1.0, "deploy": true}, ""},
		{"nothing is given", map[string]any{"n": 1.0, "deploy": true}, nil, map[string]any{"n": 1.0, "deploy": true}, ""},
		{"an input that is new in the plan has its default", map[string]any{"n": 1.0}, nil, map[string]any{"n": 1.0, "deploy": false}, ""},
		{"an input that the plan had once stays", map[string]any{"n": 1.0, "old": "x"}, nil, map[string]any{"n": 1.0, "deploy": false, "old": "x"}, ""},
		{"a value of another type", map[string]any{"n": 1.0}, map[string]any{"n": "two"}, nil, `the input "n": it wants a number`},
		{"an unknown name", map[string]any{"n": 1.0}, map[string]any{"m": "2"}, nil, `there is no input "m"`},
		{"a required input that nobody has given", nil, nil, nil, "the input n is missing"},
	} {
		got, err := plan.NewValues(p, c.kept, c.given)
		if c.err != "" {
			if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %v (%v), want %q", c.name, got, err, c.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v (%v), want %v", c.name, got, err, c.want)
		}
	}
}
