package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/verbs"
)

// planName is how messages call a plan that came with a request.
const planName = "plan"

// asked is a request for a run as package app has it.
func asked(r piton.RunRequest) (planruns.RunRequest, error) {
	var yaml string
	if json.Unmarshal(r.Plan, &yaml) == nil {
		r.Plan = []byte(yaml)
	}
	if r.Project == "" {
		return planruns.RunRequest{}, piton.Errorf(piton.Invalid, "", "give the whole path of a folder: 'project DIR'", "the folder that the steps work in is not named")
	}
	return planruns.RunRequest{File: planName, FileLess: true, RunRequest: r}, nil
}

func (s *Server) begin(ctx context.Context, a *app.App, req any) (any, error) {
	r, err := asked(*req.(*piton.RunRequest))
	if err != nil {
		return nil, err
	}
	return s.start(ctx, a, r.Project, r)
}

func preview(ctx context.Context, a *app.App, req any) (any, error) {
	r, err := asked(*req.(*piton.RunRequest))
	if err != nil {
		return nil, err
	}
	r.DryRun = true
	x, err := a.Run(ctx, r)
	return x.Preview, err
}

// goOn continues a run. Under a key that has continued it before, how it stands is the answer.
func (s *Server) goOn(ctx context.Context, a *app.App, req any) (any, error) {
	r := req.(*piton.ContinueRequest)
	ctx, cancel := context.WithTimeout(ctx, slotPatience)
	defer cancel()
	var lost error // another request of the key may have been faster
	for {
		switch done, err := a.Continued(ctx, *r); {
		case done:
			return a.ShowRun(ctx, r.RunRefRequest)
		case err != nil || lost != nil:
			return nil, cmp.Or(err, lost)
		}
		view, err := s.continues(ctx, a, r)
		if piton.CodeOf(err) != piton.Conflict {
			return view, err
		}
		lost = err
	}
}

func (s *Server) continues(ctx context.Context, a *app.App, r *piton.ContinueRequest) (planruns.RunView, error) {
	run, err := a.ContinueRun(ctx, r.Run, r.Undo, func(piton.Run) {})
	if err != nil {
		return planruns.RunView{}, err
	}
	return s.start(ctx, a, cmp.Or(r.Project, run.Dir), planruns.RunRequest{Ref: run.ID, Undo: r.Undo, Again: planruns.AgainKey(*r), RunRequest: piton.RunRequest{Resume: true, RunAgain: r.RunAgain}})
}

func refuseApproval(_ context.Context, _ *app.App, req any) (any, error) {
	return nil, refuse(http.StatusForbidden, "a person does this, in a terminal of their own: 'piton runs approve "+req.(*piton.RunRefRequest).Run+"'", "approvals are given on terminals only")
}

// start hands a run to those who work on runs, and shows it.
func (s *Server) start(ctx context.Context, a *app.App, dir string, r planruns.RunRequest) (planruns.RunView, error) {
	if s.o.Runs == nil {
		return planruns.RunView{}, piton.Errorf(piton.Unavailable, "", "begin it on a terminal: 'run PLAN'", "this server works on no runs")
	}
	r.Events = s.tell
	id, err := s.o.Runs.Start(ctx, dir, r)
	if err != nil {
		return planruns.RunView{}, err
	}
	return a.ShowRun(ctx, piton.RunRefRequest{Run: id})
}

// RunEvent tells those who watch a run what happens in it: of a run that this process
// works on without a request.
func (s *Server) RunEvent(e planruns.RunEvent) { s.tell(e) }

// LeaveRun tells that nobody in this process works on a run any more, however that has
// ended: who works on runs calls it after the last event of each.
func (s *Server) LeaveRun(id string) { s.left(id) }

// watchRuns adds the stream of a run's events.
func (s *Server) watchRuns() {
	watches := &watches{s: s}
	s.tell = func(e planruns.RunEvent) { s.ran.hear(e); watches.event(e) }
	s.left = func(run string) { s.ran.leave(run); watches.leave(run) }
	s.exchange(exchange{
		route: route{verbs.Route{Method: http.MethodGet, Path: "/v1/runs/{id}/events", ID: "watch-run", Says: "Watch a run, as server-sent events", More: "The first message, of kind run, is what /v1/runs/{id} answers; it comes again whenever that has changed. The others are the run's events. The stream ends when nobody works on the run."}, "runs"},
		asked: reflect.TypeFor[watchRequest](), alter: saysText(eventStream), serve: watches.watch,
	})
}
