package api

import (
	"context"
	"net/http"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

// Filter is which checkpoints are asked for.
type Filter struct {
	Workflow   string `query:"workflow" doc:"a workflow, by id or name"`
	Session    string `query:"session" doc:"a session, by Piton's id or the client's"`
	Project    string `query:"project" doc:"a folder of the project, a whole path"`
	Completed  bool   `query:"completed" doc:"only completed checkpoints"`
	Incomplete bool   `query:"incomplete" doc:"only checkpoints that are not completed"`
	Open       bool   `query:"open" doc:"only heads of unfinished workflows"`
	Trigger    string `query:"trigger" doc:"with this trigger"`
	Agent      string `query:"agent" doc:"saved by the hooks of this client"`
	Branch     string `query:"branch" doc:"of this branch"`
	Name       string `query:"name" doc:"saved with this name"`
	Tag        string `query:"tag" doc:"with this tag"`
	Since      string `query:"since" doc:"created since then: a duration (90m, 2d), yesterday, 18:00, 2026-01-31 or a time (RFC 3339)"`
	Limit      int    `query:"limit" default:"20" minimum:"0" doc:"maximum number, 0 for all"`
	Cursor     string `query:"cursor" doc:"the next_cursor of the list before"`
}

func (f Filter) folder() string { return f.Project }

func (f Filter) read() (app.Filter, error) {
	q := app.Filter{Dir: f.Project, Since: f.Since, Cursor: f.Cursor}
	q.Query = piton.Query{
		Workflow: f.Workflow, Session: f.Session, Open: f.Open, Trigger: piton.Trigger(f.Trigger), Agent: f.Agent, Branch: f.Branch, Name: f.Name, Tag: f.Tag, Limit: f.Limit,
	}
	if f.Completed && f.Incomplete {
		return q, piton.Errorf(piton.Invalid, "", "give one of them", "completed and incomplete exclude each other")
	}
	if f.Completed || f.Incomplete {
		q.Completed = &f.Completed
	}
	return q, nil
}

// searching is a filter with the words to search for.
type searching struct {
	Words string `query:"words" required:"true" doc:"the checkpoint contains all of them"`
	Filter
}

type workflowFilter struct {
	InFolder
	Open   bool   `query:"open" doc:"only unfinished workflows"`
	Limit  int    `query:"limit" default:"20" minimum:"0" doc:"maximum number, 0 for all"`
	Cursor string `query:"cursor" doc:"the next_cursor of the list before"`
}

// branchesOf asks for the branches of a workflow.
type branchesOf struct {
	Workflow string `path:"workflow" doc:"a workflow, by id or name"`
	InFolder
}

// lists adds what lists checkpoints.
func (s *Server) lists() {
	add(s, route{method: http.MethodGet, path: "/v1/checkpoints", id: "list-checkpoints", tag: "checkpoints", says: "List checkpoints, newest first"},
		func(ctx context.Context, a *app.App, in *Filter) (app.Listing, error) {
			q, err := in.read()
			if err != nil {
				return app.Listing{}, err
			}
			return a.List(ctx, q)
		})
	add(s, route{method: http.MethodGet, path: "/v1/search", id: "search-checkpoints", tag: "checkpoints", says: "Find checkpoints by words", search: true},
		func(ctx context.Context, a *app.App, in *searching) (app.Listing, error) {
			q, err := in.read()
			if err != nil {
				return app.Listing{}, err
			}
			return a.Search(ctx, app.SearchRequest{Filter: q, Words: in.Words, Progress: silently})
		})
	add(s, route{method: http.MethodGet, path: "/v1/workflows", id: "list-workflows", tag: "workflows", says: "List workflows with their heads, the one that was saved to last first"},
		func(ctx context.Context, a *app.App, in *workflowFilter) (app.WorkflowList, error) {
			return a.Workflows(ctx, app.WorkflowFilter{Dir: in.Project, Open: in.Open, Limit: in.Limit, Cursor: in.Cursor})
		})
	add(s, route{method: http.MethodGet, path: "/v1/workflows/{workflow}/branches", id: "list-branches", tag: "workflows", says: "List the branches of a workflow"},
		func(ctx context.Context, a *app.App, in *branchesOf) (app.BranchList, error) {
			return a.Branches(ctx, in.Workflow, in.Project)
		})
}

// silently is progress that nobody is shown.
func silently(_, _ int64) {}
