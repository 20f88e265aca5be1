package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
)

type inspectedAnswer struct {
	Checkpoint piton.Checkpoint   `json:"checkpoint"`
	Parent     *piton.Checkpoint  `json:"parent,omitempty" jsonschema:"the one before it"`
	Children   []piton.Checkpoint `json:"children" jsonschema:"those after it"`
	Changes    patch              `json:"changes,omitempty" jsonschema:"what changed in the state since the parent, RFC 6902"`
	State      state              `json:"state,omitempty"`
	notes
}

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
	return x.withNotes(&b)
}

func inspect(ctx context.Context, c call, in piton.InspectRequest) (*inspectedAnswer, error) {
	shown := in.State
	in.State = false // a damaged one is told as a note
	x, err := c.Inspect(ctx, in)
	if err != nil {
		return nil, err
	}
	out := &inspectedAnswer{Checkpoint: x.Checkpoint, Parent: x.Parent, Children: x.Children, Changes: patch(x.Changes)}
	if out.Children == nil {
		out.Children = []piton.Checkpoint{}
	}
	if x.Damage != nil {
		out.note([]string{told(named("read the state", x.Damage))})
	}
	if len(out.Changes) > maxState {
		out.note([]string{fmt.Sprintf("the changes are left out: they have %d bytes", len(out.Changes))})
		out.Changes = nil
	}
	if shown && x.Damage == nil {
		if err := tooLarge(x.Checkpoint, x.State); err != nil {
			return nil, err
		}
		out.State = state(x.State)
	}
	return out, nil
}

type diffAnswer struct {
	From  piton.Checkpoint `json:"from"`
	To    piton.Checkpoint `json:"to"`
	Patch patch            `json:"patch" jsonschema:"what changed in the state, RFC 6902"`
	notes
}

func (d *diffAnswer) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "From %s\nto %s\n", describe(d.From), describe(d.To))
	if string(d.Patch) == "[]" {
		b.WriteString("The states are the same.")
	} else {
		fmt.Fprintf(&b, "Changes of the state (RFC 6902):\n%s", d.Patch)
	}
	return d.withNotes(&b)
}

func diff(ctx context.Context, c call, in piton.DiffRequest) (*diffAnswer, error) {
	x, err := c.Compare(ctx, in)
	if err != nil {
		return nil, err
	}
	if len(x.Patch) > maxState {
		return nil, piton.Errorf(piton.Invalid, "diff", "the command `piton diff "+x.From.ID+" "+x.To.ID+" --json` in a shell prints it",
			"the change has %d bytes, and an answer holds at most %d", len(x.Patch), maxState)
	}
	return &diffAnswer{From: x.From, To: x.To, Patch: patch(x.Patch)}, nil
}
