package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
)

// Listener is what a person wants to be told through: a program, or a server that
// takes webhooks (docs/spec.md, "Announcements"). Exactly one of Command and
// Webhook is set. Its yaml names are the keys of the settings (docs/config.md).
type Listener struct {
	Name    string   `yaml:"name"`
	Command []string `yaml:"command"` // a program and its arguments
	// Webhook is a URL. It and Secret may hold ${env:NAME}, which is replaced only
	// when a message is sent: neither is ever kept or shown.
	Webhook    string        `yaml:"webhook"`
	Events     []EventKind   `yaml:"events"` // what it is told; EventAnnouncement alone when empty
	Secret     string        `yaml:"secret"` // signs webhooks
	SecretFile string        `yaml:"secret_file"`
	Summary    []string      `yaml:"summary"` // a program that shortens what an agent has said
	Timeout    time.Duration `yaml:"timeout"` // of one try; DefaultListenerTimeout when 0
	Off        bool          `yaml:"off"`     // nothing is sent to it
}

// How long one try to tell a listener may take, where its settings do not say, and
// at most: a letter is taken for a minute.
const (
	DefaultListenerTimeout = 30 * time.Second
	MaxListenerTimeout     = 45 * time.Second
)

// What a listener can be told beside what hooks report.
const (
	EventAnnouncement EventKind = "announcement" // an agent has ended its turn, and said something new
	EventHeld         EventKind = "agent_held"   // an agent was held at a stop
	EventRunStarted   EventKind = "run_started"  // a run has begun, or goes on
	EventRunWaiting   EventKind = "run_waiting"  // a run waits for a person
	EventRunEnded     EventKind = "run_ended"    // a run is over, or has stopped
)

// Heard lists all that a listener can be told.
var Heard = []EventKind{
	EventAnnouncement, EventStop, EventHeld, EventStopFailed, EventNotification, EventPermissionRequest, EventPrompt, EventSessionStart, EventSessionEnd,
	EventToolDone, EventSubagentStart, EventSubagentStop, EventInterrupt, EventPreCompact, EventRunStarted, EventRunWaiting, EventRunEnded,
}

// Hears reports whether a listener is told of an event.
func (l Listener) Hears(kind EventKind) bool {
	if l.Off {
		return false
	}
	if len(l.Events) == 0 {
		return kind == EventAnnouncement
	}
	return slices.Contains(l.Events, kind)
}

// Limit is how long one try to tell it may take.
func (l Listener) Limit() time.Duration {
	if l.Timeout <= 0 {
		return DefaultListenerTimeout
	}
	return l.Timeout
}

// Expand puts the variables in the place of each ${env:NAME} of a text, and names
// those that are empty or not set.
func Expand(text string, getenv func(string) string) (filled string, missing []string) {
	const opening = "${env:"
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, opening)
		name, behind, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return b.String() + text, missing
		}
		value := getenv(name)
		if value == "" {
			missing = append(missing, name)
		}
		b.WriteString(before + value)
		text = behind
	}
}

// How long what is written for a listener is worth being delivered. What is
// critical stays until it is delivered or parked.
const (
	AnnouncementLasts = 5 * time.Minute
	EventLasts        = 24 * time.Hour
)

// Critical reports whether an event is never dropped: somebody has to act on it.
func (k EventKind) Critical() bool {
	switch k {
	case EventHeld, EventStopFailed, EventPermissionRequest, EventRunWaiting:
		return true
	}
	return false
}

// Kinds of letters to listeners. Their body is News.
const (
	LetterAnnounce LetterKind = "announce" // what an agent has said at the end of its turn
	LetterEvent    LetterKind = "event"    // anything else that a listener hears
)

// News is the body of a letter for a listener.
type News struct {
	Event EventKind  `json:"event"`
	At    piton.Time `json:"at"`
	Turn  int        `json:"turn,omitempty"`
	Text  string     `json:"text"`              // what was said, or what has happened, in words; redacted, cut
	Tool  string     `json:"tool,omitempty"`    // tool_done, permission_request
	Run   string     `json:"run_id,omitempty"`  // run events; what a session says belongs to the session's run
	Step  string     `json:"step_id,omitempty"` // run_waiting
}

// What a listener's command finds in its environment beside ours. RunEnv is the run that
// a message is about, and empty where it is about none.
const (
	LetterEnv   = "PITON_LETTER_ID" // the same at a second try
	ListenerEnv = "PITON_LISTENER"  // its name
	EventEnv    = "PITON_EVENT"
	TextEnv     = "PITON_TEXT"  // what stdin has too
	TitleEnv    = "PITON_TITLE" // whose words they are: the client and the project's folder
	SessionEnv  = "PITON_SESSION_ID"
	AgentEnv    = "PITON_AGENT"
	RootEnv     = "PITON_ROOT" // the work tree
)

// ListenerVariables are their names.
var ListenerVariables = []string{LetterEnv, ListenerEnv, EventEnv, TextEnv, TitleEnv, SessionEnv, AgentEnv, RootEnv, RunEnv}
