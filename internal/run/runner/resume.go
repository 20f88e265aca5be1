package runner

import (
	"cmp"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// Reasons that a step in doubt has.
const (
	reasonBrokenOff = "it was broken off, and nobody knows whether it took effect"
	reasonAtWork    = "it was running when the checkpoint was saved, and may have taken effect since"
	reasonRedacted  = "its output held a secret, which was not kept, and a later step needs it"
)

// again is the state that a run goes on from: a pure function of plan, state,
// effects and what was asked for (docs/spec.md, "Runs"). Completed and failed
// steps are told apart by their status alone, so any number of crashes comes to the
// same as one.
//
//   - Completed steps stay, and so do failed ones with continue_on_error. Failed steps, those that could not be done, waiting and
//     skipped ones become pending; those that are skipped for good will be skipped
//     again.
//   - A waiting step that a person has answered keeps waiting: the answer is heard
//     before it looks again, so that a rejection counts though what it shows has
//     changed since.
//   - An approval that shows something looks again, as long as something that depends on
//     it has not run: where it shows the same still, the answer counts.
//   - A running step was broken off: it becomes pending, or in doubt where its effect
//     may happen only once. What the person says of it (Redo, Took) decides. So it is
//     where the run goes on from an older checkpoint: the step may have ended since.
//   - From and Redo make steps pending, From with all that depends on them. What
//     depends on a step that runs again runs again too.
//   - A completed step whose output was not kept whole, and is needed, runs again or
//     is in doubt, by its effect.
//
// Invalid for a step that the plan does not have, or that is not in doubt.
func again(p plan.Plan, s State, effect func(plan.Step) plan.Effect, g Again) (State, error) {
	s = s.clone()
	if err := g.check(s); err != nil {
		return s, err
	}
	g.From, g.Redo = s.withItems(g.From), s.withItems(g.Redo)
	r := resumption{p: p, s: &s, effect: effect, Again: g, fresh: map[int]bool{}, done: map[int]bool{}, regained: map[int]bool{}}
	for i := range s.Plan {
		r.done[i] = s.Plan[i].Status == Completed
		if works := s.works(p.Steps[i]) && !g.Cancel; works || s.Plan[i].Status == Running { // of what ends, nothing is begun anew
			r.one(i)
		}
	}
	r.spread()
	for !g.Cancel && r.regain() {
		r.spread()
	}
	if err := r.useless(); err != nil {
		return s, err
	}
	s.count()
	return s, nil
}

// useless refuses a word that changes nothing: that a step took effect which is
// completed and would not have run again.
func (r *resumption) useless() error {
	stale := dependents(r.p, r.fresh)
	for _, id := range r.Took {
		if i := r.s.step(id); r.done[i] && !stale[i] && !r.regained[i] && !r.fresh[i] {
			return piton.Errorf(piton.Invalid, "resume the run", "leave it out; 'took STEP' is for a step in doubt, or for one that would run again", "step %s is completed and does not run again", id)
		}
	}
	return nil
}

// check refuses what names no step, or a step that it does not fit.
func (g Again) check(s State) error {
	steps := "name one of its steps"
	if s.Run != "" {
		steps = "'runs show " + s.Run + "' lists its steps"
	}
	for _, list := range [][]string{g.From, g.Redo, g.Took} {
		for _, id := range list {
			if s.step(id) < 0 {
				return piton.Errorf(piton.Invalid, "resume the run", steps, "the plan has no step %q", id)
			}
		}
	}
	for _, id := range g.Took {
		if slices.Contains(g.Redo, id) || slices.Contains(g.From, id) {
			return piton.Errorf(piton.Invalid, "resume the run", "'took STEP' where it took effect, 'redo STEP' to run it again", "step %s cannot both have taken effect and run again", id)
		}
		if x := s.Plan[s.step(id)]; x.Status != InDoubt && x.Status != Running && x.Status != Completed {
			return piton.Errorf(piton.Invalid, "resume the run", "'took STEP' is for a step in doubt", "step %s is %s, not in doubt", id, x.Status)
		}
	}
	return nil
}

// leftOut refuses a changed plan that no longer has a step of which nobody knows
// whether it took effect: under another id it would run twice, unseen. The person
// says that it did (took); the rest of took is returned.
func leftOut(old, p plan.Plan, s State, effect func(plan.Step) plan.Effect, took []string) ([]string, error) {
	took = slices.Clone(took)
	for _, x := range old.Steps {
		at := s.step(x.ID)
		if at < 0 || slices.ContainsFunc(p.Steps, func(n plan.Step) bool { return n.ID == x.ID }) {
			continue
		}
		if st := s.Plan[at].Status; st != InDoubt && (st != Running || effect(x) != plan.Once) {
			continue
		}
		if !slices.Contains(took, x.ID) {
			return nil, piton.Errorf(piton.Conflict, "resume the run", "see whether it took effect; then 'took "+x.ID+"' leaves it out, or resume with the plan as it was",
				"nobody knows whether step %s took effect, and the changed plan does not have it", x.ID)
		}
		took = slices.DeleteFunc(took, func(id string) bool { return id == x.ID })
	}
	return took, nil
}

// resumption is a state on its way to where a run goes on.
type resumption struct {
	Again
	p      plan.Plan
	s      *State
	effect func(plan.Step) plan.Effect
	fresh  map[int]bool // steps whose dependents run again

	done, regained map[int]bool // completed before; taken without the output that was not kept
}

// one decides on a step by itself.
func (r *resumption) one(i int) {
	x := &r.s.Plan[i]
	if x.Status == Running {
		r.s.counted(i)
	}
	asked := slices.Contains(r.From, x.ID) || slices.Contains(r.Redo, x.ID)
	if x.Status != Pending { // what waits for its next try waits on
		x.RetryAt = piton.Time{}
	}
	switch {
	case asked:
		r.renew(i)
		return
	case slices.Contains(r.Took, x.ID) && x.Status != Completed:
		r.took(x)
		if x.Early && r.ranSince(i) {
			r.renew(i)
		}
		return
	case r.mends(x): // what has used what was there before runs again
		r.took(x)
		r.fresh[i] = true
		return
	case r.unapproved[x.ID], r.relist[x.ID] && x.Status == Completed:
		r.renew(i)
		return
	case r.relist[x.ID]:
		x.Items = nil
	}
	switch x.Status {
	case Completed:
		if r.looks[x.ID] && r.leads(i) {
			x.Status, x.Reason, x.AnsweredAt = Pending, "", piton.Time{}
			r.s.drop(x.ID)
		}
	case Failed, CouldNot:
		if r.p.Steps[i].ContinueOnError { // the run went on without it; it may have taken effect
			return
		}
		x.Status, x.Reason, x.Cause, x.Tried, x.Iteration, x.Prints = Pending, "", "", 0, 0, nil
		r.fresh[i] = true
	case Waiting:
		if !r.answered[x.ID] && x.DueAt.IsZero() && x.Signal == "" {
			x.Status, x.Reason = Pending, ""
		}
	case Skipped:
		x.Status, x.Reason = Pending, ""
	case Running:
		x.Status, x.Reason = Pending, ""
		if r.effect(r.p.Steps[i]) == plan.Once {
			x.Status, x.Reason = InDoubt, reasonBrokenOff
			if r.Checkpoint != "" {
				x.Reason = reasonAtWork
			}
		}
	}
}

// leads tells whether something that depends on a step has not run yet.
func (r *resumption) leads(i int) bool {
	for at := range dependents(r.p, map[int]bool{i: true}) {
		if r.s.Plan[at].Status != Completed {
			return true
		}
	}
	return false
}

// BrokenOff is the state of a run whose owner has died: its running steps that may have
// taken effect are in doubt before anybody resumes it. What an action of another program
// does is not known here.
func (r *Runner) BrokenOff(p plan.Plan, s State) State {
	s = s.clone()
	for _, x := range Whole(p, s).Steps {
		i, known := s.step(x.ID), x.Effect != "" || r.Actions[x.Action] != nil
		if i >= 0 && s.Plan[i].Status == Running && known && r.Effect(x) == plan.Once {
			s.Plan[i].Status, s.Plan[i].Reason = InDoubt, reasonBrokenOff
		}
	}
	return s
}

// counted adds what a step has noted of its use, before it was broken off, to what
// it has used.
func (s *State) counted(i int) {
	x := &s.Plan[i]
	if x.Note == nil {
		return
	}
	n := *x.Note
	u := Used{Tokens: n.Usage, CostUSD: n.CostUSD}
	x.Used, s.Used = x.Used.plus(u), s.Used.plus(u)
	n.Usage, n.CostUSD = piton.TokenUsage{}, 0
	x.Note = &n
}

// took believes the person that a step took effect: it is completed, with the output
// that the person gives, else without one.
func (r *resumption) took(x *Step) {
	x.Status, x.Reason, x.Cause = Completed, "", ""
	r.s.drop(x.ID)
	r.s.Results = append(r.s.Results, Result{StepID: x.ID, Output: r.Given[x.ID], CompletedAt: x.StartedAt, GivenBy: r.By})
	r.s.isUndone(x.Undoes)
}

// ranSince tells whether something that a step depends on has begun since the step did.
func (r *resumption) ranSince(i int) bool {
	for at, y := range r.s.Plan {
		if y.StartedAt.After(r.s.Plan[i].StartedAt.Time) && dependents(r.p, map[int]bool{at: true})[i] {
			return true
		}
	}
	return false
}

// mends tells whether a person gives the output of a completed step that has none, or
// one that a person gave.
func (r *resumption) mends(x *Step) bool {
	_, given := r.Given[x.ID]
	was := r.s.result(x.ID)
	ownOutput := was != nil && was.Output != nil && was.GivenBy == ""
	return given && x.Status == Completed && !ownOutput
}

// renew makes a step pending because it is to run again. What was completed is
// begun anew, under another key; what was broken off goes on under its own.
func (r *resumption) renew(i int) {
	x := &r.s.Plan[i]
	asked := slices.Contains(r.From, x.ID) || slices.Contains(r.Redo, x.ID)
	if x.Status == Completed || asked && x.Status == Failed && x.Action == plan.Child { // another run is begun
		x.Round++
		x.Note, x.Prints = nil, nil
	}
	x.Items = nil
	if x.Status != InDoubt && x.Status != Running { // what was broken off was one time of many
		x.Iteration = 0
	}
	x.Status, x.Reason, x.Cause, x.Tried, x.RetryAt = Pending, "", "", 0, piton.Time{}
	x.DueAt, x.Signal, x.Child = piton.Time{}, "", ""
	r.s.drop(x.ID)
	r.fresh[i] = true
}

// renew makes a step pending because it is to run again, and no other.
func (s *State) renew(i int) { (&resumption{s: s, fresh: map[int]bool{}}).renew(i) }

// spread makes pending again what has ended and depends, over any way, on a step
// that runs again; but not what the person has just said took effect.
func (r *resumption) spread() {
	stale := dependents(r.p, r.fresh)
	for i := range r.s.Plan {
		if x := r.s.Plan[i]; stale[i] && x.Status == Completed && !slices.Contains(r.Took, x.ID) {
			r.renew(i)
		}
	}
}

// sendBack is the state after a person has rejected an approval: the steps whose work
// it judges run again, with the person's words, and what depends on them; then the
// approval asks anew. A pure function.
func sendBack(p plan.Plan, s State, i int, effect func(plan.Step) plan.Effect, words string) State {
	s = s.clone()
	r := resumption{p: p, s: &s, fresh: map[int]bool{}}
	works := judged(p, i, effect)
	for at, x := range s.Plan {
		if of := s.step(x.Of); of >= 0 && works[of] { // the items do the work of a list
			works[at] = true
		}
	}
	for at := range works {
		r.renew(at)
		s.Plan[at].Words = words
	}
	r.spread()
	for at := range dependents(p, r.fresh) {
		x := &s.Plan[at]
		if x.Child != "" || x.Signal != "" { // what it waits for belongs to the work that was sent back
			x.Round++
			x.Note, x.DueAt, x.Signal, x.Child = nil, piton.Time{}, "", ""
		}
		if x.Status == Skipped || x.Status == Waiting {
			x.Status, x.Reason = Pending, ""
		}
	}
	s.count()
	return s
}

// regain sees to outputs that were not kept whole and are needed. It reports
// whether a step runs again for that.
func (r *resumption) regain() (more bool) {
	for i := range r.s.Plan {
		x := &r.s.Plan[i]
		res := r.s.result(x.ID)
		if x.Status != Completed || res == nil || !res.Redacted || !r.needed(i) {
			continue
		}
		switch {
		case slices.Contains(r.Took, x.ID):
			r.took(x)
			r.regained[i] = true
		case r.effect(r.p.Steps[i]) == plan.Once:
			x.Status, x.Reason = InDoubt, reasonRedacted
		default:
			// For its output alone: what is completed and depends on it stays.
			x.Status, x.Reason, x.Tried = Pending, "", 0
			r.s.drop(x.ID)
		}
		more = true
	}
	return more
}

// needed tells whether a step that may still run speaks of another one's output,
// by its id.
func (r *resumption) needed(of int) bool {
	id := cmp.Or(r.p.Steps[of].Of, r.p.Steps[of].ID) // an item's is named by its list
	later := dependents(r.p, map[int]bool{of: true})
	for i, x := range r.s.Plan {
		if undoes := undone(x.Undoes) == id; (later[i] || undoes) && !x.Status.Ended() && speaksOf(r.p, r.p.Steps[i], id) {
			return true
		}
	}
	return false
}

// speaksOf tells whether a step evaluates what another one has brought.
func speaksOf(p plan.Plan, s plan.Step, of string) bool {
	return plan.NeedsOutput(p, s, of) || plan.NeedsArtifacts(p, s, of)
}

// isUndone has a step that was undone be to do again; "" is none.
func (s *State) isUndone(id string) {
	i := s.step(id)
	if i < 0 || s.Plan[i].Status != Completed {
		return
	}
	s.renew(i)
	s.Plan[i].Reason = "it was undone"
	if of := s.step(s.Plan[i].Of); of >= 0 && s.Plan[of].Status == Completed {
		items := s.Plan[of].Items
		s.renew(of)
		s.Plan[of].Items = items
	}
}
