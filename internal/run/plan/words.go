package plan

// key is a key of a plan's file: our own name first, then the names that are
// understood too. The schema (piton schema plan) has the same, which a test holds.
type key struct {
	name   string
	others []string
}

// keys of a kind of object, and the keys that users of other programs know, each
// with what to write instead.
type keys struct {
	what    string // "a step"
	list    []key
	refused map[string]string
}

// find is our own name for a key; "" for an unknown one.
func (k keys) find(name string) string {
	for _, x := range k.list {
		if x.name == name {
			return x.name
		}
		for _, other := range x.others {
			if other == name {
				return x.name
			}
		}
	}
	return ""
}

// all are the names that are understood.
func (k keys) all() []string {
	var names []string
	for _, x := range k.list {
		names = append(append(names, x.name), x.others...)
	}
	return names
}

func too(names ...string) []string { return names }

const (
	sayInOwnStep   = "write it as a step of its own"
	noSchedule     = "a plan does not start by itself; start 'piton run PLAN' from cron or a timer"
	noContinue     = "a step that fails counts as failed; write 'when: always()' at the steps that go on all the same, or '|| true' behind the command"
	noPrecondition = "write 'when' with an expression, as in when: inputs.deploy == true"
	noLoop         = "steps are not repeated; write 'retry', or a loop inside the command"
	noContainer    = "steps run on this machine; run the container in the command, as in run: docker run --rm IMAGE COMMAND"
	savedState     = "it is of a saved state: 'piton save --type plan --state FILE', then 'piton run --resume' with its id"
	inParameters   = "write it under 'parameters', if the action takes it"
)

var planKeys = keys{
	what: "a plan",
	list: []key{
		{"name", nil},
		{"description", nil},
		{"query", nil},
		{"inputs", too("params")},
		{"steps", too("plan", "nodes", "jobs")},
		{"parallel", too("max_parallel", "maxParallel", "max-parallel", "max_active_steps", "maxActiveSteps")},
		{"on_crash", too("onCrash", "on-crash")},
		{"budget", nil},
		{"dir", too("working_dir", "workingDir", "working-directory", "working_directory")},
		{"env", nil},
		{"type", nil},
		{"results", nil},
		{"on", nil},
		{"$schema", nil},
	},
	refused: map[string]string{
		"current_step_index": savedState, "currentStepIndex": savedState, "context": savedState, "last_error": savedState, "lastError": savedState,
		"defaults": "write the keys at each step", "timeout": "write budget: {time: …}", "timeout_sec": "write budget: {time: …}", "timeout-minutes": "write budget: {time: …}",
		"schedule": noSchedule, "cron": noSchedule, "permissions": "leave it out; an agent's are a parameter of its step", "concurrency": "one runner works on a run; leave it out",
		"handler_on": "write steps with 'when: failure()' or 'when: always()'", "handlerOn": "write steps with 'when: failure()' or 'when: always()'",
		"preconditions": noPrecondition, "precondition": noPrecondition, "retry_policy": "write 'retry' at each step", "retry": "write it at each step",
		"container": noContainer, "provider": "write it at each agent's step: parameters: {agent: …}", "model": "write it at each agent's step: parameters: {model: …}",
		"run-name": "write 'name'", "loop": noLoop, "secrets": "write ${env:NAME} where the secret belongs", "stages": "write 'steps' with 'needs'",
		"version": "leave it out", "tasks": "write 'steps'", "agents": "write each task as a step: prompt: …", "interactive": "leave it out",
		"consts": "write 'inputs' with a default", "tags": "leave it out", "labels": "leave it out", "log_dir": "leave it out", "logDir": "leave it out",
		"mail_on": sayInOwnStep, "mailOn": sayInOwnStep, "strategy": "write 'parallel' for how many steps run at once",
	},
}

var stepKeys = keys{
	what: "a step",
	list: []key{
		{"id", nil},
		{"name", nil},
		{"description", nil},
		{"action", nil},
		{"parameters", too("params", "with")},
		{"dependencies", too("needs", "depends_on", "dependsOn", "depends-on", "depends")},
		{"when", too("if")},
		{"timeout", nil},
		{"timeout_minutes", too("timeout-minutes", "timeoutMinutes")},
		{"timeout_sec", too("timeoutSec", "timeout-sec", "timeout_seconds", "timeoutSeconds")},
		{"timeout_ms", too("timeoutMs")},
		{"retry", too("retry_policy", "retryPolicy")},
		{"effect", nil},
		{"check", too("checks")},
		{"budget", nil},
		{"run", too("command", "script", "bash", "cmd")},
		{"prompt", nil},
		{"approval", nil},
		{"env", nil},
		{"dir", too("working_dir", "workingDir", "working-directory", "working_directory", "cwd")},
		{"shell", nil},
		{"status", nil},
		{"continue_on_error", too("continue-on-error", "continueOnError")},
	},
	refused: map[string]string{
		"uses": "GitHub's actions are not run here; write what it does: run: COMMAND", "runs-on": "steps run on this machine; leave it out", "runs_on": "steps run on this machine; leave it out",
		"steps": "steps are not nested; write each as a step of the plan, with 'needs'", "nodes": "steps are not nested; write each as a step of the plan, with 'needs'",
		"continue_on": noContinue, "continueOn": noContinue, "ignore_errors": noContinue, "allow_failure": noContinue,
		"precondition": noPrecondition, "preconditions": noPrecondition, "condition": noPrecondition, "skip_if": noPrecondition,
		"repeat_policy": noLoop, "repeatPolicy": noLoop, "loop": noLoop, "loop_group": noLoop, "for_each": noLoop, "foreach": noLoop, "strategy": noLoop, "parallel": noLoop, "matrix": noLoop, "while": noLoop, "until": noLoop,
		"trigger_rule": "write 'when: always()' to run after steps that failed or were skipped, or steps.ID.status in 'when'", "triggerRule": "write 'when: always()' to run after steps that failed or were skipped, or steps.ID.status in 'when'",
		"outputs": "what the step prints is its output: steps.ID.output", "output": "what the step prints is its output: steps.ID.output", "output_format": "describe the form in the prompt, and hold the output against it with 'check: {expr: …}'",
		"stdout": "what the step prints is its output: steps.ID.output", "stderr": "it is in the step's log",
		"mail_on_error": sayInOwnStep, "mailOnError": sayInOwnStep, "handler_on": sayInOwnStep, "container": noContainer, "image": noContainer, "services": noContainer, "executor": "write 'action'", "type": "write 'action'", "kind": "write 'action'", "tool": "write 'action', or 'parameters: {tool: …}' for the action mcp",
		"args": "write the command as a list: run: [PROGRAM, ARGUMENT]", "secrets": "write ${env:NAME} where the secret belongs",
		"provider": "write parameters: {agent: …}", "agent": "write parameters: {agent: …}", "model": "write parameters: {model: …}", "url": "write action: http with parameters: {url: …}", "method": inParameters, "headers": inParameters, "body": inParameters, "server": inParameters, "message": inParameters, "tools": inParameters,
		"allowed_tools": "write parameters: {tools: […]}", "denied_tools": "write parameters: {tools: […]} with those that are allowed", "systemPrompt": "write parameters: {system: …}", "system": "write parameters: {system: …}", "context": "each agent's step has a session of its own; leave it out",
		"idle_timeout": "write 'timeout'", "maxBudgetUsd": "write budget: {cost_usd: …}", "max_budget_usd": "write budget: {cost_usd: …}", "always_run": "name the step when the run is resumed, to run it again", "persist_session": "leave it out",
		"cancel": "write a command that fails, with 'when'", "retries": "write retry: {retries: N}", "max_retries": "write retry: {retries: N}", "attempts": "write retry: {attempts: N}", "delay": "write retry: {delay: …}", "next": "write 'needs' at the step that comes after", "else": "write a second step with the opposite 'when'", "signal_on_stop": "leave it out", "call": "plans are not nested; run: piton run PLAN", "workflow": "plans are not nested; run: piton run PLAN", "on_crash": "write it at the plan", "inputs": "write them at the plan", "permissions": inParameters,
	},
}

var inputKeys = keys{
	what: "an input",
	list: []key{
		{"name", nil},
		{"type", nil},
		{"description", nil},
		{"default", too("value")},
		{"required", nil},
		{"options", too("enum", "choices")},
	},
	refused: map[string]string{"deprecationMessage": "say it in 'description'", "secret": "write ${env:NAME} where the secret belongs; inputs are stored", "pattern": "hold it against the pattern in a step", "min": "hold it in a step", "max": "hold it in a step"},
}

var resultKeys = keys{
	what: "a result",
	list: []key{
		{"step_id", too("stepId")},
		{"output", nil},
		{"completed_at", too("completedAt")},
		{"duration_ms", too("durationMs")},
		{"token_usage", too("tokenUsage")},
	},
}

var retryKeys = keys{
	what: "retry",
	list: []key{
		{"attempts", too("max_attempts", "maxAttempts", "max-attempts")},
		{"retries", too("limit", "max_retries", "maxRetries")},
		{"delay", too("interval")},
		{"interval_sec", too("intervalSec", "delay_sec")},
		{"delay_ms", too("delayMs")},
		{"factor", too("backoff", "multiplier")},
		{"max", too("max_delay", "maxDelay", "max_interval")},
		{"max_interval_sec", too("maxIntervalSec")},
		{"exact", nil},
		{"jitter", nil},
	},
	refused: map[string]string{"exit_code": "every failure is tried again; test for it in the command", "exit_codes": "every failure is tried again; test for it in the command", "exitCode": "every failure is tried again; test for it in the command", "on_error": "every failure is tried again but those that cannot change; leave it out", "on": "leave it out"},
}

var budgetKeys = keys{
	what: "budget",
	list: []key{
		{"tokens", too("max_tokens", "maxTokens")},
		{"cost_usd", too("costUsd", "cost", "usd", "max_cost_usd")},
		{"time", too("duration", "max_time")},
		{"tries", too("attempts", "max_tries")},
	},
}

var checkKeys = keys{
	what: "a check",
	list: []key{
		{"run", too("command", "cmd")},
		{"file", too("exists", "file_exists")},
		{"changed", nil},
		{"verified", nil},
		{"expr", too("when", "if")},
	},
}
