package turn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// What a person reads of a stop that is let through: one line, the worst first.
// What an agent leaves open is said whatever the settings are; the rest is for
// people who want to hear of every stop (all_clear).

// clear lets go an agent that has left nothing open, and says so to the person,
// to the agent, or to nobody. That something is verified is said only where
// something was.
func (x situation) clear(d agent.Decision) agent.Decision {
	d.Reason = agent.ReasonClear
	files := owned(x.result.Files)
	proved := proved(x.result, x.found)
	line := "all clear: " + count(len(files), "file") + " changed"
	switch n := x.untested.n; {
	case n > 0:
		d.Reason = agent.ReasonNoCheck
		d.Message = x.notice(unknownTest(x.untested.kinds, n, len(files), proved))
		return d
	case proved && x.result.Stands != "":
		line += ", nothing is left unverified (where there are no tests, " + cleaned(x.result.Stands) + " stands for them)."
	case proved:
		line += ", nothing is left unverified."
	default:
		line += ", and no rule asks for a check."
	}
	switch {
	case x.settings.AllClear == debrief.AllClearSilent:
	case x.settings.AllClear == debrief.AllClearMessage && x.session.Holds == 0:
		return x.held(d, agent.ReasonClear, agent.Prefix+line)
	default:
		d.Message = agent.Prefix + line
	}
	return d
}

// proved reports whether a check of the turn's work has passed.
func proved(r debrief.Result, f found) bool {
	return r.Verified || slices.ContainsFunc(r.Evidence, func(e agent.Evidence) bool { return e.Counts }) ||
		slices.ContainsFunc(f.verified, func(v agent.Verified) bool { return v.OK })
}

// unknownTest says that code was changed which no known command tests.
func unknownTest(kinds []string, n, all int, proved bool) string {
	line := count(n, kinds[0]+" file")
	if len(kinds) > 1 {
		line = fmt.Sprintf("%s of code (%s)", count(n, "file"), strings.Join(kinds, ", "))
	}
	line += " changed; no test command is known here (`piton rules accept 'CMD'`, or `piton rules verify 'CMD'` to let Piton run it)"
	if proved && n < all {
		return line + ". What else changed is verified."
	}
	return line + "."
}

// notice is the line a person reads of a stop that is let through.
func (x situation) notice(line string) string {
	if x.settings.AllClear == debrief.AllClearSilent {
		return ""
	}
	return agent.Prefix + line
}

// observed is the notice of observations: the first, and how many more there are.
func (x situation) observed(list []string) string {
	return x.notice(andMore(list))
}

// parted tells a person what an agent leaves open that is let go all the same;
// "" where the stop is not the end of anything, or nothing is open.
func (x situation) parted(reason agent.Reason, open []string) string {
	s := x.session
	if len(open) == 0 || !s.TurnOpen && !callSince(x.found.script.Calls, x.turn.EndedAt) {
		return ""
	}
	held := "let go after " + count(s.Holds, "debrief") + " with this left open: "
	switch reason {
	case agent.ReasonMarker:
		if x.settings.Mode != debrief.ModeOn {
			return ""
		}
		held = "let go by the marker file with this left open: "
	case agent.ReasonEarlier:
		held = "left open from before the interruption: "
	case agent.ReasonBudget, agent.ReasonNoActivity, agent.ReasonShort, agent.ReasonAsked:
		if s.Holds == 0 {
			return ""
		}
	default:
		return ""
	}
	return agent.Prefix + held + andMore(open)
}

// andMore is the first of a list, and how many more there are.
func andMore(list []string) string {
	line := list[0]
	if more := len(list) - 1; more > 0 {
		line += " (and " + strconv.Itoa(more) + " more: 'piton explain')"
	}
	return line
}

// trouble is the line that tells a person, once a session, what of the
// project's settings does not count; "" where there is none, where something
// worse is said, or where the person hears nothing of stops.
func (x situation) trouble(d agent.Decision) string {
	worse := d.Message != "" && (d.Reason == agent.ReasonRunning || x.parted(d.Reason, x.result.Actions) != "")
	if d.Held || worse || x.session.Troubled || x.settings.LeftOut == "" || x.event.Unheard || d.Reason == agent.ReasonOff || d.Reason == agent.ReasonNoTurn {
		return ""
	}
	return x.notice("this project's " + settingsFile + " is not trusted, so some of it does not count (" + x.settings.LeftOut + "): 'piton trust' shows it and asks.")
}
