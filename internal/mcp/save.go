package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

type saveArgs struct {
	SessionID   string            `json:"sessionId,omitempty" jsonschema:"the session, by Piton's id or the client's; left out: the session of this conversation"`
	State       state             `json:"state,omitempty" jsonschema:"the state to save, a JSON object: what is done, what is in progress, what comes next, decisions, files. Left out: what Piton's hooks know of this conversation"`
	Description string            `json:"description,omitempty" jsonschema:"what this checkpoint is, in a sentence"`
	Name        string            `json:"name,omitempty" jsonschema:"a name to find it by"`
	Task        string            `json:"task,omitempty" jsonschema:"what is being worked on"`
	Workflow    string            `json:"workflow,omitempty" jsonschema:"id or name of the workflow, a line of checkpoints; a new name makes one; left out: the session's current one, else a new one"`
	Type        string            `json:"type,omitempty" jsonschema:"the kind of state: phases, conductor, plan, or a name of your own; left out: found from the state"`
	Step        *int              `json:"step,omitempty" jsonschema:"number of the step"`
	StepName    string            `json:"stepName,omitempty" jsonschema:"name of the step"`
	Phase       string            `json:"phase,omitempty" jsonschema:"name of the phase that is complete"`
	PhaseNumber int               `json:"phaseNumber,omitempty" jsonschema:"its number, from 1"`
	PhaseTotal  int               `json:"phaseTotal,omitempty" jsonschema:"how many phases there are"`
	Progress    *int              `json:"progress,omitempty" jsonschema:"percent done, 0 to 100"`
	Tags        []string          `json:"tags,omitempty" jsonschema:"tags to filter by"`
	Branch      string            `json:"branch,omitempty" jsonschema:"branch of the workflow; left out: main"`
	Parent      string            `json:"parent,omitempty" jsonschema:"id of the checkpoint you expect to be the newest of the branch; if it is not, nothing is saved"`
	Trigger     string            `json:"trigger,omitempty" jsonschema:"why it is saved: manual, phase_complete, pre_risky_operation, error …"`
	DurationMS  int64             `json:"durationMs,omitempty" jsonschema:"milliseconds spent so far"`
	TokenUsage  *piton.TokenUsage `json:"tokenUsage,omitempty" jsonschema:"tokens used so far: counts by kind, or one number"`
	Episode     string            `json:"episode,omitempty" jsonschema:"the episode it belongs to, kept as the tag episode:…"`
	Project     string            `json:"project,omitempty" jsonschema:"a folder of the project; left out: the folder you work in"`
}

func (a *saveArgs) hold(given json.RawMessage) { a.State = stateOf(given) }

type savedAnswer struct {
	Checkpoint    piton.Checkpoint  `json:"checkpoint"`
	Redacted      int               `json:"redacted" jsonschema:"how many secrets were removed before saving"`
	RedactedPaths []string          `json:"redacted_paths,omitempty" jsonschema:"where they stood"`
	StateFrom     history.StateFrom `json:"state_from" jsonschema:"where the state came from: caller, session, earlier or nothing"`
	notes
}

func (s *savedAnswer) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Saved as %s (workflow %s, number %d). It is durable.", s.Checkpoint.ID, s.Checkpoint.Label(), s.Checkpoint.Seq)
	if s.Redacted > 0 {
		fmt.Fprintf(&b, "\nSecrets removed: %d (%s)", s.Redacted, strings.Join(s.RedactedPaths[:min(len(s.RedactedPaths), maxPlaces)], ", "))
	}
	return s.withNotes(&b)
}

// maxPlaces bounds the places of secrets in a text.
const maxPlaces = 8

func save(ctx context.Context, c call, in saveArgs) (*savedAnswer, error) {
	session, _, err := c.session(ctx, in.SessionID)
	if err != nil {
		return nil, err
	}
	if in.State == nil && !in.describes() && !c.Captures(ctx, session) {
		return nil, piton.Errorf(piton.Invalid, "save", "give state, a JSON object with what is done, what comes next, decisions and files", "there is nothing to save: no state was given, and this conversation has no hooks that captured one")
	}
	saved, err := c.Save(ctx, history.Draft{
		Workflow: in.Workflow, Type: in.Type, Session: session, Branch: in.Branch, Parent: in.Parent, Step: in.Step, StepName: in.StepName,
		Phase: in.Phase, PhaseNumber: in.PhaseNumber, PhaseTotal: in.PhaseTotal, Name: in.Name, Description: in.Description, Task: in.Task,
		Tags: in.Tags, Trigger: piton.Trigger(in.Trigger), Progress: in.Progress, DurationMS: in.DurationMS, TokenUsage: in.TokenUsage, State: in.State,
	}, in.Project, in.Episode)
	if err != nil {
		return nil, err
	}
	out := &savedAnswer{Checkpoint: saved.Checkpoint, Redacted: saved.Redacted, RedactedPaths: saved.Paths, StateFrom: saved.StateFrom}
	switch saved.StateFrom {
	case history.FromEarlier:
		out.note([]string{"no state was given, so the one of " + saved.ParentID + " was saved again"})
	case history.FromNothing:
		out.note([]string{"no state was given, so an empty one was saved"})
	}
	return out, nil
}

// describes tells whether the arguments say something worth keeping by itself.
func (a saveArgs) describes() bool {
	words, numbered := a.Name+a.Description+a.Task+a.StepName+a.Phase, a.PhaseNumber > 0 || a.Step != nil || a.Progress != nil
	return words != "" || numbered || len(a.Tags) > 0
}
