// Package verbs is the table of what Piton can be asked: what each verb takes and answers,
// what does it, and at which doors. A door is made from it and names no field (package
// request); one that leaves a verb out says why.
package verbs

import (
	"context"
	"reflect"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/history"
)

// Verb is one thing that Piton can be asked.
type Verb struct {
	Command string // of the command line
	Says    string // what it does, in a line
	Group   string // of what it is a verb
	Routes  []Route
	Tool    string // over MCP
	Without string // why a door leaves it out

	Request, Answer reflect.Type
	// Do does what a request asks for, a pointer to a Request.
	Do func(context.Context, *app.App, any) (any, error)
}

// Route is a way to a verb over HTTP.
type Route struct {
	Method, Path string
	ID           string // the name of the operation
	Says         string // what it does, where that is not the verb's own line
	More         string // what else is to be known
	Status       int    // of its answer, where that is not 200
	Search       bool   // it needs the search index
	Local        bool   // not over TCP: why is in More
	Hidden       bool   // not in the document
	Bare         bool   // it uses no application
	Tagged       bool   // its answer has an ETag
}

// of gives a verb what it is asked, what it answers and what it does.
func of[Req, Ans any](v Verb, do func(*app.App, context.Context, Req) (Ans, error)) Verb {
	v.Request, v.Answer = reflect.TypeFor[Req](), reflect.TypeFor[Ans]()
	v.Do = func(ctx context.Context, a *app.App, req any) (any, error) { return do(a, ctx, *req.(*Req)) }
	return v
}

func get(path, id string) []Route { return []Route{{Method: "GET", Path: path, ID: id}} }

// Reasons of doors that leave a verb out.
const (
	person = "MCP: a model does not do what is a person's"
	look   = "MCP: a model has no use for it"
)

const (
	drift   = "It answers with the state, a brief, what in the work tree has changed since, and how to continue, and counts as a resume."
	stopped = "Where it is stopped, the problem's member done says what was done before."
)

// All are the verbs, in the order of the document.
var All = []Verb{
	of(Verb{Command: "save", Group: "checkpoints", Says: "Save a state; it is durable when the answer comes", Tool: "checkpoint_save",
		Routes: []Route{{Method: "POST", Path: "/v1/checkpoints", ID: "save-checkpoint", Status: 201}}}, (*app.App).Save),
	of(Verb{Command: "fork", Group: "checkpoints", Says: "Start a branch from a checkpoint", Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/checkpoints/{id}/fork", ID: "fork-checkpoint", Status: 201}}}, (*app.App).Fork),
	of(Verb{Command: "list", Group: "checkpoints", Says: "List checkpoints, newest first", Tool: "checkpoint_list",
		Routes: get("/v1/checkpoints", "list-checkpoints")}, (*app.App).List),
	of(Verb{Command: "search", Group: "checkpoints", Says: "Find checkpoints by words", Tool: "checkpoint_search",
		Routes: []Route{{Method: "GET", Path: "/v1/search", ID: "search-checkpoints", Search: true}}}, (*app.App).Search),
	of(Verb{Group: "workflows", Says: "List workflows with their heads, the one that was saved to last first", Without: "command line, MCP: list --open shows the heads",
		Routes: get("/v1/workflows", "list-workflows")}, (*app.App).Workflows),
	of(Verb{Command: "branches", Group: "workflows", Says: "List the branches of a workflow", Without: look,
		Routes: get("/v1/workflows/{workflow}/branches", "list-branches")}, (*app.App).Branches),
	of(Verb{Command: "inspect", Group: "checkpoints", Says: "Show a checkpoint, its lineage and its changes", Tool: "checkpoint_inspect",
		Routes: []Route{{Method: "GET", Path: "/v1/checkpoints/{id}", ID: "inspect-checkpoint", Tagged: true}}}, inspect),
	of(Verb{Group: "checkpoints", Says: "Show what can still be read of a damaged state", Without: "command line: inspect --raw; " + look,
		Routes: get("/v1/checkpoints/{id}/raw", "raw-checkpoint")}, (*app.App).Raw),
	of(Verb{Command: "diff", Group: "checkpoints", Says: "Compare two checkpoints", Tool: "checkpoint_diff",
		Routes: get("/v1/checkpoints/{id}/diff", "diff-checkpoints")}, (*app.App).Compare),
	of(Verb{Command: "resume", Group: "checkpoints", Says: "Prepare to continue from a checkpoint", Tool: "checkpoint_resume",
		Routes: []Route{
			{Method: "POST", Path: "/v1/checkpoints/{id}/resume", ID: "resume-checkpoint", More: drift},
			{Method: "POST", Path: "/v1/resume", ID: "resume-newest", More: drift, Says: "Prepare to continue the newest unfinished work of a project, a workflow, a session or a name"},
		}}, (*app.App).Resume),
	of(Verb{Command: "complete", Group: "checkpoints", Says: "Mark the head of the checkpoint's branch as completed and close its workflow", Tool: "checkpoint_complete",
		Routes: []Route{
			{Method: "POST", Path: "/v1/checkpoints/{id}/complete", ID: "complete-checkpoint"},
			{Method: "POST", Path: "/v1/complete", ID: "complete-newest", Says: "Complete and close a workflow, or that of a session"},
		}}, (*app.App).Complete),
	of(Verb{Command: "delete", Group: "checkpoints", Says: "Delete a checkpoint, by its id and not by a name", Tool: "checkpoint_delete",
		Routes: []Route{
			{Method: "DELETE", Path: "/v1/checkpoints/{id}", ID: "delete-checkpoint"},
			{Method: "DELETE", Path: "/v1/checkpoints", ID: "delete-checkpoints", Says: "Delete the checkpoints of a workflow or a session"},
		}}, (*app.App).Delete),
	of(Verb{Command: "prune", Group: "store", Says: "Archive and delete checkpoints by the retention policy", Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/prune", ID: "prune", More: stopped}}}, (*app.App).Prune),
	of(Verb{Command: "verify", Group: "store", Says: "Read everything again and check every sum", Without: look,
		Routes: []Route{{Method: "POST", Path: "/v1/verify", ID: "verify", More: "Damage that was found is an answer and no failure."}}}, (*app.App).Verify),
	of(Verb{Command: "purge", Group: "store", Says: "Remove secrets from what is already stored", Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/purge", ID: "purge", More: "It rewrites what is stored, so it is done on the socket only.", Local: true}}}, (*app.App).Purge),
	of(Verb{Command: "undo", Group: "files", Says: "Show which files an undo would bring back; a person does it", Tool: "undo_preview",
		Routes: get("/v1/undo", "preview-undo")}, (*app.App).PreviewUndo),
	of(Verb{Group: "files", Says: "List what agents' commands took away that was not committed, newest first", Tool: "undo_list", Without: "command line: undo --list",
		Routes: get("/v1/undos", "list-undos")}, (*app.App).Undos),
	of(Verb{Command: "mark", Group: "files", Says: "Keep the files that are not committed, as they are now", Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/marks", ID: "mark-files"}}}, (*app.App).MarkFiles),
	of(Verb{Command: "restore", Group: "files", Says: "Show which files of a checkpoint's mark a restore would bring back; a person does it", Without: look,
		Routes: get("/v1/restore", "preview-restore")}, (*app.App).PreviewRestore),
	of(Verb{Command: "diff --files", Group: "files", Says: "Compare the files of a mark with those of another, or with now", Without: look,
		Routes: get("/v1/files", "compare-files")}, (*app.App).CompareFiles),
	of(Verb{Command: "runs list", Group: "runs", Says: "List runs, newest first", Tool: "run_list", Routes: get("/v1/runs", "list-runs")}, (*app.App).Runs),
	of(Verb{Command: "runs show", Group: "runs", Says: "Show a run with its steps and what it waits for", Tool: "run_show", Routes: get("/v1/runs/{id}", "show-run")}, (*app.App).ShowRun),
	of(Verb{Command: "runs logs", Group: "runs", Says: "Read what the steps of a run have written on this machine", Tool: "run_log", Routes: get("/v1/runs/{id}/logs", "run-logs")}, (*app.App).RunLogs),
	of(Verb{Command: "runs artifacts", Group: "runs", Says: "List the files that the steps of a run have left", Without: look, Routes: get("/v1/runs/{id}/artifacts", "list-artifacts")}, (*app.App).RunArtifacts),
	of(Verb{Group: "runs", Says: "List what waits for a person: runs, agents, files, letters", Tool: "run_waiting", Without: "command line: status shows it", Routes: get("/v1/waiting", "list-waiting")}, (*app.App).WaitingFor),
	asks[piton.RunRequest, planruns.RunView](Verb{Command: "run", Group: "runs", Says: "Begin a run of a plan", Without: look, Routes: []Route{{Method: "POST", Path: "/v1/runs", ID: "start-run", More: later, Status: 202}}}),
	asks[piton.RunRequest, planruns.RunPreview](Verb{Group: "runs", Says: "Check a plan and show what would run", Without: "command line: run --dry-run; " + look, Routes: []Route{{Method: "POST", Path: "/v1/plan", ID: "preview-run"}}}),
	asks[piton.ContinueRequest, planruns.RunView](Verb{Command: "runs continue", Group: "runs", Says: "Continue a run, with a raised budget where one is given", Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/runs/{id}/continue", ID: "continue-run", More: later, Status: 202}}}),
	asks[piton.RunRefRequest, planruns.Approval](Verb{Command: "runs approve", Group: "runs", Says: "Always refused: a person approves on a terminal", Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/runs/{id}/approve", ID: "approve-run", More: "A request does not show that a person makes it. 'piton runs approve RUN' does."}}}),
	of(Verb{Command: "runs signal", Group: "runs", Says: "Send a signal to a run, which a step waits for", Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/runs/{id}/signal", ID: "signal-run"}}}, (*app.App).Signal),
	of(Verb{Command: "runs schedule list", Group: "runs", Says: "List schedules of plans with their next times, by their names", Without: look, Routes: get("/v1/schedules", "list-schedules")}, (*app.App).ListSchedules),
	of(Verb{Command: "runs schedule show", Group: "runs", Says: "Show a schedule, its times and its plan", Without: look, Routes: get("/v1/schedules/{id}", "show-schedule")}, (*app.App).ShowSchedule),
	of(Verb{Command: "runs schedule pause", Group: "runs", Says: "Pause a schedule; a person resumes it, on a terminal", Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/schedules/{id}/pause", ID: "pause-schedule"}}}, (*app.App).PauseSchedule),
	of(Verb{Command: "runs schedule trigger", Group: "runs", Says: "Have a schedule begin a run now", Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/schedules/{id}/trigger", ID: "trigger-schedule", More: "The daemon queues the run within seconds. Schedules are added, resumed and removed by a person, with piton runs schedule."}}}, (*app.App).TriggerSchedule),
	steers("pause", "Pause a run: its running steps end first", piton.WishPause),
	steers("cancel", "Cancel a run: its running steps are ended, and it is finished", piton.WishCancel),
	of(Verb{Command: "sessions", Group: "sessions", Says: "List the agents' sessions, most recent first", Without: look, Routes: get("/v1/sessions", "list-sessions")}, (*app.App).Sessions),
	of(Verb{Group: "sessions", Says: "Show a session", Without: look, Routes: get("/v1/sessions/{id}", "show-session")}, (*app.App).ShowSession),
	of(Verb{Group: "sessions", Says: "Show a turn of a session step by step: prompts, edits, commands, checks, stops, saves", Without: "command line: explain and ui show it; " + look, Routes: get("/v1/sessions/{id}/timeline", "session-timeline")}, (*app.App).Timeline),
	of(Verb{Command: "sessions restart", Group: "sessions", Says: "End the session's agent and start it again in its pane", Without: person,
		Routes: []Route{
			{Method: "POST", Path: "/v1/sessions/{id}/agent-restart", ID: "restart-agent", More: "The debrief follows 5 seconds later."},
			{Method: "POST", Path: "/sessions/{id}/agent-restart", ID: "restart-agent", Hidden: true},
		}}, (*app.App).Restart),
	of(Verb{Command: "explain", Group: "sessions", Says: "Show why agents were held or let go", Without: look, Routes: get("/v1/decisions", "explain")}, (*app.App).Explain),
	of(Verb{Command: "rules list", Group: "sessions", Says: "List the rules for debriefs in force in a project", Without: look, Routes: get("/v1/rules", "list-rules")}, (*app.App).Rules),
	of(Verb{Command: "stats", Group: "store", Says: "Show what was counted", Without: look, Routes: get("/v1/stats", "stats")}, (*app.App).Stats),
	of(Verb{Command: "stats cost", Group: "store", Says: "Show what agents have used, and what that costs by list prices", Without: look, Routes: get("/v1/stats/cost", "stats-cost")}, (*app.App).Cost),
	of(Verb{Command: "letters", Group: "letters", Says: "List messages that were given up, and those that wait for delivery", Without: look, Routes: get("/v1/letters", "list-letters")},
		func(a *app.App, ctx context.Context, _ struct{}) (app.LetterList, error) { return a.Letters(ctx) }),
	of(Verb{Command: "letters retry", Group: "letters", Says: "Try again to deliver letters: those that are named, or all that were given up", Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/letters/retry", ID: "retry-letters"}}}, (*app.App).RetryLetters),
	of(Verb{Command: "letters drop", Group: "letters", Says: "Drop letters, which are then not delivered: those that are named, or all that were given up", Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/letters/drop", ID: "drop-letters"}}}, (*app.App).DropLetters),
}

// Verbs that a door does with more than a call have no Do.
const later = "The answer comes when the run is queued: the daemon begins it as soon as it has room, and /v1/runs/{id}/events tells how it goes on."

// asks is a verb without Do.
func asks[Req, Ans any](v Verb) Verb {
	v.Request, v.Answer = reflect.TypeFor[Req](), reflect.TypeFor[Ans]()
	return v
}

// inspect shows the state only to who asks for it.
func inspect(a *app.App, ctx context.Context, r piton.InspectRequest) (history.Inspection, error) {
	x, err := a.Inspect(ctx, r)
	if !r.State {
		x.State = nil
	}
	return x, err
}

// steers is the verb that asks the owner of a run for something.
func steers(name, says string, wish piton.RunWish) Verb {
	return of(Verb{Command: "runs " + name, Group: "runs", Says: says, Without: person,
		Routes: []Route{{Method: "POST", Path: "/v1/runs/{id}/" + name, ID: name + "-run"}}},
		func(a *app.App, ctx context.Context, r piton.RunRefRequest) (planruns.Steered, error) {
			return a.SteerRun(ctx, r.Run, wish)
		})
}
