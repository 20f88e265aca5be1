package codex

import (
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// fold goes through a turn's lines in their order: the session's, then
// those of each subagent.
type fold struct {
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

func newFold() *fold {
	return &fold{
		calls:   map[string]int{},
		items:   map[string]bool{},
		running: map[string]string{},
		plans:   map[string][]byte{},
		polls:   map[string]string{},
	}
}

// turn takes lines that were read backwards, and the client's turns that count.
func (f *fold) turn(lines []line, ids map[string]bool) {
	f.ids = ids
	for _, l := range slices.Backward(lines) {
		f.line(l)
	}
}

func (f *fold) line(l line) {
	if l.turn != "" && f.ids != nil && !f.ids[l.turn] && l.what != "turn_aborted" {
		return // of an earlier turn
	}
	switch {
	case l.kind == "turn_context":
		if dir := rawjson.Text(rawjson.Member(l.body, "cwd")); dir != "" {
			f.dir = dir
		}
	case l.kind == "token_usage_record":
		f.t.Usage = f.t.Usage.Plus(usageOf(rawjson.Member(l.body, "usage")))
	case l.what == "token_count":
		f.counted = f.counted.Plus(usageOf(rawjson.Member(rawjson.Member(l.body, "info"), "last_token_usage")))
	case l.kind == "response_item":
		if f.subagent == "" { // a subagent's may be copies of another thread's
			f.told(l)
		}
	case l.user():
		f.user(l)
	case l.item == "HookPrompt":
		f.t.OwnTextLast = f.t.OwnTextLast || f.subagent == "" && client.OwnText(l.words())
	case l.item == "AgentMessage" || l.what == "agent_message":
		if s := l.words(); f.subagent == "" && strings.TrimSpace(s) != "" {
			f.t.LastOutput, f.t.LastOutputAt = s, l.at
		}
	case l.what == "turn_aborted":
		// A turn that another took the place of was not stopped by a person.
		if reason := rawjson.Text(rawjson.Member(l.body, "reason")); f.subagent == "" && (reason == "interrupted" || reason == "") {
			f.t.Interrupted = l.at
		}
	default:
		f.happened(l)
	}
}

func (f *fold) user(l line) {
	words := l.words()
	switch {
	case f.subagent != "":
		// Nobody speaks to a subagent but the agent.
	case agent.Injected(words):
		f.t.OwnTextLast = f.t.OwnTextLast || client.OwnText(words)
	default:
		if idle := l.at.Sub(f.t.Interrupted); !f.t.Interrupted.IsZero() && idle > 0 {
			f.t.Idle += idle
		}
		f.t.Interrupted = time.Time{}
		f.t.LastPrompt, f.t.LastPromptAt = words, l.at
		f.t.OwnTextLast = false
	}
}

// usageOf counts what was read from the cache once: the client's input
// includes it.
func usageOf(raw []byte) (u piton.TokenUsage) {
	for key, value := range rawjson.Members(raw) {
		switch string(key) {
		case "input_tokens":
			u.Input = rawjson.Count(value)
		case "cached_input_tokens":
			u.CacheRead = rawjson.Count(value)
		case "cache_write_input_tokens":
			u.CacheWrite = rawjson.Count(value)
		case "output_tokens":
			u.Output = rawjson.Count(value)
		}
	}
	u.Input = max(u.Input-u.CacheRead-u.CacheWrite, 0)
	return u
}

// finish applies what is known at the end only.
func (f *fold) finish() agent.Transcript {
	if f.t.Usage == (piton.TokenUsage{}) {
		f.t.Usage = f.counted
	}
	slices.SortStableFunc(f.t.Calls, func(a, b agent.Call) int { return a.StartedAt.Compare(b.StartedAt) })
	return f.t
}
