package mcp

import (
	"context"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

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
