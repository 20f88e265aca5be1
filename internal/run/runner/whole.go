package runner

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// Whole is a plan as a run works through it: with a step for each item of those that run
// once for each, and with those that undo while it is undone. Such steps stand in the state
// alone, behind the plan's own and in the order in which they came, so that the numbers of
// steps never change.
func Whole(p plan.Plan, s State) plan.Plan {
	made := p
	made.Steps = make([]plan.Step, 0, len(s.Plan))
	at := map[string]int{}                                 // of the plan's own
	items, hasUndo := map[string]*int{}, map[string]bool{} // how many items the steps run for whose lists are made
	for _, x := range s.Plan {
		items[x.ID] = x.Items
	}
	for _, x := range p.Steps {
		hasUndo[x.Undoes] = true
	}
	undo := undos(p, s)
	for _, x := range p.Steps {
		if x.Undoes != "" || x.Of != "" {
			continue
		}
		x.HasUndo = hasUndo[x.ID]
		at[x.ID] = len(made.Steps)
		made.Steps = append(made.Steps, x)
	}
	for _, x := range s.Plan {
		i, known := at[x.Of]
		switch {
		case x.Of != "" && known && made.Steps[i].IsEach():
			if n := items[x.Of]; n == nil || itemOf(x.ID) < *n {
				made.Steps[i].Items = append(made.Steps[i].Items, x.ID)
			}
			one, item := made.Steps[i], x.item()
			one.Each, one.Of, one.ID = one.EachOf(item, itemOf(x.ID)), one.ID, x.ID
			one.ForEach, one.Matrix, one.Items, one.Description = nil, nil, nil, plan.Brief(item)
			made.Steps = append(made.Steps, one)
		case x.Undoes != "" && s.Undo != "":
			if u, ok := undo[x.ID]; ok {
				made.Steps = append(made.Steps, u)
			}
		}
	}
	for i := range made.Steps {
		if x := &made.Steps[i]; x.Finally && s.Undo != "" {
			x.Dependencies = beforeLast(*x, made)
		}
	}
	return made
}

// itemOf is the number of an item, by the id of its step.
func itemOf(id string) int {
	n, err := strconv.Atoi(id[strings.LastIndexByte(id, '.')+1:])
	if err != nil {
		return -1
	}
	return n
}

// item is what a step runs for, of one that runs for an item.
func (x Step) item() (v any) {
	_ = json.Unmarshal(x.Item, &v) // it is as it was written
	return v
}

// undone is the plan's step that is undone: itself, or the one whose item it is.
func undone(id string) string {
	id, _, _ = strings.Cut(id, ".")
	return id
}

// undos are the steps that undo others, by their ids, as a run works through them: each comes
// after those that undo what depends on its own. There is none whose plan has no such step any
// more.
func undos(p plan.Plan, s State) map[string]plan.Step {
	of := map[string][]Step{} // by the plan's step that they undo
	for _, x := range s.Plan {
		if x.Undoes != "" {
			of[undone(x.Undoes)] = append(of[undone(x.Undoes)], x)
		}
	}
	made := map[string]plan.Step{}
	for id, list := range of {
		i, own := p.Index(plan.UndoID(id)), p.Index(id)
		if i < 0 || own < 0 {
			continue
		}
		var before []string
		for at := range dependents(p, map[int]bool{own: true}) {
			for _, x := range of[p.Steps[at].ID] {
				before = append(before, x.ID)
			}
		}
		for n, x := range list {
			u := p.Steps[i]
			u.ID, u.Undoes, u.Dependencies = x.ID, x.Undoes, slices.Clone(before)
			if n > 0 && p.Steps[own].Parallel == 1 { // they ran one after the other
				u.Dependencies = append(u.Dependencies, list[n-1].ID)
			}
			slices.Sort(u.Dependencies)
			if len(x.Item) > 0 {
				u.Each = p.Steps[own].EachOf(x.item(), itemOf(x.Undoes))
			}
			made[x.ID] = u
		}
	}
	return made
}

// beforeLast are the steps before one of the last ones while a run is undone: those that undo,
// and of its own the other last ones.
func beforeLast(x plan.Step, made plan.Plan) (ids []string) {
	for _, d := range x.Dependencies {
		if i := made.Index(d); i >= 0 && made.Steps[i].Finally {
			ids = append(ids, d)
		}
	}
	for _, s := range made.Steps {
		if s.Undoes != "" {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// dependents are the steps that depend on some of these, over any way; a list on its items.
func dependents(p plan.Plan, of map[int]bool) map[int]bool {
	at := make(map[string]int, len(p.Steps))
	for i, x := range p.Steps {
		at[x.ID] = i
	}
	found := map[int]bool{}
	for more := true; more; {
		more = false
		for i, x := range p.Steps {
			if !found[i] && slices.ContainsFunc(slices.Concat(x.Dependencies, x.Items), func(d string) bool { return of[at[d]] || found[at[d]] }) {
				found[i], more = true, true
			}
		}
	}
	return found
}

// aligned is a state with exactly the steps of a plan as the run works through it, in
// their order, and that plan. What is known of a step stays.
func aligned(p plan.Plan, s State) (plan.Plan, State) {
	old, was := s.Plan, map[string]int{}
	for i, x := range old {
		was[x.ID] = i
	}
	made := Whole(p, s)
	s.Terms, s.Plan = p.Terms(), make([]Step, len(made.Steps))
	is := map[string]bool{}
	for i, x := range made.Steps {
		if at, had := was[x.ID]; had {
			s.Plan[i] = old[at]
		} else {
			s.Plan[i] = Step{ID: x.ID, Status: Pending}
		}
		s.Plan[i].Description, s.Plan[i].Dependencies = x.Description, x.Dependencies
		s.Plan[i].acts(x)
		if s.Plan[i].Parameters = nil; x.Of == "" && x.Parameters != nil {
			s.Plan[i].Parameters, _ = encode(x.Parameters)
		}
		if x.Undoes != "" { // many, and they follow from the plan
			s.Plan[i].Dependencies = nil
		}
		is[x.ID] = true
	}
	s.Results = slices.DeleteFunc(slices.Clone(s.Results), func(r Result) bool { return !is[r.StepID] })
	s.count()
	return made, s
}

// acts gives a step its action. What it waits for and its list count only where the plan
// says that it waits and that it has one: a state may say anything.
func (x *Step) acts(as plan.Step) {
	waits := as.Action == plan.Wait || as.Action == plan.Child
	if x.Status == Waiting && (x.Action != as.Action || !waits && !x.Asks()) {
		x.Status, x.Reason = Pending, ""
	}
	if x.Status != Waiting || !waits {
		x.DueAt, x.Signal = piton.Time{}, ""
	}
	if x.Status != Waiting {
		x.Child = ""
	}
	if !as.IsEach() || x.Items != nil && (*x.Items < 0 || *x.Items > plan.MaxItems) {
		x.Items = nil
	}
	x.Action = as.Action
}

// withItems adds to the ids of steps those of their items.
func (s State) withItems(ids []string) (all []string) {
	all = slices.Clone(ids)
	for _, x := range s.Plan {
		if x.Of != "" && slices.Contains(ids, x.Of) && !slices.Contains(all, x.ID) {
			all = append(all, x.ID)
		}
	}
	return all
}
