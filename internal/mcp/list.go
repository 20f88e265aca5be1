package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

// filterArgs are what list and search have in common.
type filterArgs struct {
	SessionID string `json:"sessionId,omitempty" jsonschema:"of this session, by Piton's id or the client's"`
	Workflow  string `json:"workflow,omitempty" jsonschema:"of this workflow, by id or name"`
	Project   string `json:"project,omitempty" jsonschema:"of the project of this folder; . is the one you work in, if the server knows that: else give a whole path"`
	Completed *bool  `json:"completed,omitempty" jsonschema:"true: only completed ones, false: only ones that are not"`
	Open      bool   `json:"open,omitempty" jsonschema:"only the newest of each unfinished workflow of the project"`
	Trigger   string `json:"trigger,omitempty" jsonschema:"saved for this reason: manual, phase_complete, turn_end …"`
	Agent     string `json:"agent,omitempty" jsonschema:"saved by the hooks of this client: claude, gemini or codex"`
	Branch    string `json:"branch,omitempty" jsonschema:"of this branch"`
	Name      string `json:"name,omitempty" jsonschema:"saved with this name"`
	Tag       string `json:"tag,omitempty" jsonschema:"with this tag"`
	Since     string `json:"since,omitempty" jsonschema:"created since: a duration (90m, 2d), yesterday, 18:00, 2026-01-31 or a time (RFC 3339)"`
	Limit     int    `json:"limit,omitempty" jsonschema:"how many at most, 1 to 100; 20 if left out"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"go on where the last answer ended: its next_cursor"`
}

// Bounds of a page.
const (
	usualPage = 20
	maxPage   = 100
)

func (f filterArgs) filter() (app.Filter, error) {
	if f.Limit < 0 || f.Limit > maxPage {
		return app.Filter{}, piton.Errorf(piton.Invalid, "", "give a number from 1 to 100; next_cursor leads to the rest", "the limit %d is out of range", f.Limit)
	}
	if f.Limit == 0 {
		f.Limit = usualPage
	}
	return app.Filter{
		Query: piton.Query{
			Session: f.SessionID, Workflow: f.Workflow, Completed: f.Completed, Open: f.Open, Trigger: piton.Trigger(f.Trigger), Agent: f.Agent,
			Branch: f.Branch, Name: f.Name, Tag: f.Tag, Limit: f.Limit,
		},
		Dir: f.Project, Since: f.Since, Cursor: f.Cursor,
	}, nil
}

type listedAnswer struct {
	Checkpoints []piton.Checkpoint `json:"checkpoints" jsonschema:"newest first, without their states"`
	Next        string             `json:"next_cursor,omitempty" jsonschema:"the cursor of the rest; absent at the end"`
	notes
}

func (l *listedAnswer) text() string {
	var b strings.Builder
	if len(l.Checkpoints) == 0 {
		b.WriteString("No checkpoints.")
	}
	for i, c := range l.Checkpoints {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(describe(c))
	}
	if l.Next != "" {
		fmt.Fprintf(&b, "\nMore: cursor %s", l.Next)
	}
	return l.withNotes(&b)
}

// list lists a session's checkpoints, where nothing else says which: those of the
// session of this conversation.
func list(ctx context.Context, c call, in filterArgs) (*listedAnswer, error) {
	found := false
	if in.Workflow == "" && in.Project == "" && !in.Open {
		var err error
		if in.SessionID, found, err = c.session(ctx, in.SessionID); err != nil {
			return nil, err
		}
		if in.SessionID == "" && c.Placed() {
			in.Project = "."
		}
	}
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	l, err := c.List(ctx, f)
	if piton.CodeOf(err) == piton.NotFound && found {
		l, err = app.Listing{Checkpoints: []piton.Checkpoint{}}, nil // a session that nothing was saved for
	}
	if err != nil {
		return nil, err
	}
	out := answerOf(l)
	switch {
	case found && len(l.Checkpoints) == 0:
		out.note([]string{forModel("these are the checkpoints of session " + in.SessionID + ", this conversation's; " + c.listAll())})
	case found:
		out.note([]string{forModel("only those of this conversation's session are listed; " + c.listAll())})
	case in.Project == "." && in.SessionID == "" && !in.Open && in.Workflow == "":
		out.note([]string{"these are the checkpoints of this folder's project"})
	case in.Project == "" && in.SessionID == "" && in.Workflow == "" && !c.Placed():
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

type searchArgs struct {
	Query string `json:"query" jsonschema:"words that all occur in its name, step, task, description, tags, todos, decisions or files; the last may be incomplete"`
	filterArgs
}

// search finds checkpoints by words, in all projects where nothing says which.
func search(ctx context.Context, c call, in searchArgs) (*listedAnswer, error) {
	if strings.TrimSpace(in.Query) == "" {
		return nil, piton.Errorf(piton.Invalid, "search", "give what you remember of it; 'list' lists all", "there is no word to search for")
	}
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	l, err := c.Search(ctx, app.SearchRequest{Filter: f, Words: in.Query, Progress: func(int64, int64) {}})
	if err != nil {
		return nil, err
	}
	return answerOf(l), nil
}
