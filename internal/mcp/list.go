package mcp

import (
	"context"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/verbs"
)

// list lists a session's checkpoints, where nothing else says which: those of the
// session of this conversation.
func list(ctx context.Context, c call, in piton.ListRequest) (*reply, error) {
	found := false
	if in.Workflow == "" && in.Project == "" && !in.Open {
		var err error
		if in.Session, found, err = c.session(ctx, in.Session); err != nil {
			return nil, err
		}
		if in.Session == "" && c.Placed() {
			in.Project = "."
		}
	}
	l, err := c.List(ctx, in)
	if piton.CodeOf(err) == piton.NotFound && found {
		l, err = app.Listing{Checkpoints: []piton.Checkpoint{}}, nil // a session that nothing was saved for
	}
	if err != nil {
		return nil, err
	}
	out := listed(l)
	switch {
	case found && len(l.Checkpoints) == 0:
		out.note(verbs.ForModel("these are the checkpoints of session " + in.Session + ", this conversation's; " + c.listAll()))
	case found:
		out.note(verbs.ForModel("only those of this conversation's session are listed; " + c.listAll()))
	case in.Project == "." && in.Session == "" && !in.Open && in.Workflow == "":
		out.note("these are the checkpoints of this folder's project")
	case in.Project == "" && in.Session == "" && in.Workflow == "" && !c.Placed():
		out.note("the folder that you work in is not known here, so these are the checkpoints of all projects; give project, the whole path of a folder")
	}
	return out, nil
}

// listAll says how all checkpoints of the project are listed: by "." where the folder is
// known that the caller works in.
func (c call) listAll() string {
	if c.Placed() {
		return "'list project .' shows all of this folder's project"
	}
	return "'list project DIR', with the whole path of a folder, shows all of its project"
}

// listed are checkpoints, a line each.
func listed(l app.Listing) *reply {
	out := &reply{head: "No checkpoints.", data: l}
	if n := len(l.Checkpoints); n > 0 {
		out.head = fmt.Sprintf("%d checkpoints.", n)
	}
	if l.Next != "" {
		out.head += " More: cursor " + l.Next
	}
	for _, c := range l.Checkpoints {
		out.line(describe(c))
	}
	for _, w := range l.Work {
		if w.Kind != app.WorkCheckpoint {
			out.line(workLine(w))
		}
	}
	if l.AtWork != nil {
		out.note("the unfinished work here is that of a live session, " + l.AtWork.SessionID + ": " + l.AtWork.ID)
	}
	return out
}
