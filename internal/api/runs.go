package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

type runFilter struct {
	InFolder
	Open     bool   `query:"open" doc:"only runs that are not finished"`
	Status   string `query:"status" doc:"with this status"`
	Since    string `query:"since" doc:"begun since then: a duration (90m, 2d), yesterday, 18:00, 2026-01-31 or a time (RFC 3339)"`
	Workflow string `query:"workflow" doc:"a workflow, by id or name"`
	Limit    int    `query:"limit" default:"20" minimum:"0" doc:"maximum number, 0 for all"`
}

type runLogs struct {
	Of
	Step string `query:"step" doc:"only of this step"`
}

// Bounds are what a run may use in all.
type Bounds struct {
	MaxTokens int64   `json:"max_tokens,omitempty" doc:"bound of tokens for the whole run"`
	MaxCost   float64 `json:"max_cost,omitempty" doc:"bound of cost for the whole run, in USD"`
	MaxTime   chosen  `json:"max_time,omitempty" doc:"bound of working time for the whole run: 90m, 12h"`
	MaxTries  int     `json:"max_tries,omitempty" doc:"bound of attempts at steps for the whole run"`
}

func (b Bounds) budget() app.RunBudget {
	return app.RunBudget{Tokens: b.MaxTokens, CostUSD: b.MaxCost, Time: string(b.MaxTime), Tries: b.MaxTries}
}

// Again is what runs again, or counts as done, of a run that goes on.
type Again struct {
	From     []string       `json:"from,omitempty" doc:"run these steps again, and all that depend on them"`
	Redo     []string       `json:"redo,omitempty" doc:"run these steps again although they may have taken effect"`
	Took     []string       `json:"took,omitempty" doc:"these steps, in doubt, did take effect"`
	Outputs  map[string]any `json:"outputs,omitempty" doc:"what steps of took have brought, by their ids; refused, because a person says that on a terminal"`
	Parallel int            `json:"parallel,omitempty" doc:"steps at once; the plan's, else 4"`
	NoAuto   bool           `json:"no_auto_checkpoint,omitempty" doc:"save only where a step needs it, at failures and at the end"`
}

// startRequest is a run that is to begin.
type startRequest struct {
	BodyFolder
	Bounds
	Again
	Plan       object            `json:"plan" doc:"the plan: an object, or a text in YAML or JSON"`
	Workflow   chosen            `json:"workflow,omitempty" doc:"id or name of the workflow; the plan's name where it is left out"`
	Query      chosen            `json:"query,omitempty" doc:"what the run is asked to do; the plan's query where it is left out"`
	Inputs     map[string]string `json:"inputs,omitempty" doc:"values of the plan's inputs"`
	Resume     bool              `json:"resume,omitempty" doc:"continue the unfinished run of the plan's workflow, if there is one"`
	New        bool              `json:"new,omitempty" doc:"begin a new run beside an unfinished one"`
	AcceptPlan bool              `json:"accept_plan,omitempty" doc:"continue with the plan as it is now, though it has changed"`
	_          struct{}          `additionalProperties:"false"`
}

// continueRequest is what a run that goes on is told.
type continueRequest struct {
	BodyFolder
	Bounds
	Again
	Inputs     map[string]string `json:"inputs,omitempty" doc:"values of the plan's inputs"`
	AcceptPlan bool              `json:"accept_plan,omitempty" doc:"continue with inputs that have changed, and run again what used the old ones"`
	_          struct{}          `additionalProperties:"false"`
}

// planName is how messages call a plan that came with a request.
const planName = "plan"

func (x startRequest) request() (app.RunRequest, error) {
	text := []byte(x.Plan)
	var yaml string
	if json.Unmarshal(text, &yaml) == nil {
		text = []byte(yaml)
	}
	r := app.RunRequest{
		File: planName, FileLess: true, Plan: text, Workflow: string(x.Workflow), Query: string(x.Query), Inputs: x.Inputs, Resume: x.Resume, New: x.New,
		From: x.From, Redo: x.Redo, Took: x.Took, Outputs: x.Outputs, AcceptPlan: x.AcceptPlan, Budget: x.budget(), Parallel: x.Parallel, NoAuto: x.NoAuto,
	}
	switch {
	case len(text) == 0:
		return r, piton.Errorf(piton.Invalid, "", "give plan; 'schema plan' describes plans", "the plan is missing")
	case x.Resume && x.New:
		return r, piton.Errorf(piton.Invalid, "", "give one of them", "resume and new exclude each other")
	case x.folder() == "":
		return r, piton.Errorf(piton.Invalid, "", "give the whole path of a folder: 'project DIR'", "the folder that the steps work in is not named")
	}
	return r, nil
}

// runs adds the verbs of runs.
func (s *Server) runs() {
	get := func(path, id, says string) route {
		return route{method: http.MethodGet, path: path, id: id, tag: "runs", says: says}
	}
	add(s, get("/v1/runs", "list-runs", "List runs, newest first"), func(ctx context.Context, a *app.App, in *runFilter) (app.RunList, error) {
		return a.Runs(ctx, app.RunFilter{Open: in.Open, Status: in.Status, Since: in.Since, Workflow: in.Workflow, Dir: in.Project, Limit: in.Limit})
	})
	add(s, get("/v1/runs/{id}", "show-run", "Show a run with its steps and what it waits for"), func(ctx context.Context, a *app.App, in *Of) (app.RunView, error) {
		return a.ShowRun(ctx, in.ID)
	})
	add(s, get("/v1/runs/{id}/logs", "run-logs", "Read what the steps of a run have written on this machine"), func(ctx context.Context, a *app.App, in *runLogs) (app.RunLogs, error) {
		return a.RunLogs(ctx, in.ID, in.Step)
	})
	s.begins()
	for _, wish := range []piton.RunWish{piton.WishPause, piton.WishCancel} {
		says := map[piton.RunWish]string{piton.WishPause: "Pause a run: its running steps end first", piton.WishCancel: "Cancel a run: its running steps are ended, and it is finished"}
		add(s, route{method: http.MethodPost, path: "/v1/runs/{id}/" + string(wish), id: string(wish) + "-run", tag: "runs", says: says[wish]},
			func(ctx context.Context, a *app.App, in *ofWith[projectRequest]) (app.Steered, error) {
				return a.SteerRun(ctx, in.ID, wish)
			})
	}
	add(s, route{method: http.MethodPost, path: "/v1/runs/{id}/approve", id: "approve-run", tag: "runs", says: "Always refused: a person approves on a terminal", more: "A request does not show that a person makes it. 'piton runs approve RUN' does."},
		func(_ context.Context, _ *app.App, in *ofWith[projectRequest]) (app.Approval, error) {
			return app.Approval{}, refuse(http.StatusForbidden, "a person does this, in a terminal of their own: 'piton runs approve "+in.ID+"'", "approvals are given on terminals only")
		})
	s.watchRuns()
}

// begins adds what begins runs and lets them go on.
func (s *Server) begins() {
	const later = "The answer comes when the run has begun, or is queued because the daemon works on as many as it may; /v1/runs/{id}/events tells how it goes on."
	add(s, route{method: http.MethodPost, path: "/v1/runs", id: "start-run", tag: "runs", says: "Begin a run of a plan", more: later, status: http.StatusAccepted},
		func(ctx context.Context, a *app.App, in *keyedWith[startRequest]) (app.RunView, error) {
			b := body(in.Body)
			r, err := b.request()
			if err != nil {
				return app.RunView{}, err
			}
			r.Key = in.Key
			return s.start(ctx, a, b.folder(), r)
		})
	add(s, route{method: http.MethodPost, path: "/v1/plan", id: "preview-run", tag: "runs", says: "Check a plan and show what would run"},
		func(ctx context.Context, a *app.App, in *with[startRequest]) (app.RunPreview, error) {
			r, err := body(in.Body).request()
			if err != nil {
				return app.RunPreview{}, err
			}
			r.DryRun = true
			x, err := a.Run(ctx, r)
			if err != nil {
				return app.RunPreview{}, err
			}
			return *x.Preview, nil
		})
	add(s, route{method: http.MethodPost, path: "/v1/runs/{id}/continue", id: "continue-run", tag: "runs", says: "Continue a run, with a raised budget where one is given", more: later, status: http.StatusAccepted},
		func(ctx context.Context, a *app.App, in *ofWith[continueRequest]) (app.RunView, error) {
			b := body(in.Body)
			ctx, cancel := context.WithTimeout(ctx, slotPatience)
			defer cancel()
			run, err := a.ContinueRun(ctx, in.ID, func(piton.Run) {})
			if err != nil {
				return app.RunView{}, err
			}
			return s.start(ctx, a, cmp.Or(b.folder(), run.Dir), app.RunRequest{
				Ref: run.ID, Resume: true, Inputs: b.Inputs, AcceptPlan: b.AcceptPlan, From: b.From, Redo: b.Redo, Took: b.Took, Outputs: b.Outputs, Budget: b.budget(), Parallel: b.Parallel, NoAuto: b.NoAuto,
			})
		})
}

// start hands a run to those who work on runs, and shows it.
func (s *Server) start(ctx context.Context, a *app.App, dir string, r app.RunRequest) (app.RunView, error) {
	if s.o.Runs == nil {
		return app.RunView{}, piton.Errorf(piton.Unavailable, "", "begin it on a terminal: 'run PLAN'", "this server works on no runs")
	}
	r.Events = s.tell
	id, err := s.o.Runs.Start(ctx, dir, r)
	if err != nil {
		return app.RunView{}, err
	}
	return a.ShowRun(ctx, id)
}

// RunEvent tells those who watch a run what happens in it: of a run that this process
// works on without a request.
func (s *Server) RunEvent(e app.RunEvent) { s.tell(e) }

// LeaveRun tells that nobody in this process works on a run any more, however that has
// ended: who works on runs calls it after the last event of each.
func (s *Server) LeaveRun(id string) { s.left(id) }

// watchRuns adds the stream of a run's events.
func (s *Server) watchRuns() {
	watches := &watches{s: s}
	s.tell, s.left = watches.event, watches.leave
	s.document(route{method: http.MethodGet, path: "/v1/runs/{id}/events", id: "watch-run", tag: "runs", says: "Watch a run, as server-sent events", more: "The first message, of kind run, is what /v1/runs/{id} answers; it comes again whenever that has changed. The others are the run's events. The stream ends when nobody works on the run."},
		[]*huma.Param{param("path", "id", "a run, by its id, an unambiguous beginning of it, or its workflow"), param("query", "project", "a folder of the project, a whole path"), param("header", "Last-Event-ID", "the last event that was received")}, "text/event-stream")
	s.mux.HandleFunc("GET /v1/runs/{id}/events", func(w http.ResponseWriter, r *http.Request) {
		if err := watches.watch(w, r); err != nil {
			writeProblem(w, problemOf(err, "watch-run"))
		}
	})
}
