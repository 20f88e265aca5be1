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
		failed = failed || x.Status == Failed || x.Status == CouldNot
		undos = undos || x.Status == Completed && p.Steps[i].HasUndo
	}
	return failed && undos
}

// undo is a state in which what was done is undone.
func (s State) undo(p plan.Plan, why Undoing) State {
	s = s.clone()
	s.Undo = why
	r := resumption{s: &s, fresh: map[int]bool{}}
	for i, x := range s.Plan {
		if at := p.Index(x.ID); x.Status == Completed && at >= 0 && p.Steps[at].Finally { // this is another end
			r.renew(i)
		}
	}
	for _, x := range slices.Backward(undoable(p, s)) {
		s.Plan = append(s.Plan, Step{ID: plan.UndoID(x.ID), Undoes: x.ID, Item: x.Item, Status: Pending, Round: x.Round})
	}
	return s
}

// undoing is the state of a run that goes on: one that a person wants to be undone, or one
// that was undone to its end and begins anew.
func (s State) undoing(p plan.Plan, g Again) (State, error) {
	const op = "undo the run"
	switch {
	case g.Undo && s.Undo == "":
		for _, x := range s.Plan {
			if x.Status == InDoubt || x.Status == Running {
				return s, piton.Errorf(piton.Conflict, op, "see whether it took effect; 'run resume "+s.Run+" took "+x.ID+"' says that it did, 'run resume "+s.Run+" redo "+x.ID+"' runs it again", "nobody knows whether step %s took effect", x.ID)
			}
		}
		if len(undoable(p, s)) == 0 {
			return s, piton.Errorf(piton.Invalid, op, "a step says under undo how it is undone", "no completed step of %s can be undone", s.Run)
		}
		return s.undo(p, UndoAsked), nil
	case s.Undo == "" || g.Cancel || !g.undone:
	case !slices.ContainsFunc(s.Plan, func(x Step) bool { return x.Undoes != "" && x.Status != Completed }):
		s = s.clone()
		s.Undo = ""
		s.Plan = slices.DeleteFunc(s.Plan, func(x Step) bool { return x.Undoes != "" })
	}
	return s, nil
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
	if s.Undo == UndoAsked {
		return piton.RunCancelled, why, ""
	}
	for _, x := range s.Plan {
		if x.Undoes == "" && (x.Status == Failed || x.Status == CouldNot) {
			return piton.RunFailed, fmt.Sprintf("step %s failed: %s; %s", x.ID, x.Reason, why), piton.CauseStepFailed
		}
	}
	return piton.RunFailed, why, piton.CauseStepFailed
}
