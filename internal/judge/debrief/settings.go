package debrief

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// Settings say when and how a stop is looked at (docs/spec.md, "Modes",
// "Timer", "Result", "Delivery").
type Settings struct {
	Mode               string // on, audit, off
	MinTurn            time.Duration
	Timer              agent.Timer
	Reply              string // auto, block, context
	AllClear           string // notice, message, silent
	HoldOnObservations bool

	Agents   map[string]string // an agent's own mode, where it has one
	Profiles []string          // which of the built-in rules count, by profile; nil: all
	Rules    []Rule            // the user's, then the project's; one of a built-in's name takes its place
	Tests    []string          // commands that run the project's tests, beside those that are found
	LogCheck string            // the command to look at the logs with; empty: none
	WorkItem string            // the active one: its slug under todos/, or its plan's path
	LeftOut  string            // what of an untrusted project's file does not count; empty: nothing

	LogCheckUntrusted bool     // an untrusted project's file names LogCheck
	Verify            []Verify // what Piton runs itself; from trusted settings only
}

// Verify is a command that Piton runs at a stop, in the work tree's root.
type Verify struct {
	Run     string        // for sh -c
	Files   []string      // globs; it runs where one of the agent's files fits; nil: any
	Timeout time.Duration // 0: a minute
	When    string        // "" for always, WhenUnproven
}

// WhenUnproven has a command run only where what it checks is unproven at the
// stop. Such a command is one that runs the project's tests.
const WhenUnproven = "unproven"

// ModeOf is the mode that is in force for an agent.
func (s Settings) ModeOf(agent string) string { return cmp.Or(s.Agents[agent], s.Mode) }

// Values of the settings.
const (
	ModeOn    = "on"
	ModeAudit = "audit"
	ModeOff   = "off"

	AllClearNotice  = "notice"
	AllClearMessage = "message"
	AllClearSilent  = "silent"

	ReplyAuto    = "auto"
	ReplyBlock   = "block"
	ReplyContext = "context"
)

// DefaultSettings are in force until someone says otherwise.
func DefaultSettings() Settings {
	return Settings{Mode: ModeOn, MinTurn: 30 * time.Second, Timer: agent.TimerUnified, Reply: ReplyAuto, AllClear: AllClearNotice}
}

// MaxRules is how many rules of one's own are read; the rest is left out.
const MaxRules = 200

// Builtin returns the profiles: what everyone's changes are measured by unless
// a rule of the user's or the project's says more.
func Builtin() []Rule { return slices.Clone(builtin) }

// InForce are the rules that a stop is looked at by: the built-in ones of the
// chosen profiles, then the user's and the project's. One that bears the name
// of an earlier one takes its place; one that is off takes it away.
// Rule: docs/spec.md, "Rules".
func (s Settings) InForce() []Rule {
	rules := slices.DeleteFunc(Builtin(), func(r Rule) bool {
		return s.Profiles != nil && !slices.Contains(s.Profiles, r.Profile)
	})
	for _, own := range s.own(false) {
		at := slices.IndexFunc(rules, func(r Rule) bool { return r.named(own.Name) })
		switch {
		case own.Off && at >= 0:
			rules = slices.Delete(rules, at, at+1)
		case own.Off:
		case at >= 0:
			rules[at] = own
		default:
			rules = append(rules, own)
		}
	}
	return append(rules, s.own(true)...)
}

// own are the user's and the project's rules: those that only add, or the
// others. Neither can crowd out the other.
func (s Settings) own(added bool) []Rule {
	list := keep(s.Rules, func(r Rule) bool { return r.added() == added && !(added && r.Off) })
	return list[:min(len(list), MaxRules)]
}

// ProfileNames are the profiles of the built-in rules, in their order.
func ProfileNames() (names []string) {
	for _, r := range Builtin() {
		names = union(names, r.Profile)
	}
	slices.Sort(names)
	return names
}

// TestCommands joins the test commands that the settings name with those found in
// the work tree. The former are asked for first, wherever the files lie. They run
// the tests of every ecosystem; what Piton runs where something is unproven runs
// those of its own.
// Rule: docs/spec.md, "Rules".
func (s Settings) TestCommands(found []Test) []Test {
	var all []Test
	accepted, own := slices.Clone(s.Tests), map[string]string{}
	for _, v := range s.Verify {
		if run := strings.TrimSpace(v.Run); v.When == WhenUnproven && !slices.Contains(accepted, run) {
			accepted, own[run] = append(accepted, run), ecosystemOf(run)
		}
	}
	for _, run := range accepted {
		run = strings.TrimSpace(run)
		if run == "" || slices.ContainsFunc(all, func(x Test) bool { return x.Run == run }) {
			continue
		}
		named := Test{Run: run, Accepted: true, Ecosystem: own[run]}
		for _, x := range found {
			if x.Run == run {
				named.Matches = append(named.Matches, x.Matches...)
			}
		}
		all = append(all, named)
	}
	for _, x := range found {
		if x.Dir != "" || !slices.Contains(accepted, x.Run) {
			all = append(all, x)
		}
	}
	return all
}
