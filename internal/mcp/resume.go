package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/history"
)

type resumeArgs struct {
	CheckpointID string `json:"checkpointId,omitempty" jsonschema:"resume this one, by its id, the beginning of it, or its name; left out: unfinished work of the project that no live session works on, what was saved by itself first, else the newest"`
	Workflow     string `json:"workflow,omitempty" jsonschema:"resume the newest of this workflow, by id or name"`
	SessionID    string `json:"sessionId,omitempty" jsonschema:"resume the newest of this earlier session, by Piton's id or the client's"`
	Name         string `json:"name,omitempty" jsonschema:"resume the one that was saved with this name"`
	Project      string `json:"project,omitempty" jsonschema:"a folder of the project; left out: the folder you work in"`
}

type resumedAnswer struct {
	Checkpoint    piton.Checkpoint `json:"checkpoint"`
	State         state            `json:"state,omitempty" jsonschema:"the saved state; left out where it is too large for an answer"`
	Drift         []history.Drift  `json:"drift" jsonschema:"what in the work tree is no longer as it was"`
	Since         *history.Since   `json:"since,omitempty" jsonschema:"what its session did after it was saved"`
	Brief         string           `json:"brief" jsonschema:"what to go on from: done, in progress, next, decisions, files"`
	Command       []string         `json:"command,omitempty" jsonschema:"the command that opens the original conversation"`
	RecoveredFrom string           `json:"recovered_from,omitempty" jsonschema:"the damaged checkpoint that this one stands in for"`
	notes
}

func (r *resumedAnswer) text() string {
	var b strings.Builder
	b.WriteString(r.Brief)
	return r.withNotes(&b)
}

// resume gives a model what it needs to go on. Like load by session it prefers what
// the agent saved itself.
func resume(ctx context.Context, c call, in resumeArgs) (*resumedAnswer, error) {
	choice := app.Choice{Ref: in.CheckpointID, Workflow: in.Workflow, Session: in.SessionID, Name: in.Name, Dir: in.Project, Own: in.SessionID != ""}
	_, _ = c.SessionOf(ctx, c.from) // who goes on with the work; of several, none is noted
	r, err := c.Resume(ctx, choice, "")
	if err != nil {
		return nil, err
	}
	out := &resumedAnswer{
		Checkpoint: r.Checkpoint, State: state(r.State), Drift: r.Drift, Since: r.Since, Brief: r.Brief, Command: r.Command, RecoveredFrom: r.RecoveredFrom,
	}
	if err := tooLarge(r.Checkpoint, r.State); err != nil {
		out.State = nil
		out.note([]string{told(named("checkpoint_resume", err))})
	}
	if r.RecoveredFrom != "" {
		out.note([]string{fmt.Sprintf("%s is damaged (%s); this is its nearest intact ancestor", r.RecoveredFrom, r.Why)})
	}
	return out, nil
}
