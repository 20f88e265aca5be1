package codex

import (
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// events are the client's events that mean something to Piton. A compaction is
// told before it happens, and a request to the model not at all.
var events = map[string]agent.EventKind{
	"SessionStart":      agent.EventSessionStart,
	"UserPromptSubmit":  agent.EventPrompt,
	"PreToolUse":        agent.EventToolUse,
	"PostToolUse":       agent.EventToolDone,
	"PermissionRequest": agent.EventPermissionRequest,
	"Stop":              agent.EventStop,
	"Interrupt":         agent.EventInterrupt,
	"SubagentStart":     agent.EventSubagentStart,
	"SubagentStop":      agent.EventSubagentStop,
	"PreCompact":        agent.EventPreCompact,
	"SessionEnd":        agent.EventSessionEnd,
}

// Decode reads a hook's payload, or notify's. Hooks may run in a process that
// all sessions share, so the environment says nothing of this one: only where
// the client keeps its files is read from it, and only for notify.
func (c Client) Decode(b []byte, getenv func(string) string) (agent.Event, error) {
	p, whole := client.ReadPayload(b)
	if !whole {
		return agent.Event{}, client.ErrTorn("Codex hands a hook one JSON object on its standard input, and notify one as the last argument.")
	}
	if p.Event == "" && p.Kind == "agent-turn-complete" {
		return notified(p, getenv), nil
	}
	e := p.As(c.Name(), events[p.Event])
	e.Child = true // the terminal's own process starts them, where no server does (Program.Server)
	if e.Subagent != "" && strings.Contains(e.Transcript, e.Subagent) {
		e.Transcript = "" // the subagent's own, not the session's
	}
	switch e.Kind {
	case agent.EventStop:
		e.Background = runningOf(e.Transcript)
	case agent.EventToolUse, agent.EventToolDone:
		e.Call = toolKind(e.Tool)
		switch e.Call {
		case agent.CallShell:
			e.Command = commandLine(rawjson.Member(p.Input, "command"))
		case agent.CallEdit:
			e.Paths, _ = patchedFiles(rawjson.Text(rawjson.Member(p.Input, "command")), e.Cwd)
			exit := readAnswer(p.Response).exit
			e.Failed = exit != nil && *exit != 0
		}
	}
	return e, nil
}

// notified is the end of a turn by notify. It comes for subagents and for the
// hidden thread that finds a title too, so only a thread that has a log of its
// own, and is nobody's subagent, counts. Its input-messages hold the whole
// conversation and are left alone.
func notified(p client.Payload, getenv func(string) string) agent.Event {
	e := agent.Event{Agent: Client{}.Name()}
	path, ok := findRollout(sessionsFolder(getenv), p.Thread)
	if !ok {
		return e
	}
	if head, err := readHead(path); err != nil || head.id != p.Thread || head.subagent() {
		return e
	}
	e.Kind, e.Unheard = agent.EventStop, true
	e.ClientID, e.Transcript = p.Thread, path
	e.Cwd, e.LastOutput = p.Cwd, p.Told
	e.Background = runningOf(path)
	return e
}
