package api

import (
	"context"
	"net/http"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/history"
)

type inspecting struct {
	Of
	State bool `query:"state" doc:"the state too"`
}

type comparing struct {
	Of
	To string `query:"to" doc:"the checkpoint to compare with; without it, the other is its parent"`
}

// reads adds what reads checkpoints.
func (s *Server) reads() {
	s.states()
	add(s, route{method: http.MethodGet, path: "/v1/checkpoints/{id}", id: "inspect-checkpoint", tag: "checkpoints", says: "Show a checkpoint, its lineage and its changes"},
		func(ctx context.Context, a *app.App, in *inspecting) (history.Inspection, error) {
			x, err := a.Inspect(ctx, in.ID, in.State)
			if !in.State {
				x.State = nil
			}
			return x, err
		})
	add(s, route{method: http.MethodGet, path: "/v1/checkpoints/{id}/raw", id: "raw-checkpoint", tag: "checkpoints", says: "Show what can still be read of a damaged state"},
		func(ctx context.Context, a *app.App, in *Of) (history.Remains, error) { return a.Raw(ctx, in.ID) })
	add(s, route{method: http.MethodGet, path: "/v1/checkpoints/{id}/diff", id: "diff-checkpoints", tag: "checkpoints", says: "Compare two checkpoints"},
		func(ctx context.Context, a *app.App, in *comparing) (history.Comparison, error) {
			return a.Compare(ctx, in.ID, in.To)
		})
}

type ResumeRequest struct {
	BodyFolder
	Agent chosen `json:"agent,omitempty" doc:"answer with the command that starts this client on the brief"`
}

type resumeNewestRequest struct {
	ResumeRequest
	Workflow chosen `json:"workflow,omitempty" doc:"the newest of this workflow, by id or name"`
	Session  chosen `json:"session,omitempty" doc:"the newest of this session, by Piton's id or the client's"`
	Name     chosen `json:"name,omitempty" doc:"the newest of this name"`
}

type completeRequest struct {
	BodyFolder
	Workflow chosen `json:"workflow,omitempty" doc:"a workflow, by id or name"`
	Session  chosen `json:"session,omitempty" doc:"a session, by Piton's id or the client's"`
}

type projectRequest struct {
	BodyFolder
	_ struct{} `additionalProperties:"false"`
}

// goesOn adds what continues and ends work.
func (s *Server) goesOn() {
	const drift = "It answers with the state, a brief, what in the work tree has changed since, and how to continue, and counts as a resume."
	add(s, route{method: http.MethodPost, path: "/v1/checkpoints/{id}/resume", id: "resume-checkpoint", tag: "checkpoints", says: "Prepare to continue from a checkpoint", more: drift},
		func(ctx context.Context, a *app.App, in *ofWith[ResumeRequest]) (app.Resumption, error) {
			b := body(in.Body)
			return a.Resume(ctx, app.Choice{Ref: in.ID, Dir: b.folder()}, string(b.Agent))
		})
	add(s, route{method: http.MethodPost, path: "/v1/resume", id: "resume-newest", tag: "checkpoints", says: "Prepare to continue the newest unfinished work of a project, a workflow, a session or a name", more: drift},
		func(ctx context.Context, a *app.App, in *with[resumeNewestRequest]) (app.Resumption, error) {
			b := body(in.Body)
			c := app.Choice{Workflow: string(b.Workflow), Session: string(b.Session), Name: string(b.Name)}
			if c != (app.Choice{}) {
				if _, err := oneOf(c); err != nil {
					return app.Resumption{}, err
				}
				c.Dir = b.folder()
			}
			return a.Resume(ctx, c, string(b.Agent))
		})
	add(s, route{method: http.MethodPost, path: "/v1/checkpoints/{id}/complete", id: "complete-checkpoint", tag: "checkpoints", says: "Mark the head of the checkpoint's branch as completed and close its workflow"},
		func(ctx context.Context, a *app.App, in *ofWith[projectRequest]) (piton.Checkpoint, error) {
			return a.Complete(ctx, app.Choice{Ref: in.ID, Dir: body(in.Body).folder()})
		})
	add(s, route{method: http.MethodPost, path: "/v1/complete", id: "complete-newest", tag: "checkpoints", says: "Complete and close a workflow, or that of a session"},
		func(ctx context.Context, a *app.App, in *with[completeRequest]) (piton.Checkpoint, error) {
			b := body(in.Body)
			c, err := oneOf(app.Choice{Workflow: string(b.Workflow), Session: string(b.Session), Dir: b.folder()})
			if err != nil {
				return piton.Checkpoint{}, err
			}
			return a.Complete(ctx, c)
		})
}

type deletedOne struct {
	Of
	OlderThan string `query:"older_than" doc:"only if it is older than this: 90m, 12h, 7d"`
	DryRun    bool   `query:"dry_run" doc:"say what would be deleted and delete nothing"`
}

type deletedAll struct {
	InFolder
	Workflow  string `query:"workflow" doc:"all of this workflow, by id or name"`
	Session   string `query:"session" doc:"all of this session, by Piton's id or the client's"`
	OlderThan string `query:"older_than" doc:"only those that are older than this: 90m, 12h, 7d"`
	DryRun    bool   `query:"dry_run" doc:"say what would be deleted and delete nothing"`
}

// deletes adds what deletes checkpoints.
func (s *Server) deletes() {
	add(s, route{method: http.MethodDelete, path: "/v1/checkpoints/{id}", id: "delete-checkpoint", tag: "checkpoints", says: "Delete a checkpoint, by its id and not by a name"},
		func(ctx context.Context, a *app.App, in *deletedOne) (history.Removal, error) {
			if app.IsName(in.ID) {
				return history.Removal{}, piton.Errorf(piton.Invalid, "", "'list' shows the ids", "%q is not an id, and what is to be deleted is named by its id", in.ID)
			}
			return removed(a.Delete(ctx, app.DeleteRequest{Choice: in.choice(), Older: in.OlderThan, DryRun: in.DryRun}))
		})
	add(s, route{method: http.MethodDelete, path: "/v1/checkpoints", id: "delete-checkpoints", tag: "checkpoints", says: "Delete the checkpoints of a workflow or a session"},
		func(ctx context.Context, a *app.App, in *deletedAll) (history.Removal, error) {
			c, err := oneOf(app.Choice{Workflow: in.Workflow, Session: in.Session, Dir: in.Project})
			if err != nil {
				return history.Removal{}, err
			}
			return removed(a.Delete(ctx, app.DeleteRequest{Choice: c, Older: in.OlderThan, DryRun: in.DryRun}))
		})
}

// removed is what was deleted; where it failed on the way, with what was done before.
func removed(r history.Removal, err error) (history.Removal, error) {
	if err != nil && r.Deleted > 0 && !r.DryRun {
		return r, partly(r, err)
	}
	return r, err
}

// checkpoints adds the verbs of checkpoints.
func (s *Server) checkpoints() {
	s.lists()
	s.saves()
	s.reads()
	s.goesOn()
	s.deletes()
}
