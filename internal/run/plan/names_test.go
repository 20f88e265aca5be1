package plan_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// TestWhatStepsName: which inputs, outputs and variables a step evaluates, and whether it
// always runs.
func TestWhatStepsName(t *testing.T) {
	for _, c := range []struct {
		name, step string
		inputs     bool // x or y
		output     bool // of a
		always     bool
		variables  []string
	}{
		{"nothing", "run: x", false, false, false, nil},
		{"an input in a command", "run: 'echo ${{ inputs.x }}'", true, false, false, nil},
		{"another input", "run: 'echo ${{ inputs.z }}'", false, false, false, nil},
		{"an input in a list", "run: [echo, '${{ inputs.y }}']", true, false, false, nil},
		{"all inputs", "run: 'echo ${{ toJSON(inputs) }}'", true, false, false, nil},
		{"an input deep in parameters", "{action: http, parameters: {headers: {A: ['${{ inputs.x }}']}, n: 1}}", true, false, false, nil},
		{"an input in a condition", "{run: x, when: inputs.x}", true, false, false, nil},
		{"an input in a check", "{prompt: x, check: 'test ${{ inputs.x }}'}", true, false, false, nil},
		{"an input in a check's expression", "{prompt: x, check: {expr: output == inputs.x}}", true, false, false, nil},
		{"an output", "run: 'echo ${{ steps.a.output }}'", false, true, false, nil},
		{"a status", "{run: 'echo ${{ steps.a.status }}', when: always()}", false, false, true, nil},
		{"an output beside a status", `{run: "echo ${{ steps.a.status == 'completed' ? steps.a.output : 1 }}", when: always()}`, false, true, true, nil},
		{"an error in a condition", "{run: x, when: always() && steps.a.error != ''}", false, true, true, nil},
		{"a failure", "{run: x, when: failure()}", false, false, false, nil},
		{"a text that says always", "{run: x, when: inputs.z == 'always()'}", false, false, false, nil},
		{"variables", "{run: 'a ${env:T} ${env:U}', env: {B: '${env:T}', C: '${env:V} $${env:W'}}", false, false, false, []string{"T", "U", "V"}},
	} {
		if !strings.HasPrefix(c.step, "{") {
			c.step = "{" + c.step + "}"
		}
		p := parsed(t, "inputs: [x, y, z]\nsteps:\n  a: {run: x}\n  b: "+c.step+"\n")
		b := p.Steps[p.Index("b")]
		if got := plan.Names(p, b, []string{"x", "y"}); got != c.inputs || plan.Names(p, b, nil) {
			t.Errorf("%s: got that it names the inputs %v, want %v", c.name, got, c.inputs)
		}
		if got := plan.NeedsOutput(p, b, "a"); got != c.output {
			t.Errorf("%s: got that it needs the output %v, want %v", c.name, got, c.output)
		}
		if got := b.Always(); got != c.always {
			t.Errorf("%s: got always %v, want %v", c.name, got, c.always)
		}
		if got := p.Variables(); !slices.Equal(slices.Sorted(slices.Values(got)), c.variables) {
			t.Errorf("%s: got the variables %v, want %v", c.name, got, c.variables)
		}
		if p.Index("a") != 0 || p.Index("b") != 1 || p.Index("c") != -1 {
			t.Errorf("%s: got the indexes %d, %d and %d", c.name, p.Index("a"), p.Index("b"), p.Index("c"))
		}
	}
	broken := plan.Step{ID: "s", Parameters: map[string]any{"a": "${{ x"}, When: "nope"}
	if p := (plan.Plan{}); !plan.Names(p, broken, []string{"x"}) || plan.NeedsOutput(p, broken, "a") {
		t.Error("got that a text that cannot be read names no input, or needs an output")
	}
}

// TestDone: the steps that a file calls completed have the outputs of its results.
func TestDone(t *testing.T) {
	for text, want := range map[string]map[string]any{
		"steps: [{id: a, run: x}]": nil,
		"steps: [{id: a, run: x, status: pending}, {id: b, run: y, status: completed}, {id: 3, run: y, status: completed}]":                                                                                {"b": nil, "3": nil},
		"steps: [{id: b, run: y, status: completed}, {id: 3, run: y, status: completed}, {id: c, run: z}]\nresults: [{step_id: 3, output: {n: [1]}}, {stepId: b, completedAt: 2026-01-02, durationMs: 5}]": {"b": nil, "3": map[string]any{"n": []any{1.0}}},
	} {
		if got := parsed(t, text).Done; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, want %#v", text, got, want)
		}
	}
}

func TestBrief(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, "not set"}, {"", `""`}, {"a\nb\tc\x7f", "a⏎b c "}, {[]any{1.0, "<x>"}, `[1,"<x>"]`}, {true, "true"},
		{strings.Repeat("ü", 80), strings.Repeat("ü", 80)}, {strings.Repeat("ü", 81), strings.Repeat("ü", 79) + "…"}, {func() {}, "0x"},
	} {
		if got := plan.Brief(c.value); got != c.want && !(c.want == "0x" && strings.HasPrefix(got, c.want)) {
			t.Errorf("%v: got %q, want %q", c.value, got, c.want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	many := strings.Fields(strings.Repeat("x1 ", 25))
	for _, c := range []struct {
		name  string
		names []string
		want  string
	}{
		{"a", nil, ""},
		{"Lnag", []string{"query", "lang"}, `; did you mean "lang"?`},
		{"land", []string{"lang", "land2", "lands"}, `; did you mean "lang"?`},
		{"zz", []string{"b", "a"}, "; there are a, b"},
		{"somewhere", many, ""},
		{"somewhere", many[:24], "; there are " + strings.Join(many[:24], ", ")},
		{strings.Repeat("a", 101), []string{strings.Repeat("a", 100)}, "; there are " + strings.Repeat("a", 100)},
		{strings.Repeat("a", 100), []string{strings.Repeat("a", 99)}, `; did you mean "` + strings.Repeat("a", 60) + `…"?`},
		{"ab\x01\x7f", []string{"ab\x01"}, `; did you mean "ab "?`},
		{"abc", []string{"bac"}, `; did you mean "bac"?`},
		{"abcdef", []string{"abcd"}, `; there are abcd`},
		{"abcdef", []string{"abcdxy"}, `; did you mean "abcdxy"?`},
		{"abcdef", []string{"abcxyz"}, `; there are abcxyz`},
	} {
		if got := plan.DidYouMean(c.name, c.names); got != c.want {
			t.Errorf("%s among %v: got %q, want %q", c.name, c.names, got, c.want)
		}
	}
}

// TestSteps: which values stand where, in steps of every action.
func TestSteps(t *testing.T) {
	long := strings.Repeat("x", 127<<10)
	r := plan.Resolver{Query: "q", Inputs: map[string]any{"x": "v", "nul": "a\x00", "dash": "-x", "long": long, "longer": long + "x", "list": []any{"-x", 1.0}}, Getenv: func(name string) (string, bool) { return "s", name == "S" }}
	for _, c := range []struct{ name, action, parameter, value, want, err string }{
		{"the server of a model", "mcp", "server", `["run", "${{ inputs.x }}"]`, `["run","v"]`, ""},
		{"an option of a server", "mcp", "server", `["run", "${{ inputs.dash }}"]`, "", `the value begins with "-"`},
		{"a server by its address", "mcp", "server", `"https://x/${{ inputs.dash }}"`, `"https://x/-x"`, ""},
		{"an agent's arguments", "agent", "args", `["--model", "${{ inputs.x }}"]`, `["--model","v"]`, ""},
		{"an agent's argument that is an option", "agent", "args", `["--model", "${{ inputs.dash }}"]`, "", "args: ${{ inputs.dash }}: the value begins"},
		{"arguments that are no list", "agent", "args", `"${{ inputs.dash }}"`, `"-x"`, ""},
		{"what an approval shows", "approve", "show", `[{"run": ["git", "log", "--", "${{ inputs.dash }}"]}, "${{ inputs.x }}", 1]`, `[{"run":["git","log","--","-x"]},"v",1]`, ""},
		{"an option of what an approval shows", "approve", "show", `{"run": ["git", "log", "${{ inputs.dash }}"]}`, "", "show.0.run: ${{ inputs.dash }}: the value begins"},
		{"a URL that is no text", "http", "url", `5`, `5`, ""},
		{"a URL without an end", "http", "url", `"http://x/${{ query"`, "", "does not end with }}"},
		{"a URL with a segment", "http", "url", `"http://x/..${{ inputs.none }}"`, "", `there is no input "none"`},
		{"a URL whose path goes up", "http", "url", `"http://x/a/.${{ \".\" }}/b"`, "", `the URL has a segment "." or ".."`},
		{"a URL with a secret", "http", "url", `"http://x/?k=${env:S}"`, `"http://x/?k=s"`, ""},
		{"a URL with a secret that is not set", "http", "url", `"http://x/?k=${env:T}"`, "", "the variable T is not set"},
		{"a URL with a hole", "http", "url", `"http://x/${{ nil }}"`, "", "${{ nil }} has no value"},
		{"a port", "http", "url", `"http://x:${{ 80 }}/"`, `"http://x:80/"`, ""},
		{"a port of letters", "http", "url", `"http://x:${{ query }}/"`, "", "the value is not a port"},
		{"a server of an input", "http", "url", `"${{ inputs.x }}/a"`, "", "the value must begin with http:// or https://"},
		{"a body that is no text", "http", "body", `{"a": "${{ inputs.list }}"}`, `{"a":["-x",1]}`, ""},
		{"a body of JSON", "http", "body", `"{\"a\": ${{ inputs.list }}, \"b\": \"${{ inputs.list }}\", \"c\": ${{ query }}}"`, `"{\"a\": [\"-x\",1], \"b\": \"[\\\"-x\\\",1]\", \"c\": \"q\"}"`, ""},
		{"a body that is too large", "http", "body", `"a ${{ repeat(\"a\", 900000) }}` + strings.Repeat(`${{ repeat(\"a\", 900000) }}`, 18) + `"`, "", "too large"},
		{"a text that is too large", "http", "v", `"a ${{ repeat(\"a\", 900000) }}` + strings.Repeat(`${{ repeat(\"a\", 900000) }}`, 18) + `"`, "", "too large"},
		{"a command that is a number", "shell", "command", `5`, `5`, ""},
		{"an argument that is a list", "shell", "command", `["echo", "${{ inputs.list }}"]`, `["echo","[\"-x\",1]"]`, ""},
		{"an argument that is as long as can be", "shell", "command", `["echo", "${{ inputs.long }}"]`, `["echo","` + long + `"]`, ""},
		{"an argument that is too long", "shell", "command", `["echo", "${{ inputs.longer }}"]`, "", "an argument has 130049 bytes, and a command takes at most 130048"},
		{"an argument that is an option", "shell", "command", `["ls", "${{ inputs.dash }}"]`, "", "${{ inputs.dash }}: the value begins"},
		{"an argument behind --", "shell", "command", `["ls", "--", "${{ inputs.dash }}"]`, `["ls","--","-x"]`, ""},
		{"an argument without an input", "shell", "command", `["ls", "${{ inputs.none }}"]`, "", `there is no input "none"`},
		{"an argument that is run", "shell", "command", `["sh", "-c", "a", "${{ query }}", "eval", "${{ query"]`, "", "does not end"},
		{"a NUL character in a script", "shell", "command", `"echo ${{ inputs.nul }}"`, "", "the value has a NUL character"},
		{"a value that is too long in a script", "shell", "command", `"echo ${{ inputs.longer }}"`, "", "the value has 130049 bytes, and a command takes at most 130048 by its environment"},
		{"an option in a script", "shell", "command", `"ls ${{ inputs.dash }}"`, "", "the value begins"},
		{"a script without an end", "shell", "command", `"ls ${{ query"`, "", "does not end"},
		{"a list of expressions", "http", "v", `[1, "${{ nope }}"]`, "", `"nope" is not known here`},
		{"an object of expressions", "http", "v", `{"a": {"b": "${{ nope }}"}}`, "", `v: a: b: ${{ nope }}`},
		{"a text without an end", "http", "v", `"${{ x"`, "", "does not end"},
	} {
		s := plan.Step{ID: "s", Action: c.action, Parameters: map[string]any{c.parameter: plan.AsRead(t, "v.json", []byte(c.value))}}
		got, err := plan.Resolve(s, r)
		if c.err != "" {
			if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), "resolve step s: "+c.parameter) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %v, want %q", c.name, err, c.err)
			}
			continue
		}
		if want := plan.AsRead(t, "v.json", []byte(c.want)); err != nil || !reflect.DeepEqual(got.Parameters[c.parameter], want) {
			t.Errorf("%s: got %#v (%v), want %#v", c.name, got.Parameters[c.parameter], err, want)
		}
	}
	for check, want := range map[plan.Check]string{
		{File: "${{ nope }}"}: "check: ${{ nope }}", {Changed: "${{ x"}: "does not end", {Run: "echo '${{ query }}'"}: "single quotes",
	} {
		if _, err := plan.Resolve(plan.Step{ID: "s", Check: []plan.Check{check}}, r); piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %q", check, err, want)
		}
	}
	for name, params := range map[string]map[string]any{
		"a script that is not a shell's": {"command": "echo ${{ query }}", "shell": "python3"}, "'shell' is run": {"command": []any{"ls"}, "shell": []any{"sh", "${{ query }}"}},
		"awk would run the value": {"command": []any{"awk", "${{ query }}"}}, "'stdin' has a value": {"command": []any{"sh"}, "stdin": "${{ query }}"}, "make would run a variable": {"command": []any{"make"}, "env": map[string]any{"V": "${{ query }}"}},
	} {
		if _, err := plan.Resolve(plan.Step{ID: "s", Action: "shell", Parameters: params}, r); (err == nil) != (name == "'shell' is run") || err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%v: got %v, want %q", params, err, name)
		}
	}
	if _, err := plan.Holds("", func() {}, r); piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), "JSON does not have") {
		t.Errorf("got %v, want that a function is no output", err)
	}
	if _, err := plan.Holds(" ", nil, r); piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), "the expression is empty") {
		t.Errorf("got %v, want that the expression is empty", err)
	}
}
