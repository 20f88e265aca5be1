package piton

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Plan says of every checkpoint whether it stays, moves to the archive or
// goes, and why: one verdict each, the newest of the store first. It depends
// on nothing but its arguments, so that a dry run prints what a real one does.
// all holds whole workflows, in any order. The first rule that speaks decides:
//
//  1. Damaged ones stay, and take nobody's place.
//  2. What an unfinished run continues from stays, and so does what is dated in
//     the future: a clock has jumped, and no age is
//     known. The same holds for what has no date at all, but that it is
//     counted like something new.
//  3. Protected are the heads of open workflows that are younger than OpenFor
//     and among the OpenCap newest heads of their project, or all that is
//     intact of their workflow. Where the head is damaged, its nearest intact ancestor stands
//     for it, because a resume falls back to that one.
//  4. Protected are the NamedCap newest of the named checkpoints and completed
//     phases of each workflow, whatever their age. Those beyond are like any
//     other. In a workflow of type phases only named ones are protected: all
//     others, the head too, go by rule 6 and are not archived before.
//  5. Automatic checkpoints inside a turn go when an intact turn_end of the
//     same workflow and session came after them. Those before a dangerous command
//     stay for 7 days, unless DeleteAt is less, and then as long as the turn's end.
//  6. What is older than DeleteAt goes, from the archive too. But the newest of a
//     workflow stays while one before it is younger: it was saved while the clock
//     was behind, and its workflow would be resumed from an older state. The
//     last such one before it stays with it.
//  7. Of each session the PerSession newest stay and the others go, completed
//     ones first. All that stay count, those of rules 2 to 4 too; but those do
//     not go, so that a session may keep more.
//  8. What is in the archive stays there.
//  9. The Warm best of each workflow stay in the database, while younger than
//     WarmFor: those still to complete before completed ones, newest first.
//     Protected ones take no place of theirs. All others are archived.
//
// Within a workflow the newest is the one with the highest sequence number,
// else the one with the highest ordinal; never the clock decides. Planning
// again over what is left keeps it all.
func (r Retention) Plan(now time.Time, all []Kept) []Verdict {
	p := plan{Retention: r, now: now, said: make(map[string]Verdict, len(all))}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b Kept) int { return newerInStore(a.Checkpoint, b.Checkpoint) })
	flows := grouped(all, func(c Checkpoint) string { return c.WorkflowID })
	for _, f := range flows {
		slices.SortFunc(f, newerInFlow)
	}
	p.keepUnsure(all)
	p.protectHeads(all)
	for _, f := range flows {
		p.protectNamed(f)
		p.expire(f)
		p.keepNewest(f)
	}
	for _, k := range all {
		if c := k.Checkpoint; p.over(c, r.DeleteAt) {
			p.say(c, DeleteForever, "older than "+Span(r.DeleteAt))
		}
	}
	for _, s := range grouped(all, func(c Checkpoint) string { return c.SessionID }) {
		p.boundSession(s)
	}
	for _, f := range flows {
		p.cool(f)
	}
	verdicts := make([]Verdict, len(all))
	for i, k := range all {
		verdicts[i] = p.said[k.Checkpoint.ID]
	}
	return verdicts
}

// plan is one planning: the verdicts so far.
type plan struct {
	Retention
	now  time.Time
	said map[string]Verdict
}

// say gives the verdict, unless an earlier rule has spoken.
func (p *plan) say(c Checkpoint, a Action, reason string) {
	if !p.decided(c) {
		p.said[c.ID] = Verdict{ID: c.ID, Action: a, Reason: reason}
	}
}

func (p *plan) decided(c Checkpoint) bool { _, ok := p.said[c.ID]; return ok }

// over tells whether a checkpoint is as old as a bound; 0 is no bound. What was
// imported is as old as it has been here.
func (p *plan) over(c Checkpoint, bound time.Duration) bool {
	since := c.CreatedAt
	if c.ImportedAt.After(since.Time) {
		since = c.ImportedAt // it has been here no longer
	}
	return bound > 0 && !since.IsZero() && p.now.Sub(since.Time) >= bound
}

// keepUnsure keeps what no rule can judge.
func (p *plan) keepUnsure(all []Kept) {
	for _, k := range all {
		switch c := k.Checkpoint; {
		case c.Damaged != "":
			p.say(c, Keep, "damaged, set aside")
		case k.Run != "":
			p.say(c, Keep, "the unfinished run "+k.Run+" continues from it")
		case c.CreatedAt.After(p.now):
			p.say(c, Keep, "dated in the future")
		}
	}
}

func (p *plan) protectHeads(all []Kept) {
	byID, whole := map[string]Checkpoint{}, map[string]int{} // intact ones of a workflow
	for _, k := range all {
		c := k.Checkpoint
		byID[c.ID] = c
		if c.Damaged == "" {
			whole[c.WorkflowID]++
		}
	}
	heads := map[string]int{} // of a project
	for _, k := range all {
		if !k.Head || !k.Open {
			continue
		}
		c := k.Checkpoint
		heads[c.Project]++
		capped := p.OpenCap > 0 && heads[c.Project] > p.OpenCap
		reason := "head of an open workflow"
		c = intact(c, byID)
		switch {
		case c.ID != k.Checkpoint.ID:
			reason = "stands for the damaged head of an open workflow"
		case whole[c.WorkflowID] == 1:
			reason = "all there is of an open workflow"
		}
		capped = capped && whole[c.WorkflowID] > 1
		over := p.over(c, p.OpenFor) || isPhases(c) && p.over(c, p.DeleteAt)
		if c.ID != "" && !capped && !over {
			p.say(c, Keep, reason)
		}
	}
}

// isPhases tells whether a checkpoint is of a workflow of phases, all of which
// stay equally long: its first program knows one bound for all.
func isPhases(c Checkpoint) bool { return c.WorkflowType == TypePhases }

// intact is the checkpoint or its nearest ancestor that is not damaged. Where
// there is none it is a damaged one or the zero Checkpoint.
func intact(c Checkpoint, byID map[string]Checkpoint) Checkpoint {
	for range len(byID) { // no longer, even where parents form a cycle
		if c.Damaged == "" {
			break
		}
		c = byID[c.ParentID]
	}
	return c
}

func (p *plan) protectNamed(flow []Checkpoint) {
	n := 0
	for _, c := range flow {
		if c.Damaged != "" || c.Name == "" && (c.Trigger != TriggerPhaseComplete || isPhases(c)) {
			continue
		}
		n++
		switch {
		case p.NamedCap > 0 && n > p.NamedCap:
			return
		case c.Name != "":
			p.say(c, Keep, "named")
		default:
			p.say(c, Keep, "a completed phase")
		}
	}
}

// insideTurn are the triggers of automatic checkpoints that the turn's end makes
// needless. One before a dangerous command is not among them: its damage may show late.
var insideTurn = []Trigger{TriggerFileChange, TriggerInterval, TriggerAgentHandoff, TriggerPreCompact}

// riskyFor is how long at least a checkpoint before a dangerous command stays, unless
// everything is deleted earlier.
const riskyFor = 7 * day

func (p *plan) expire(flow []Checkpoint) {
	ended := map[string]bool{} // sessions with a turn's end further on
	for _, c := range flow {
		switch {
		case c.Trigger == TriggerTurnEnd && c.Damaged == "":
			ended[c.SessionID] = true
		case ended[c.SessionID] && slices.Contains(insideTurn, c.Trigger):
			p.say(c, DeleteForever, "its turn has ended")
		case c.Trigger == TriggerPreRisky && !p.over(c, riskyFor) && !p.over(c, p.DeleteAt):
			p.say(c, Keep, "before a dangerous command, younger than "+Span(riskyFor))
		}
	}
}

// keepNewest keeps the newest of a workflow that seems older than one before it.
func (p *plan) keepNewest(flow []Checkpoint) {
	flow = slices.DeleteFunc(slices.Clone(flow), func(c Checkpoint) bool {
		return p.said[c.ID].Action == DeleteForever || c.Damaged != "" || c.CreatedAt.IsZero() || c.CreatedAt.After(p.now)
	})
	if len(flow) == 0 || !p.over(flow[0], p.DeleteAt) {
		return
	}
	young := slices.IndexFunc(flow, func(c Checkpoint) bool { return !p.over(c, p.DeleteAt) })
	if young > 0 {
		p.say(flow[0], Keep, "the newest, saved while the clock was behind")
		p.say(flow[young], Keep, "the newest of its workflow has an older date")
	}
}

func (p *plan) boundSession(session []Checkpoint) {
	if p.PerSession <= 0 || session[0].SessionID == "" {
		return
	}
	stay, removable := 0, []Checkpoint{}
	for _, c := range session {
		v, ok := p.said[c.ID]
		switch {
		case !ok:
			removable = append(removable, c)
		case c.Damaged == "" && v.Action != DeleteForever:
			stay++
		}
	}
	slices.SortFunc(removable, finishedLast(newerInStore))
	for _, c := range removable[min(len(removable), max(0, p.PerSession-stay)):] {
		p.say(c, DeleteForever, fmt.Sprintf("beyond %d of its session", p.PerSession))
	}
}

func (p *plan) cool(flow []Checkpoint) {
	warm := 0
	slices.SortFunc(flow, finishedLast(newerInFlow))
	for _, c := range flow {
		switch {
		case p.decided(c):
		case c.Archive != "":
			p.say(c, Keep, "in the archive: "+c.Archive)
		case isPhases(c) && p.DeleteAt > 0:
			p.say(c, Keep, "a phase, younger than "+Span(p.DeleteAt))
		case p.over(c, p.WarmFor):
			p.say(c, MoveToCold, "older than "+Span(p.WarmFor))
		case p.Warm > 0 && warm >= p.Warm:
			p.say(c, MoveToCold, fmt.Sprintf("beyond %d of its workflow", p.Warm))
		default:
			warm++
			p.say(c, Keep, "recent")
		}
	}
}

// grouped splits checkpoints by a key; the order stays.
func grouped(all []Kept, key func(Checkpoint) string) [][]Checkpoint {
	index := map[string]int{}
	var groups [][]Checkpoint
	for _, k := range all {
		c := k.Checkpoint
		i, ok := index[key(c)]
		if !ok {
			i = len(groups)
			index[key(c)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

// newerInStore puts the newest of a store first.
func newerInStore(a, b Checkpoint) int {
	return cmp.Or(cmp.Compare(b.Ordinal, a.Ordinal), cmp.Compare(b.Seq, a.Seq), strings.Compare(a.ID, b.ID))
}

// newerInFlow puts the newest of a workflow first.
func newerInFlow(a, b Checkpoint) int {
	return cmp.Or(cmp.Compare(b.Seq, a.Seq), newerInStore(a, b))
}

// finishedLast puts what finished its workflow behind the rest.
func finishedLast(then func(a, b Checkpoint) int) func(a, b Checkpoint) int {
	return func(a, b Checkpoint) int {
		if x, y := a.Finishes(), b.Finishes(); x != y {
			if x {
				return 1
			}
			return -1
		}
		return then(a, b)
	}
}

// Span writes a bound as people say it: "30 days".
func Span(d time.Duration) string {
	switch {
	case d == day:
		return "a day"
	case d%day == 0:
		return fmt.Sprintf("%d days", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
