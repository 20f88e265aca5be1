// Package agent holds the vocabulary of an agent's work and the pure rules of
// its timers and budget. It does no I/O.
//
// A Session is one conversation of one agent in one project. A person's prompt
// opens a Turn in it. In a turn the agent makes calls (Call); the client's hooks
// report an Event for some of them, and the client's log, read as a Transcript,
// holds all. When the agent wants to end its turn, the stop is decided: the
// agent is held, with a text that asks for what is missing, or let go. The
// Decision records which, and why. A held agent goes on with its turn, at most
// MaxHolds times for each prompt. Where the client reads no answer to a stop, the
// text goes out as a Letter.
//
// The methods of Session that return a Session are its transitions: each
// returns the session as it is after something has happened, and changes nothing
// itself.
package agent

import (
	"strings"
	"time"

	"github.com/piton-project/piton"
)

// Prefix begins every text Piton injects into an agent, the resume brief
// aside; a prompt that begins with it is not the user's (docs/spec.md,
// "Invisible to state").
const Prefix = piton.Mark + " - "

// MaxHolds is how often one human prompt's turn may be held.
const MaxHolds = 2

// Quiet is how long a session without a known process may be silent and still
// counts as alive.
const Quiet = 10 * time.Minute

// Session is one conversation of one agent in one project, with the state of
// its current turn. Nothing of it lives in memory between two events.
type Session struct {
	Identity
	InTurn
	OnHold
	OnPerson
	Remembers
	Saves
	Takeover
	Post
}

// Identity is which conversation of which client it is, and where.
type Identity struct {
	ID            string `redact:"name"`
	Agent         string // "claude"; empty for a caller's own session
	ClientID      string `redact:"name"` // the client's own id of the conversation
	Project       string `redact:"name"` // a project id
	Root          string `redact:"name"` // the project's work tree
	Cwd           string `redact:"name"`
	Transcript    string `redact:"name"` // path
	ClientVersion string
	Process       Process
	StartedAt     piton.Time
	SeenAt        piton.Time // the last event
	EndedAt       piton.Time // zero until the client reports its end
	WorkflowID    string     `redact:"name"` // its own workflow, of type session
	CurrentID     string     `redact:"name"` // the workflow last saved to
	// Run and Step are the step of a run in which it works; empty: none.
	Run  string `json:",omitempty" redact:"name"`
	Step string `json:",omitempty" redact:"name"`
	// Adopted: an import found its log where its client does not look for it, or only what
	// it had told: its client cannot go on with it.
	Adopted bool `json:",omitempty"`
	// Damaged: what the store holds of it cannot be read, and the other fields are
	// missing. Only a list of sessions has such a one.
	Damaged bool `json:"-"`
}

// InTurn is the turn that it works at, or the last one.
type InTurn struct {
	Turn     int  // counts human prompts that opened a turn
	TurnOpen bool // not yet ended by a stop that was let through
	// Asked is the person's prompt as the client named it at the last stop; redacted,
	// cut; empty for clients that do not name it.
	Asked          string `json:",omitempty"`
	LastToolUseAt  piton.Time
	FirstToolUseAt piton.Time       // of the turn, recorded once; restarts after a hold (timer: activity)
	IdleMS         int64            // time of the open turn that was not work
	Usage          piton.TokenUsage // of the turns before this one
	TurnUsage      piton.TokenUsage // of this turn, as of its last stop
	// WorkedAt is the last edit or command that a hook reported as done: evidence of
	// work where the log cannot be read.
	WorkedAt piton.Time `json:",omitzero"`
	// PromptedAt is the time of the person's newest prompt that was counted. Heard:
	// hooks report its prompts or stops, so none is looked for in the transcript.
	PromptedAt piton.Time
	Heard      bool `json:",omitempty"`
}

// OnHold is how it was held.
type OnHold struct {
	Holds int // since the last human prompt
	// HeldBefore is how many holds came before prompts that may not be a person's.
	// If they are not, those holds count again (see Continued).
	HeldBefore int `json:",omitempty"`
	// HeldSum is of all of the agent's last words at the last hold.
	HeldSum        string     `json:",omitempty"`
	LastCheckpoint piton.Time // the last hold
	LastFeedback   string     // the last output, redacted, cut
	FeedbackSum    string     `json:",omitempty"` // of all of the last output
	HeldIdleMS     int64      // what of InTurn.IdleMS lay before the last hold
}

// OnPerson is what it waits for, if it waits for anything.
type OnPerson struct {
	Notified     bool       // a person is waited for; only a person's input clears it
	NotifiedAt   piton.Time `json:",omitzero"`
	WaitingSince piton.Time // for a person's permission
	Question     bool       `json:",omitempty"` // it is an answer that it waits for since then
	Broke        Break      `json:",omitzero"`  // the turn stands still
}

// Remembers is what of the conversation the next turn needs.
type Remembers struct {
	LastMessage   string // redacted, cut
	LastMessageAt piton.Time
	// Outputs are the last words of its subagents, by their role; redacted,
	// cut.
	Outputs map[string]string
	// Seen are the files that earlier turns have shown or edited, kept at the end of
	// each. SeenAll: they are all that the conversation has seen; else nothing can
	// be said of a file that is not among them.
	Seen    Seen `json:",omitempty"`
	SeenAll bool `json:",omitempty"`
}

// Saves is when hooks saved its state.
type Saves struct {
	SavedAt  piton.Time                   // the last automatic checkpoint
	SavedFor map[piton.Trigger]piton.Time `json:",omitempty"` // the last automatic checkpoint of each limited trigger
}

// Takeover is what its work leaves open, and what passes from one session to another.
type Takeover struct {
	Offered bool `json:",omitempty"` // it was told of unfinished work
	// Offer is the checkpoint of the unfinished work that its agent was told of, until
	// it takes that work over or ends a turn without it.
	Offer string `json:",omitempty" redact:"name"`
	// Open is what its work leaves open, as of its last stop; what it took over from
	// other work counts from then on.
	Open []Need `json:",omitempty"`
	// Took is the work that it has taken over; nil: none, or it is finished.
	Took *Took `json:",omitempty"`
	// TakenBy is the session that has taken over the work of this one.
	TakenBy string `json:",omitempty" redact:"name"`
}

// Post is what is to be said to its agent or its person, and the way there.
type Post struct {
	Owed     string `json:",omitempty"`               // what its agent is to be told with the next prompt
	Troubled bool   `json:",omitempty"`               // the person was told what of the project's settings does not count
	Waiting  string `json:",omitempty" redact:"name"` // the letter that holds it, on its way
	// Pane is where its client runs, as far as a person has said; nil: nobody has.
	Pane *Pane `json:",omitempty"`
	// Restarted is the letter with the debrief after a restart, until it has arrived.
	Restarted string `json:",omitempty" redact:"name"`
	// Typing is the letter that is being handed to its client, since TypingAt: from
	// then on nobody knows whether it arrives, until the client reports it.
	Typing   string     `json:",omitempty" redact:"name"`
	TypingAt piton.Time `json:",omitzero"`
}

// Took is work of another session that a session has taken over by resuming a
// checkpoint of it.
type Took struct {
	Checkpoint string `redact:"name"`
	Workflow   string `redact:"name"`
	Session    string `json:",omitempty" redact:"name"` // whose it was; empty for none
	Task       string // redacted, cut
	At         piton.Time
	Worked     bool `json:",omitempty"` // files were changed since, or a check was run
	Asked      bool `json:",omitempty"` // what it left open is part of Session.Open
}

// Takes returns the session after it has resumed work of another one. An offer
// is answered by that, whichever work it was of: the person has chosen.
func (s Session) Takes(t Took) Session {
	s.Took, s.Offer = &t, ""
	return s
}

// Timer is the policy that says when a turn is long enough to be looked at.
type Timer string

// The two policies (docs/spec.md, "Timer").
const (
	TimerUnified  Timer = "unified"
	TimerActivity Timer = "activity"
)

// TurnStart is the moment the current stretch of work began: for the unified
// timer the newer of the last real message and the last hold, for the activity
// timer the first tool use since. Zero: there is none, nothing is held.
func (s Session) TurnStart(t Timer) piton.Time {
	if t == TimerActivity {
		return s.FirstToolUseAt
	}
	if s.LastCheckpoint.After(s.LastMessageAt.Time) {
		return s.LastCheckpoint
	}
	return s.LastMessageAt
}

// Elapsed is the work done since TurnStart, without the time spent waiting.
func (s Session) Elapsed(t Timer, now time.Time) time.Duration {
	start := s.TurnStart(t)
	if start.IsZero() {
		return 0
	}
	// Idle time belongs to the turn; a hold begins a new stretch in it.
	idle := time.Duration(max(s.IdleMS-s.HeldIdleMS, 0)) * time.Millisecond
	return max(now.Sub(start.Time)-idle, 0)
}

// Worked is the work done in the whole turn, holds or not.
func (s Session) Worked(now time.Time) time.Duration {
	if s.LastMessageAt.IsZero() {
		return 0
	}
	return max(now.Sub(s.LastMessageAt.Time)-time.Duration(s.IdleMS)*time.Millisecond, 0)
}

// Due reports whether the turn has lasted long enough to be looked at. One that was
// held was, and has not become shorter since.
func (s Session) Due(t Timer, now time.Time, least time.Duration) bool {
	held := !s.LastCheckpoint.IsZero()
	return !s.TurnStart(t).IsZero() && (held || s.Elapsed(t, now) >= least)
}

// Prompted returns the session after a real user message (docs/spec.md,
// "Timer"). Inside an open turn only the message and the budget change.
func (s Session) Prompted(text string, now piton.Time) Session {
	s.HeldBefore = max(s.HeldBefore, s.Holds)
	s.LastMessage = text
	s.PromptedAt = now
	s.Holds = 0
	s.Waiting, s.Broke = "", Break{} // a person's words are newer
	s.Notified, s.NotifiedAt = false, piton.Time{}
	if s.TurnOpen {
		return s
	}
	s.Turn++
	s.TurnOpen = true
	s.LastMessageAt = now
	s.LastCheckpoint, s.LastToolUseAt, s.FirstToolUseAt = piton.Time{}, piton.Time{}, piton.Time{}
	s.WaitingSince, s.IdleMS, s.HeldIdleMS = piton.Time{}, 0, 0
	s.Usage, s.TurnUsage = s.Usage.Plus(s.TurnUsage), piton.TokenUsage{}
	return s
}

// Continued returns the session at a stop whose client names the person's
// prompt that the turn began with. Another hook that denies a stop puts its words
// in a person's place; such a prompt renews no budget. So the budget is renewed
// only by a prompt that the client names now and did not name at the stop before,
// or that was given once more in the same words. Piton's own words are no
// person's either, so they do not become the last message. asked is empty where
// the client does not say.
func (s Session) Continued(asked string) Session {
	if asked == "" && s.Asked == "" || s.LastMessageAt.IsZero() {
		return s // this client never says, or no turn has begun
	}
	ours := s.Echoes(asked)
	// A hook may have added to what was said.
	near := strings.HasPrefix(asked, s.LastMessage) || strings.HasPrefix(s.LastMessage, asked)
	persons := asked == s.LastMessage || asked != s.Asked && (near || s.Asked != "")
	if asked == "" || ours || !persons {
		s.Holds = max(s.Holds, s.HeldBefore)
	}
	s.HeldBefore = 0
	if asked == "" || ours {
		return s
	}
	if !near {
		s.LastMessage = asked
	}
	s.Asked = asked
	return s
}

// Echoes reports whether a prompt holds Piton's own words: it begins with them,
// or the agent was held and they stand anywhere in it, joined to another hook's
// or quoted.
func (s Session) Echoes(prompt string) bool {
	held := s.Holds > 0 || s.Asked != "" && s.HeldBefore > 0
	return Injected(prompt) || s.TurnOpen && held && strings.Contains(prompt, strings.TrimSpace(Prefix))
}

// Used returns the session after a tool use.
func (s Session) Used(now piton.Time) Session {
	s.LastToolUseAt = now
	if s.FirstToolUseAt.IsZero() {
		s.FirstToolUseAt = now
	}
	return s
}

// Held returns the session after a stop that was held; idle is what of the
// turn was not work beyond IdleMS, which only a transcript tells.
func (s Session) Held(now piton.Time, idle time.Duration) Session {
	s.Holds++
	s.LastCheckpoint = now
	s.HeldIdleMS = s.IdleMS + idle.Milliseconds()
	s.FirstToolUseAt = piton.Time{}
	return s
}

// Posted returns the session after a hold that goes out as a letter: it counts
// now, and its time begins when it has arrived (see Arrived). idle is Held's.
func (s Session) Posted(letter string, idle time.Duration) Session {
	s.Holds++
	s.HeldIdleMS = s.IdleMS + idle.Milliseconds()
	s.Waiting = letter
	return s
}

// Arrived returns the session after its hold's letter was delivered.
func (s Session) Arrived(now piton.Time) Session {
	s.Waiting = ""
	s.LastCheckpoint = now
	s.FirstToolUseAt = piton.Time{}
	return s
}

// Settled returns the session after a letter of it is done: the time of a hold
// begins when it has arrived, and so does that of a debrief after a restart.
func (s Session) Settled(l Letter, delivered bool, now piton.Time) Session {
	if s.Restarted == l.ID {
		s.Restarted = ""
	}
	if s.Typing == l.ID {
		s.Typing, s.TypingAt = "", piton.Time{}
	}
	switch {
	case l.To != "":
	case s.Waiting == l.ID && delivered:
		return s.Arrived(now)
	case s.Waiting == l.ID:
		s.Waiting = ""
	case l.Kind == LetterHold && delivered: // it has crossed a person's prompt, and counts in that one's budget
		s.Holds = min(s.Holds+1, MaxHolds)
	case l.Kind == LetterRestart && delivered:
		s.LastCheckpoint, s.FirstToolUseAt = now, piton.Time{}
	}
	return s
}

// Stopped returns the session after a stop that was let through. sum is of all of
// the output, which is kept cut.
func (s Session) Stopped(output, sum string, now piton.Time) Session {
	s.TurnOpen = false
	s.LastFeedback, s.FeedbackSum = output, sum
	s.SeenAt = now
	s.Notified, s.NotifiedAt = true, now
	return s
}

// Waited returns the session with the time it waited for a person's permission
// taken out of the work; took is what of it was no such wait: how long the tool
// itself ran, say.
func (s Session) Waited(now piton.Time, took time.Duration) Session {
	if !s.WaitingSince.IsZero() {
		s.IdleMS += max(now.Sub(s.WaitingSince.Time)-took, 0).Milliseconds()
		s.WaitingSince = piton.Time{}
	}
	return s
}

// BudgetLeft is how many holds this prompt's turn still has.
func (s Session) BudgetLeft() int { return max(MaxHolds-s.Holds, 0) }

// Injected reports whether a prompt is Piton's own text or a machine's message,
// after white space and the wrappers that clients put around it.
func Injected(prompt string) bool {
	p := strings.TrimSpace(prompt)
	ours := func() bool {
		return strings.HasPrefix(p, strings.TrimSpace(Prefix)) || strings.HasPrefix(p, "<task-notification>") || fromTeammate(p)
	}
	for !ours() {
		rest, reminder := strings.CutPrefix(p, "<system-reminder>")
		switch {
		case reminder && strings.HasPrefix(strings.TrimSpace(rest), strings.TrimSpace(Prefix)):
			return true
		case reminder:
			// A machine's words; what a person has said stands behind them.
			said, behind, closed := strings.Cut(rest, "</system-reminder>")
			if p = strings.TrimSpace(behind); !closed {
				p = strings.TrimSpace(said)
			}
			if p == "" {
				return true
			}
		case strings.HasPrefix(p, "Stop hook feedback:"):
			p = strings.TrimSpace(strings.TrimPrefix(p, "Stop hook feedback:"))
		case strings.HasPrefix(p, "<hook_prompt"), strings.HasPrefix(p, "<hook_context"):
			// What a hook said; what a person has said stands behind it.
			_, rest, closed := strings.Cut(p, ">")
			said, behind, _ := strings.Cut(rest, "</hook_")
			_, behind, _ = strings.Cut(behind, ">")
			if p = strings.TrimSpace(behind); p == "" {
				p = strings.TrimSpace(said)
			}
			if !closed {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// fromTeammate reports whether a prompt is what one of the agent's own team has
// sent it. What the team's lead sends is the task of a teammate: there it stands
// in a person's place.
func fromTeammate(prompt string) bool {
	rest, ok := strings.CutPrefix(prompt, "<teammate-message ")
	return ok && !strings.HasPrefix(rest, `teammate_id="team-lead"`)
}

// Turn is what is kept of a turn's beginning.
type Turn struct {
	SessionID string `redact:"name"`
	N         int
	StartedAt piton.Time
	EndedAt   piton.Time
	Baseline  []byte `redact:"name"` // what git called changed when it began; nil: not seen
}
