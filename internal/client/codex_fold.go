package client

import (
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// codexFold goes through a turn's lines in their order: the session's, then
// those of each subagent.
type codexFold struct {
	t        agent.Transcript
	subagent string // whose lines they are; empty: the session's
	ids      map[string]bool
	dir      string            // where the client is
	calls    map[string]int    // a call's id to its place in t.Calls
	items    map[string]bool   // calls of whose end the client itself told: what the model was told adds nothing
	running  map[string]string // a process that went on behind, by number, to its call
	plans    map[string][]byte // the arguments of the calls to update_plan
	polls    map[string]string // calls that ask for a process's output, to its number
	threads  []string          // subagents that the lines name
	counted  piton.TokenUsage  // by token_count, which older versions have alone
}

func newCodexFold() *codexFold {
	return &codexFold{
		calls:   map[string]int{},
		items:   map[string]bool{},
		running: map[string]string{},
		plans:   map[string][]byte{},
		polls:   map[string]string{},
	}
}

// turn takes lines that were read backwards, and the client's turns that count.
func (f *codexFold) turn(lines []codexLine, ids map[string]bool) {
	f.ids = ids
	for _, l := range slices.Backward(lines) {
		f.line(l)
	}
}

func (f *codexFold) line(l codexLine) {
	if l.turn != "" && f.ids != nil && !f.ids[l.turn] && l.what != "turn_aborted" {
		return // of an earlier turn
	}
	switch {
	case l.kind == "turn_context":
		if dir := text(member(l.body, "cwd")); dir != "" {
			f.dir = dir
		}
	case l.kind == "token_usage_record":
		f.t.Usage = f.t.Usage.Plus(codexUsage(member(l.body, "usage")))
	case l.what == "token_count":
		f.counted = f.counted.Plus(codexUsage(member(member(l.body, "info"), "last_token_usage")))
	case l.kind == "response_item":
		if f.subagent == "" { // a subagent's may be copies of another thread's
			f.told(l)
		}
	case l.user():
		f.user(l)
	case l.item == "HookPrompt":
		f.t.OwnTextLast = f.t.OwnTextLast || f.subagent == "" && ownText(l.words())
	case l.item == "AgentMessage" || l.what == "agent_message":
		if s := l.words(); f.subagent == "" && strings.TrimSpace(s) != "" {
			f.t.LastOutput, f.t.LastOutputAt = s, l.at
		}
	case l.what == "turn_aborted":
		// A turn that another took the place of was not stopped by a person.
		if reason := text(member(l.body, "reason")); f.subagent == "" && (reason == "interrupted" || reason == "") {
			f.t.Interrupted = l.at
		}
	default:
		f.happened(l)
	}
}

func (f *codexFold) user(l codexLine) {
	words := l.words()
	switch {
	case f.subagent != "":
		// Nobody speaks to a subagent but the agent.
	case agent.Injected(words):
		f.t.OwnTextLast = f.t.OwnTextLast || ownText(words)
	default:
		if idle := l.at.Sub(f.t.Interrupted); !f.t.Interrupted.IsZero() && idle > 0 {
			f.t.Idle += idle
		}
		f.t.Interrupted = time.Time{}
		f.t.LastPrompt, f.t.LastPromptAt = words, l.at
		f.t.OwnTextLast = false
	}
}

// codexUsage counts what was read from the cache once: the client's input
// includes it.
func codexUsage(raw []byte) (u piton.TokenUsage) {
	for key, value := range members(raw) {
		switch string(key) {
		case "input_tokens":
			u.Input = count(value)
		case "cached_input_tokens":
			u.CacheRead = count(value)
		case "cache_write_input_tokens":
			u.CacheWrite = count(value)
		case "output_tokens":
			u.Output = count(value)
		}
	}
	u.Input = max(u.Input-u.CacheRead-u.CacheWrite, 0)
	return u
}

// finish applies what is known at the end only.
func (f *codexFold) finish() agent.Transcript {
	if f.t.Usage == (piton.TokenUsage{}) {
		f.t.Usage = f.counted
	}
	slices.SortStableFunc(f.t.Calls, func(a, b agent.Call) int { return a.StartedAt.Compare(b.StartedAt) })
	return f.t
}
