package page

import (
	"context"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

// workflowsScreen is a part of the workflows.
type workflowsScreen struct {
	app.WorkflowList
	Open  bool
	Later bool // it is not the first part
}

func loadWorkflows(ctx context.Context, l *look) (any, error) {
	list, err := l.a.Workflows(ctx, piton.WorkflowsRequest{Open: l.q.Has("open"), Limit: rows, Cursor: l.q.Get("cursor")})
	return workflowsScreen{list, l.q.Has("open"), l.q.Has("cursor")}, err
}

// workflowScreen is a workflow as lanes: one for each branch, the newest checkpoint on top.
type workflowScreen struct {
	Workflow piton.Checkpoint // its newest of this part: it names the workflow
	Branches []store.Branch
	Rows     []laneRow
	Lanes    int
	Next     string
}

func loadWorkflow(ctx context.Context, l *look) (any, error) {
	list, err := l.a.List(ctx, piton.ListRequest{Workflow: l.id, Limit: rows, Cursor: l.q.Get("cursor")})
	if err != nil {
		return nil, err
	}
	x := workflowScreen{Next: list.Next}
	if len(list.Checkpoints) == 0 {
		return nil, piton.Errorf(piton.NotFound, "", "'piton list' shows what there is", "nothing is saved in the workflow %s", l.id)
	}
	x.Workflow = list.Checkpoints[0]
	branches, err := l.a.Branches(ctx, piton.BranchesRequest{Workflow: x.Workflow.WorkflowID})
	if err != nil {
		return nil, err
	}
	x.Branches = branches.Branches
	x.Rows, x.Lanes = lanes(list.Checkpoints)
	for i := range x.Rows {
		x.say(&x.Rows[i])
	}
	return x, nil
}

// say adds what a checkpoint is among the others.
func (x *workflowScreen) say(r *laneRow) {
	for _, b := range x.Branches {
		if b.HeadID == r.ID {
			r.Is = append(r.Is, "head of "+b.Name)
		}
		if b.FromID == r.ID {
			r.Is = append(r.Is, "origin of "+b.Name)
		}
	}
	for _, is := range []struct {
		so   bool
		word string
	}{{r.Completed, "completed"}, {!r.ImportedAt.IsZero(), "imported"}, {r.Archive != "", "archived"}, {r.Damaged != "", "damaged"}} {
		if is.so {
			r.Is = append(r.Is, is.word)
		}
	}
}

// checkpointScreen is a checkpoint and its state.
type checkpointScreen struct {
	history.Inspection
	Tree    []node
	Query   string
	Cut     int // values that are not shown
	Large   bool
	More    int // changes
	Changes []change
	Damage  string
}

func loadCheckpoint(ctx context.Context, l *look) (any, error) {
	in, err := l.a.Inspect(ctx, piton.InspectRequest{OneRequest: piton.OneRequest{Ref: l.id}, State: true})
	if err != nil {
		return nil, err
	}
	x := checkpointScreen{Inspection: in, Query: l.q.Get("q"), Large: len(in.State) > maxState}
	if in.Damage != nil {
		x.Damage = in.Damage.Error()
	}
	if in.Parent != nil && in.ParentState != nil && in.State != nil {
		if x.Changes, x.More, err = changesOf(in.ParentState, in.State); err != nil {
			return nil, err
		}
	}
	t := tree{words: strings.ToLower(x.Query), left: maxNodes}
	x.Tree, x.Cut = t.of(in.State), t.cut
	return x, nil
}

// compareScreen is two checkpoints side by side, their files too where both were saved with
// a mark.
type compareScreen struct {
	history.Pair
	Changes []change
	More    int
	Files   *marks.FilesDiff
	NoFiles string // why there are none
}

func loadCompare(ctx context.Context, l *look) (any, error) {
	c, err := l.a.Pair(ctx, piton.DiffRequest{From: l.id, To: l.to})
	if err != nil {
		return nil, err
	}
	x := compareScreen{Pair: c}
	if x.Changes, x.More, err = changesOf(c.FromState, c.State); err != nil {
		return nil, err
	}
	s, err := l.a.ShowSession(ctx, piton.SessionRequest{Session: c.To.SessionID})
	if err != nil || s.Root == "" {
		x.NoFiles = "the work tree of these checkpoints is not known on this machine"
		return x, nil
	}
	f, err := l.a.CompareFiles(ctx, piton.FilesRequest{From: c.From.ID, To: c.To.ID, InProject: piton.InProject{Project: s.Root}})
	if err != nil {
		x.NoFiles = "no files were marked with both of these checkpoints"
		return x, nil
	}
	x.Files = &f
	return x, nil
}
