package turn

import (
	"context"
	"path/filepath"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/project"
	"github.com/piton-project/piton/internal/store"
)

// A check that passes proves what it covers, whoever ran it: it closes what the work of
// other sessions left open in the same work tree, too (docs/spec.md, "What work leaves
// open").

// maxProved bounds the sessions of a project that are looked at.
const maxProved = 200

// proves looks for what other sessions have left open and a check of this turn closes.
func (h *handler) proves(ctx context.Context, x situation) (all []proof) {
	if !x.result.Passing || x.session.Root == "" {
		return nil
	}
	list, err := h.store.Sessions(ctx, store.SessionQuery{Project: x.session.Project, Limit: maxProved})
	if err != nil {
		h.log().InfoContext(ctx, "what other sessions left open was not looked at", "session", x.session.ID, "err", err)
		return nil
	}
	for _, other := range list {
		if other.ID == x.session.ID || other.Root != x.session.Root || other.Damaged || len(other.Open) == 0 {
			continue
		}
		p := proof{session: other.ID, needs: closedBy(x, other)}
		if len(p.needs) == 0 {
			continue
		}
		if len(p.needs) == len(other.Open) && !other.TurnOpen {
			p.workflow, p.head = h.finishedBut(ctx, other.WorkflowID)
		}
		all = append(all, p)
	}
	return all
}

// closedBy are the needs of another session of which all files are closed.
func closedBy(x situation, other agent.Session) (closed []agent.Need) {
	var left []debrief.Left
	var of []int
	for i, n := range other.Open {
		for _, path := range n.Files {
			if treeOfNeed(other.Root, n) == other.Root && there(filepath.Join(other.Root, path)) {
				left, of = append(left, debrief.Left{File: debrief.File{Path: path}, Need: n}), append(of, i)
			}
		}
	}
	if len(left) == 0 {
		return nil
	}
	var paths []string
	for _, l := range left {
		paths = append(paths, l.Path)
	}
	homes := project.AtRoot(other.Root).Homes(paths)
	for i := range left {
		left[i].Home = homeOf(homes, left[i].Path)
	}
	in := x.input
	in.Read = nil // it was used up
	is := debrief.Settles(in, left)
	for i, n := range other.Open {
		some, all := false, true
		for j, at := range of {
			if at == i {
				some, all = true, all && is[j]
			}
		}
		if some && all {
			closed = append(closed, n)
		}
	}
	return closed
}

// finishedBut is the workflow of work that had ended but for what was open; "" for
// another one.
func (h *handler) finishedBut(ctx context.Context, id string) (workflow, head string) {
	if id == "" {
		return "", ""
	}
	w, err := h.store.Checkpoints.Workflow(ctx, id, "")
	if err != nil || w.Closed || w.HeadID == "" {
		return "", ""
	}
	c, err := h.store.Checkpoints.Checkpoint(ctx, w.HeadID)
	if err != nil || c.Trigger != piton.TriggerTurnEnd || c.Progress != nil && *c.Progress < 100 {
		return "", ""
	}
	return w.ID, w.HeadID
}
