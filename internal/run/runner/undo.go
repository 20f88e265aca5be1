package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// What was done is undone step by step, the last one first: each completed step that has
// an undo gets a step that undoes it, which runs like any other. When that is completed,
// what it undid is to be done again, should the run go on.

// undoable are the completed steps of a state that can be undone.
func undoable(p plan.Plan, s State) (steps []Step) {
	for _, x := range s.Plan {
		of := undone(x.ID)
		hasUndo := p.Index(plan.UndoID(of)) >= 0
		if own := x.Undoes == "" && x.Items == nil; own && hasUndo && x.Status == Completed { // of a list the items are
			steps = append(steps, x)
		}
	}
	return steps
}

// undoDue tells whether what was done is to be undone now: a step has failed, the plan
// wants it, and of the others none but the last ones may go on.
func undoDue(p plan.Plan, s State) bool {
	if p.OnFailure != plan.Undo || s.Undo != "" {
		return false
	}
	failed, undos := false, false
	for i, x := range s.Plan {
		if p.Steps[i].Finally {
			continue
		}
		if !x.Status.Ended() {
			return false
		}
		failed = failed || x.Status.failed() && !p.Steps[i].ContinueOnError
		undos = undos || x.Status == Completed && p.Steps[i].HasUndo
	}
	return failed && undos
}

// undoRounds is more than how often one undo is begun anew: each has a key of its own.
const undoRounds = 1000

func (s State) undo(p plan.Plan, why Undoing) State {
	s = s.clone()
	s.Undo = why
	for i, x := range s.Plan {
		if at := p.Index(x.ID); x.Status == Completed && at >= 0 && p.Steps[at].Finally { // this is another end
			s.renew(i)
		}
	}
	for _, x := range slices.Backward(undoable(p, s)) {
		s.Plan = append(s.Plan, Step{ID: plan.UndoID(x.ID), Undoes: x.ID, Item: x.Item, Status: Pending, Round: x.Round * undoRounds})
	}
	return s
}

// undoing is the state of a run that goes on: one that a person wants to be undone, or one
// that was undone to its end and begins anew. What the person says of steps in doubt decides
// whether they are undone; nothing of them runs again.
func (s State) undoing(p plan.Plan, g Again) (State, Again, error) {
	const op = "undo the run"
	open := slices.ContainsFunc(s.Plan, func(x Step) bool { return x.Undoes != "" && x.Status != Completed })
	switch {
	case g.Undo && s.Undo == "":
		s = s.clone()
		r := resumption{Again: g, p: p, s: &s, fresh: map[int]bool{}}
		for i := range s.Plan {
			x := &s.Plan[i]
			undo := p.Index(plan.UndoID(undone(x.ID))) >= 0
			switch doubt := undo && (x.Status == InDoubt || x.Status == Running); {
			case doubt && slices.Contains(g.Took, x.ID):
				r.took(x)
			case doubt && slices.Contains(g.Redo, x.ID):
				r.renew(i)
			case doubt:
				return s, g, piton.Errorf(piton.Conflict, op, "see whether it took effect; if it did: 'runs undo "+s.Run+" took "+x.ID+"', else 'runs undo "+s.Run+" redo "+x.ID+"'", "nobody knows whether step %s took effect", x.ID)
			}
		}
		g.Took, g.Redo = nil, nil
		if len(undoable(p, s)) == 0 {
			return s, g, piton.Errorf(piton.Invalid, op, "a step says under undo how it is undone", "no completed step of %s can be undone", s.Run)
		}
		return s.undo(p, undoAsked), g, nil
	case g.Undo && !open:
		return s, g, piton.Errorf(piton.Conflict, op, "'runs show "+s.Run+"' shows what was undone", "%s is undone", s.Run)
	case s.Undo != "" && g.undone && !g.Cancel && !open:
		s = s.clone()
		s.Undo = ""
		s.Plan = slices.DeleteFunc(s.Plan, func(x Step) bool { return x.Undoes != "" })
	}
	return s, g, nil
}

// wasUndone is how a run has ended in which all that can be undone is.
func (s State) wasUndone() (piton.RunStatus, string, piton.RunCause) {
	var done []string
	for _, x := range s.Plan {
		if x.Undoes != "" && x.Status == Completed {
			done = append(done, x.Undoes)
		}
	}
	why := "undone: " + strings.Join(done, ", ")
	if s.Undo == undoAsked {
		return piton.RunCancelled, why, ""
	}
	for _, x := range s.Plan {
		if x.Undoes == "" && x.Status.failed() {
			return piton.RunFailed, fmt.Sprintf("step %s failed: %s; %s", x.ID, x.Reason, why), piton.CauseStepFailed
		}
	}
	return piton.RunFailed, why, piton.CauseStepFailed
}
