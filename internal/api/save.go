package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/history"
)

// saveRequest is what a save says about a state.
type saveRequest struct {
	BodyFolder
	Workflow    chosen            `json:"workflow,omitempty" doc:"id or name of the workflow; a new name makes one"`
	Type        chosen            `json:"type,omitempty" doc:"its type: phases, conductor, plan, session, or a name of your own"`
	Session     chosen            `json:"session,omitempty" doc:"a session, by Piton's id or the client's"`
	Branch      chosen            `json:"branch,omitempty" doc:"the branch; main where it is left out"`
	Parent      chosen            `json:"parent,omitempty" doc:"the head that you expect; if it has moved, nothing is written and the status is 409"`
	Step        *int              `json:"step,omitempty" doc:"number of the step"`
	StepName    string            `json:"step_name,omitempty" doc:"name of the step"`
	Phase       chosen            `json:"phase,omitempty" doc:"name of the phase"`
	PhaseNumber int               `json:"phase_number,omitempty" doc:"its number, from 1"`
	PhaseTotal  int               `json:"phase_total,omitempty" doc:"how many there are; 7 where it is left out"`
	Name        string            `json:"name,omitempty" doc:"a name for this checkpoint"`
	Description string            `json:"description,omitempty" doc:"what it is"`
	Task        string            `json:"task,omitempty" doc:"what is being worked on"`
	Tags        []string          `json:"tags,omitempty"`
	Episode     chosen            `json:"episode,omitempty" doc:"the episode it belongs to, kept as a tag"`
	Trigger     chosen            `json:"trigger,omitempty" doc:"why it is made; manual where it is left out, with a phase phase_complete"`
	Progress    *int              `json:"progress,omitempty" doc:"percent done, 0 to 100"`
	DurationMS  int64             `json:"duration_ms,omitempty" doc:"milliseconds spent so far"`
	TokenUsage  *piton.TokenUsage `json:"token_usage,omitempty" doc:"counts by kind, or one number"`
	State       object            `json:"state,omitempty" doc:"the state, a JSON object, which is kept as it is spelled; without it, what a hook would capture in the session, else the head's state again, else {}"`
	_           struct{}          `additionalProperties:"false"`
}

func (x saveRequest) draft() history.Draft {
	return history.Draft{
		Workflow: string(x.Workflow), Type: string(x.Type), Session: string(x.Session), Branch: string(x.Branch), Parent: string(x.Parent), Step: x.Step,
		StepName: x.StepName, Phase: string(x.Phase), PhaseNumber: x.PhaseNumber, PhaseTotal: x.PhaseTotal, Name: x.Name, Description: x.Description,
		Task: x.Task, Tags: x.Tags, Trigger: piton.Trigger(x.Trigger), Progress: x.Progress, DurationMS: x.DurationMS, TokenUsage: x.TokenUsage, State: x.State,
	}
}

// forkRequest is what a fork says about the new branch.
type forkRequest struct {
	BodyFolder
	Branch      chosen   `json:"branch,omitempty" doc:"name of the new branch; fork-1, fork-2, … where it is left out"`
	Session     chosen   `json:"session,omitempty" doc:"a session, by Piton's id or the client's"`
	Name        string   `json:"name,omitempty" doc:"a name for the new checkpoint"`
	Description string   `json:"description,omitempty" doc:"what it is"`
	Tags        []string `json:"tags,omitempty"`
	Nearest     bool     `json:"nearest,omitempty" doc:"take the nearest intact ancestor of a damaged checkpoint"`
	State       object   `json:"state,omitempty" doc:"another state, a JSON object"`
	_           struct{} `additionalProperties:"false"`
}

// saves adds what makes checkpoints.
func (s *Server) saves() {
	add(s, route{method: http.MethodPost, path: "/v1/checkpoints", id: "save-checkpoint", tag: "checkpoints", says: "Save a state; it is durable when the answer comes", status: http.StatusCreated},
		func(ctx context.Context, a *app.App, in *keyedWith[saveRequest]) (history.Saved, error) {
			b := body(in.Body)
			return a.SaveOnce(ctx, in.Key, b, b.draft(), b.folder(), string(b.Episode))
		})
	add(s, route{method: http.MethodPost, path: "/v1/checkpoints/{id}/fork", id: "fork-checkpoint", tag: "checkpoints", says: "Start a branch from a checkpoint", status: http.StatusCreated},
		func(ctx context.Context, a *app.App, in *ofWith[forkRequest]) (history.Forked, error) {
			b := body(in.Body)
			return a.Fork(ctx, history.ForkDraft{
				From: in.ID, Nearest: b.Nearest, Branch: string(b.Branch), State: b.State, Session: string(b.Session), Name: b.Name, Description: b.Description, Tags: b.Tags,
			})
		})
}

// object is a JSON object as it was sent.
type object = json.RawMessage
