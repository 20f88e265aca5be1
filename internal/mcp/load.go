package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/history"
)

type loadedAnswer struct {
	Checkpoint    piton.Checkpoint `json:"checkpoint"`
	State         json.RawMessage  `json:"state" jsonschema:"the saved state, a JSON object"`
	RecoveredFrom string           `json:"recovered_from,omitempty" jsonschema:"the damaged checkpoint that this one stands in for"`
}

func load(ctx context.Context, c call, in piton.LoadRequest) (*reply, error) {
	found := false
	if in.Ref+in.Workflow+in.Name == "" {
		var err error
		if in.Session, found, err = c.session(ctx, in.Session); err != nil {
			return nil, err
		}
		in.Own = true
		if in.Session == "" {
			return nil, piton.Errorf(piton.Invalid, "load", "give checkpointId ('list' shows them), or sessionId; 'resume' finds the unfinished work of this folder", "it is not clear which session this is: no live session of an agent is known here")
		}
	}
	l, err := c.Load(ctx, in)
	if piton.CodeOf(err) == piton.NotFound && found {
		err = piton.Errorf(piton.NotFound, "load the newest checkpoint of this session", "'resume' finds unfinished work; "+c.listAll(), "the session %s has none", in.Session)
	}
	if err != nil {
		return nil, err
	}
	return loaded(l, in), nil
}

// loaded is as much of a state as was asked for.
func loaded(l history.Loaded, in piton.LoadRequest) *reply {
	out := &reply{head: "Loaded " + l.Checkpoint.ID + "."}
	out.noteRecovered(l.RecoveredFrom, l.Why)
	state := out.excerpt(l.Checkpoint, l.State, in.Path, in.Excerpt)
	out.body = fmt.Sprintf("Checkpoint %s\nState:\n%s", describe(l.Checkpoint), state)
	out.data = loadedAnswer{l.Checkpoint, state, l.RecoveredFrom}
	return out
}

// noteRecovered says which damaged checkpoint this one stands in for; "" for none.
func (a *reply) noteRecovered(from, why string) {
	if from != "" {
		a.note(fmt.Sprintf("%s is damaged (%s); this is its nearest intact ancestor", from, why))
	}
}

// resumption is what a model needs to go on. Like load by session it prefers what the
// agent saved itself.
func resumption(ctx context.Context, c call, in piton.ResumeRequest) (app.Resumption, error) {
	in.Own = in.Session != ""
	_, _ = c.SessionOf(ctx, c.from) // who goes on with the work; of several, none is noted
	return c.Resume(ctx, in)
}

func resume(ctx context.Context, c call, in piton.ResumeRequest) (*reply, error) {
	r, err := resumption(ctx, c, in)
	return resumed(r), err
}

// resumed is what to go on from, in words.
func resumed(r app.Resumption) *reply {
	out := &reply{head: "Resumed from " + r.Checkpoint.ID + ". Go on with the work that the user has asked for, from this:", body: r.Brief}
	if r.State != nil {
		out.line("\nState:\n" + string(out.excerpt(r.Checkpoint, r.State, "", piton.Excerpt{MaxBytes: maxShown})))
	}
	out.noteRecovered(r.RecoveredFrom, r.Why)
	return out
}

func inspect(ctx context.Context, c call, in piton.InspectRequest) (*reply, error) {
	withState := in.State
	in.State = false // a damaged one is told as a note
	x, err := c.Inspect(ctx, in)
	if !withState {
		x.State = nil
	}
	return inspected(x), err
}

// inspected is a checkpoint with what surrounds it, in words.
func inspected(x history.Inspection) *reply {
	out := &reply{head: "This is " + x.Checkpoint.ID + ".", body: "Checkpoint " + describe(x.Checkpoint)}
	if x.Parent != nil {
		out.line("Parent: " + describe(*x.Parent))
	}
	for _, c := range x.Children {
		out.line("Child: " + describe(c))
	}
	if x.Damage != nil {
		out.note(told(named("read the state", x.Damage)))
	}
	if x.Changes != nil {
		out.line("Changes since the parent (RFC 6902):\n" + string(out.excerptOfPatch(x.Changes, "piton diff "+x.Checkpoint.ID)))
	}
	if x.State != nil && x.Damage == nil {
		out.line("State:\n" + string(out.excerpt(x.Checkpoint, x.State, "", piton.Excerpt{MaxBytes: maxShown})))
	}
	return out
}

// compared is what differs between two checkpoints, in words.
func compared(x history.Comparison) *reply {
	out := &reply{head: "From " + x.From.ID + " to " + x.To.ID + "."}
	if string(x.Patch) == "[]" {
		out.head = "The states are the same."
	}
	patch := out.excerptOfPatch(x.Patch, "piton diff "+x.From.ID+" "+x.To.ID)
	out.line(fmt.Sprintf("From %s\nto %s\nChanges of the state (RFC 6902):\n%s", describe(x.From), describe(x.To), patch))
	return out
}
