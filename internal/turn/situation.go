package turn

import (
	"fmt"
	"slices"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/project"
)

// found is what was seen of a turn from outside.
type found struct {
	changes   git.Changes
	gitErr    error
	script    agent.Transcript
	scriptErr error
	read      *debrief.Reading // of the script's calls
	links     *links
	base      string          // the commit that was checked out when the turn began; "" if not known
	dirty     map[string]bool // what was dirty when the turn began
	away      []git.File      // committed on a branch that is not checked out now
	tests     []debrief.Test
	doubts    []debrief.Doubt
	homes     map[string]project.Home // of the changed files
	runs      *expander
	thinned   map[string]project.Thin // how changed test files show less than they did
	was       map[string]*string      // settings and definitions of tests as they were, where the turn changed them
	verified  []agent.Verified        // what Piton ran itself
	declared  []debrief.Test          // type checks and builds of projects without tests
	left      []debrief.Left          // what the work before left open
}

// situation is all that a decision depends on.
type situation struct {
	session  agent.Session
	event    agent.Event
	settings debrief.Settings
	turn     agent.Turn
	found    found
	result   debrief.Result
	told     func(finding string) bool // the project's people were told of it before
	input    debrief.Input             // what result was found from
	own      *debrief.Result           // of the newest prompt's own calls, where it followed an interruption; else nil
	asked    []string                  // the actions of the last hold
	tells    bool                      // the answer to a held stop can tell the person something
	marker   bool
	exit     string   // the file that lets a stop through
	trees    []string // the other work trees that were judged
	at       piton.Time
}

// cutOff reports whether the newest entry of the log is a person's interruption,
// and no hook has reported a prompt since, which the client may not have written
// yet.
func cutOff(s agent.Session, script agent.Transcript) bool {
	return !script.Interrupted.IsZero() && !script.LastOutputAt.After(script.Interrupted) && !s.PromptedAt.After(script.Interrupted)
}

// callSince reports whether the agent has called a tool after a moment.
func callSince(calls []agent.Call, after piton.Time) bool {
	return slices.ContainsFunc(calls, func(c agent.Call) bool { return c.StartedAt.After(after.Time) || c.EndedAt.After(after.Time) })
}

// held is the decision to hold, or in audit mode the record that it would be.
func (x situation) held(d agent.Decision, reason agent.Reason, message string) agent.Decision {
	if x.settings.Mode == debrief.ModeAudit {
		d.Reason = agent.ReasonAudit
		return d
	}
	d.Held, d.Reason = true, reason
	if x.session.Holds > 0 && reason != agent.ReasonClear {
		message += debrief.WayOut(x.exit) // it is told a way out once it was held before
	}
	d.Message = cleaned(message)
	d.BudgetLeft = max(x.session.BudgetLeft()-1, 0)
	return d
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
