package turn

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/store"
)

// maxAnnounced bounds what a listener is told of an agent's output, in bytes.
const maxAnnounced = 8 << 10

// output is what an agent has said last.
type output struct {
	text string // without secrets, cut
	kept string // the beginning of it, as the session keeps it
	sum  string // tells it from another; of what is clean
}

// outputOf reads the last output of a stop.
func outputOf(said string) output {
	text := cut(said, maxAnnounced)
	return output{text, piton.Cut(text, maxMessage), strconv.Itoa(len(said)) + "." + fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d:%s", len(said), text)))[:16]}
}

// afterHeld is what an agent has said since it was held, where its client tells a stop
// all that was said since the prompt; held is the sum of what was said by then. All of it,
// where nothing came after it, or something else was said then.
func afterHeld(said, held string) string {
	n, err := strconv.Atoi(strings.SplitN(held, ".", 2)[0])
	if err != nil || n <= 0 || n >= len(said) || outputOf(said[:n]).sum != held {
		return said
	}
	return cmp.Or(strings.TrimSpace(said[n:]), said)
}

// occasion is what an event has left, as listeners may be told of it.
type occasion struct {
	event    agent.Event
	logged   store.LogEvent // without a kind the event itself is not announced
	at       piton.Time
	session  agent.Session
	decision *agent.Decision
	said     *output // at a real stop: something new
}

// letters are those that tell the listeners of an occasion (docs/spec.md,
// "Announcements"): of the event itself, where it is announced, of a hold, and of a
// real stop at which the agent has said something new.
func (x occasion) letters(listeners []agent.Listener) (list []agent.Letter) {
	if len(listeners) == 0 {
		return nil
	}
	tell := func(kind agent.EventKind, text string) {
		n := agent.News{Event: kind, At: x.at, Turn: x.session.Turn, Text: text, Tool: inline(cut(x.event.Tool, maxRole))}
		for _, l := range listeners {
			if l.Hears(kind) {
				list = append(list, letterTo(l, x.session, n))
			}
		}
	}
	switch d := x.decision; {
	case d != nil && d.Held:
		tell(agent.EventHeld, heldFor(*d))
		return list
	case d != nil && d.Reason.LeavesOpen():
		return nil // the turn goes on
	case x.said != nil:
		tell(agent.EventAnnouncement, x.said.text)
	}
	if kind := agent.EventKind(x.logged.Kind); kind != "" && x.isTold(kind) {
		tell(kind, x.inWords(kind))
	}
	return list
}

// isTold reports whether an event is told as what its kind says: a prompt is a
// person's, and what begins or ends is the agent's own turn or session, not that
// of a subagent.
func (x occasion) isTold(kind agent.EventKind) bool {
	switch kind {
	case agent.EventPrompt:
		return x.session.PromptedAt == x.logged.At
	case agent.EventStop, agent.EventStopFailed, agent.EventSessionStart, agent.EventSessionEnd:
		return x.event.Subagent == ""
	}
	return true
}

// heldFor says why an agent was held.
func heldFor(d agent.Decision) string {
	if len(d.Actions) == 0 {
		return cut(d.Message, maxMessage)
	}
	return cut("The agent was held: "+strings.Join(d.Actions, " "), maxMessage)
}

// letterTo is one piece of news for one listener. What tools do comes so often that
// the newest stands for those before it that still wait.
func letterTo(l agent.Listener, s agent.Session, n agent.News) agent.Letter {
	body, _ := marshal(n) // texts and numbers are always JSON
	x := agent.Letter{
		ID: piton.NewID(piton.LetterPrefix), SessionID: s.ID, To: agent.ToListener(l.Name), Kind: agent.LetterEvent, Critical: n.Event.Critical(), Due: n.At, Body: string(body),
	}
	switch {
	case n.Event == agent.EventAnnouncement:
		x.Kind, x.Expires = agent.LetterAnnounce, piton.At(n.At.Add(agent.AnnouncementLasts))
	case !x.Critical:
		x.Expires = piton.At(n.At.Add(agent.EventLasts))
	}
	if n.Event == agent.EventToolDone {
		x.Key = string(n.Event)
	}
	return x
}

// inWords says what the event is, for a person who hears or reads nothing else.
func (x occasion) inWords(kind agent.EventKind) string {
	e := x.event
	tool := inline(cut(e.Tool, maxRole))
	switch kind {
	case agent.EventStop:
		return cmp.Or(cut(e.LastOutput, maxAnnounced), "The turn is over.")
	case agent.EventStopFailed:
		if b := x.session.Broke; b.Wait == agent.WaitLimit {
			until := ""
			if !b.Until.IsZero() {
				until = " until " + b.Until.String()
			}
			return "The API takes no requests" + until + ". 'piton' says which other client can go on with the work."
		}
		return "The turn ended with an error of the API: " + cmp.Or(cut(e.Error, maxMessage), "no reason was given") + "."
	case agent.EventPermissionRequest:
		if tool == "" {
			return cmp.Or(cut(e.Message, maxMessage), "Your permission is needed.")
		}
		return "Your permission is needed for " + tool + "."
	case agent.EventNotification:
		return cmp.Or(cut(e.Message, maxMessage), "You are asked for.")
	case agent.EventPrompt:
		return x.session.LastMessage
	case agent.EventSessionStart:
		return "The session begins" + because(e.Source) + "."
	case agent.EventSessionEnd:
		return "The session has ended" + because(e.Source) + "."
	case agent.EventToolDone:
		if len(e.Paths) > 0 && !e.Failed {
			return tool + ": " + inline(cut(filepath.Base(e.Paths[0]), maxRole))
		}
		return tool + " is done."
	case agent.EventInterrupt:
		return "The agent was interrupted."
	case agent.EventPreCompact:
		return "The conversation is about to be compacted."
	}
	said := handoff(e)
	if said == "" {
		return string(kind)
	}
	return strings.ToUpper(said[:1]) + said[1:] + "."
}

func because(source string) string {
	if source == "" {
		return ""
	}
	return " (" + inline(cut(source, maxRole)) + ")"
}

// handoff says what a subagent's beginning or end is; "" for other events.
func handoff(e agent.Event) string {
	who := ""
	if role := cut(cmp.Or(e.Role, e.Subagent), maxRole); role != "" {
		who = " " + inline(role)
	}
	switch e.Kind {
	case agent.EventSubagentStart:
		return "work passes to the subagent" + who
	case agent.EventSubagentStop:
		return "the subagent" + who + " is done"
	}
	return ""
}
