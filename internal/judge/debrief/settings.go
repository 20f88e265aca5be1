package debrief

import (
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
	Besides           []string // commands that an untrusted project's file names for its tests: asked for besides
	Verify            []Verify // what Piton runs itself; from trusted settings only
}

// Verify is a command that Piton runs at a stop, in the work tree's root.
type Verify struct {
	Run     string        // for sh -c
	Files   []string      // globs; it runs where one of the agent's files fits; nil: any
	Timeout time.Duration // 0: a minute
}

// ModeOf is the mode that is in force for an agent.
func (s Settings) ModeOf(agent string) string {
	if m := s.Agents[agent]; m != "" {
		return m
	}
	return s.Mode
}

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
