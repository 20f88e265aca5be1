package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/verbs"
)

type listedAnswer struct {
	Checkpoints []piton.Checkpoint `json:"checkpoints" jsonschema:"newest first, without their states"`
	Next        string             `json:"next_cursor,omitempty" jsonschema:"the cursor of the rest; absent at the end"`
	notes
}

func (l *listedAnswer) says() string {
	switch {
	case len(l.Checkpoints) == 0:
		return "No checkpoints."
	case l.Next != "":
		return fmt.Sprintf("%d checkpoints. More: cursor %s", len(l.Checkpoints), l.Next)
	}
	return fmt.Sprintf("%d checkpoints.", len(l.Checkpoints))
}

func (l *listedAnswer) text() string {
	var rows []string
	for _, c := range l.Checkpoints {
		rows = append(rows, describe(c))
	}
	return strings.Join(rows, "\n")
}

// list lists a session's checkpoints, where nothing else says which: those of the
// session of this conversation.
func list(ctx context.Context, c call, in piton.ListRequest) (*listedAnswer, error) {
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
	out := answerOf(l)
	switch {
	case found && len(l.Checkpoints) == 0:
		out.note([]string{verbs.ForModel("these are the checkpoints of session " + in.Session + ", this conversation's; " + c.listAll())})
	case found:
		out.note([]string{verbs.ForModel("only those of this conversation's session are listed; " + c.listAll())})
	case in.Project == "." && in.Session == "" && !in.Open && in.Workflow == "":
		out.note([]string{"these are the checkpoints of this folder's project"})
	case in.Project == "" && in.Session == "" && in.Workflow == "" && !c.Placed():
		out.note([]string{"the folder that you work in is not known here, so these are the checkpoints of all projects; give project, the whole path of a folder"})
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

func answerOf(l app.Listing) *listedAnswer {
	out := &listedAnswer{Checkpoints: l.Checkpoints, Next: l.Next}
	if l.AtWork != nil {
		out.note([]string{"the unfinished work here is that of a live session, " + l.AtWork.SessionID + ": " + l.AtWork.ID})
	}
	return out
}

// search finds checkpoints by words, in all projects where nothing says which.
func search(ctx context.Context, c call, in piton.SearchRequest) (*listedAnswer, error) {
	l, err := c.Search(ctx, in)
	if err != nil {
		return nil, err
	}
	return answerOf(l), nil
}
