package turn

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/project"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// A check that passes proves what it covers, whoever ran it: it closes what the work of
// other sessions left open in the same work tree, too (docs/spec.md, "What work leaves
// open").

// proves looks for what other sessions have left open and a check of this turn closes.
func (h *handler) proves(ctx context.Context, x situation) (all []proof) {
	if !x.result.Passing || x.session.Root == "" {
		return nil
	}
	list, err := h.store.Sessions(ctx, store.SessionQuery{Project: x.session.Project, Limit: maxOthers})
	if err != nil {
		h.log().InfoContext(ctx, "what other sessions left open was not looked at", "session", x.session.ID, "err", err)
		return nil
	}
	us := redact.Value(x.session).Get() // as the rows have it
	for _, other := range list {
		if other.ID == us.ID || other.Root != us.Root || other.Damaged || len(other.Open) == 0 {
			continue
		}
		other.Root = x.session.Root
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

// closedBy are the needs of another session in this tree that this stop closes. A file
// that is gone asks for nothing.
func closedBy(x situation, other agent.Session) []agent.Need {
	var paths []string
	var needs []agent.Need
	for _, n := range other.Open {
		if treeOfNeed(other.Root, n) != other.Root {
			continue
		}
		n.Files = slices.DeleteFunc(slices.Clone(n.Files), func(path string) bool { return !there(filepath.Join(other.Root, path)) })
		needs, paths = append(needs, n), append(paths, n.Files...)
	}
	homes := map[string]*debrief.Home{}
	found := project.AtRoot(other.Root).Homes(paths)
	for _, path := range paths {
		homes[path] = homeOf(found, path)
	}
	in := x.input
	in.Read = nil // it was used up
	return debrief.Settled(in, needs, homes)
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
