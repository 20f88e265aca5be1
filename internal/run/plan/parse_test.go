package plan_test

import (
	"encoding/json"
	"fmt"
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
      echo bye on $PORT
    env: {A: 3}
`, plan.Plan{Parallel: 2, Inputs: []plan.Input{{Name: "PORT", Type: "number", Default: 8080.0}, {Name: "env", Type: "choice", Required: true, Options: []string{"staging", "production"}}}, Steps: []plan.Step{
			{ID: "say-hello", Description: "say hello", Action: "shell", Parameters: map[string]any{"command": "echo ${{ inputs.PORT }}", "env": map[string]any{"A": "1", "B": "two"}},
				Retry: plan.Retry{Attempts: 3, Delay: second(5), Factor: 1.5, Max: minute}, Timeout: second(90)},
			{ID: "bye", Description: "bye", Action: "shell", Parameters: map[string]any{"command": "echo bye on $PORT\n", "env": map[string]any{"A": "3", "B": "two", "PORT": `${{ inputs.PORT ?? "" }}`}}, Dependencies: []string{"say-hello"}}}}},
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
		{"types by their names elsewhere", "p.yaml", "inputs: {a: {type: text}, b: {type: str}, c: {type: bool}, d: {type: int}, e: {type: float}, f: {type: enum, choices: [1, x, x]}, g: {type: array}, h: {default: {k: 1}}, i: [1], j: true, k: {type: string}, l: {}}\nsteps: [x]\n",
			plan.Plan{Inputs: []plan.Input{{Name: "a", Type: "string"}, {Name: "b", Type: "string"}, {Name: "c", Type: "boolean"}, {Name: "d", Type: "number"}, {Name: "e", Type: "number"}, {Name: "f", Type: "choice", Options: []string{"1", "x"}}, {Name: "g", Type: "list"},
				{Name: "h", Type: "object", Default: map[string]any{"k": 1.0}}, {Name: "i", Type: "list", Default: []any{1.0}}, {Name: "j", Type: "boolean", Default: true}, {Name: "k", Type: "string"}, {Name: "l"}}, Steps: []plan.Step{shell("1", "x")}}},
		{"nothing at keys that want something", "p.yaml", "budget:\nparallel: 2\nenv:\ntype:\nresults:\ninputs:\nsteps:\n- {name: A b!, run: x, retry: , check: , budget: , timeout: , needs: , env: , with: , continue_on_error: , if: , status: }\n",
			plan.Plan{Parallel: 2, Steps: []plan.Step{{ID: "a-b", Description: "A b!", Action: "shell", Parameters: map[string]any{"command": "x"}}}}},
		{"tries after the first, and how they grow", "p.yaml", "type: graph\nsteps:\n- {run: x, retry: {limit: 0, backoff: true, exact: true, delay_ms: 5}}\n- {run: y, retry: {retries: 2, backoff: false, interval_sec: 1.5, jitter: true}}\n",
			plan.Plan{Steps: []plan.Step{
				{ID: "1", Action: "shell", Parameters: map[string]any{"command": "x"}, Retry: plan.Retry{Attempts: 1, Factor: 2, Exact: true, Delay: second(.005)}},
				{ID: "2", Action: "shell", Parameters: map[string]any{"command": "y"}, Retry: plan.Retry{Attempts: 3, Factor: 1, Delay: second(1.5)}}}}},
		{"variables in three places", "p.yaml", "env: {A: 1, B: 2, C: 3}\nsteps:\n- {run: x, env: {B: true, C: null}, parameters: {env: {C: z}}}\n- {id: ask, approval: {message: m, show: [a]}, env: {D: 4}}\n",
			plan.Plan{Steps: []plan.Step{
				{ID: "1", Action: "shell", Parameters: map[string]any{"command": "x", "env": map[string]any{"A": "1", "B": "true", "C": "z"}}},
				{ID: "ask", Action: "approve", Parameters: map[string]any{"message": "m", "show": []any{"a"}, "env": map[string]any{"D": "4"}}, Dependencies: []string{"1"}}}}},
		{"a graph because of parallel steps", "p.yaml", "max-parallel: 3\nsteps:\n- {run: x, when: '${{ !inputs.a }}'}\n- {run: [y, 1], shell: [sh, -eu], dir: d}\ninputs: [a]\n",
			plan.Plan{Parallel: 3, Inputs: []plan.Input{{Name: "a"}}, Steps: []plan.Step{
				{ID: "1", Action: "shell", Parameters: map[string]any{"command": "x"}, When: "!inputs.a"}, {ID: "2", Action: "shell", Parameters: map[string]any{"command": []any{"y", 1.0}, "shell": []any{"sh", "-eu"}, "dir": "d"}}}}},
		{"merges of lists, and keys by aliases", "p.yaml", "type: graph\nsteps:\n- &a {timeout: 1m, &k run: x}\n- &b {effect: pure, timeout: 2m, bash: z}\n- &c {effect: once, id: c2, prompt: w}\n- {<<: [{timeout: 1m}, {effect: pure, timeout: 2m}], id: c, run: v}\n- {*k : y}\n",
			plan.Plan{Steps: []plan.Step{
				{ID: "1", Action: "shell", Parameters: map[string]any{"command": "x"}, Timeout: minute}, {ID: "2", Action: "shell", Parameters: map[string]any{"command": "z"}, Effect: plan.Pure, Timeout: 2 * minute}, {ID: "c2", Action: "agent", Parameters: map[string]any{"prompt": "w"}, Effect: plan.Once},
				{ID: "c", Action: "shell", Parameters: map[string]any{"command": "v"}, Timeout: minute, Effect: plan.Pure}, shell("5", "y")}}},
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

// many is a text with each number from 0 in it.
func many(text string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, text, i)
	}
	return b.String()
}

// TestMistakes: each is named with file, line and what to write instead.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "p.yaml: the plan is empty; it wants 'steps'"},
		{"a comment alone", "# later\n", "p.yaml: the plan is empty; it wants 'steps'"},
		{"no steps", "name: x\n", "p.yaml:1: the plan has no steps; write 'steps' with at least one"},
		{"a text", "hello\n", "p.yaml:1: a plan wants keys with values, not a text"},
		{"bad YAML", "steps:\n- run: a: b\n", "p.yaml:2: mapping values are not allowed in this context; a text with ': ' in it wants quotes, or '|' and a line of its own"},
		{"tabs", "steps:\n\t- run: a\n", "p.yaml:2: found character that cannot start any token; YAML is indented with blanks, not with tabs"},
		{"two plans", "steps: [a]\n---\nsteps: [b]\n", "p.yaml:3: the plan behind '---' wants a 'name', by which a step runs it: plan: NAME"},
		{"a NUL byte", "steps: [a]\n\x00", "p.yaml:2: the plan holds a NUL byte; it is not a text file"},
		{"not UTF-8", "steps: [\xff]\n", "p.yaml: the plan is not UTF-8"},
		{"a command that YAML reads as a truth", "steps:\n- run: true\n", `p.yaml:2: run wants a text, and true without quotes is true or false; write run: "true"`},
		{"a command that YAML reads as a number", "steps:\n- id: a\n  run: 5\n", `p.yaml:3: run wants a text, and 5 without quotes is a number; write run: "5"`},
		{"a key twice", "steps:\n- run: a\n  run: b\n", `p.yaml:3: the key "run" stands here twice; the first is in line 2`},
		{"a key that is not text", "steps:\n- {[a]: b}\n", "p.yaml:2: a key must be a text"},
		{"a key that is true", "steps:\n- {id: x, run: a, parameters: {true: 1}}\n", `p.yaml:2: the key "true" is read as true or false; put it in quotes`},
		{"a misspelt key", "steps:\n- run: a\n  dependson: [b]\n", `p.yaml:3: a step has no key "dependson"; did you mean "dependsOn"?`},
		{"a key of nobody", "colour: red\nsteps: [a]\n", `p.yaml:1: a plan has no key "colour"; there are $schema, budget, catch_up, catch_up_window, container, defaults, description, dir, dotenv, env, finally, finally_timeout, handler_on, inputs, max_runs, model, name, on, on_crash, on_failure, overlap, parallel, plans, provider, query, results, schedule, shell, steps, timeout, timeout_minutes, timeout_sec, timezone, type`},
		{"one key in two words", "steps:\n- id: a\n  run: x\n- run: y\n  needs: a\n  depends_on: a\n", `p.yaml:6: "needs" and "depends_on" are the same key; write one of them`},
		{"GitHub's actions", "jobs:\n  a:\n    uses: actions/checkout@v4\n", "p.yaml:3: a step has no key \"uses\": GitHub's actions are not run here; write what it does: run: COMMAND. For upload-artifact write 'artifacts' at the step that makes the file, for download-artifact ${{ steps.ID.artifacts.NAME }} where it is used"},
		{"jobs with steps", "jobs:\n  a:\n    steps: [{run: x, outputs: y}]\n  b: {run: x}\n", "2 mistakes\np.yaml:3: a step has no key \"steps\": steps are not nested: write each as a step of the plan, with needs: ID; or all as a plan of their own, which a step runs: plan: FILE\np.yaml:3: a step has no key \"outputs\": what the step prints is its output, JSON or text: steps.ID.output; files that it leaves are its artifacts: artifacts: [FILE]"},
		{"another start", "on: push\nsteps: [a]\n", `p.yaml:1: a plan has no key "on" but for its inputs and its schedule: a plan is begun by 'piton run', and at the times of its 'schedule' once a person has said 'piton runs schedule add PLAN'`},
		{"a schedule that never comes", "schedule: '0 0 31 2 *'\nsteps: [a]\n", `p.yaml:1: cron: "0 0 31 2 *" never comes: no month of these has this day`},
		{"an hour that there is not", "schedule:\n  - cron: '0 25 * * *'\nsteps: [a]\n", `p.yaml:2: cron: "25" cannot be the hour (0-23): end of range (25) above maximum (23): 25`},
		{"a zone of nobody", "schedule: {cron: '@daily', timezone: Rome}\nsteps: [a]\n", `p.yaml:1: cron: there is no time zone "Rome"; write its IANA name, as in Europe/Rome or UTC`},
		{"a schedule without times", "schedule: {timezone: UTC}\nsteps: [a]\n", `p.yaml:1: a schedule wants 'cron', as in cron: '0 2 * * *'`},
		{"a policy of nobody", "schedule: {cron: '@daily', overlap: stop}\nsteps: [a]\n", `p.yaml:1: overlap is "stop"; there are Allow, AllowAll, BufferAll, CancelOther, Forbid, Replace, Skip, all, allow, cancel, queue, skip`},
		{"a catch-up of nobody", "schedule: {cron: '@daily', catch_up: two}\nsteps: [a]\n", `p.yaml:1: catch_up is "two"; there are none, one and all`},
		{"two policies", "schedule:\n  - {cron: '@daily', overlap: skip}\n  - {cron: '@weekly', overlap: allow}\nsteps: [a]\n", `p.yaml:3: "overlap" holds for the whole schedule, and an earlier part says otherwise; add them as schedules of their own`},
		{"a schedule in two places", "on: {schedule: [{cron: '@daily'}]}\nschedule: '@daily'\nsteps: [a]\n", "p.yaml:1: the schedule stands here and under 'schedule'; write it once"},
		{"an interval", "schedule: {every: 5m}\nsteps: [a]\n", `p.yaml:1: a schedule has no key "every": write the minutes in 'cron', as in */15 * * * *`},
		{"a step that goes on", "steps:\n- run: a\n  continueOn: {failure: true}\n", `p.yaml:3: a step has no key "continueOn": write continue_on_error: true; or 'when: always()' at the steps that go on all the same`},
		{"GitHub's outputs", "steps:\n- run: echo a=1 >> $GITHUB_OUTPUT\n", "p.yaml:2: step 1: command: nothing reads $GITHUB_OUTPUT; print JSON, as in echo '{\"name\": 1}', and read steps.ID.output.name"},
		{"Argo's suspend", "steps:\n- suspend: {}\n", "p.yaml:2: a step has no key \"suspend\": write wait: {signal: NAME, timeout: 1h}; what the signal brings is steps.ID.output.payload. A wait for a time is wait: 1h, one for a person approval: TEXT"},
		{"a value of Airflow", "dag_id: d\nsteps:\n- run: echo {{ ds }}\n", "p.yaml:3: \"{{ ds }}\" is not understood; write ${{ inputs.NAME }}, ${{ steps.ID.output.NAME }}, of a signal ${{ steps.ID.output.payload.NAME }}, or for a day an input: --input 'day={date}'"},
		{"a value in quotes", "inputs: {a: b}\nsteps:\n- {run: x, if: \"'${{ inputs.a }}' == 'b'\"}\n", "p.yaml:3: if: a value stands in quotes, and would be a text; write it without: inputs.a == \"x\""},
		{"a variable in a variable", "env: {A: x, B: '${A}-$A-$C-${D}'}\nsteps: [x]\n", "p.yaml:1: the variable B: ${D} is not known here; write ${{ inputs.D }}, or ${env:D} for one of Piton's own environment, or set it in the command, where the shell knows it: run: B=\"${D}\" …"},
		{"a plan's key for its steps", "dotenv: 1\nsteps: [x]\n", "p.yaml:1: dotenv wants what it is at a step, not a number"},
		{"two places of one key", "timeout: 1h\nbudget: {time: 2h}\nsteps: [x]\n", `p.yaml:2: "time" and "time" are the same key; write one of them`},
		{"an outcome that is none", "steps:\n- {id: a, run: x}\n- {run: y, if: \"steps.a.outcome == 'failed'\"}\n", `p.yaml:3: step 2: when: the outcome of a step is never "failed"; there are success, failure, skipped`},
		{"plans in two places", "steps: [x]\nplans: {b: {steps: [x]}}\n---\nname: c\nsteps: [x]\n", "p.yaml:1: plans stand under 'plans' and behind '---'; write them in one place"},
		{"Archon's session that goes on", "nodes: [{id: a, loop: {prompt: x, until: DONE, fresh_context: false}}]\n", "p.yaml:1: each time is a session of its own; in one session an agent goes on with a check: check: COMMAND, parameters: {rounds: N}"},
		{"Dagu's preconditions", "steps:\n- run: a\n  preconditions: [b]\n", `p.yaml:3: a step has no key "preconditions": write 'when' with an expression, as in when: inputs.deploy == true`},
		{"Archon's trigger rule", "nodes:\n- bash: a\n  trigger_rule: all_done\n", `p.yaml:3: a step has no key "trigger_rule": write 'when: always()' to run after steps that failed or were skipped, or steps.ID.status in 'when'`},
		{"Archon's command", "nodes:\n- id: a\n  command: fix\n", "p.yaml:3: in a plan with 'nodes', 'command' names a file with a prompt; write the prompt itself: prompt: …"},
		{"Archon's references elsewhere", "steps:\n- {id: a, run: x}\n- id: b\n  prompt: sum $a.output up\n  depends_on: [a]\n", "p.yaml:4: step b: prompt: $a.output is not understood; write ${{ steps.a.output }}"},
		{"Archon's condition", "steps:\n- {id: a, run: x}\n- {id: b, run: x, needs: a, when: \"$a.output.k == 'bug'\"}\n", "p.yaml:3: step b: when: $a.output is not understood; write steps.a.output"},
		{"an unknown action", "steps:\n- id: a\n  action: shel\n", `p.yaml:3: step a: there is no action "shel"; did you mean "shell"?`},
		{"no action", "steps:\n- id: a\n", "p.yaml:2: step a says nothing to do; write 'run: COMMAND', 'prompt: TEXT', or 'action' with 'parameters'"},
		{"two actions", "steps:\n- id: a\n  run: x\n  prompt: y\n", `p.yaml:4: "prompt" is for the action agent, and the step has the action "shell"`},
		{"what the action says", "steps:\n- id: a\n  action: shell\n  parameters:\n    dir: .\n    comand: x\n", `p.yaml:6: step a: the action shell has no parameter "comand"; did you mean "command"?`},
		{"an id twice", "steps:\n- {id: a, run: x}\n- {id: a, run: y}\n", "p.yaml:3: the id \"a\" stands here twice; the first is in line 2"},
		{"a bad id", "steps:\n- {id: a b, run: x}\n", `p.yaml:2: "a b" cannot be the id of a step: an id has letters, digits, '-' and '_', as in a-b`},
		{"an unknown dependency", "steps:\n- id: fetch\n  run: x\n- id: b\n  run: y\n  needs: [fetsh]\n", `p.yaml:6: step b depends on "fetsh", which is not a step; did you mean "fetch"?`},
		{"an unknown dependency that is near to the step itself", "steps:\n- id: a\n  run: x\n  needs: [b]\n- {id: fetch, run: x}\n", `p.yaml:4: step a depends on "b", which is not a step; there are fetch`},
		{"a dependency in a list of lines", "steps:\n- id: fetch\n  run: x\n- id: b\n  run: y\n  needs:\n  - fetch\n  - fetsh\n", `p.yaml:8: step b depends on "fetsh", which is not a step; did you mean "fetch"?`},
		{"a status that is none", "steps:\n- {id: a, run: x}\n- {id: b, run: y, needs: a, if: \"steps.a.status == 'success'\"}\n", `p.yaml:3: step b: when: the status of a step is never "success"; there are completed, failed, skipped, could_not`},
		{"a status that is none, in a list", "steps:\n- {id: a, run: x}\n- {id: b, run: y, needs: a, if: \"steps.a.status in ['failed', 'skiped']\"}\n", `p.yaml:3: step b: when: the status of a step is never "skiped"; there are completed, failed, skipped, could_not`},
		{"itself", "steps:\n- {id: a, run: x, needs: a}\n", "p.yaml:2: step a depends on itself"},
		{"a cycle", "steps:\n- {id: x, run: x}\n- {id: a, run: x, needs: [x, c]}\n- {id: b, run: x, needs: a}\n- {id: c, run: x, needs: b}\n", "p.yaml:3: the steps depend on each other in a cycle: a needs c needs b needs a"},
		{"an expression that does not compile", "steps:\n- id: a\n  run: echo ${{ 1 + }}\n", "p.yaml:3: step a: command: unexpected token EOF"},
		{"an expression without an end", "steps:\n- id: a\n  run: echo ${{ query\n", "p.yaml:3: step a: command: an expression begins with ${{ and does not end with }}"},
		{"an empty expression", "steps:\n- id: a\n  run: echo ${{ }}\n", "p.yaml:3: step a: command: the expression is empty"},
		{"an unknown name", "steps:\n- {id: a, run: 'echo ${{ github.sha }}'}\n", `p.yaml:2: step a: command: "github" is not known here: give it as an input: inputs.NAME`},
		{"an unknown step", "steps:\n- {id: fetch, run: x}\n- {id: b, needs: fetch, run: 'echo ${{ steps.fetsh.output }}'}\n", `p.yaml:3: step b: command: there is no step "fetsh"; did you mean "fetch"?`},
		{"a step beside it", "type: graph\nsteps:\n- {id: a, run: x}\n- {id: b, run: 'echo ${{ steps.a.output }}'}\n", "p.yaml:4: step b: command: it uses step a, which the step does not depend on; write dependencies: [a]"},
		{"a step beside it, in when", "type: graph\nsteps:\n- {id: a, run: x}\n- {id: b, run: x, if: steps.a.output == 1}\n", "p.yaml:4: step b: when: it uses step a, which the step does not depend on; write dependencies: [a]"},
		{"its own output", "steps:\n- {id: a, run: 'echo ${{ steps.a.output }}'}\n", "p.yaml:2: step a: command: a step cannot use its own output"},
		{"any step", "steps:\n- {id: a, run: 'echo ${{ steps[query].output }}'}\n", `p.yaml:2: step a: command: a step is named as steps.ID or steps["ID"], not by a value`},
		{"an artifact out of the folder", "steps:\n- {id: a, run: x, artifacts: ../x}\n", "p.yaml:2: artifacts wants paths in the step's folder, without '..' and ${env:NAME}: a list with files and patterns, as in [log.txt, dist/**], or names of letters, digits, '-' and '_' with a file each, as in {app: dist/app}; not \"../x\""},
		{"an absolute artifact", "steps:\n- {id: a, run: x, artifacts: [/etc/passwd]}\n", "p.yaml:2: artifacts wants paths in the step's folder, without '..' and ${env:NAME}: a list with files and patterns, as in [log.txt, dist/**], or names of letters, digits, '-' and '_' with a file each, as in {app: dist/app}; not \"/etc/passwd\""},
		{"a folder as an artifact", "steps:\n- {id: a, run: x, artifacts: dist/}\n", "p.yaml:2: artifacts wants paths in the step's folder, without '..' and ${env:NAME}: a list with files and patterns, as in [log.txt, dist/**], or names of letters, digits, '-' and '_' with a file each, as in {app: dist/app}; not \"dist/\""},
		{"a pattern with a name", "steps:\n- {id: a, run: x, artifacts: {all: '*.js'}}\n", "p.yaml:2: artifacts wants paths in the step's folder, without '..' and ${env:NAME}: a list with files and patterns, as in [log.txt, dist/**], or names of letters, digits, '-' and '_' with a file each, as in {app: dist/app}; not \"*.js\""},
		{"a bad pattern", "steps:\n- {id: a, run: x, artifacts: ['[']}\n", "p.yaml:2: artifacts wants paths in the step's folder, without '..' and ${env:NAME}: a list with files and patterns, as in [log.txt, dist/**], or names of letters, digits, '-' and '_' with a file each, as in {app: dist/app}; not \"[\""},
		{"a bad name of an artifact", "steps:\n- {id: a, run: x, artifacts: {a b: c}}\n", "p.yaml:2: artifacts wants paths in the step's folder, without '..' and ${env:NAME}: a list with files and patterns, as in [log.txt, dist/**], or names of letters, digits, '-' and '_' with a file each, as in {app: dist/app}; not \"c\""},
		{"GitLab's artifacts", "steps:\n- {id: a, run: x, artifacts: {paths: [c]}}\n", "p.yaml:2: artifacts wants paths in the step's folder, without '..' and ${env:NAME}: a list with files and patterns, as in [log.txt, dist/**], or names of letters, digits, '-' and '_' with a file each, as in {app: dist/app}; not \"\""},
		{"a secret in an artifact's path", "steps:\n- {id: a, run: x, artifacts: 'a/${env:X}'}\n", "p.yaml:2: artifacts wants paths in the step's folder, without '..' and ${env:NAME}: a list with files and patterns, as in [log.txt, dist/**], or names of letters, digits, '-' and '_' with a file each, as in {app: dist/app}; not \"a/${env:X}\""},
		{"artifacts of a wait", "steps:\n- {id: a, approval: 'go', artifacts: c}\n", "p.yaml:2: the step leaves no files on this machine; write artifacts at the step that makes them here, as with run: scp HOST:FILE ."},
		{"artifacts on a host", "steps:\n- {id: a, run: x, host: h, artifacts: c}\n", "p.yaml:2: the step leaves no files on this machine; write artifacts at the step that makes them here, as with run: scp HOST:FILE ."},
		{"artifacts for a host", "steps:\n- {id: a, run: x, artifacts: c}\n- {id: b, needs: a, host: h, run: 'x ${{ steps.a.artifacts.c }}'}\n", "p.yaml:3: step b: command: the files of artifacts are on this machine, and the step runs on another host"},
		{"an unknown artifact", "steps:\n- {id: a, run: x, artifacts: {app: c}}\n- {id: b, needs: a, run: 'x ${{ steps.a.artifacts.ap }}'}\n", "p.yaml:3: step b: command: step a leaves no artifact \"ap\"; did you mean \"app\"?"},
		{"a step without artifacts", "steps:\n- {id: a, run: x}\n- {id: b, needs: a, run: 'x ${{ steps.a.artifacts }}'}\n", "p.yaml:3: step b: command: step a leaves no artifacts; write there which files it leaves: artifacts: [FILE]"},
		{"its own artifact", "steps:\n- {id: a, run: 'x ${{ steps.a.artifacts.c }}', artifacts: c}\n", "p.yaml:2: step a: command: a step cannot use its own output"},
		{"a step's outputs", "steps:\n- {id: a, run: x}\n- {id: b, needs: a, run: 'echo ${{ steps.a.outputs.v }}'}\n", "p.yaml:3: step b: command: there is no steps.a.outputs; of a step there are output (what it prints, JSON or text), artifacts, status and error"},
		{"an unknown input", "inputs: {lang: en}\nsteps:\n- {id: a, run: 'echo ${{ inputs.lange }}'}\n", `p.yaml:3: step a: command: there is no input "lange"; did you mean "lang"?`},
		{"a secret in an expression", "steps:\n- {id: a, action: http, parameters: {url: '${{ \"${env:X}\" }}'}}\n", "2 mistakes\np.yaml:2: step a: url: a secret stands outside of expressions: ${env:NAME}\np.yaml:2: step a: url: a value cannot say which server is asked: write the host, or put it in ${env:NAME} or an input of its own, as in ${{ inputs.server }}/path"},
		{"a bad secret", "steps:\n- {id: a, action: http, parameters: {url: '${env:a-b}'}}\n", "p.yaml:2: step a: url: a secret is written as ${env:NAME}, where NAME is a variable of the environment"},
		{"status outside of when", "steps:\n- {id: a, run: 'echo ${{ failure() }}'}\n", `p.yaml:2: step a: command: "failure" is not known here: it belongs into 'when'`},
		{"single quotes in a shell", "inputs: {x: 1}\nsteps:\n- id: a\n  run: |\n    true\n    echo '${{ inputs.x }}'\n", "p.yaml:6: step a: command: ${{ inputs.x }}: the shell reads no values inside single quotes; use double quotes around ${{ … }}"},
		{"a quoted here-document", "inputs: {x: 1}\nsteps:\n- id: a\n  run: |\n    cat <<'E'\n    ${{ inputs.x }}\n    E\n", "p.yaml:6: step a: command: ${{ inputs.x }}: the shell reads no values in a here-document whose end is quoted; leave the quotes off: <<END"},
		{"a value as a command", "inputs: {x: 1}\nsteps:\n- {id: a, run: '${{ inputs.x }} --now'}\n", "p.yaml:3: step a: command: ${{ inputs.x }}: a value is never run as a command; write the program's name itself, as in case ${{ … }} in a) a;; esac"},
		{"a value in a sum", "inputs: {x: 1}\nsteps:\n- {id: a, run: 'echo $((${{ inputs.x }} + 1))'}\n", "p.yaml:3: step a: command: ${{ inputs.x }}: a value inside $(( )), (( )) or an array's index would be run as code; use expr, or compute it in the expression"},
		{"a value in backquotes", "inputs: {x: 1}\nsteps:\n- {id: a, run: 'x=`echo ${{ inputs.x }}`'}\n", "p.yaml:3: step a: command: ${{ inputs.x }}: inside backquotes values are read differently by each shell; write $( … ) instead"},
		{"a value in code", "inputs: {x: 1}\nsteps:\n- {id: a, run: [python3, -c, 'print(\"${{ inputs.x }}\")']}\n", `p.yaml:3: step a: command: print("${{ inputs.x }}"): python3 would run the value as code; pass it as an argument behind the code, and read sys.argv`},
		{"a value in a script of sh", "inputs: {x: 1}\nsteps:\n- {id: a, run: [env, A=1, bash, -ec, \"echo '${{ inputs.x }}'\"]}\n", "p.yaml:3: step a: command: ${{ inputs.x }}: the shell reads no values inside single quotes; use double quotes around ${{ … }}"},
		{"a script of no shell", "inputs: {x: 1}\nsteps:\n- {id: a, run: 'print(${{ inputs.x }})', shell: python3}\n", "p.yaml:3: step a: command: values cannot be put safely into a script that is not a shell's; give them by 'env' and read them there"},
		{"a bad timeout", "steps:\n- {id: a, run: x, timeout: soon}\n", "p.yaml:2: timeout: it wants a time such as 90s, 5m or 1.5h, or a number of seconds"},
		{"a timeout of nothing", "steps:\n- {id: a, run: x, timeout: 0}\n", "p.yaml:2: timeout: it must be more than 0"},
		{"retry as a number", "steps:\n- {id: a, run: x, retry: 3}\n", "p.yaml:2: retry wants keys with values, as in retry: {attempts: 3, delay: 10s}; attempts are the tries in all"},
		{"retry by exit status", "steps:\n- {id: a, run: x, retry: {limit: 2, exit_code: [1]}}\n", `p.yaml:2: retry has no key "exit_code": a failure is tried again whatever its status, where the effect of the step allows that; test for it in the command`},
		{"a bad effect", "steps:\n- {id: a, run: x, effect: onec}\n", `p.yaml:2: effect is "onec"; did you mean "once"?`},
		{"a bad on_crash", "on_crash: stop\nsteps: [a]\n", `p.yaml:1: on_crash is "stop"; there are ask, continue`},
		{"two checks in one", "steps:\n- {id: a, prompt: x, check: {run: a, file: b}}\n", "p.yaml:2: a check has one of run, file, changed, verified and expr; write each as an item of its own"},
		{"a secret in a check", "steps:\n- {id: a, prompt: x, check: 'curl -u ${env:TOKEN} x'}\n", "p.yaml:2: step a: check.run: a check shows no secrets; its command reads $TOKEN itself"},
		{"a check of a command", "steps:\n- id: a\n  run: x\n  check: test -f y\n", "p.yaml:4: step a: a check is for the step of an agent; write it as a step of its own, with 'needs'"},
		{"a verified command", "steps:\n- {id: a, run: x, check: {verified: true}}\n", "p.yaml:2: step a: a check is for the step of an agent; write it as a step of its own, with 'needs'"},
		{"an unknown check", "steps:\n- {id: a, prompt: x, check: [{rnu: a}]}\n", "2 mistakes\np.yaml:2: a check has no key \"rnu\"; did you mean \"run\"?\np.yaml:2: a check has one of run, file, changed, verified and expr; write each as an item of its own"},
		{"a status", "steps:\n- {id: a, run: x, status: running}\n", `p.yaml:2: status is "running"; there are completed, pending`},
		{"an approval that is done", "steps:\n- {id: a, approval: x, status: completed}\n", "p.yaml:2: step a waits for a person's approval, which a file cannot give; leave out 'status'"},
		{"results that are not a list", "steps: [x]\nresults: y\n", "p.yaml:2: results wants a list, not a text"},
		{"a result of what is not done", "steps:\n- {id: a, run: x}\nresults: [{stepId: a, output: 1}]\n", `p.yaml:3: there is a result of step "a", and the plan does not call that step completed`},
		{"a choice without options", "inputs: {a: {type: choice}}\nsteps: [x]\n", `p.yaml:1: the input "a" is a choice; it wants 'options'`},
		{"a default of another type", "inputs: {a: {type: number, default: ten}}\nsteps: [x]\n", `p.yaml:1: the default of the input "a": it wants a number`},
		{"an unknown type", "inputs: {a: {type: nmber}}\nsteps: [x]\n", `p.yaml:1: the type is "nmber"; did you mean "number"?`},
		{"an input twice", "inputs: [a, a]\nsteps: [x]\n", `p.yaml:1: the input "a" stands here twice`},
		{"a number that would change", "steps:\n- {id: a, action: http, parameters: {id: 12345678901234567890}}\n", `p.yaml:2: the number "12345678901234567890" would be rounded; put it in quotes`},
		{"a number in octal", "steps:\n- {id: a, action: http, parameters: {mode: 0755}}\n", `p.yaml:2: the number "0755" is written in a form that programs read differently; write it in decimal, or put it in quotes`},
		{"a tag", "steps:\n- {id: a, run: !!binary aGk=}\n", `p.yaml:2: the tag "!!binary" is not understood; leave it out`},
		{"too deep", "steps:\n- {id: a, run: x, parameters: {v: " + strings.Repeat("[", 80) + strings.Repeat("]", 80) + "}}\n", "p.yaml:2: the plan is more than 64 levels deep"},
		{"too deep by keys", "steps:\n- {id: a, run: x, parameters: " + strings.Repeat("{a: ", 80) + "1" + strings.Repeat("}", 80) + "}\n", "p.yaml:2: the plan is more than 64 levels deep"},
		{"an alias of itself", "steps: &a [*a]\n", "p.yaml:1: the plan is more than 64 levels deep"},
		{"too many aliases", "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nsteps: [*e,*e]\n", "p.yaml:1: the plan holds more than 100000 keys and values"},
		{"too large", "steps: [" + strings.Repeat("a,", 2<<20) + "]", "p.yaml: the plan is 4194313 bytes; at most 2097152 are read"},
		{"a step that is a number", "steps: [5]\n", "p.yaml:1: a step wants keys with values, not a number"},
		{"a step of a mapping that is a text", "steps:\n  a: x\n", `p.yaml:2: a step wants keys with values, not a text`},
		{"steps that are a number", "jobs: 5\n", "p.yaml:1: jobs wants a list of steps, not a number"},
		{"an empty mapping of steps", "name: x\nsteps: {}\n", "p.yaml:2: the plan has no steps; write 'steps' with at least one"},
		{"too many steps", "steps: [" + strings.Repeat("a,", 5001) + "]\n", "p.yaml:1: a plan has at most 5000 steps"},
		{"too many steps in a mapping", "steps: {" + many("s%d: {run: x},", 5001) + "}\n", "p.yaml:1: a plan has at most 5000 steps"},
		{"a name that is a list", "name: [a]\nsteps: [a]\n", "p.yaml:1: name wants a text, not a list"},
		{"a description that is a number", "description: 5\nsteps: [a]\n", "p.yaml:1: description wants a text, not a number; put it in quotes"},
		{"a description with keys", "steps:\n- {run: a, description: {a: b}}\n", "p.yaml:2: description wants a text, not keys with values"},
		{"parallel steps by half", "parallel: 1.5\nsteps: [a]\n", "p.yaml:1: parallel wants a whole number, not a fraction"},
		{"no parallel steps", "parallel: 0\nsteps: [a]\n", "p.yaml:1: parallel must be from 1 to 1000"},
		{"too many parallel steps", "max_parallel: 1001\nsteps: [a]\n", "p.yaml:1: max_parallel must be from 1 to 1000"},
		{"parallel steps in words", "parallel: many\nsteps: [a]\n", "p.yaml:1: parallel wants a whole number, not a text"},
		{"a type of order that is none", "type: tree\nsteps: [a]\n", `p.yaml:1: type is "tree"; there are chain, graph`},
		{"a type of order that is a number", "type: 5\nsteps: [a]\n", "p.yaml:1: type wants a text, not a number; put it in quotes"},
		{"inputs in two places", "on: {workflow_dispatch: {inputs: {a: 1}}}\ninputs: {b: 1}\nsteps: [a]\n", "p.yaml:1: the inputs stand here and under 'inputs'; write them once"},
		{"a start beside the inputs", "on: {workflow_dispatch: {inputs: {a: 1}}, push: x}\nsteps: [a]\n", `p.yaml:1: a plan has no key "on" but for its inputs and its schedule: a plan is begun by 'piton run', and at the times of its 'schedule' once a person has said 'piton runs schedule add PLAN'`},
		{"inputs that are a text", "inputs: lang\nsteps: [a]\n", "p.yaml:1: inputs wants names with what they are, as in {lang: {type: string, default: en}}"},
		{"an input without a name", "inputs:\n- {type: string, default: x}\nsteps: [a]\n", "p.yaml:2: an input wants a 'name'"},
		{"an input's other name", "inputs:\n  a: {name: b}\nsteps: [a]\n", `p.yaml:2: the input's name is its key, "a"; leave out 'name'`},
		{"an input with a blank in its name", "inputs:\n  a b: 1\nsteps: [a]\n", `p.yaml:2: "a b" cannot be the name of an input: a name has letters, digits, '-' and '_'`},
		{"an input with a long name", "inputs:\n  " + strings.Repeat("a", 101) + ": 1\nsteps: [a]\n", `p.yaml:2: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…" cannot be the name of an input: a name has letters, digits, '-' and '_'`},
		{"an input with options that is no choice", "inputs:\n  a: {type: string, options: [x]}\nsteps: [a]\n", `p.yaml:2: the input "a" has options; its type is then choice`},
		{"a default that is no option", "inputs:\n  a: {options: [x, y], default: z}\nsteps: [a]\n", `p.yaml:2: the default of the input "a": it wants one of x, y`},
		{"an option that is true", "inputs:\n  a: {options: [true]}\nsteps: [a]\n", "p.yaml:2: options wants texts, not true or false"},
		{"an input that is required by a number", "inputs:\n  a: {required: 1}\nsteps: [a]\n", "p.yaml:2: required wants true or false, not a number"},
		{"an input's key that is none", "inputs:\n  a: {secret: true}\nsteps: [a]\n", `p.yaml:2: an input has no key "secret": write ${env:NAME} where the secret belongs; inputs are stored`},
		{"a type of an input that is a number", "inputs:\n  a: {type: 5}\nsteps: [a]\n", "p.yaml:2: type wants a text, not a number; put it in quotes"},
		{"an environment that is a text", "env: A\nsteps: [a]\n", "p.yaml:1: env wants names with values, as in {NAME: value}"},
		{"an environment of texts without values", "env: [A=1, B]\nsteps: [a]\n", "p.yaml:1: env wants names with values, as in {NAME: value}"},
		{"a variable's name that is none", "steps:\n- {run: a, env: {1A: x}}\n", `p.yaml:2: "1A" is not a name of an environment variable`},
		{"a variable's name that is none, in a list", "steps:\n- {run: a, env: [{A-B: x}]}\n", `p.yaml:2: "A-B" is not a name of an environment variable`},
		{"a variable with a list", "steps:\n- {run: a, env: {A: [1]}}\n", "p.yaml:2: the variable A wants a text, not a list"},
		{"an id beside the key", "steps:\n  a: {id: b, run: x}\n", `p.yaml:2: the step's id is its key, "a"; leave out 'id'`},
		{"a long id", "steps:\n- {id: " + strings.Repeat("a", 101) + ", run: x}\n", "p.yaml:2: the id of a step is at most 100 characters long"},
		{"an id of signs", "steps:\n- {id: '***', run: x}\n", `p.yaml:2: "***" cannot be the id of a step: an id has letters, digits, '-' and '_'`},
		{"an id that is true", "steps:\n- {id: true, run: x}\n", "p.yaml:2: id wants a text, not true or false; put it in quotes"},
		{"a name twice", "steps:\n- {name: a b, run: x}\n- {name: a b, run: y}\n", "p.yaml:3: the id \"a-b\" stands here twice; the first is in line 2; give it an 'id' of its own"},
		{"an id that a name makes", "steps:\n- {id: a-b, run: x}\n- {name: A b, run: y}\n", "p.yaml:3: the id \"a-b\" stands here twice; the first is in line 2; give it an 'id' of its own"},
		{"parameters that are a text", "steps:\n- {action: http, with: x}\n", "p.yaml:2: with wants keys with values, not a text"},
		{"a command in two places", "steps:\n- {run: x, parameters: {command: y}}\n", `p.yaml:2: "run" stands here and under 'parameters' too; write one of them`},
		{"a folder in two places", "steps:\n- {run: x, cwd: y, parameters: {dir: z}}\n", `p.yaml:2: "cwd" stands here and under 'parameters' too; write one of them`},
		{"an approval that is a number", "steps:\n- {approval: 5}\n", `p.yaml:2: approval wants a text, and 5 without quotes is a number; write approval: "5"`},
		{"an action that is a number", "steps:\n- {action: 5}\n", "p.yaml:2: action wants a text, not a number; put it in quotes"},
		{"two timeouts", "steps:\n- {run: x, timeout: 1m, timeout_ms: 5}\n", `p.yaml:2: "timeout" and "timeout_ms" both bound the step; write one of them`},
		{"three timeouts", "steps:\n- {run: x, timeout-minutes: 1, timeout_sec: 5, timeout_ms: 5}\n", "2 mistakes\np.yaml:2: \"timeout-minutes\" and \"timeout_sec\" both bound the step; write one of them\np.yaml:2: \"timeout-minutes\" and \"timeout_ms\" both bound the step; write one of them"},
		{"a timeout that is true", "steps:\n- {run: x, timeout: true}\n", "p.yaml:2: timeout: it wants a time such as 90s, 5m or 1.5h, or a number of seconds"},
		{"a timeout that is a list", "steps:\n- {run: x, timeout: [1s]}\n", "p.yaml:2: timeout: it wants a time such as 90s, 5m or 1.5h, or a number of seconds"},
		{"a timeout of years", "steps:\n- {run: x, timeout: 367d}\n", "p.yaml:2: timeout: it is more than a year"},
		{"a timeout of less than nothing", "steps:\n- {run: x, timeout_minutes: -1}\n", "p.yaml:2: timeout_minutes: it wants a time such as 90s, 5m or 1.5h, or a number of seconds"},
		{"dependencies with keys", "steps:\n- {run: x, needs: {a: b}}\n", "p.yaml:2: needs wants texts, not keys with values"},
		{"a dependency that is true", "steps:\n- {run: x, needs: [true, [a]]}\n", "2 mistakes\np.yaml:2: needs wants texts, not true or false\np.yaml:2: needs wants texts, not a list"},
		{"a dependency that is an expression", "steps:\n- {id: a, run: x}\n- {id: b, run: x}\n- {id: c, run: x, depends: a && b}\n", `p.yaml:4: step c depends on "a && b", which is not a step; write the ids as a list: [a, b], and what must hold as 'when'`},
		{"a condition that is a number", "steps:\n- {run: x, when: 1}\n", "p.yaml:2: when wants a text, not a number; put it in quotes"},
		{"tries in two ways", "steps:\n- {run: x, retry: {attempts: 2, limit: 1}}\n", `p.yaml:2: "limit" and 'attempts' both say how often; write one of them`},
		{"no tries", "steps:\n- {run: x, retry: {attempts: 0}}\n", "p.yaml:2: attempts must be from 1 to 1000"},
		{"too many tries", "steps:\n- {run: x, retry: {retries: 1000}}\n", "p.yaml:2: retries must be from 0 to 999"},
		{"a delay in two ways", "steps:\n- {run: x, retry: {delay: 1s, delay_ms: 3}}\n", `p.yaml:2: "delay" and "delay_ms" are the same; write one of them`},
		{"a bound of delays in two ways", "steps:\n- {run: x, retry: {max_interval: 1s, max_interval_sec: 3}}\n", `p.yaml:2: "max_interval" and "max_interval_sec" are the same; write one of them`},
		{"a factor below 1", "steps:\n- {run: x, retry: {factor: 0.5}}\n", "p.yaml:2: factor must be from 1 to 100"},
		{"a factor above 100", "steps:\n- {run: x, retry: {backoff: 101}}\n", "p.yaml:2: backoff must be from 1 to 100"},
		{"a factor in words", "steps:\n- {run: x, retry: {factor: two}}\n", "p.yaml:2: factor wants a number above 0"},
		{"jitter by a number", "steps:\n- {run: x, retry: {jitter: 1}}\n", "p.yaml:2: jitter wants true or false, not a number"},
		{"a budget that is a number", "budget: 5\nsteps: [x]\n", "p.yaml:1: budget wants keys with values, not a number"},
		{"no tokens", "budget: {tokens: 0}\nsteps: [x]\n", "p.yaml:1: tokens must be from 1 to 9007199254740992"},
		{"no money", "budget: {usd: 0}\nsteps: [x]\n", "p.yaml:1: usd wants a number above 0"},
		{"time that is a list", "budget: {time: [1h]}\nsteps: [x]\n", "p.yaml:1: time: it wants a time such as 90s, 5m or 1.5h, or a number of seconds"},
		{"too many tries of a budget", "budget: {tries: 1000001}\nsteps: [x]\n", "p.yaml:1: tries must be from 1 to 1000000"},
		{"a check that is a number", "steps:\n- {prompt: x, check: 5}\n", "p.yaml:2: a check wants keys with values, not a number"},
		{"a check of nothing", "steps:\n- {prompt: x, check: [{}]}\n", "p.yaml:2: a check has one of run, file, changed, verified and expr; write each as an item of its own"},
		{"a check with an expression without an end", "steps:\n- {id: a, prompt: x, check: 'echo ${{ query'}\n", "p.yaml:2: step a: check.run: an expression begins with ${{ and does not end with }}"},
		{"a check of a file by what is not there", "steps:\n- {id: a, prompt: x, check: {file: '${{ inputs.x }}.md'}}\n", `p.yaml:2: step a: check.file: there is no input "x"`},
		{"a check in single quotes", "steps:\n- {id: a, prompt: x, check: \"echo '${{ query }}'\"}\n", "p.yaml:2: step a: check.run: ${{ query }}: the shell reads no values inside single quotes; use double quotes around ${{ … }}"},
		{"an expression that is too long", "steps:\n- {id: a, run: x, when: '" + strings.Repeat("1", 8193) + "'}\n", "p.yaml:2: step a: when: the expression is longer than 8192 bytes"},
		{"what a run is not", "steps:\n- {id: a, run: 'echo ${{ run.nope }}'}\n", "p.yaml:2: step a: command: there is no run.nope; there are run.id, run.dir and run.workflow"},
		{"a step's parts by a value", "steps:\n- {id: a, run: x}\n- {id: b, run: 'echo ${{ steps.a[query] }}', needs: a}\n", "p.yaml:3: step b: command: of a step there are output, artifacts, status and error"},
		{"a value that is a program's option", "steps:\n- {id: a, action: mcp, parameters: {server: ['${{ query }}']}}\n", "p.yaml:2: step a: server: ${{ query }}: a value is never run as a command; write the program's name itself, as in case ${{ … }} in a) a;; esac"},
		{"a value that is run by an agent's option", "steps:\n- {id: a, action: agent, parameters: {args: [bash, -c, 'echo ${{ query }}']}}\n", `p.yaml:2: step a: args: echo ${{ query }}: bash would run the value as code; pass it as an argument behind the code, as in sh -c 'echo "$1"' sh ${{ … }}`},
		{"a value that is run and shown", "steps:\n- {id: a, action: approve, parameters: {show: [{run: [sh, -c, '${{ query }}']}]}}\n", `p.yaml:2: step a: show.0.run: ${{ query }}: sh would run the value as code; pass it as an argument behind the code, as in sh -c 'echo "$1"' sh ${{ … }}`},
		{"a value that is run and shown alone", "steps:\n- {id: a, action: approve, parameters: {show: {run: [sh, -c, '${{ query }}']}}}\n", `p.yaml:2: step a: show.0.run: ${{ query }}: sh would run the value as code; pass it as an argument behind the code, as in sh -c 'echo "$1"' sh ${{ … }}`},
		{"a value as a host", "steps:\n- {id: a, action: http, parameters: {url: 'https://${{ query }}/x'}}\n", "p.yaml:2: step a: url: a value cannot say which server is asked: write the host, or put it in ${env:NAME} or an input of its own, as in ${{ inputs.server }}/path"},
		{"a value as the header Host", "steps:\n- {id: a, action: http, parameters: {url: 'https://x/', headers: {host: '${{ query }}'}}}\n", "p.yaml:2: step a: headers.host: a value cannot say which server is asked: write the host, or put it in ${env:NAME} or an input of its own, as in ${{ inputs.server }}/path"},
		{"a value in a body of no known type", "steps:\n- {id: a, action: http, parameters: {url: 'https://x/', body: 'a ${{ query }}', headers: {Content-Type: text/xml}}}\n", "p.yaml:2: step a: body: nobody knows how a value is written in a body of this Content-Type; send JSON, a form or text/plain, or make the whole body in a step and send it as one value, as in body: ${{ steps.make.output }}"},
		{"a value in a variable that is run", "steps:\n- {id: a, run: x, env: {BASH_ENV: '${{ query }}'}}\n", "p.yaml:2: step a: env.BASH_ENV: a value would be run, or programs or their settings would be found by it; write the name itself"},
		{"a value as the shell", "steps:\n- {id: a, run: x, shell: '${{ query }}'}\n", "p.yaml:2: step a: shell: 'shell' is run, and has a value; write the shell itself"},
		{"a value in a list for the shell", "steps:\n- {id: a, run: 'echo ${{ query }}', shell: [sh, '${{ query }}']}\n", "p.yaml:2: step a: shell: 'shell' is run, and has a value; write the shell itself"},
		{"a script for a list that is no shell", "steps:\n- {id: a, run: 'echo ${{ query }}', shell: [ruby, -e]}\n", "p.yaml:2: step a: command: values cannot be put safely into a script that is not a shell's; give them by 'env' and read them there"},
		{"a merge of a number", "steps:\n- {<<: 5, run: a}\n", "p.yaml:2: '<<' takes in keys with values, not a number"},
		{"a merge of a list with a number", "steps:\n- {<<: [5, {id: a}], run: a}\n", "p.yaml:2: '<<' takes in keys with values, not a number"},
		{"a second plan that cannot be read", "steps: [a]\n---\n- run: a: b\n", "p.yaml:3: mapping values are not allowed in this context; a text with ': ' in it wants quotes, or '|' and a line of its own"},
		{"a NUL character", "steps: [\"a\\0b\"]\n", "p.yaml:1: a text holds a NUL character"},
		{"JSON that ends too early", "{\"steps\": [", "p.yaml:1: the JSON ends too early"},
		{"a brace alone", "{", "p.yaml:1: the JSON ends too early"},
		{"a brace that is not JSON", "{steps: [a]", "p.yaml:1: did not find expected ',' or '}'"},
		{"a tag at a list", "steps: !!set [a]\n", `p.yaml:1: the tag "!!set" is not understood; leave it out`},
		{"a key of an alias that is a list", "steps: &a [x]\n? *a\n: 5\n", "p.yaml:1: a key must be a text"},
	} {
		_, err := plan.Parse("p.yaml", []byte(c.text), known)
		if got := strings.TrimPrefix(fmt.Sprint(err), "read the plan: "); piton.CodeOf(err) != piton.Invalid || got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
	t.Run("where there is no file", func(t *testing.T) {
		for text, want := range map[string]string{"": "read the plan: the plan is empty; it wants 'steps'", "steps: [5]": "read the plan: line 1: a step wants keys with values, not a number", "steps: [{action: hint}]": "read the plan: line 1: step 1: bad value; give another"} {
			hinting := plan.Known{"hint": func(plan.Step) error { return piton.Errorf(piton.Invalid, "check", "give another", "bad\nvalue") }}
			if _, err := plan.Parse("", []byte(text), hinting); err == nil || err.Error() != want {
				t.Errorf("%q: got %v, want %s", text, err, want)
			}
		}
	})
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
			"{\"steps\": [\"a\\u0000\"]}":                         "p.json:1: a text holds a NUL character",
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
