package plan

import (
	"regexp"
	"slices"
	"sync"
)

// key is a key of a plan's file: our own name first, then the names that are
// understood too. The tables of docs/plans.md and the schema of plans (piton schema plan)
// are made of these: go test -run TestKeys -update.
type key struct {
	name   string
	others []string
	form   form
	says   string // for people; "" where another part of the schema says it
}

// form is the form of a key's value.
type form struct {
	kinds       []string // that it may have; none: what more says
	words       []string // that a text is one of
	least, most int64    // the bounds of a whole number
	unit        string   // of a time that is a bare number
	more        string   // what its JSON Schema has beside these
}

// field is a key's value with its form.
type field struct {
	pair
	form form
}

var (
	aText         = form{kinds: []string{isText, isNull}}
	aTextOrNumber = form{kinds: []string{isText, isNumber, isNull}}
	aBool         = form{kinds: []string{isBool, isNull}}
	aCondition    = form{kinds: []string{isText, isBool, isNull}}
	aTime         = form{kinds: []string{isText, isNumber, isNull}, unit: "s"}
	aTimeInMS     = form{kinds: []string{isText, isNumber, isNull}, unit: "ms"}
	texts         = form{kinds: []string{isList, isText, isNumber, isNull}, more: `"items": {"type": ["string", "number"]}`}
	anObject      = form{kinds: []string{isObject, isNull}}
	aMatrix       = form{kinds: []string{isObject, isText, isNull}}
	anything      = form{}
	anOverlap     = word("skip", "queue", "allow", "cancel", "Forbid", "Replace", "Allow", "Skip", "BufferAll", "CancelOther", "AllowAll", "all")
	inMinutes     = form{kinds: aTime.kinds, unit: "m"}
	aShell        = form{kinds: []string{isText, isList, isNull}, more: `"items": {"type": "string"}`}
	aDotenv       = aShell
	aContainer    = form{kinds: []string{isText, isObject, isNull}, more: `"properties": {"image": {"type": "string"}}, "required": ["image"], "additionalProperties": false`}
	aCatchUp      = form{kinds: []string{isText, isBool, isNull}, more: `"enum": ["none", "one", "all", true, false, null], "default": "one"`}
)

const (
	// MaxParallel bounds how many steps run at once.
	MaxParallel = 1000
	// MaxRuns bounds how many of a plan's runs are worked on at once.
	MaxRuns = 1000
	// maxID bounds the id of a step and the name of an input, idPattern is their form and
	// named the same in JSON Schema.
	maxID     = 100
	idPattern = `^[A-Za-z0-9_][A-Za-z0-9_-]*$`
	named     = `"pattern": "` + idPattern + `", "maxLength": 100`
)

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(idPattern) })

// word is a text that is one of a few.
func word(words ...string) form { return form{kinds: aText.kinds, words: words} }

// count is a whole number within bounds.
func count(least, most int64) form {
	return form{kinds: []string{isNumber, isNull}, least: least, most: most}
}

// definition is what a definition of the schema says.
func definition(name string) form { return form{more: `"$ref": "#/$defs/` + name + `"`} }

func (f form) and(more string) form {
	f.more = more
	return f
}

// keys of a kind of object, and the keys that users of other programs know, each
// with what to write instead.
type keys struct {
	what    string // "a step"
	list    []key
	refused map[string]string
	told    map[string]string // keys that change nothing here, each with what is so instead: the run tells it
	within  map[string]string // of a key that is short for one of another key: "retry.delay"
}

// find is the key of a name; the zero one of an unknown name.
func (k keys) find(name string) (found key) {
	for _, x := range k.list {
		if x.name == name || slices.Contains(x.others, name) {
			return x
		}
	}
	return key{}
}

// all are the names that are understood.
func (k keys) all() (names []string) {
	for _, x := range k.list {
		names = append(append(names, x.name), x.others...)
	}
	return names
}

func too(names ...string) []string { return names }

const (
	sayInOwnStep   = "write it as a step of its own"
	noContinue     = "write continue_on_error: true; or 'when: always()' at the steps that go on all the same"
	noNesting      = "steps are not nested: write each as a step of the plan, with needs: ID; or all as a plan of their own, which a step runs: plan: FILE"
	noPrecondition = "write 'when' with an expression, as in when: inputs.deploy == true"
	noContainer    = "start them in a step of their own, as in run: docker run -d IMAGE, and end them under 'finally'"
	savedState     = "it is of a saved state: 'piton save --type plan --state FILE', then 'piton run --resume' with its id"
	inParameters   = "write it under 'parameters', if the action takes it"
	noMachine      = "steps run on this machine"
	noOutputs      = "what the step prints is its output, JSON or text: steps.ID.output; files that it leaves are its artifacts: artifacts: [FILE]"
	noRetention    = "how long runs are kept is the same for all of them"
	noSpec         = "write name: NAME and steps: [{id: ID, run: COMMAND, needs: ID}] without it"
)

var planKeys = keys{
	what: "a plan",
	list: []key{
		{"name", too("dag_id"), aTextOrNumber, "the plan's name; a run without a workflow of its own takes it as the workflow's"},
		{"description", nil, aText, "what the plan is for"},
		{"query", nil, aTextOrNumber, "what was asked for; expressions read it as `query`"},
		{"inputs", too("params"), definition("file_inputs"), "[values that a run is given at its start](#inputs); expressions read them as `inputs.NAME`"},
		{"steps", too("plan", "nodes", "jobs", "tasks"), definition("file_steps"), "a list of steps, or a mapping of ids to steps; required. A text alone is a step with this command. Of one job alone, GitHub's keys are those of the plan"},
		{"parallel", too("max_parallel", "maxParallel", "max-parallel", "max_active_steps", "maxActiveSteps", "parallelism"), count(1, MaxParallel).and(`"default": 4`), "how many steps run at once; 4"},
		{"schedule", nil, definition("file_schedules"), "[when it is to be run](#schedule), once a person has added it with `piton runs schedule add`"},
		{"max_runs", too("maxRuns", "max-runs", "max_active_runs", "maxActiveRuns"), count(1, MaxRuns), "how many of its runs daemons work on at once; others are queued"},
		{"on_crash", too("onCrash", "on-crash"), word(string(Ask), string(Continue)).and(`"default": "ask"`), "`ask` (the default) or `continue`: what becomes of a run whose process has died: it waits for a person, or [piton serve](serve.md#runs) continues it"},
		{"budget", nil, definition("file_budget"), "what the whole run [may use](#budget), over all resumes"},
		{"finally", nil, definition("file_steps"), "[steps that run at the end](#finally), in order: after success, a failure, a cancellation, a budget that is used up, and a crash"},
		{"handler_on", too("handlerOn", "handlers"), form{kinds: []string{isObject, isNull}, more: `"properties": {"success": true, "failure": true, "exit": true}, "additionalProperties": false`}, "Dagu's place for them: a step each under `success`, `failure` and `exit`"},
		{"finally_timeout", nil, aTime, "how long they may take together after a run was cancelled, is in doubt or has used its budget up; 5m"},
		{"on_failure", too("onFailure", "on-failure"), word(string(Keep), string(Undo)).and(`"default": "keep"`), "`undo`: when a step has failed, the steps with `undo` are [undone](#undo), the last one first"},
		{"dir", too("working_dir", "workingDir", "working-directory", "working_directory"), aText, "the folder the steps work in, relative to the plan's"},
		{"env", nil, definition("file_env"), "environment variables of all shell steps"},
		{"dotenv", too("env_file", "env_files"), aDotenv, "the same of each shell step that names none"},
		{"container", nil, aContainer, "likewise"},
		{"shell", nil, aShell, "likewise"},
		{"provider", too("agent"), aText, "the `agent` of each agent's step that names none"},
		{"model", nil, aText, "likewise its `model`"},
		{"defaults", too("default_args", "defaultArgs"), anObject, "keys of each step that does not say them itself; also as GitHub's `{run: …}`"},
		{"timeout", nil, aTime, "short for `time` of `budget`"},
		{"timeout_minutes", too("timeout-minutes", "timeoutMinutes"), inMinutes, "the same in minutes"},
		{"timeout_sec", too("timeoutSec", "timeout_seconds"), aTime, "the same in seconds"},
		{"timezone", too("tz"), aText, "short for the one of `schedule`"},
		{"overlap", too("overlap_policy", "overlapPolicy"), anOverlap, "likewise"},
		{"catch_up", too("catchUp", "catchup"), aCatchUp, "likewise"},
		{"catch_up_window", too("catchup_window", "catchUpWindow", "catchupWindow"), aTime, "short for `within` of `schedule`"},
		{"plans", nil, form{kinds: []string{isObject, isNull}}, "the [plans that its steps run](actions.md#plan), by the names of their files, for a plan that stands in no folder; else they are read from these files"},
		{"type", nil, word("graph", "chain"), "`chain` makes each step without dependencies depend on the one before it, `graph` does not. Left out, it is `graph` where a step names a dependency or `parallel` is given, else `chain`"},
		{"results", nil, form{kinds: []string{isList, isNull}, more: `"items": {"$ref": "#/$defs/file_result"}`}, "outputs of steps with `status: completed`: `step_id` and `output`"},
		{"on", nil, form{kinds: []string{isObject, isText, isNull}, more: `"properties": {"workflow_dispatch": {"type": ["object", "null"], "description": "Holds the inputs."}, "schedule": {"$ref": "#/$defs/file_schedules"}}, "additionalProperties": false`}, "GitHub's place for inputs and the schedule: `{workflow_dispatch: {inputs: …}, schedule: […]}`. Nothing else may stand there"},
		{"$schema", nil, anything, "where an editor finds the schema"},
	},
	told: map[string]string{
		"runs-on": noMachine, "runs_on": noMachine, "tags": "nothing reads it", "labels": "nothing reads it", "interactive": "an approval waits for a person wherever the run is",
		"histRetentionDays": noRetention, "hist_retention_days": noRetention, "concurrency": "a workflow has one unfinished run, and its schedule leaves out a time at which that is at work ('overlap' says otherwise)",
	},
	within: map[string]string{
		"timeout": "budget.time", "timeout_minutes": "budget.time", "timeout_sec": "budget.time",
		"timezone": "schedule.timezone", "overlap": "schedule.overlap", "catch_up": "schedule.catch_up", "catch_up_window": "schedule.within",
	},
	refused: map[string]string{
		"current_step_index": savedState, "currentStepIndex": savedState, "context": savedState, "last_error": savedState, "lastError": savedState,
		"start_date": "leave it out", "services": noContainer, "outputs": noOutputs, "needs": "it stands at steps",
		"apiVersion": noSpec, "kind": noSpec, "metadata": noSpec, "spec": noSpec, "templates": noSpec, "entrypoint": noSpec, "onExit": "write the steps under 'finally'",
		"cron": "write schedule: {cron: …}", "permissions": "leave it out; an agent's are a parameter of its step",
		"preconditions": noPrecondition, "precondition": noPrecondition, "retry_policy": "write 'retry' at each step", "retry": "write it at each step",
		"ssh":      "write 'host' at each step",
		"run-name": "write 'name'", "loop": "write 'repeat' at a step; several steps are a plan of their own: plan: FILE", "secrets": "write ${env:NAME} where the secret belongs", "stages": "write 'steps' with 'needs'",
		"version": "leave it out", "agents": "write each task as a step: prompt: …",
		"consts": "write 'inputs' with a default", "log_dir": "leave it out", "logDir": "leave it out",
		"mail_on": sayInOwnStep, "mailOn": sayInOwnStep, "strategy": "write 'parallel' for how many steps run at once, and 'matrix' at a step",
	},
}

var stepKeys = keys{
	what: "a step",
	list: []key{
		{"id", too("task_id"), form{kinds: []string{isText, isNumber}, more: named}, "names the step: letters, digits, `-`, `_`, or a number. Without one it is made of `name`, else it is the step's number"},
		{"name", nil, aTextOrNumber, "a short title: the description where there is none"},
		{"description", nil, aTextOrNumber, "what the step does"},
		{"action", nil, aText.and(`"examples": ["shell", "http", "mcp", "agent", "approve", "checkpoint", "wait", "plan"]`), "what [carries it out](actions.md)"},
		{"parameters", too("params", "with"), anObject, "what the [action](actions.md) is given. Texts may have `${{ expressions }}` and `${env:NAME}`"},
		{"dependencies", too("needs", "depends_on", "dependsOn", "depends-on", "depends", "upstream"), texts, "ids of the steps that come before it"},
		{"when", too("if"), aCondition.and(`"examples": ["inputs.deploy", "failure()"]`), "an [expression](#when); where it is false the step is skipped. `always()`, `failure()`, `success()` and `steps.ID.status` let it run after steps that did not complete"},
		{"timeout", nil, aTime, "how long one attempt may take: `90s`, `1.5h`, or seconds"},
		{"timeout_minutes", too("timeout-minutes", "timeoutMinutes"), inMinutes, "the same in minutes"},
		{"timeout_sec", too("timeoutSec", "timeout-sec", "timeout_seconds", "timeoutSeconds"), aTime, "the same in seconds"},
		{"timeout_ms", too("timeoutMs"), aTimeInMS, "the same in milliseconds"},
		{"retry", too("retry_policy", "retryPolicy"), definition("file_retry"), "how often a step that fails is [tried again](#retry), and when"},
		{"retries", too("max_retries", "maxRetries"), count(0, 999), "short for `retries` of `retry`"},
		{"retry_delay", too("retryDelay"), aTime, "short for its `delay`"},
		{"effect", nil, word(string(Pure), string(Idempotent), string(Once)), "what may happen when a crash has broken the step off: `pure` and `idempotent` run again, `once` stops and asks. It also says [what `retry` repeats](runs.md#effects-and-steps-in-doubt)"},
		{"check", too("checks"), form{more: `"oneOf": [{"type": "null"}, {"$ref": "#/$defs/file_check"}, {"type": "array", "items": {"$ref": "#/$defs/file_check"}}]`}, "what must hold before an agent's step counts as completed: a [check](#checks), a command, or a list of these"},
		{"budget", nil, definition("file_budget"), "what the step [may use](#budget), over all its attempts"},
		{"for_each", too("foreach", "forEach", "for-each", "with_items", "withItems", "withParam", "items"), form{kinds: []string{isList, isObject, isText, isNull}}, "[runs the step once for each item](#for_each) of a list, of a range `{from: 1, to: 10}`, or of what an expression brings. Its expressions name `item` and `index`"},
		{"matrix", nil, aMatrix, "runs the step once for each [combination](#for_each) of the lists by its names; its expressions name `matrix.NAME`. `include` and `exclude` are GitHub's"},
		{"strategy", nil, form{kinds: []string{isObject, isNull}, more: `"properties": {"matrix": true, "max-parallel": true, "fail-fast": true}, "additionalProperties": false`}, "GitHub's place for `matrix`, `max-parallel` and `fail-fast`, which is true there where nothing is said"},
		{"parallel", too("max_parallel", "maxParallel", "max-parallel", "max_concurrent", "maxConcurrent"), count(1, MaxParallel), "how many items of it run at once, within the plan's `parallel`"},
		{"fail_fast", too("failFast", "fail-fast"), aBool.and(`"default": false`), "when an item has failed, no further one begins"},
		{"repeat", too("repeat_policy", "repeatPolicy", "loop"), definition("file_repeat"), "runs the step [again until a condition holds](#repeat), so often at most"},
		{"artifacts", too("artifact"), form{kinds: []string{isText, isList, isObject, isNull}, more: `"items": {"type": "string"}, "additionalProperties": {"type": "string"}`}, "[files that the step leaves](#artifacts) in its folder: a path or a pattern, a list of them, or names with paths"},
		{"undo", too("compensate", "rollback"), form{kinds: []string{isText, isList, isObject, isNull}}, "a command, or a step, that [undoes](#undo) what the step did. With the other names the plan's `on_failure` is `undo` where it says nothing"},
		{"finally", nil, aBool, "it is one of the plan's last steps; better written under the plan's `finally`"},
		{"undoes", nil, aText, "in a saved run: the step that this one undoes"},
		{"run", too("command", "script", "bash", "cmd", "bash_command"), form{kinds: []string{isText, isList, isNull}, more: `"items": {"type": ["string", "number", "boolean"]}`}, "a command: a text for the shell, or a program with its arguments as a list; short for `action: shell`. Under `nodes`, `command` names a file with a prompt and is refused"},
		{"prompt", nil, aText, "what an agent is to do; short for `action: agent`"},
		{"approval", nil, form{kinds: []string{isText, isObject, isNull}}, "what a person is asked; short for `action: approve`"},
		{"plan", too("call"), aText, "the file of a plan that the step [runs](actions.md#plan), or the name of one that stands behind `---` in the same file; short for `action: plan`. Under `call`, `params` are its inputs"},
		{"inputs", nil, anObject, "the inputs of that plan; short for the parameter of this name"},
		{"wait", too("sleep"), form{kinds: []string{isText, isNumber, isObject, isNull}}, "how long the step [waits](actions.md#wait), or `{until: TIME}`, or `{signal: NAME}`; short for `action: wait`"},
		{"env", nil, definition("file_env"), "environment variables of the step; short for the parameter of this name"},
		{"dir", too("working_dir", "workingDir", "working-directory", "working_directory", "cwd"), aText, "the folder it works in, relative to the run's; short for the parameter of this name"},
		{"dotenv", too("env_file", "env_files"), aDotenv, "a file of variables, or a list of them; short for the parameter of this name"},
		{"container", too("image"), aContainer, "the image of a container that its command runs in; short for the parameter of this name"},
		{"host", too("ssh"), aText, "the host that its command runs on, by ssh; short for the parameter of this name"},
		{"shell", nil, aShell, "what reads the command: `sh`, where nothing is said; short for the parameter of this name"},
		{"status", nil, word("pending", completed), "a step that is `completed` does not run in a new run; its output is among the plan's `results`"},
		{"continue_on_error", too("continue-on-error", "continueOnError", "ignore_errors", "allow_failure"), aBool, "a failure of the step fails neither the run nor the steps behind it. A resume leaves it so; `--redo STEP` runs it again"},
	},
	told:   map[string]string{"runs-on": noMachine, "runs_on": noMachine},
	within: map[string]string{"retries": "retry.retries", "retry_delay": "retry.delay"},
	refused: map[string]string{
		"suspend": "write wait: {signal: NAME, timeout: 1h}; what the signal brings is steps.ID.output.payload. A wait for a time is wait: 1h, one for a person approval: TEXT", "python_callable": "write run: COMMAND", "downstream": "write 'needs' at the steps that come after", "expand": "write for_each: LIST, with ${{ item }}", "execution_timeout": "write 'timeout'", "on_failure_callback": "write a step with 'when: failure()'", "on_success_callback": "write a step with 'when: success()'", "poke_interval": "write repeat: {until: …, delay: …}", "environment": "leave it out", "concurrency": "write 'parallel' at the plan, or at a step with 'for_each'",
		"uses":  "GitHub's actions are not run here; write what it does: run: COMMAND. For upload-artifact write 'artifacts' at the step that makes the file, for download-artifact ${{ steps.ID.artifacts.NAME }} where it is used",
		"steps": noNesting, "nodes": noNesting,
		"continue_on": noContinue, "continueOn": noContinue,
		"precondition": noPrecondition, "preconditions": noPrecondition, "condition": noPrecondition, "skip_if": noPrecondition,
		"loop_group": "write the steps as a plan of their own: plan: FILE, with 'repeat'", "while": "write repeat: {while: …}", "until": "write repeat: {until: …}",
		"trigger_rule": "write 'when: always()' to run after steps that failed or were skipped, or steps.ID.status in 'when'", "triggerRule": "write 'when: always()' to run after steps that failed or were skipped, or steps.ID.status in 'when'",
		"outputs": noOutputs, "output": "what the step prints is its output: steps.ID.output", "output_format": "describe the form in the prompt, and hold the output against it with 'check: {expr: …}'",
		"stdout": "what the step prints is its output: steps.ID.output", "stderr": "it is in the step's log",
		"mail_on_error": sayInOwnStep, "mailOnError": sayInOwnStep, "handler_on": sayInOwnStep, "services": noContainer, "executor": "write 'action'", "type": "write 'action'", "kind": "write 'action'", "tool": "write 'action', or 'parameters: {tool: …}' for the action mcp",
		"args": "write the command as a list: run: [PROGRAM, ARGUMENT]", "secrets": "write ${env:NAME} where the secret belongs",
		"provider": "write parameters: {agent: …}", "agent": "write parameters: {agent: …}", "model": "write parameters: {model: …}", "url": "write action: http with parameters: {url: …}", "method": inParameters, "headers": inParameters, "body": inParameters, "server": inParameters, "message": inParameters, "tools": inParameters,
		"allowed_tools": "write parameters: {tools: […]}", "denied_tools": "write parameters: {tools: […]} with those that are allowed", "systemPrompt": "write parameters: {system: …}", "system": "write parameters: {system: …}", "context": "each agent's step has a session of its own; leave it out",
		"idle_timeout": "write 'timeout'", "maxBudgetUsd": "write budget: {cost_usd: …}", "max_budget_usd": "write budget: {cost_usd: …}", "always_run": "name the step when the run is resumed, to run it again", "persist_session": "leave it out",
		"cancel": "write a command that fails, with 'when'", "attempts": "write retry: {attempts: N}", "delay": "write retry: {delay: …}", "next": "write 'needs' at the step that comes after", "else": "write a second step with the opposite 'when'", "signal_on_stop": "leave it out", "workflow": "write plan: FILE, with inputs", "on_crash": "write it at the plan", "permissions": inParameters,
	},
}

var inputKeys = keys{
	what: "an input",
	list: []key{
		{"name", nil, form{kinds: []string{isText, isNumber}, more: named}, "its name, in a list"},
		{"type", nil, word("string", "number", "boolean", "choice", "object", "list", "text", "str", "bool", "integer", "int", "float", "enum", "array"), "`string` (the default), `number`, `boolean`, `choice`, `object` or `list`"},
		{"description", nil, aTextOrNumber, "what it is for; shown to the person who is asked"},
		{"default", too("value"), anything, "its value where none is given"},
		{"required", nil, aBool.and(`"default": false`), "whether a run must be given it, if it has no default"},
		{"options", too("enum", "choices"), texts, "the values of a choice"},
	},
	refused: map[string]string{"deprecationMessage": "say it in 'description'", "secret": "write ${env:NAME} where the secret belongs; inputs are stored", "pattern": "hold it against the pattern in a step", "min": "hold it in a step", "max": "hold it in a step"},
}

var resultKeys = keys{
	what: "a result",
	list: []key{
		{"step_id", too("stepId"), form{kinds: aTextOrNumber.kinds, more: definition("step_id").more}, ""},
		{"output", nil, anything, "anything"},
		{"completed_at", too("completedAt"), definition("completed_at"), ""},
		{"duration_ms", too("durationMs"), definition("duration_ms"), ""},
		{"token_usage", too("tokenUsage"), definition("token_usage"), ""},
	},
}

var retryKeys = keys{
	what: "retry",
	list: []key{
		{"attempts", too("max_attempts", "maxAttempts", "max-attempts"), count(1, 1000), "tries in all"},
		{"retries", too("limit", "max_retries", "maxRetries"), count(0, 999), "tries after the first one"},
		{"delay", too("interval"), aTime, "before the second try; 1s"},
		{"interval_sec", too("intervalSec", "delay_sec"), aTime, "the same in seconds"},
		{"delay_ms", too("delayMs"), aTimeInMS, "the same in milliseconds"},
		{"factor", too("backoff", "multiplier"), form{kinds: []string{isNumber, isBool, isText, isNull}}, "by which the delay grows with each try; 2. `true` and `exponential` are 2, `false`, `constant` and `fixed` 1"},
		{"max", too("max_delay", "maxDelay", "max_interval"), aTime, "the delay does not grow beyond; 1m"},
		{"max_interval_sec", too("maxIntervalSec"), aTime, "the same in seconds"},
		{"exact", nil, aBool.and(`"default": false`), "wait for exactly the delay, without jitter"},
		{"jitter", nil, aBool.and(`"default": true`), "the opposite of `exact`"},
	},
	refused: map[string]string{"exit_code": "a failure is tried again whatever its status, where the effect of the step allows that; test for it in the command", "exit_codes": "a failure is tried again whatever its status, where the effect of the step allows that; test for it in the command", "exitCode": "a failure is tried again whatever its status, where the effect of the step allows that; test for it in the command", "on_error": "failures are tried again but those that cannot change, where the effect of the step allows that; leave it out", "on": "leave it out"},
}

var repeatKeys = keys{
	what: "repeat",
	list: []key{
		{"until", nil, aCondition, "the [expression](#expressions) over `output` that must hold; `iteration` counts from 1"},
		{"while", nil, aCondition, "the opposite: it runs again as long as this holds"},
		{"max", too("times", "limit", "max_iterations", "maxIterations"), count(1, 1000).and(`"default": 10`), "how often it runs at most; the step fails where that was not enough"},
		{"delay", too("interval"), aTime, "how long to wait in between"},
		{"interval_sec", too("intervalSec", "delay_sec"), aTime, "the same in seconds"},
		{"prompt", nil, aText, "Archon's place for the prompt of the step, under `nodes`; there `until` may be a word that the last message contains"},
		{"until_bash", nil, aText, "Archon's command that ends it, beside `prompt`: a [check](#checks) of the step, after which the agent goes on `max` times at most"},
		{"fresh_context", nil, aBool, "Archon's: whether each time is a session of its own. Without `until_bash` it always is"},
	},
	refused: map[string]string{"condition": "write until: EXPRESSION over output", "repeat": "write until: EXPRESSION, or while: EXPRESSION", "expected": "write until: output == \"…\"", "exit_code": "write until: output.…, and let the command print what it has found", "interactive": "write a step with 'approval'", "gate_message": "write a step with 'approval'", "signal": "write until: output contains \"…\""},
}

var budgetKeys = keys{
	what: "budget",
	list: []key{
		{"tokens", too("max_tokens", "maxTokens"), count(1, 1<<53), "tokens of agents, read and written"},
		{"cost_usd", too("costUsd", "cost", "usd", "max_cost_usd"), form{kinds: []string{isNumber, isNull}, more: `"exclusiveMinimum": 0`}, "money, in US dollars, by the [prices](config.md) in the settings"},
		{"time", too("duration", "max_time"), aTime, "time of work, over all owners"},
		{"tries", too("attempts", "max_tries"), count(1, 1_000_000), "attempts at steps"},
	},
}

var checkKeys = keys{
	what: "a check",
	list: []key{
		{"run", too("command", "cmd"), aText, "the command, which Piton runs, succeeds"},
		{"file", too("exists", "file_exists"), aText, "a file matches the pattern"},
		{"changed", nil, aText, "a file that the step has changed matches the pattern"},
		{"verified", nil, aBool, "Piton's judge finds nothing missing in what the agent has verified"},
		{"expr", too("when", "if"), aCondition, "the expression over `output` is true"},
	},
}
