package plan_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// known are actions as a runner has them.
var known = plan.Known{
	"shell": func(s plan.Step) error {
		if _, ok := s.Parameters["comand"]; ok {
			return piton.Errorf(piton.Invalid, "check", "", `the action shell has no parameter "comand"; did you mean "command"?`)
		}
		return nil
	},
	"http": nil, "mcp": nil, "agent": nil, "approve": nil, "checkpoint": nil,
}

const minute = plan.Duration(time.Minute)

func second(n float64) plan.Duration { return plan.Duration(n * float64(time.Second)) }

// TestParse: what users of several programs write comes to the same plan.
func TestParse(t *testing.T) {
	shell := func(id, command string, needs ...string) plan.Step {
		return plan.Step{ID: id, Action: "shell", Parameters: map[string]any{"command": command}, Dependencies: needs}
	}
	schema := plan.PlanSchema(t)
	for _, c := range []struct {
		name, file, text string
		want             plan.Plan
	}{
		{"in the words of [X]", "p.json", `{"query":"q","plan":[{"id":"1","description":"find","action":"shell","parameters":{"command":"ls"},"status":"pending"},{"id":"2","description":"sum","action":"shell","parameters":{"command":"wc"},"dependencies":["1"]}]}`,
			plan.Plan{Query: "q", Steps: []plan.Step{
				{ID: "1", Description: "find", Action: "shell", Parameters: map[string]any{"command": "ls"}},
				{ID: "2", Description: "sum", Action: "shell", Parameters: map[string]any{"command": "wc"}, Dependencies: []string{"1"}}}}},
		{"numbers as ids", "p.yaml", "steps:\n- {id: 1, run: a}\n- {id: 2, run: b, needs: 1}\n", plan.Plan{Steps: []plan.Step{shell("1", "a"), shell("2", "b", "1")}}},
		{"numbers as ids of a mapping", "p.yaml", "steps:\n  1: {run: a}\n  2: {run: b, needs: [1]}\n", plan.Plan{Steps: []plan.Step{shell("1", "a"), shell("2", "b", "1")}}},
		{"steps without ids", "p.yaml", "type: graph\nsteps:\n- run: a\n- run: b\n", plan.Plan{Steps: []plan.Step{shell("1", "a"), shell("2", "b")}}},
		{"a list alone", "p.yaml", "- run: a\n", plan.Plan{Steps: []plan.Step{shell("1", "a")}}},
		{"commands alone", "p.yaml", "type: graph\nsteps: [a, b c]\n", plan.Plan{Steps: []plan.Step{shell("1", "a"), shell("2", "b c")}}},
		{"GitHub's words", "p.yaml", `
name: ci
on:
  workflow_dispatch:
    inputs:
      deploy: {type: boolean, default: false, description: Deploy it}
jobs:
  build:
    run: make
    timeout-minutes: 5
    working-directory: src
    env: {CI: 1}
    continue-on-error: false
  test:
    name: Run the tests
    needs: build
    if: ${{ always() }}
    run: make test
`, plan.Plan{Name: "ci", Inputs: []plan.Input{{Name: "deploy", Type: "boolean", Description: "Deploy it", Default: false}}, Steps: []plan.Step{
			{ID: "build", Action: "shell", Parameters: map[string]any{"command": "make", "dir": "src", "env": map[string]any{"CI": "1"}}, Timeout: 5 * minute},
			{ID: "test", Description: "Run the tests", Action: "shell", Parameters: map[string]any{"command": "make test"}, Dependencies: []string{"build"}, When: "always()"}}}},
		{"Dagu's words", "p.yaml", `
type: chain
max_active_steps: 2
params:
  - PORT: 8080
  - name: env
    enum: [staging, production]
    required: true
env: [A=1, {B: two}]
steps:
  - name: say hello
    command: echo ${{ inputs.PORT }}
    retry_policy: {limit: 2, interval_sec: 5, backoff: 1.5, max_interval_sec: 60}
    timeout_sec: 90
  - name: bye
    depends: say hello
    script: |
      echo bye
    env: {A: 3}
`, plan.Plan{Parallel: 2, Inputs: []plan.Input{{Name: "PORT", Type: "number", Default: 8080.0}, {Name: "env", Type: "choice", Required: true, Options: []string{"staging", "production"}}}, Steps: []plan.Step{
			{ID: "say-hello", Description: "say hello", Action: "shell", Parameters: map[string]any{"command": "echo ${{ inputs.PORT }}", "env": map[string]any{"A": "1", "B": "two"}},
				Retry: plan.Retry{Attempts: 3, Delay: second(5), Factor: 1.5, Max: minute}, Timeout: second(90)},
			{ID: "bye", Description: "bye", Action: "shell", Parameters: map[string]any{"command": "echo bye\n", "env": map[string]any{"A": "3", "B": "two"}}, Dependencies: []string{"say-hello"}}}}},
		{"Dagu's chain", "p.yaml", "type: chain\nsteps:\n- {name: a, run: x}\n- {name: b, run: y}\n", plan.Plan{Steps: []plan.Step{
			{ID: "a", Description: "a", Action: "shell", Parameters: map[string]any{"command": "x"}}, {ID: "b", Description: "b", Action: "shell", Parameters: map[string]any{"command": "y"}, Dependencies: []string{"a"}}}}},
		{"Archon's words", "p.yaml", "nodes:\n- {id: look, bash: ls, timeout: 15s}\n- {id: think, prompt: 'sum ${{ steps.look.output }} up', depends_on: [look], retry: {max_attempts: 2, delay_ms: 3000}}\n- {id: ok, approval: {message: 'Go on?'}, depends_on: [think]}\n",
			plan.Plan{Steps: []plan.Step{
				{ID: "look", Action: "shell", Parameters: map[string]any{"command": "ls"}, Timeout: second(15)},
				{ID: "think", Action: "agent", Parameters: map[string]any{"prompt": "sum ${{ steps.look.output }} up"}, Dependencies: []string{"look"}, Retry: plan.Retry{Attempts: 2, Delay: second(3)}},
				{ID: "ok", Action: "approve", Parameters: map[string]any{"message": "Go on?"}, Dependencies: []string{"think"}}}}},
		{"all of our own", "p.yml", `
name: all
description: everything
query: who
parallel: 8
onCrash: continue
dir: sub
budget: {tokens: 1000, cost_usd: 0.5, time: 1h, tries: 9}
inputs:
  lang: en
  langs: {type: list, default: [en, de]}
  opts: {type: object}
  how: {options: [fast, slow]}
  n: {type: integer, required: true}
steps:
  - id: a
    description: first
    action: agent
    parameters: {prompt: hi, nested: {list: [1, true, null, {x: 1.5}]}}
    when: inputs.lang == "en"
    timeout: 2h
    retry: {attempts: 3, delay: 1.5, jitter: false, factor: 3, max: 1m}
    effect: pure
    check:
      - make test
      - file: out/*.md
      - {changed: "**/*.go"}
      - verified: true
      - expr: output.ok == true && steps.b.output != nil
    budget: {tokens: 10}
    needs: b
  - {id: b, run: [echo, "${{ inputs.n }}"]}
`, plan.Plan{Name: "all", Description: "everything", Query: "who", Parallel: 8, OnCrash: plan.Continue, Dir: "sub", Budget: plan.Budget{Tokens: 1000, CostUSD: .5, Time: 60 * minute, Tries: 9},
			Inputs: []plan.Input{{Name: "lang", Default: "en"}, {Name: "langs", Type: "list", Default: []any{"en", "de"}}, {Name: "opts", Type: "object"}, {Name: "how", Type: "choice", Options: []string{"fast", "slow"}}, {Name: "n", Type: "number", Required: true}},
			Steps: []plan.Step{
				{ID: "a", Description: "first", Action: "agent", Parameters: map[string]any{"prompt": "hi", "nested": map[string]any{"list": []any{1.0, true, nil, map[string]any{"x": 1.5}}}}, When: `inputs.lang == "en"`, Timeout: 120 * minute,
					Retry: plan.Retry{Attempts: 3, Delay: second(1.5), Exact: true, Factor: 3, Max: minute}, Effect: plan.Pure,
					Check:  []plan.Check{{Run: "make test"}, {File: "out/*.md"}, {Changed: "**/*.go"}, {Verified: true}, {Expr: "output.ok == true && steps.b.output != nil"}},
					Budget: plan.Budget{Tokens: 10}, Dependencies: []string{"b"}},
				{ID: "b", Action: "shell", Parameters: map[string]any{"command": []any{"echo", "${{ inputs.n }}"}}}}}},
		{"anchors and merges", "p.yaml", "type: graph\nsteps:\n  a: &base {run: x, timeout: 1m}\n  b: {<<: *base, run: y}\n", plan.Plan{Steps: []plan.Step{
			{ID: "a", Action: "shell", Parameters: map[string]any{"command": "x"}, Timeout: minute}, {ID: "b", Action: "shell", Parameters: map[string]any{"command": "y"}, Timeout: minute}}}},
		{"JSON with escapes", "p", "{\"steps\":[{\"id\":\"a\",\"run\":\"\\ud83d\\ude00\\/\"}]}", plan.Plan{Steps: []plan.Step{shell("a", "😀/")}}},
	} {
		got, err := plan.Parse(c.file, []byte(c.text), known)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := schema.Validate(plan.AsRead(t, c.file, []byte(c.text))); err != nil {
			t.Errorf("%s: the schema does not take it: %v", c.name, err)
		}
		kept := plan.AsRead(t, "p.json", got.JSON())
		if err := schema.Validate(kept); err != nil {
			t.Errorf("%s: the schema does not take what is kept: %v", c.name, err)
		}
		if again, err := plan.FromState(stateOf(t, got), known); err != nil || len(plan.Diff(got, again)) > 0 {
			t.Errorf("%s: from a state: %+v (%v)", c.name, plan.Diff(got, again), err)
		}
		for i := range got.Steps {
			if got.Steps[i].Line == 0 {
				t.Errorf("%s: step %s has no line", c.name, got.Steps[i].ID)
			}
			got.Steps[i].Line = 0
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

// stateOf is what the state of a run says of its plan.
func stateOf(t *testing.T, p plan.Plan) []byte {
	t.Helper()
	type step struct {
		ID           string         `json:"id"`
		Description  string         `json:"description,omitempty"`
		Action       string         `json:"action"`
		Parameters   map[string]any `json:"parameters,omitempty"`
		Dependencies []string       `json:"dependencies,omitempty"`
		Status       string         `json:"status"`
	}
	state := map[string]any{"run_id": piton.NewID(piton.RunPrefix), "query": p.Query, "terms": p.Terms()}
	var steps []step
	for _, s := range p.Steps {
		steps = append(steps, step{s.ID, s.Description, s.Action, s.Parameters, s.Dependencies, "pending"})
	}
	state["plan"] = steps
	text, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestMistakes: each is named with file, line and what to write instead.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "p.yaml: the plan is empty"},
		{"a comment alone", "# later\n", "p.yaml: the plan is empty"},
		{"no steps", "name: x\n", "p.yaml:1: the plan has no steps"},
		{"a text", "hello\n", "p.yaml:1: a plan wants keys with values, not a text"},
		{"bad YAML", "steps:\n- run: a: b\n", "p.yaml:2: mapping values are not allowed in this context; a text with ': ' in it wants quotes"},
		{"tabs", "steps:\n\t- run: a\n", "not with tabs"},
		{"two plans", "steps: [a]\n---\nsteps: [b]\n", "p.yaml:3: a file holds one plan"},
		{"a NUL byte", "steps: [a]\n\x00", "p.yaml:2: the plan holds a NUL byte"},
		{"not UTF-8", "steps: [\xff]\n", "not UTF-8"},
		{"a command that YAML reads as a truth", "steps:\n- run: true\n", `p.yaml:2: run wants a text, and true without quotes is true or false; write run: "true"`},
		{"a command that YAML reads as a number", "steps:\n- id: a\n  run: 5\n", `p.yaml:3: run wants a text, and 5 without quotes is a number; write run: "5"`},
		{"a key twice", "steps:\n- run: a\n  run: b\n", `p.yaml:3: the key "run" stands here twice; the first is in line 2`},
		{"a key that is not text", "steps:\n- {[a]: b}\n", "p.yaml:2: a key must be a text"},
		{"a key that is true", "steps:\n- {id: x, run: a, parameters: {true: 1}}\n", `p.yaml:2: the key "true" is read as true or false`},
		{"a misspelt key", "steps:\n- run: a\n  dependson: [b]\n", `p.yaml:3: a step has no key "dependson"; did you mean "dependsOn"?`},
		{"a key of nobody", "colour: red\nsteps: [a]\n", `p.yaml:1: a plan has no key "colour"; there are $schema, budget`},
		{"one key in two words", "steps:\n- id: a\n  run: x\n- run: y\n  needs: a\n  depends_on: a\n", `p.yaml:6: "needs" and "depends_on" are the same key`},
		{"GitHub's actions", "jobs:\n  a:\n    uses: actions/checkout@v4\n", `p.yaml:3: a step has no key "uses": GitHub's actions are not run here`},
		{"a job with steps", "jobs:\n  a:\n    runs-on: x\n    steps: [a]\n", `p.yaml:4: a step has no key "steps": steps are not nested`},
		{"another start", "on: push\nsteps: [a]\n", `p.yaml:1: a plan has no key "on" but for its inputs`},
		{"a schedule", "schedule: '* * * * *'\nsteps: [a]\n", "a plan does not start by itself"},
		{"a step that goes on", "steps:\n- run: a\n  continue-on-error: true\n", `p.yaml:3: a step has no key "continue-on-error": a step that fails counts as failed`},
		{"Dagu's preconditions", "steps:\n- run: a\n  preconditions: [b]\n", "write 'when' with an expression"},
		{"Archon's trigger rule", "nodes:\n- bash: a\n  trigger_rule: all_done\n", "write 'when: always()'"},
		{"Archon's command", "nodes:\n- id: a\n  command: fix\n", `p.yaml:3: in a plan with 'nodes', 'command' names a file with a prompt`},
		{"Archon's milliseconds", "nodes:\n- id: a\n  bash: x\n  timeout: 15000\n", "p.yaml:4: timeout wants a unit here"},
		{"Archon's references", "nodes:\n- {id: a, bash: x}\n- id: b\n  prompt: sum $a.output up\n  depends_on: [a]\n", "p.yaml:4: step b: prompt: $a.output is not understood; write ${{ steps.a.output }}"},
		{"Archon's condition", "steps:\n- {id: a, run: x}\n- {id: b, run: x, needs: a, when: \"$a.output.k == 'bug'\"}\n", "step b: when: $a.output is not understood; write steps.a.output"},
		{"an unknown action", "steps:\n- id: a\n  action: shel\n", `p.yaml:3: step a: there is no action "shel"; did you mean "shell"?`},
		{"no action", "steps:\n- id: a\n", "p.yaml:2: step a says nothing to do"},
		{"two actions", "steps:\n- id: a\n  run: x\n  prompt: y\n", `p.yaml:4: "prompt" is for the action agent, and the step has the action "shell"`},
		{"what the action says", "steps:\n- id: a\n  action: shell\n  parameters:\n    dir: .\n    comand: x\n", `p.yaml:6: step a: the action shell has no parameter "comand"; did you mean "command"?`},
		{"an id twice", "steps:\n- {id: a, run: x}\n- {id: a, run: y}\n", `p.yaml:3: the id "a" stands here twice; the first is in line 2`},
		{"a bad id", "steps:\n- {id: a b, run: x}\n", `p.yaml:2: "a b" cannot be the id of a step`},
		{"an unknown dependency", "steps:\n- id: fetch\n  run: x\n- id: b\n  run: y\n  needs: [fetsh]\n", `p.yaml:6: step b depends on "fetsh", which is not a step; did you mean "fetch"?`},
		{"an unknown dependency that is near to the step itself", "steps:\n- id: a\n  run: x\n  needs: [b]\n- {id: fetch, run: x}\n", `p.yaml:4: step a depends on "b", which is not a step; there are fetch`},
		{"a dependency in a list of lines", "steps:\n- id: fetch\n  run: x\n- id: b\n  run: y\n  needs:\n  - fetch\n  - fetsh\n", `p.yaml:8: step b depends on "fetsh"`},
		{"a status that is none", "steps:\n- {id: a, run: x}\n- {id: b, run: y, needs: a, if: \"steps.a.status == 'success'\"}\n", `the status of a step is never "success"; it is completed`},
		{"a status that is none, in a list", "steps:\n- {id: a, run: x}\n- {id: b, run: y, needs: a, if: \"steps.a.status in ['failed', 'skiped']\"}\n", `is never "skiped"`},
		{"itself", "steps:\n- {id: a, run: x, needs: a}\n", "p.yaml:2: step a depends on itself"},
		{"a cycle", "steps:\n- {id: x, run: x}\n- {id: a, run: x, needs: [x, c]}\n- {id: b, run: x, needs: a}\n- {id: c, run: x, needs: b}\n", "p.yaml:3: the steps depend on each other in a cycle: a needs c needs b needs a"},
		{"an expression that does not compile", "steps:\n- id: a\n  run: echo ${{ 1 + }}\n", "p.yaml:3: step a: command: unexpected token EOF"},
		{"an expression without an end", "steps:\n- id: a\n  run: echo ${{ query\n", "begins with ${{ and does not end"},
		{"an empty expression", "steps:\n- id: a\n  run: echo ${{ }}\n", "p.yaml:3: step a: command: the expression is empty"},
		{"an unknown name", "steps:\n- {id: a, run: 'echo ${{ github.sha }}'}\n", `"github" is not known here: give it as an input`},
		{"an unknown step", "steps:\n- {id: fetch, run: x}\n- {id: b, needs: fetch, run: 'echo ${{ steps.fetsh.output }}'}\n", `p.yaml:3: step b: command: there is no step "fetsh"; did you mean "fetch"?`},
		{"a step beside it", "type: graph\nsteps:\n- {id: a, run: x}\n- {id: b, run: 'echo ${{ steps.a.output }}'}\n", "it uses step a, which the step does not depend on; write dependencies: [a]"},
		{"a step beside it, in when", "type: graph\nsteps:\n- {id: a, run: x}\n- {id: b, run: x, if: steps.a.output == 1}\n", "p.yaml:4: step b: when: it uses step a, which the step does not depend on"},
		{"its own output", "steps:\n- {id: a, run: 'echo ${{ steps.a.output }}'}\n", "a step cannot use its own output"},
		{"any step", "steps:\n- {id: a, run: 'echo ${{ steps[query].output }}'}\n", "a step is named as steps.ID"},
		{"a step's outputs", "steps:\n- {id: a, run: x}\n- {id: b, needs: a, run: 'echo ${{ steps.a.outputs.v }}'}\n", "there is no steps.a.outputs; of a step there are output, status and error"},
		{"an unknown input", "inputs: {lang: en}\nsteps:\n- {id: a, run: 'echo ${{ inputs.lange }}'}\n", `there is no input "lange"; did you mean "lang"?`},
		{"a secret in an expression", "steps:\n- {id: a, action: http, parameters: {url: '${{ \"${env:X}\" }}'}}\n", "a secret stands outside of expressions"},
		{"a bad secret", "steps:\n- {id: a, action: http, parameters: {url: '${env:a-b}'}}\n", "a secret is written as ${env:NAME}"},
		{"status outside of when", "steps:\n- {id: a, run: 'echo ${{ failure() }}'}\n", `"failure" is not known here: it belongs into 'when'`},
		{"single quotes in a shell", "inputs: {x: 1}\nsteps:\n- id: a\n  run: |\n    true\n    echo '${{ inputs.x }}'\n", "p.yaml:6: step a: command: ${{ inputs.x }}: the shell reads no values inside single quotes; use double quotes"},
		{"a quoted here-document", "inputs: {x: 1}\nsteps:\n- id: a\n  run: |\n    cat <<'E'\n    ${{ inputs.x }}\n    E\n", "here-document whose end is quoted"},
		{"a value as a command", "inputs: {x: 1}\nsteps:\n- {id: a, run: '${{ inputs.x }} --now'}\n", "a value is never run as a command"},
		{"a value in a sum", "inputs: {x: 1}\nsteps:\n- {id: a, run: 'echo $((${{ inputs.x }} + 1))'}\n", "would be run as code"},
		{"a value in backquotes", "inputs: {x: 1}\nsteps:\n- {id: a, run: 'x=`echo ${{ inputs.x }}`'}\n", "write $( … ) instead"},
		{"a value in code", "inputs: {x: 1}\nsteps:\n- {id: a, run: [python3, -c, 'print(\"${{ inputs.x }}\")']}\n", "python3 would run the value as code"},
		{"a value in a script of sh", "inputs: {x: 1}\nsteps:\n- {id: a, run: [env, A=1, bash, -ec, \"echo '${{ inputs.x }}'\"]}\n", "inside single quotes"},
		{"a script of no shell", "inputs: {x: 1}\nsteps:\n- {id: a, run: 'print(${{ inputs.x }})', shell: python3}\n", "a script that is not a shell's"},
		{"a bad timeout", "steps:\n- {id: a, run: x, timeout: soon}\n", "p.yaml:2: timeout: it wants a time such as 90s"},
		{"a timeout of nothing", "steps:\n- {id: a, run: x, timeout: 0}\n", "timeout: it must be more than 0"},
		{"retry as a number", "steps:\n- {id: a, run: x, retry: 3}\n", "retry wants keys with values, as in retry: {attempts: 3"},
		{"retry by exit status", "steps:\n- {id: a, run: x, retry: {limit: 2, exit_code: [1]}}\n", `retry has no key "exit_code"`},
		{"a bad effect", "steps:\n- {id: a, run: x, effect: onec}\n", `effect is "onec"; did you mean "once"?`},
		{"a bad on_crash", "on_crash: stop\nsteps: [a]\n", `on_crash is "stop"; there are ask, continue`},
		{"two checks in one", "steps:\n- {id: a, prompt: x, check: {run: a, file: b}}\n", "a check has one of run, file, changed, verified and expr"},
		{"a secret in a check", "steps:\n- {id: a, prompt: x, check: 'curl -u ${env:TOKEN} x'}\n", "a check shows no secrets; its command reads $TOKEN itself"},
		{"a check of a command", "steps:\n- id: a\n  run: x\n  check: test -f y\n", "p.yaml:4: step a: a check is for the step of an agent"},
		{"a verified command", "steps:\n- {id: a, run: x, check: {verified: true}}\n", "a check is for the step of an agent"},
		{"an unknown check", "steps:\n- {id: a, prompt: x, check: [{rnu: a}]}\n", `a check has no key "rnu"; did you mean "run"?`},
		{"a status", "steps:\n- {id: a, run: x, status: running}\n", `status is "running"`},
		{"an approval that is done", "steps:\n- {id: a, approval: x, status: completed}\n", "which a file cannot give"},
		{"a result of what is not done", "steps:\n- {id: a, run: x}\nresults: [{stepId: a, output: 1}]\n", `does not call that step completed`},
		{"a choice without options", "inputs: {a: {type: choice}}\nsteps: [x]\n", `the input "a" is a choice; it wants 'options'`},
		{"a default of another type", "inputs: {a: {type: number, default: ten}}\nsteps: [x]\n", `p.yaml:1: the default of the input "a": it wants a number`},
		{"an unknown type", "inputs: {a: {type: nmber}}\nsteps: [x]\n", `the type is "nmber"; did you mean "number"?`},
		{"an input twice", "inputs: [a, a]\nsteps: [x]\n", `the input "a" stands here twice`},
		{"a number that would change", "steps:\n- {id: a, action: http, parameters: {id: 12345678901234567890}}\n", "would be rounded; put it in quotes"},
		{"a number in octal", "steps:\n- {id: a, action: http, parameters: {mode: 0755}}\n", "put it in quotes"},
		{"a tag", "steps:\n- {id: a, run: !!binary aGk=}\n", "the tag \"!!binary\" is not understood"},
		{"too deep", "steps:\n- {id: a, run: x, parameters: {v: " + strings.Repeat("[", 80) + strings.Repeat("]", 80) + "}}\n", "more than 64 levels deep"},
		{"an alias of itself", "steps: &a [*a]\n", "levels deep"},
		{"too many aliases", "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nsteps: [*e,*e]\n", "more than 100000 keys and values"},
		{"too large", "steps: [" + strings.Repeat("a,", 2<<20) + "]", "at most 2097152 are read"},
	} {
		_, err := plan.Parse("p.yaml", []byte(c.text), known)
		if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", c.name, err, c.want)
		}
	}
	t.Run("all at once, in order", func(t *testing.T) {
		_, err := plan.Parse("p.yaml", []byte("colour: red\nsteps:\n- {id: a, run: x, needs: z}\n- {id: b, action: fly}\n- {id: c, run: 'echo ${{ nope }}'}\n"), known)
		if err == nil {
			t.Fatal("got no error")
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 5 || lines[0] != "read the plan: 4 mistakes" {
			t.Fatalf("got %q, want four mistakes", lines)
		}
		for i, want := range []string{"p.yaml:1: ", "p.yaml:3: ", "p.yaml:4: ", "p.yaml:5: "} {
			if !strings.HasPrefix(lines[i+1], want) {
				t.Errorf("got %q, want it to begin with %q", lines[i+1], want)
			}
		}
	})
	t.Run("bounded", func(t *testing.T) {
		_, err := plan.Parse("p.yaml", []byte("steps:\n"+strings.Repeat("- {colour: red}\n", 200)), known)
		if err == nil || strings.Count(err.Error(), "\n") != 21 || !strings.HasSuffix(err.Error(), "\nand 380 more") {
			t.Errorf("got %v, want twenty mistakes and how many more", err)
		}
	})
	t.Run("JSON by its lines", func(t *testing.T) {
		for text, want := range map[string]string{
			"{\n\"steps\": [\n{\"id\": \"a\",\n\"rnu\": \"x\"}]}": `p.json:4: a step has no key "rnu"`,
			"{\"steps\": [],\n\"steps\": []}":                     `p.json:2: the key "steps" stands here twice`,
			"{\"steps\": [{}":                                     "the JSON ends too early",
			"{\"steps\": [\n}":                                    "p.json:2: not JSON",
			"{\"steps\": [{\"id\":\"a\",\"run\":\"x\"}]} {}":      "behind the end",
			strings.Repeat("[", 100):                              "too deep",
			"{\"steps\": [{\"id\":\"a\",\"run\":\"x\",\"parameters\":{\"n\":1e999}}]}": "too large",
		} {
			_, err := plan.Parse("p.json", []byte(text), known)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s:\ngot  %v\nwant %s", text, err, want)
			}
		}
	})
}
