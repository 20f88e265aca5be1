package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

type inspectedAnswer struct {
	history.Inspection
	notes
}

func (x *inspectedAnswer) says() string { return "This is " + x.Checkpoint.ID + "." }

func (x *inspectedAnswer) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Checkpoint %s", describe(x.Checkpoint))
	if x.Parent != nil {
		fmt.Fprintf(&b, "\nParent: %s", describe(*x.Parent))
	}
	for _, c := range x.Children {
		fmt.Fprintf(&b, "\nChild: %s", describe(c))
	}
	if x.Changes != nil {
		fmt.Fprintf(&b, "\nChanges since the parent (RFC 6902):\n%s", x.Changes)
	}
	if x.State != nil {
		fmt.Fprintf(&b, "\nState:\n%s", x.State)
	}
	return b.String()
}

func inspect(ctx context.Context, c call, in piton.InspectRequest) (*inspectedAnswer, error) {
	withState := in.State
	in.State = false // a damaged one is told as a note
	x, err := c.Inspect(ctx, in)
	if err != nil {
		return nil, err
	}
	out := &inspectedAnswer{Inspection: x}
	if x.Damage != nil {
		out.note([]string{told(named("read the state", x.Damage))})
	}
	var said []string
	out.Changes, said = excerptOfPatch(x.Changes, "piton diff "+x.Checkpoint.ID)
	if withState && x.Damage == nil {
		var more []string
		out.State, more = excerpt(x.Checkpoint, x.State, "", piton.Excerpt{MaxBytes: maxShown})
		said = append(said, more...)
	}
	out.note(said)
	return out, nil
}

type diffAnswer struct {
	history.Comparison
	notes
}

func (d *diffAnswer) says() string {
	if string(d.Patch) == "[]" {
		return "The states are the same."
	}
	return "From " + d.From.ID + " to " + d.To.ID + "."
}

func (d *diffAnswer) text() string {
	return fmt.Sprintf("From %s\nto %s\nChanges of the state (RFC 6902):\n%s", describe(d.From), describe(d.To), d.Patch)
}

func diff(ctx context.Context, c call, in piton.DiffRequest) (*diffAnswer, error) {
	x, err := c.Compare(ctx, in)
	if err != nil {
		return nil, err
	}
	out := &diffAnswer{Comparison: x}
	var said []string
	out.Patch, said = excerptOfPatch(x.Patch, "piton diff "+x.From.ID+" "+x.To.ID)
	out.note(said)
	return out, nil
}
