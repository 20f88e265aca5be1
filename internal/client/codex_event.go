package client

import (
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// codexKind names the client's events that mean something to Piton. A
// compaction is told before it happens, and a request to the model not at all.
func codexKind(event string) agent.EventKind {
	switch event {
	case "SessionStart":
		return agent.EventSessionStart
	case "UserPromptSubmit":
		return agent.EventPrompt
	case "PreToolUse":
		return agent.EventToolUse
	case "PostToolUse":
		return agent.EventToolDone
	case "PermissionRequest":
		return agent.EventPermissionRequest
	case "Stop":
		return agent.EventStop
	case "Interrupt":
		return agent.EventInterrupt
	case "SubagentStart":
		return agent.EventSubagentStart
	case "SubagentStop":
		return agent.EventSubagentStop
	case "PreCompact":
		return agent.EventPreCompact
	case "SessionEnd":
		return agent.EventSessionEnd
	}
	return ""
}

// Decode reads a hook's payload, or notify's. Hooks may run in a process that
// all sessions share, so the environment says nothing of this one: only where
// the client keeps its files is read from it, and only for notify.
func (c Codex) Decode(b []byte, getenv func(string) string) (agent.Event, error) {
	p, whole := readPayload(b)
	if !whole {
		return agent.Event{}, torn("Codex hands a hook one JSON object on its standard input, and notify one as the last argument.")
	}
	if p.event == "" && p.kind == "agent-turn-complete" {
		return codexNotified(p, getenv), nil
	}
	e := p.as(c.Name(), codexKind(p.event))
	if e.Subagent != "" && strings.Contains(e.Transcript, e.Subagent) {
		e.Transcript = "" // the subagent's own, not the session's
	}
	switch e.Kind {
	case agent.EventStop:
		e.Background = codexRunning(e.Transcript)
	case agent.EventToolUse, agent.EventToolDone:
		e.Call = codexTool(e.Tool)
		switch {
		case e.Kind == agent.EventToolUse && e.Call == agent.CallShell:
			e.Command = codexCommand(member(p.input, "command"))
		case e.Kind == agent.EventToolDone && e.Call == agent.CallEdit:
			if a := readCodexAnswer(p.response); a.exit == nil || *a.exit == 0 {
				e.Paths, _ = codexPatched(text(member(p.input, "command")), e.Cwd)
			}
		}
	}
	return e, nil
}

// codexNotified is the end of a turn by notify. It comes for subagents and for the
// hidden thread that finds a title too, so only a thread that has a log of its
// own, and is nobody's subagent, counts. Its input-messages hold the whole
// conversation and are left alone.
func codexNotified(p hookPayload, getenv func(string) string) agent.Event {
	e := agent.Event{Agent: Codex{}.Name()}
	path, ok := codexRollout(codexSessions(getenv), p.thread)
	if !ok {
		return e
	}
	if head, err := readCodexHead(path); err != nil || head.id != p.thread || head.subagent() {
		return e
	}
	e.Kind, e.Unheard = agent.EventStop, true
	e.ClientID, e.Transcript = p.thread, path
	e.Cwd, e.LastOutput = p.cwd, p.told
	e.Background = codexRunning(path)
	return e
}
