package codex

import (
	"cmp"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

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
		f.dir = cmp.Or(rawjson.Text(rawjson.Member(l.body, "cwd")), f.dir)
	case l.kind == "token_usage_record":
		f.t.Usage = f.t.Usage.Plus(usageOf(rawjson.Member(l.body, "usage")))
	case l.what == "token_count":
		f.counted = f.counted.Plus(f.count.since(l))
	case l.kind == "response_item":
		if f.subagent == "" || f.own {
			f.fromModel(l)
		}
	case l.user():
		f.user(l)
	case l.item == "HookPrompt":
		f.t.OwnTextLast = f.t.OwnTextLast || f.subagent == "" && client.OwnText(l.words())
	case l.item == "AgentMessage" || l.what == "agent_message":
		if s := l.words(); f.subagent == "" && strings.TrimSpace(s) != "" {
			f.t.Spoke(s, l.at)
		}
	case l.what == "turn_aborted":
		// A turn that another took the place of was not stopped by a person.
		if reason := rawjson.Text(rawjson.Member(l.body, "reason")); f.subagent == "" && (reason == "interrupted" || reason == "") {
			f.t.Interrupted = l.at
		}
	case l.what == "task_complete" || l.what == "turn_complete":
		if failure := rawjson.Member(l.body, "error"); f.subagent == "" && isThere(failure) {
			limit := rawjson.Text(rawjson.Member(failure, "codex_error_info")) == "usage_limit_exceeded"
			f.t.Broke = client.Refused(l.at, rawjson.Text(rawjson.Member(failure, "message")), limit)
		}
	default:
		f.fromClient(l)
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
		client.Prompted(&f.t, words, l.at)
	}
}

// finish applies what is known at the end only.
func (f *fold) finish() agent.Transcript {
	if f.t.Usage == (piton.TokenUsage{}) {
		f.t.Usage = f.counted
	}
	f.withoutCells()
	client.InOrder(f.t.Calls)
	return f.t
}
