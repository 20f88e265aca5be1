package app

import (
	"context"
	"strconv"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
)

// WorkflowList is a page of workflows, the one that was saved to last first.
type WorkflowList struct {
	Workflows []WorkflowRow `json:"workflows"`             // the one that was saved to last first
	Next      string        `json:"next_cursor,omitempty"` // as in `piton list`; absent: this is the last part
}

// WorkflowRow is a workflow with its head.
type WorkflowRow struct {
	piton.Workflow
	Head piton.Checkpoint `json:"head"` // its newest
}

// workflowPage is how many checkpoints are looked through at once for heads.
const workflowPage = 200

// Workflows lists the workflows that have checkpoints.
func (a Checkpoints) Workflows(ctx context.Context, f piton.WorkflowsRequest) (WorkflowList, error) {
	out := WorkflowList{Workflows: []WorkflowRow{}}
	q, err := a.query(piton.ListRequest{Open: f.Open, Limit: f.Limit, Cursor: f.Cursor})
	if err != nil {
		return out, err
	}
	k, err := a.Keeper(ctx, true)
	if caller.Missing(err) {
		return out, nil
	}
	if err == nil && f.Project != "" {
		var p piton.Project
		p, err = a.Project(ctx, f.Project, false)
		if caller.Missing(err) {
			return out, nil
		}
		q.Project = p.ID
	}
	if err != nil {
		return out, err
	}
	q.Limit = workflowPage
	seen := map[string]bool{}
	for {
		page, err := k.Store.List(ctx, q)
		if err != nil {
			return out, err
		}
		for _, c := range page.Checkpoints {
			if seen[c.WorkflowID] {
				continue
			}
			seen[c.WorkflowID] = true
			w, err := k.Store.Workflow(ctx, c.WorkflowID, "")
			if err != nil {
				return out, err
			}
			if w.HeadID != c.ID {
				delete(seen, c.WorkflowID) // its head is older, or was in the page before
				continue
			}
			out.Workflows = append(out.Workflows, WorkflowRow{w, c})
			if len(out.Workflows) == f.Limit {
				out.Next = strconv.FormatInt(c.Ordinal, 10)
				return out, nil
			}
		}
		if page.Next == 0 {
			return out, nil
		}
		q.Before = page.Next
	}
}
