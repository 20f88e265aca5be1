package piton

import "encoding/json"

// The requests of the verbs, as every door reads them: the command line's flags and
// arguments, the parameters and members of HTTP, the arguments of tools and the fields of
// the libraries are these fields (docs/architecture.md, "Verbs"). What their tags mean is
// said in package request.

// InProject is the folder of a project that the caller works in; in a library it is that
// of its options.
type InProject struct {
	Project string `value:"DIR" complete:"dir" help:"a folder of the project" help.mcp:"a folder of the project; left out: the folder you work in" help.http:"a folder of the project that the caller works in, a whole path"`
}

// SaveRequest asks to save a state. Every field may be empty.
type SaveRequest struct {
	// Workflow is the name or the id of the workflow that the checkpoint belongs to; a
	// new name starts a workflow. Empty: the session's current one, else a new one.
	Workflow string `value:"WORKFLOW" complete:"workflow" help:"id or name of the workflow; a new name makes one" help.mcp:"id or name of the workflow, a line of checkpoints; a new name makes one; left out: the session's current one, else a new one"`
	Type     string `value:"TYPE" help:"of the state: phases, conductor, plan, session, or a name of your own; found from the state where it is left out"`
	Session  string `mcp:"sessionId" value:"SESSION" complete:"session" help:"the session, by Piton's id or the client's; else the agent's own" help.mcp:"the session, by Piton's id or the client's; left out: the session of this conversation"`
	Branch   string `complete:"branch" help:"branch of the workflow; main where it is left out"`
	// Parent is the id of the branch's head as the caller knows it. When the branch has
	// moved on, a save is a Conflict and writes nothing.
	Parent      string      `value:"ID" complete:"checkpoint" help:"the head you expect; if it has moved, nothing is written"`
	Step        *int        `help:"number of the step"`
	StepName    string      `empty:"ok" help:"name of the step"`
	Phase       string      `empty:"ok" help:"name of the phase that is complete"`
	PhaseNumber int         `min:"0" help:"its number, from 1"`
	PhaseTotal  int         `min:"0" help:"how many phases there are; 7 where it is left out"`
	Name        string      `empty:"ok" help:"a name for this checkpoint"`
	Description string      `empty:"ok" help:"what it is, in a sentence"`
	Task        string      `empty:"ok" help:"what is being worked on"`
	Tags        []string    `cli:"tag" value:"TAG" help:"tags to list by" help.cli:"a tag; may be given again"`
	Episode     string      `value:"EPISODE" help:"the episode it belongs to, kept as the tag episode:EPISODE" help.cli:"the episode it belongs to, kept as the tag episode:EPISODE (default $PITON_EPISODE)"`
	Trigger     Trigger     `enum:"triggers" help:"why it is made; manual where it is left out, with a phase phase_complete"`
	Progress    *int        `min:"0" max:"100" help:"percent done, 0 to 100"`
	DurationMS  int64       `min:"0" value:"MILLISECONDS" help:"milliseconds spent so far"`
	TokenUsage  *TokenUsage `value:"TOKENS" help:"tokens used so far: counts by kind, or one number" help.cli:"tokens used so far: input=N,output=N,cache_read=N,cache_write=N, a JSON object, or one number"`
	// State is a JSON object. Empty: what a hook would capture in an agent's session, else
	// the state of the branch's head again, else {}.
	State json.RawMessage `value:"FILE" complete:"file" help:"the state, a JSON object; without it what a hook would capture, else the head's again" help.cli:"the file with the state, a JSON object; - for standard input, to its end" help.mcp:"the state to save, a JSON object: what is done, what is in progress, what comes next, decisions, files. Left out: what Piton's hooks know of this conversation"`
	// Verbatim keeps the state as it is given, with the secrets in it, for a program that
	// must get back what it saved. Texts of the record lose theirs all the same.
	Verbatim bool `cli:"- redact.allow says what is no secret" mcp:"- a model does not decide that secrets are kept" help:"keep the given state exactly, with the secrets that are in it"`
	// Key is the caller's own name for this save: asked again under it, the answer is what
	// the first one has made.
	Key string `header:"Idempotency-Key" cli:"- a command that was broken off names the head it expects (parent)" mcp:"- a model does not repeat a call blindly" help:"your own name for this request: asked again under it, it answers with what the first one has made"`
	InProject
}

// Describes tells whether a save says something worth keeping without a state.
func (r SaveRequest) Describes() bool {
	words := r.Name + r.Description + r.Task + r.StepName + r.Phase
	numbered := r.Step != nil || r.Progress != nil || r.PhaseNumber > 0
	return words != "" || numbered || len(r.Tags) > 0
}

// ForkRequest asks to start a branch from a checkpoint.
type ForkRequest struct {
	From        string          `arg:"1" path:"id" required:"yes" hint:"'list' shows the ids; the beginning of one will do" value:"ID|NAME" complete:"checkpoint" mcp:"- a branch is a person's decision" help:"the checkpoint to start from: its id, an unambiguous beginning of it, or its name"`
	Nearest     bool            `help:"take the nearest intact ancestor of a damaged checkpoint"`
	Branch      string          `help:"name of the new branch; the first free fork-N where it is left out"`
	State       json.RawMessage `value:"FILE" complete:"file" help:"another state, a JSON object" help.cli:"a file with another state, a JSON object; - for standard input"`
	Step        *int            `help:"number of the step; without it that of the checkpoint, or of the state"`
	StepName    string          `empty:"ok" help:"name of the step"`
	Verbatim    bool            `help:"keep the state exactly, with the secrets that are in it" help.cli:"keep the checkpoint's state exactly, with the secrets that are in it, as a graph of LangGraph has to get it back"`
	Session     string          `value:"SESSION" complete:"session" help:"the session, by Piton's id or the client's; else the agent's own"`
	Name        string          `empty:"ok" help:"a name for the new checkpoint"`
	Description string          `empty:"ok" help:"what it is"`
	Tags        []string        `cli:"tag" value:"TAG" help:"tags to list by" help.cli:"a tag; may be given again"`
	Key         string          `header:"Idempotency-Key" cli:"- a branch has one name" mcp:"- a branch is a person's decision" help:"your own name for this request: asked again under it, it answers with what the first one has made"`
	InProject
}

// ListRequest asks for checkpoints, newest first.
type ListRequest struct {
	Workflow  string  `value:"WORKFLOW" complete:"workflow" help:"of this workflow, by id or name"`
	Session   string  `mcp:"sessionId" value:"SESSION" complete:"session" help:"of this session, by Piton's id or the client's"`
	Project   string  `value:"DIR" complete:"dir" help:"of the project of this folder" help.http:"of the project of this folder, a whole path" help.mcp:"of the project of this folder; . is the one you work in, if the server knows that: else give a whole path"`
	Completed *bool   `not:"incomplete" help:"only completed checkpoints" help.not:"only checkpoints that are not completed" help.mcp:"true: only completed ones, false: only ones that are not"`
	Open      bool    `help:"only heads of unfinished workflows" help.mcp:"only the newest of each unfinished workflow of the project"`
	Trigger   Trigger `value:"REASON" enum:"triggers" help:"with this trigger"`
	Agent     string  `value:"CLIENT" enum:"clients" help:"saved by the hooks of this client"`
	Branch    string  `value:"BRANCH" help:"of this branch"`
	Name      string  `value:"NAME" help:"saved with this name"`
	Tag       string  `value:"TAG" help:"with this tag"`
	Since     string  `value:"WHEN" help:"created since then: a duration (90m, 2d), yesterday, 18:00, 2026-01-31 or a time (RFC 3339)"`
	Until     string  `value:"WHEN" help:"created before then; written as since is"`
	Limit     int     `default:"20" min:"0" min.mcp:"1" max.mcp:"100" hint:"give a number, 0 for all" hint.mcp:"give a number from 1 to 100" help:"maximum number, 0 for all" help.mcp:"how many at most, 1 to 100; 20 where it is left out"`
	Cursor    string  `value:"CURSOR" help:"the next_cursor of the list before"`
}

// SearchRequest asks for the checkpoints that hold all of the words.
type SearchRequest struct {
	Words string `arg:"rest" mcp:"query" value:"WORDS" required:"yes" required.cli:"no" empty:"ok" help:"words that all occur in its record or in any text of its state: names, tasks, prompts, commands, answers, todos, decisions, files; the last may be incomplete"`
	Files string `value:"PATH" help:"whose state names such a file: a name, the end of a path, a folder, or *.go and src/*.go"`
	By    string `value:"NAME" help:"that this person, or an agent of theirs, has saved"`
	ListRequest
}

// WorkflowsRequest asks for workflows, the one that was saved to last first.
type WorkflowsRequest struct {
	InProject
	Open   bool   `help:"only unfinished workflows"`
	Limit  int    `default:"20" min:"0" hint:"give a number, 0 for all" help:"maximum number, 0 for all"`
	Cursor string `help:"the next_cursor of the list before"`
}

// BranchesRequest asks for the branches of a workflow.
type BranchesRequest struct {
	Workflow string `arg:"1" flag:"yes" path:"workflow" value:"WORKFLOW" complete:"workflow" required:"yes" hint:"give its name or its id; 'list' shows the workflows" help:"a workflow, by id or name"`
	InProject
}

// Choice names one checkpoint: by its id or its name, or as the newest of a workflow, of a
// session or of a name.
type Choice struct {
	Ref      string `arg:"1" path:"id" one:"work ref" one.cli:"ref" mcp:"checkpointId" value:"ID|NAME" complete:"checkpoint" help:"a checkpoint, by its id, an unambiguous beginning of it, or its name"`
	Workflow string `one:"work" value:"WORKFLOW" complete:"workflow" help:"the newest of this workflow, by id or name"`
	Session  string `one:"work" mcp:"sessionId" value:"SESSION" complete:"session" help:"the newest of this session, by Piton's id or the client's"`
	Name     string `one:"ref" value:"NAME" complete:"name" help:"the newest that was saved with this name"`
	// Own: of a session, what was saved on purpose goes before what hooks captured.
	Own bool `cli:"- a person names what they want" http:"- as there" mcp:"- it is set where a session is named"`
	InProject
}

// Scope names what work is meant that ends: by a checkpoint, or as a workflow or a
// session. A name would be unique in nothing.
type Scope struct {
	Ref      string `arg:"1" path:"id" one:"work" mcp:"checkpointId" value:"ID" complete:"checkpoint" help:"a checkpoint, by its id or an unambiguous beginning of it"`
	Workflow string `one:"work" value:"WORKFLOW" complete:"workflow" help:"this workflow, by id or name"`
	Session  string `one:"work" mcp:"sessionId" value:"SESSION" complete:"session" help:"this session, by Piton's id or the client's"`
	InProject
}

// Choice is the scope as the newest checkpoint of it.
func (s Scope) Choice() Choice {
	return Choice{Ref: s.Ref, Workflow: s.Workflow, Session: s.Session, InProject: s.InProject}
}

// LoadRequest asks for a state.
type LoadRequest struct {
	Choice
	Nearest bool   `help:"take the nearest intact ancestor of a damaged checkpoint" help.mcp:"if it is damaged, take its nearest intact ancestor and say so"`
	Path    string `value:"POINTER" help:"only this part of the state: a JSON pointer, as the paths of a diff: /plan/0/status"`
	Excerpt
}

// Excerpt bounds what a model is shown at once.
type Excerpt struct {
	From     int `cli:"- a program reads all of it" http:"- a program reads all of it" min:"0" help:"begin with this member of an object, item of an array or byte of a text, as a cut answer says"`
	MaxBytes int `cli:"- a program reads all of it" http:"- a program reads all of it" default.mcp:"65536" min:"100" max:"4194304" hint:"give a number from 100 to 4194304" help:"how many bytes to show at most; what is left out is named"`
}

// OneRequest names one checkpoint by its id or its name.
type OneRequest struct {
	Ref string `arg:"1" path:"id" mcp:"checkpointId" value:"ID|NAME" complete:"checkpoint" required:"yes" hint:"'list' shows the ids; the beginning of one will do" help:"a checkpoint, by its id, an unambiguous beginning of it, or its name"`
	InProject
}

// InspectRequest asks to show a checkpoint.
type InspectRequest struct {
	OneRequest
	State bool `help:"the state too" help.cli:"the state too, in JSON"`
}

// DiffRequest asks to compare two checkpoints.
type DiffRequest struct {
	From string `arg:"1" path:"id" value:"ID|NAME" complete:"checkpoint" required:"yes" hint:"'list' shows the ids; the beginning of one will do" help:"a checkpoint, by its id, an unambiguous beginning of it, or its name"`
	To   string `arg:"2" value:"ID|NAME" complete:"checkpoint" help:"another one; left out: the first is compared with its parent"`
	InProject
}

// ResumeRequest asks to prepare to continue from a checkpoint; without a choice from the
// newest unfinished work of the project.
type ResumeRequest struct {
	Choice
	Agent string `mcp:"- the model that asks goes on itself" value:"CLIENT" enum:"clients" help:"answer with the command that starts this client on the brief"`
}

// CompleteRequest asks to mark work as completed.
type CompleteRequest struct {
	Scope
	DryRun bool `http:"- inspect shows it" mcp:"- inspect shows it" help:"say which checkpoint it would mark and change nothing"`
}

// DeleteRequest asks to delete a checkpoint, or those of a workflow or a session.
type DeleteRequest struct {
	Scope
	OlderThan string `value:"TIME" help:"only those older than this: 90m, 12h, 7d"`
	DryRun    bool   `help:"say what would be deleted and delete nothing"`
}

// PruneRequest asks to archive and delete checkpoints by the retention policy.
type PruneRequest struct {
	InProject
	Session string `value:"SESSION" complete:"session" help:"of this session only, by Piton's id or the client's"`
	MaxTime string `value:"TIME" help:"stop archiving and deleting after this time: 30s, 5m"`
	DryRun  bool   `help:"say what would be done and do nothing"`
}

// VerifyRequest asks to read everything again and to check every sum.
type VerifyRequest struct {
	InProject
	Workflow string `value:"WORKFLOW" complete:"workflow" help:"only this workflow, by id or name"`
	Repair   bool   `help:"create again what can be derived from the rest"`
}

// PurgeRequest asks to remove secrets from what is already stored.
type PurgeRequest struct {
	Secrets bool `help:"remove secrets; nothing else is purged"`
	DryRun  bool `help:"count them and change nothing"`
}

// UndoRequest asks to bring back what an agent's command took away: without a choice, the
// newest that can be brought back.
type UndoRequest struct {
	Paths     []string `arg:"rest" value:"PATH" complete:"file" help:"only these files, and what is in these folders"`
	Turn      bool     `one:"which" help:"all that the newest turn of an agent here changed, not one command"`
	Command   string   `one:"which" value:"N" help:"this command: its number in the list, or the id of its mark"`
	TheirsToo bool     `mcp:"- a person on a terminal decides it" http:"- a person on a terminal decides it" help:"the named files also where they hold something else since; only on a terminal"`
	InProject
}

// UndosRequest asks for what agents' commands took away here, newest first.
type UndosRequest struct {
	Limit int `default:"20" min:"1" help:"maximum number"`
	InProject
}

// MarkRequest asks to mark the files that are not committed.
type MarkRequest struct {
	Name string `value:"NAME" help:"a name: the mark is kept until it is taken away again"`
	InProject
}

// RestoreRequest asks to bring back the files of a mark.
type RestoreRequest struct {
	From      string   `arg:"1" value:"CHECKPOINT" complete:"checkpoint" required:"yes" hint:"'list' shows the ids of checkpoints" help:"a checkpoint that was saved with a mark, or the id or the name of a mark"`
	Paths     []string `arg:"rest" value:"PATH" complete:"file" help:"only these files, and what is in these folders"`
	To        string   `value:"DIR" complete:"dir" help:"write them into this folder, which is empty or new"`
	TheirsToo bool     `help:"the named files also where they hold something else since; only on a terminal"`
	InProject
}

// FilesRequest asks what the files of a mark are beside those of another, or of now.
type FilesRequest struct {
	From string `arg:"1" value:"CHECKPOINT" complete:"checkpoint" required:"yes" help:"a checkpoint that was saved with a mark, or the id or the name of a mark"`
	To   string `arg:"2" value:"CHECKPOINT" complete:"checkpoint" help:"another one; left out: the files as they are now"`
	InProject
}

// ExportRequest asks for checkpoints with their states, as a file.
type ExportRequest struct {
	ListRequest
	Limit int  `min:"0" cli:"- a file holds all that fits" help:"at most this many, the newest of those that fit; 0 for all"`
	All   bool `help:"of all projects"`
	Lines bool `help:"plain JSON lines, not compressed"`
}

// ImportRequest asks to add the checkpoints of an export.
type ImportRequest struct {
	From  string `value:"CLIENT" enum:"sources" http:"- logs are read where they lie" mcp:"- logs are read where they lie" help:"import the sessions of this client's own logs, or those that Entire keeps on its branch of a repository"`
	Since string `value:"WHEN" http:"- as from" mcp:"- as from" help:"with 'from': sessions that were at work since then: a duration (90m, 2w), yesterday, 2026-01-31 or a time (RFC 3339)"`
	InProject
	DryRun bool `help:"read and check them, say what would be added, and write nothing"`
}

// LettersRequest names letters.
type LettersRequest struct {
	Letters []string `arg:"rest" min:"1" hint:"'letters' shows their ids" value:"LETTER" complete:"letter" help:"ids of letters; all that were given up where they are left out"`
}

// SessionsRequest asks for the agents' sessions, most recent first.
type SessionsRequest struct {
	InProject
	Limit int `default:"20" min:"0" hint:"give a number, 0 for all" help:"maximum number, 0 for all"`
}

// SessionRequest names a session.
type SessionRequest struct {
	Session string `arg:"1" path:"id" value:"SESSION" complete:"session" required:"yes" help:"a session, by Piton's id, the beginning of it, or the client's"`
	InProject
}

// RestartRequest asks to end a session's agent and to start it again in its pane.
type RestartRequest struct {
	SessionRequest
	Key string `header:"Idempotency-Key" cli:"- a person sees the pane" mcp:"- a model restarts nothing" help:"your own name for this request: asked again under it, it starts nothing"`
}

// ExplainRequest asks why agents were held or let go.
type ExplainRequest struct {
	Session string `arg:"1" value:"SESSION" complete:"session" help:"of this session, by Piton's id or the client's"`
	Limit   int    `default:"5" min:"0" hint:"give a number, 0 for all" help:"maximum number, 0 for all"`
	InProject
}

// RulesRequest asks for the rules for debriefs in force in a project.
type RulesRequest struct{ InProject }

// StatsRequest asks for what was counted.
type StatsRequest struct {
	InProject
	Since string `default:"30d" value:"WHEN" help:"when to begin: so long ago (12h, 7d, 2w), yesterday, a day or a time (RFC 3339)"`
}

// CostRequest asks for what sessions have used and cost.
type CostRequest struct {
	InProject
	Since string `default:"30d" value:"WHEN" help:"when to begin: so long ago (12h, 7d, 2w), yesterday, a day or a time (RFC 3339)"`
	By    string `default:"day" value:"WHAT" enum:"costs" help:"one row for each: day, session, turn, task, client, model or subagent"`
	Limit int    `default:"20" min:"0" hint:"give a number, 0 for all" help:"maximum number, 0 for all"`
}
