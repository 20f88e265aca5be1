package piton

import "encoding/json"

// RunsRequest asks for runs, newest first.
type RunsRequest struct {
	InProject
	Open     bool   `help:"only runs that are not finished"`
	Status   string `value:"STATUS" enum:"statuses" help:"with this status"`
	Since    string `value:"WHEN" help:"begun since then: a duration (90m, 2d), yesterday, 18:00, 2026-01-31 or a time (RFC 3339)"`
	Until    string `value:"WHEN" help:"begun before then; written as since is"`
	Workflow string `value:"WORKFLOW" complete:"workflow" help:"of this workflow, by id or name"`
	Limit    int    `default:"20" min:"0" min.mcp:"1" max.mcp:"100" hint:"give a number, 0 for all" hint.mcp:"give a number from 1 to 100" help:"maximum number, 0 for all" help.mcp:"how many at most, 1 to 100; 20 where it is left out"`
}

// RunRefRequest names a run.
type RunRefRequest struct {
	Run string `arg:"1" path:"id" value:"RUN" complete:"run" required:"yes" hint:"'runs list' shows the ids; the beginning of one will do, and so will a workflow's name" help:"a run, by its id, an unambiguous beginning of it, or its workflow"`
	InProject
}

// WaitingRequest asks for what waits for a person.
type WaitingRequest struct{ InProject }

// RunLogsRequest asks for what the steps of a run have written on this machine.
type RunLogsRequest struct {
	RunRefRequest
	Step     string `arg:"2" value:"STEP" help:"only of this step"`
	MaxBytes int    `cli:"- a person reads all of it" http:"- a program reads all of it" default.mcp:"16384" min:"100" max:"4194304" hint:"give a number from 100 to 4194304" help:"how many bytes of the end to show at most"`
}

// RunArtifactsRequest asks for the files that the steps of a run have left.
type RunArtifactsRequest struct {
	RunRefRequest
	Name string `arg:"2" value:"NAME" help:"only of this name"`
	Step string `value:"STEP" help:"only of this step"`
}

// RunBudget bounds what a run may use in all; zero fields leave what the plan says.
type RunBudget struct {
	MaxTokens int64   `min:"0" value:"N" help:"bound of tokens for the whole run"`
	MaxCost   float64 `min:"0" value:"USD" help:"bound of cost for the whole run, in USD"`
	MaxTime   string  `value:"DURATION" help:"bound of working time for the whole run: 90m, 12h"`
	MaxTries  int     `min:"0" value:"N" help:"bound of attempts at steps for the whole run"`
}

// RunAgain is what of a run runs again or counts as done, and how it goes on.
type RunAgain struct {
	Inputs map[string]string `cli:"input" value:"NAME=VALUE" help:"values of the plan's inputs" help.cli:"an input of the plan; repeatable"`
	From   []string          `split:"," value:"STEP" help:"run these steps again, and all that depend on them"`
	Redo   []string          `split:"," value:"STEP" help:"run these steps again although they may have taken effect"`
	Took   []string          `split:"," value:"STEP" help:"these steps, in doubt, did take effect: they count as completed"`
	// Outputs are what steps of Took have brought, by their ids. A person gives them.
	Outputs          map[string]any `cli:"- output gives that of one step" help:"what steps of took have brought, by their ids; refused, because a person says that on a terminal"`
	AcceptPlan       bool           `help:"continue with the plan and the inputs as they are now, though they have changed"`
	Parallel         int            `min:"0" value:"N" help:"steps at once; the plan's, else 4"`
	NoAutoCheckpoint bool           `help:"save only where a step needs it, at failures and at the end"`
	Engine           string         `value:"ENGINE" enum:"engines" help:"who works on the run: this machine (piton), or workers of Temporal (temporal); who did before, else this machine, where it is left out"`
	RunBudget
}

// The engines that work on runs.
const (
	EnginePiton    = "piton"
	EngineTemporal = "temporal"
)

// RunRequest asks for a run of a plan, or for one to go on.
type RunRequest struct {
	Plan     json.RawMessage `cli:"- it is an argument" required:"yes" schema:"any" hint:"'schema plan' describes plans" help:"the plan: an object, or a text in YAML or JSON"`
	Workflow string          `value:"WORKFLOW" complete:"workflow" help:"id or name of the workflow; the plan's name where it is left out"`
	// Key is the caller's name for this start: what has begun under it is the answer,
	// finished or not; with Resume an unfinished run goes on.
	Key    string `header:"Idempotency-Key" value:"KEY" help:"your own name for this start, as a date: if it has begun a run, that run is the answer"`
	Query  string `empty:"ok" value:"TEXT" help:"what a new run is asked to do; the plan's query where it is left out"`
	Resume bool   `one:"run" help:"continue the unfinished run of the plan's workflow, if there is one" help.cli:"continue an unfinished run"`
	New    bool   `one:"run" help:"begin a new run beside an unfinished one"`
	RunAgain
	InProject
}

// SignalRequest sends a signal to a run.
type SignalRequest struct {
	RunRefRequest
	Name    string          `cli:"- it is an argument" required:"yes" help:"the signal's name, which a step of the run waits for"`
	Payload json.RawMessage `cli:"- it is an argument" schema:"any" help:"what it carries: JSON of at most 64 KiB"`
	ID      string          `name:"id" value:"ID" help:"your own name for this signal: sent again under it, it counts once"`
}

// ContinueRequest tells a run to go on.
type ContinueRequest struct {
	RunRefRequest
	RunAgain
	Key  string `header:"Idempotency-Key" cli:"- a person sees how the run stands" mcp:"- what a run does is a person's to say" help:"your own name for this request: asked again under it, it answers with how the run stands"`
	Undo bool   `cli:"- runs undo does it" help:"undo what was done, the last step first, instead of going on; also of a run that has ended"`
}

// TimelineRequest asks for one turn of a session, step by step.
type TimelineRequest struct {
	SessionRequest
	Turn int `min:"0" help:"the turn's number; the newest where it is left out"`
}

// ScheduleRequest asks for a schedule of a plan. What is left out is as the plan's own
// schedule says.
type ScheduleRequest struct {
	Name     string            `value:"NAME" help:"the schedule's name; the plan's where it is left out"`
	Cron     []string          `value:"CRON" help:"when: minute, hour, day of the month, month, day of the week, or a word as @daily; may be given again"`
	Timezone string            `value:"ZONE" help:"whose clock, as Europe/Rome or UTC; this machine's where it is left out"`
	Overlap  string            `value:"POLICY" enum:"overlaps" help:"what becomes of a time at which the last run is at work"`
	CatchUp  string            `value:"POLICY" enum:"catch_ups" help:"what becomes of times at which no daemon ran: the last one begins a run (one), none, or all"`
	Within   string            `value:"DURATION" help:"how old a time may be that is caught up: 12h, 3d"`
	Workflow string            `value:"WORKFLOW" complete:"workflow" help:"the workflow of its runs; the plan's name where it is left out"`
	Query    string            `value:"TEXT" help:"what its runs are asked to do; the plan's query where it is left out"`
	Inputs   map[string]string `cli:"input" value:"NAME=VALUE" help:"values of the plan's inputs; {date} and {time} in one are those that a run is due at" help.cli:"an input of the plan, repeatable; {date} and {time} in it are those that a run is due at"`
	Replace  bool              `help:"in the place of the project's schedule of this name"`
	InProject
}

// SchedulesRequest asks for schedules, by their names.
type SchedulesRequest struct {
	InProject
}

// ScheduleRefRequest names a schedule.
type ScheduleRefRequest struct {
	Schedule string `arg:"1" path:"id" value:"SCHEDULE" complete:"schedule" required:"yes" hint:"'runs schedule list' shows the names" help:"a schedule, by its name or its id"`
	InProject
}
