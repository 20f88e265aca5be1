package turn

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// ruling is a decision and what follows from it.
type ruling struct {
	agent.Decision
	troubled bool     // the person is told what of the settings does not count
	open     bool     // the stop is let through and leaves the turn as it is
	ends     bool     // the stop ends the turn with something new to keep
	told     []string // what the person is told of that is told once for a project
	offer    string   // of a hold: what the person is offered beside it
}

// rule decides a stop. It does no I/O.
func rule(x situation) ruling {
	d := decide(x)
	open := d.Reason.LeavesOpen()
	trouble, finding, blind := "", "", ""
	if !open {
		finding, blind = x.notSeen(d)
	}
	if !open && blind == "" {
		trouble = x.trouble(d)
	}
	if line := blind + trouble; line != "" {
		d.Message = line
	}
	worked := x.session.TurnOpen || callSince(x.found.script.Calls, x.turn.EndedAt)
	ends := worked && !d.Held && !open && x.session.Turn != 0
	r := ruling{Decision: d, troubled: trouble != "", open: open, ends: ends}
	if blind != "" {
		r.told = append(r.told, finding)
	}
	shown := blind+trouble == "" && d.Message != "" && !x.event.Unheard
	if shown && (d.Reason == agent.ReasonNotice || d.Reason == agent.ReasonNoCheck) {
		for _, l := range x.untold() {
			r.told = append(r.told, l.Finding)
		}
	}
	if d.Held && x.tells && !x.event.Unheard && !x.wasTold(offerFinding) {
		if r.offer = x.offerRuns(); r.offer != "" {
			r.told = append(r.told, offerFinding)
		}
	}
	return r
}

// offerFinding is what the offer to run tests is remembered by.
const offerFinding = "piton runs the tests"

// offerRuns tells a person, at a hold for tests that did not run, how Piton runs them
// itself; "" where it does already, or no plain command is known.
func (x situation) offerRuns() string {
	idle := func(f debrief.Fact) bool {
		return f.Holds && f.Dir == "" && (f.Class == debrief.ClassIdle || f.Class == debrief.ClassOwnIdle)
	}
	runs := func(v debrief.Verify) bool { return v.When == debrief.WhenUnproven }
	at := slices.IndexFunc(x.input.Tests, func(t debrief.Test) bool { return t.Dir == "" && t.Run != "" && !strings.ContainsAny(t.Run, "'\n") })
	if at < 0 || !slices.ContainsFunc(x.result.Facts, idle) || slices.ContainsFunc(x.settings.Verify, runs) {
		return ""
	}
	return "Piton can run the tests itself where an agent did not: `piton rules verify '" + inline(cut(x.input.Tests[at].Run, maxNamed)) + "'` (said once for this project)."
}

// maxFiles bounds the files of a decision.
const maxFiles = 200

// decide is the rule of a stop: held, or let go, and why.
func decide(x situation) agent.Decision {
	s, r := x.session, x.result
	d := agent.Decision{
		At: x.at, Session: s.ID, Agent: s.Agent, Turn: s.Turn,
		Categories: cleanList(r.Categories), Actions: cleanList(r.Actions), Observations: cleanList(r.Observations), AllClear: r.AllClear && r.Passed != "", Lines: lines(r.Lines), Open: x.open(),
		TurnStart: s.TurnStart(x.settings.Timer), ElapsedMS: s.Elapsed(x.settings.Timer, x.at.Time).Milliseconds(),
		Files: files(r.Files), Evidence: evidence(r.Evidence), Verified: x.found.verified, BudgetLeft: s.BudgetLeft(), Notes: x.found.notes(),
	}
	if d.Reason = x.passes(); d.Reason != "" {
		d.Message = x.parted(d.Reason, d.Actions)
		return d
	}
	if x.own != nil {
		r = *x.own // what is older is the person's to decide
		d.Actions, d.Observations, d.AllClear = cleanList(r.Actions), cleanList(r.Observations), r.AllClear && r.Passed != ""
	}
	onlyAdded := r.OnlyAdded && len(r.Lines) > 0 // an untrusted file's word takes no all clear away
	switch {
	case r.Generic || x.found.gitErr != nil && !x.late() && x.unproven(r):
		return x.heldUnseen(d)
	case (len(r.Actions) > 0 || unseen(r)) && x.running() != "":
		d.Reason = agent.ReasonRunning
		d.Message = x.notice("`" + inline(cut(x.running(), maxError)) + "` still runs in the background; this work is judged when it ends.")
	case len(r.Actions) > 0 && x.repeats(d.Actions):
		d.Reason = agent.ReasonAsked
		d.Message = x.parted(d.Reason, d.Actions)
	case len(r.Actions) > 0:
		return x.held(d, agent.ReasonHeld, x.again(r.Message, d.Actions))
	case x.own != nil && len(x.result.Actions) > 0:
		d.Reason, d.Actions = agent.ReasonEarlier, cleanList(x.result.Actions)
		d.Message = x.parted(d.Reason, d.Actions)
	case len(r.Observations) > 0 && x.settings.HoldOnObservations && s.Holds == 0:
		return x.held(d, agent.ReasonHeld, r.Message)
	case onlyAdded && s.Holds == 0 && x.settings.AllClear == debrief.AllClearMessage && x.result.Passed != "":
		return x.held(d, agent.ReasonClear, x.allClear())
	case len(x.untold()) > 0:
		d.Reason = agent.ReasonNotice
		if list := x.untold(); strings.HasPrefix(list[0].Finding, string(debrief.ClassUnknown)) {
			d.Reason = agent.ReasonNoCheck
		}
		d.Message = x.notice(andMore(lines(x.untold())))
	case len(r.Lines) > 0:
		d.Reason = agent.ReasonNotice // the person was told of it before
	case len(owned(x.result.Files)) == 0:
		d.Reason = agent.ReasonNothing
	default:
		return x.clear(d)
	}
	return d
}

// unseen reports whether nobody saw how a run of tests went.
func unseen(r debrief.Result) bool {
	return slices.ContainsFunc(r.Facts, func(f debrief.Fact) bool { return f.Class == debrief.ClassUnseen })
}

// passes tells why a stop is not even looked at; "" when it is.
func (x situation) passes() agent.Reason {
	s, least := x.session, x.settings.MinTurn
	switch {
	case x.marker:
		return agent.ReasonMarker
	case x.settings.Mode == debrief.ModeOff:
		return agent.ReasonOff
	case slices.ContainsFunc(x.event.Background, func(b agent.Background) bool { return b.Running && b.Type == agent.BackgroundSubagent }):
		return agent.ReasonBackground
	case x.interrupted():
		return agent.ReasonCancelled
	case s.Waiting != "":
		return agent.ReasonLetter
	case x.event.Unheard && x.found.script.OwnTextLast:
		return agent.ReasonOwnText
	case x.twice():
		return agent.ReasonMoved
	case s.LastMessageAt.IsZero():
		return agent.ReasonNoTurn
	case s.TurnStart(x.settings.Timer).IsZero():
		return agent.ReasonNoTool
	case s.Holds >= agent.MaxHolds:
		return agent.ReasonBudget
	case !s.Due(x.settings.Timer, x.at.Time, least):
		return agent.ReasonShort
	case s.Holds > 0 && !callSince(x.found.script.Calls, s.LastCheckpoint):
		return agent.ReasonNoActivity
	case !s.TurnOpen && !callSince(x.found.script.Calls, x.turn.EndedAt):
		return agent.ReasonNoActivity
	}
	return ""
}

// interrupted reports whether a person stopped the agent, and it has neither said
// nor done anything since. Some clients report that as a stop too; the person's
// next prompt goes on with the turn.
func (x situation) interrupted() bool {
	script := x.found.script
	return cutOff(x.session, script) &&
		!slices.ContainsFunc(script.Calls, func(c agent.Call) bool { return !c.Interrupted && c.StartedAt.After(script.Interrupted) })
}

// justNow is how long after a hold another hook may still report the same stop.
const justNow = 2 * time.Second

// twice reports whether another hook has just held this same stop: since then the
// agent has neither said nor done anything, neither by its log, which a client may
// write late, nor by the words that came with the stop.
func (x situation) twice() bool {
	s, script := x.session, x.found.script
	if s.Holds == 0 || x.at.Sub(s.LastCheckpoint.Time) >= justNow || script.LastOutputAt.After(s.LastCheckpoint.Time) || callSince(script.Calls, s.LastCheckpoint) {
		return false
	}
	said := x.event.LastOutput
	return said == "" || s.HeldSum == "" || outputOf(said).sum == s.HeldSum
}

// late reports whether git had not answered when its time was over.
func (x situation) late() bool { return errors.Is(x.found.gitErr, git.ErrTimeout) }

// heldUnseen holds without knowing the changes: once, and only where the
// transcript shows edits or cannot be read.
func (x situation) heldUnseen(d agent.Decision) agent.Decision {
	edited := slices.ContainsFunc(x.found.script.Calls, func(c agent.Call) bool { return c.Kind == agent.CallEdit && !c.Failed })
	if x.session.Holds == 0 && (edited || !x.input.CallsSeen) {
		return x.held(d, agent.ReasonGeneric, debrief.Generic())
	}
	d.Reason = agent.ReasonNothing
	return d
}

// notes names what could not be looked at.
func (f found) notes() []string {
	var list []string
	if f.gitErr != nil {
		list = append(list, cleaned("git: "+history.Cause(f.gitErr)))
	}
	if f.scriptErr != nil {
		list = append(list, cleaned("transcript: "+history.Cause(f.scriptErr)))
	}
	if n := len(f.away); n > 0 {
		list = append(list, "git: "+count(n, "file")+" committed on a branch that is not checked out: "+inline(cut(shownName(f.away[0].Path), maxNamed)))
	}
	if f.changes.Bounded != "" {
		list = append(list, "git: "+f.changes.Bounded)
	}
	if f.script.Unreadable != "" {
		list = append(list, cleaned("transcript: "+f.script.Unreadable))
	}
	for _, note := range f.script.Notes {
		list = append(list, cleaned("transcript: "+note))
	}
	if known := f.script.Unreadable != "" || len(f.script.Notes) > 0; f.scriptErr == nil && !known && !f.script.Complete {
		list = append(list, "transcript: the turn's beginning was not reached")
	}
	return list
}

func evidence(list []agent.Evidence) []agent.Evidence {
	out := make([]agent.Evidence, len(list))
	for i, x := range list {
		x.Command = cut(x.Command, maxMessage)
		x.Why = cut(x.Why, maxMessage) // it may quote a line of an output
		out[i] = x
	}
	return out
}

// files are those that are kept with a decision.
func files(list []agent.FileChange) []agent.FileChange {
	out := make([]agent.FileChange, min(len(list), maxFiles))
	for i := range out {
		out[i] = list[i]
		out[i].Path = cleaned(out[i].Path)
	}
	return out
}
