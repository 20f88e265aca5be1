package turn

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// What a person reads of a stop that is let through: one line, the worst first.
// What an agent leaves open is said whatever the settings are; the rest is for
// people who want to hear of every stop (all_clear).

// clear lets go an agent of whose work nothing is to be said, and says so to the
// person, to the agent, or to nobody. That all is clear is said only where tests were
// seen to pass that cover all code that changed.
func (x situation) clear(d agent.Decision) agent.Decision {
	switch {
	case x.result.Passed != "":
		d.Reason = agent.ReasonClear
		if x.settings.AllClear == debrief.AllClearMessage && x.session.Holds == 0 {
			return x.held(d, agent.ReasonClear, x.allClear())
		}
		d.Message = x.notice(strings.TrimPrefix(x.allClear(), agent.Prefix))
	case x.result.Judged > 0:
		d.Reason = agent.ReasonFine
		d.Message = x.notice(x.changedFiles() + "; no test was seen to pass that covers all of it.")
	default:
		d.Reason = agent.ReasonFine
		d.Message = x.notice(x.changedFiles() + "; nothing asks for a check of that.")
	}
	return d
}

// allClear is what is said where tests were seen to pass.
func (x situation) allClear() string {
	return agent.Prefix + "all clear: " + x.changedFiles() + ", " + cleaned(x.result.Passed) + " passed since."
}

func (x situation) changedFiles() string {
	files := count(len(owned(x.result.Files)), "file") + " changed"
	if x.gitLost() {
		files += " by the agent's tools"
	}
	return files
}

// wasTold reports whether the project's people were told of a finding before.
func (x situation) wasTold(finding string) bool { return x.told != nil && x.told(finding) }

// untold are the lines that the project's people were not told before.
func (x situation) untold() (list []debrief.Line) {
	for _, l := range x.result.Lines {
		if !x.wasTold(l.Finding) {
			list = append(list, l)
		}
	}
	return list
}

// lines are their texts, without secrets.
func lines(list []debrief.Line) []string {
	var all []string
	for _, l := range list {
		all = append(all, cleaned(l.Text))
	}
	return all
}

// notice is the line a person reads of a stop that is let through.
func (x situation) notice(line string) string {
	if x.settings.AllClear == debrief.AllClearSilent {
		return ""
	}
	return agent.Prefix + line
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

// notSeen is the line that tells a person, once a session, that not all of the agent's
// work can be seen here, and what that is remembered by; "" where all can, or where
// something worse is said.
func (x situation) notSeen(d agent.Decision) (finding, line string) {
	off := d.Reason == agent.ReasonOff || d.Reason == agent.ReasonNoTurn
	if d.Held || off || x.event.Unheard || x.parted(d.Reason, x.result.Actions) != "" {
		return "", ""
	}
	f, why := x.found, ""
	worked := slices.ContainsFunc(f.script.Calls, func(c agent.Call) bool { return c.Kind == agent.CallEdit || c.Kind == agent.CallShell })
	log := x.logUnseen()
	switch {
	case x.gitLost() && (worked || log != ""):
		finding, why = "git", "git cannot tell what changed here ("+history.Cause(f.gitErr)+"), so only files that the agent's tools name are judged: 'git status' shows what is wrong"
	case log != "":
		finding, why = "log", "the agent's log does not tell what it did ("+log+"), so its work is not judged, or in part: 'piton explain' shows what was seen"
	default:
		return "", ""
	}
	if finding += " cannot tell, " + x.session.ID; x.wasTold(finding) {
		return "", ""
	}
	return finding, agent.Prefix + inline(cut(why, maxMessage)) + " (said once for this session)."
}

// gitLost reports whether git cannot be asked about a work tree that is, or was when the
// turn began, one of a repository.
func (x situation) gitLost() bool {
	err, root := x.found.gitErr, x.session.Root
	if err == nil || !there(root) {
		return false
	}
	none := errors.Is(err, git.ErrNoRepo) || errors.Is(err, git.ErrBare)
	return !none || len(x.turn.Baseline) > 0 || there(filepath.Join(root, ".git"))
}

// logUnseen says why the log does not tell all that the agent did; "" where it does, as
// far as that is known, or where nothing happened.
func (x situation) logUnseen() string {
	f := x.found
	late := len(f.script.Calls) == 0 && x.event.LastOutput != ""
	switch {
	case f.gitErr == nil && len(f.changes.Files) == 0 && !workSeen(x.session):
		return "" // nothing happened here
	case f.scriptErr != nil:
		return history.Cause(f.scriptErr)
	case f.script.Unreadable != "":
		return f.script.Unreadable
	case len(f.script.Notes) > 0:
		return f.script.Notes[0]
	case late && lags(x.event, x.session, x.turn, f):
		return "the agent's last words are not in it"
	}
	return ""
}

// trouble is the line that tells a person, once a session, what of the
// project's settings does not count; "" where there is none, where something
// worse is said, or where the person hears nothing of stops.
func (x situation) trouble(d agent.Decision) string {
	worse := d.Message != "" && (d.Reason == agent.ReasonRunning || x.parted(d.Reason, x.result.Actions) != "")
	unheard := x.event.Unheard || d.Held || d.Reason == agent.ReasonOff || d.Reason == agent.ReasonNoTurn
	if unheard || worse || x.session.Troubled || x.settings.LeftOut == "" {
		return ""
	}
	return x.notice("this project's " + settingsFile + " is not trusted, so some of it does not count (" + x.settings.LeftOut + "): 'piton trust' shows it and asks.")
}
