package turn

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// found is what was seen of a turn from outside.
type found struct {
	changes   git.Changes
	gitErr    error
	script    agent.Transcript
	scriptErr error
	read      *debrief.Reading // of the script's calls
	links     *links
	tests     []debrief.Test
	doubts    []debrief.Doubt
	was       map[string]*string // settings and definitions of tests as they were, where the turn changed them
	verified  []agent.Verified   // what Piton ran itself
}

// situation is all that a decision depends on.
type situation struct {
	session  agent.Session
	event    agent.Event
	settings debrief.Settings
	turn     agent.Turn
	found    found
	result   debrief.Result
	marker   bool
	generic  string // what an agent is told whose changes are not known
	at       piton.Time
}

// ruling is a decision and what follows from it.
type ruling struct {
	agent.Decision
	troubled bool // the person is told what of the settings does not count
	open     bool // the stop is let through and leaves the turn as it is
	ends     bool // the stop ends the turn with something new to keep
}

// rule decides a stop. It does no I/O.
func rule(x situation) ruling {
	d := decide(x)
	open := leavesOpen(d)
	trouble := ""
	if !open {
		trouble = x.trouble(d)
	}
	if trouble != "" {
		d.Message = trouble
	}
	ends := !d.Held && !open && x.session.Turn != 0 && (x.session.TurnOpen || callSince(x.found.script.Calls, x.turn.EndedAt))
	return ruling{d, trouble != "", open, ends}
}

// maxFiles bounds the files of a decision.
const maxFiles = 200

// decide is the rule of a stop: held, or let go, and why.
func decide(x situation) agent.Decision {
	s, r := x.session, x.result
	d := agent.Decision{
		At: x.at, Session: s.ID, Agent: s.Agent, Turn: s.Turn,
		Categories: cleanList(r.Categories), Actions: cleanList(r.Actions), Observations: cleanList(r.Observations), AllClear: r.AllClear,
		TurnStart: s.TurnStart(x.settings.Timer), ElapsedMS: s.Elapsed(x.settings.Timer, x.at.Time).Milliseconds(),
		Files: files(r.Files), Evidence: evidence(r.Evidence), Verified: x.found.verified, BudgetLeft: s.BudgetLeft(), Notes: x.found.notes(),
	}
	d.Reason = x.passes()
	if d.Reason != "" {
		if d.Reason == agent.ReasonBudget && len(d.Actions) > 0 {
			d.Message = x.notice(leftOpen(d.Actions))
		}
		return d
	}
	switch {
	case x.found.gitErr != nil || r.Generic:
		return x.heldUnseen(d)
	case len(r.Actions) > 0:
		return x.held(d, agent.ReasonHeld, r.Message)
	case len(r.Observations) > 0 && x.settings.HoldOnObservations && s.Holds == 0:
		return x.held(d, agent.ReasonHeld, r.Message)
	case r.OnlyAdded && x.settings.AllClear == debrief.AllClearMessage && s.Holds == 0 && len(owned(r.Files)) > 0:
		return x.held(d, agent.ReasonClear, r.Message) // an untrusted file's word takes no all clear away
	case len(r.Observations) > 0:
		d.Reason = agent.ReasonNotice
		d.Message = x.notice(d.Observations[0])
	case len(owned(r.Files)) == 0:
		d.Reason = agent.ReasonNothing
	default:
		return x.allClear(d)
	}
	return d
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

// cutOff reports whether the newest entry of the log is a person's interruption,
// and no hook has reported a prompt since, which the client may not have written
// yet.
func cutOff(s agent.Session, script agent.Transcript) bool {
	return !script.Interrupted.IsZero() && !script.LastOutputAt.After(script.Interrupted) && !s.PromptedAt.After(script.Interrupted)
}

// callSince reports whether the agent has called a tool after a moment.
func callSince(calls []agent.Call, after piton.Time) bool {
	for _, c := range slices.Backward(calls) {
		if c.StartedAt.After(after.Time) || c.EndedAt.After(after.Time) {
			return true
		}
	}
	return false
}

// justNow is how long after a hold another hook may still report the same stop.
const justNow = 2 * time.Second

// twice reports whether another hook has just held this same stop: since then the
// agent has neither said nor done anything.
func (x situation) twice() bool {
	s, script := x.session, x.found.script
	return s.Holds > 0 && x.at.Sub(s.LastCheckpoint.Time) < justNow && !script.LastOutputAt.After(s.LastCheckpoint.Time) && !callSince(script.Calls, s.LastCheckpoint)
}

// held is the decision to hold, or in audit mode the record that it would be.
func (x situation) held(d agent.Decision, reason agent.Reason, message string) agent.Decision {
	if x.settings.Mode == debrief.ModeAudit {
		d.Reason = agent.ReasonAudit
		return d
	}
	d.Held, d.Reason = true, reason
	d.Message = cleaned(message)
	d.BudgetLeft = max(x.session.BudgetLeft()-1, 0)
	return d
}

// heldUnseen holds without knowing the changes: once, and only where the
// transcript shows edits or cannot be read.
func (x situation) heldUnseen(d agent.Decision) agent.Decision {
	edited := slices.ContainsFunc(x.found.script.Calls, func(c agent.Call) bool { return c.Kind == agent.CallEdit && !c.Failed })
	if x.session.Holds == 0 && (edited || x.found.scriptErr != nil) {
		return x.held(d, agent.ReasonGeneric, x.generic)
	}
	d.Reason = agent.ReasonNothing
	return d
}

// allClear lets go, and says so to the person, to the agent, or to nobody.
func (x situation) allClear(d agent.Decision) agent.Decision {
	d.Reason = agent.ReasonClear
	line := fmt.Sprintf("%sall clear: %s changed, nothing is left unverified.", agent.Prefix, count(len(owned(x.result.Files)), "file"))
	switch {
	case x.settings.AllClear == debrief.AllClearSilent:
	case x.settings.AllClear == debrief.AllClearMessage && x.session.Holds == 0:
		return x.held(d, agent.ReasonClear, line)
	default:
		d.Message = line
	}
	return d
}

// notice is the line a person reads of a stop that is let through.
func (x situation) notice(line string) string {
	if x.settings.AllClear == debrief.AllClearSilent {
		return ""
	}
	return agent.Prefix + line
}

// trouble is the line that tells a person, once a session, what of the
// project's settings does not count; "" where there is none, where something
// worse is said, or where the person hears nothing of stops.
func (x situation) trouble(d agent.Decision) string {
	if d.Held || x.session.Troubled || x.settings.LeftOut == "" || x.event.Unheard || d.Reason == agent.ReasonBudget && d.Message != "" || d.Reason == agent.ReasonOff || d.Reason == agent.ReasonNoTurn {
		return ""
	}
	return x.notice("this project's " + settingsFile + " is not trusted, so some of it does not count (" + x.settings.LeftOut + "): 'piton trust' shows it and asks.")
}

// leftOpen is what a person should know of an agent that was held as often as
// may be, and goes all the same.
func leftOpen(actions []string) string {
	line := "let go after " + count(agent.MaxHolds, "debrief") + " with this left open: " + actions[0]
	if more := len(actions) - 1; more > 0 {
		line += " (and " + strconv.Itoa(more) + " more: 'piton explain')"
	}
	return line
}

// notes names what could not be looked at.
func (f found) notes() []string {
	var list []string
	if f.gitErr != nil {
		list = append(list, cleaned("git: "+cause(f.gitErr)))
	}
	if f.scriptErr != nil {
		list = append(list, cleaned("transcript: "+cause(f.scriptErr)))
	}
	if f.changes.Bounded != "" {
		list = append(list, "git: "+f.changes.Bounded)
	}
	if f.scriptErr == nil && !f.script.Complete {
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

// leavesOpen tells a stop that is let through and leaves the turn as it is: it is
// not over, or another stop has ended it.
func leavesOpen(d agent.Decision) bool {
	switch d.Reason {
	case agent.ReasonBackground, agent.ReasonMoved, agent.ReasonCancelled, agent.ReasonLetter:
		return true
	}
	return false
}

// owned are the paths that are the agent's own work.
func owned(files []agent.FileChange) []string {
	var paths []string
	for _, f := range files {
		if f.Whose == agent.OwnerAgent {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// cause is what an error of ours comes from; other errors as they are.
func cause(err error) string {
	var e *piton.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}
