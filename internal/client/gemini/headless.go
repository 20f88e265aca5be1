package gemini

import (
	"cmp"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// HeadlessCommand: without a terminal the tools that would ask are not there
// (0.61.0), so the modes say what it may do. Plan mode would give the model another
// task; the mode that asks is the one that reads.
func (g Client) HeadlessCommand(t client.Task) []string {
	isID := client.SafeID(t.Session) && g.ResumeCommand(t.Session) != nil
	if (t.Resume || t.Session != "") && !isID {
		return nil
	}
	argv := []string{"gemini", "--output-format", "stream-json"}
	switch {
	case t.Resume:
		argv = append(argv, "--resume", t.Session)
	case t.Session != "":
		argv = append(argv, "--session-id", t.Session)
	}
	mode := cmp.Or(map[client.Rights]string{client.Read: "default", client.Full: "yolo"}[t.Rights], "auto_edit")
	argv = append(argv, "--approval-mode", mode)
	if len(t.Tools) > 0 {
		argv = append(argv, "--allowed-tools="+strings.Join(t.Tools, ","))
	}
	if t.Model != "" {
		argv = append(argv, "--model="+t.Model)
	}
	return append(argv, t.Args...)
}

// RunsCommands: without a terminal a tool that would ask is not there.
func (Client) RunsCommands(t client.Task) bool {
	named := func(tool string) bool { return strings.HasPrefix(tool, "run_shell_command") || tool == "ShellTool" }
	return t.Rights == client.Full || slices.ContainsFunc(t.Tools, named) || len(t.Args) > 0
}

// TakesID: --session-id.
func (Client) TakesID() bool { return true }

// PricesItself: it tells tokens only.
func (Client) PricesItself() bool { return false }

// LogOf is a session's log: its name has the id's beginning.
func (Client) LogOf(clientID string) string {
	if !client.SafeID(clientID) || len(clientID) < 8 {
		return ""
	}
	return "tmp/*/chats/session-*-" + clientID[:8] + ".jsonl"
}

// Marks were seen in the environment of hooks and commands.
func (g Client) Marks() []string {
	return []string{"GEMINI_CLI", g.SessionEnv(), "GEMINI_PROJECT_DIR", "GEMINI_CWD"}
}

// Refused reads what 0.61.0 says.
func (Client) Refused(stderr string) client.Refusal {
	switch {
	case strings.Contains(stderr, "Error resuming session:"):
		return client.RefusedGone
	case strings.Contains(stderr, "Error starting session:") && strings.Contains(stderr, "already exists"):
		return client.RefusedTaken
	}
	return client.RefusedElse
}

// Follow: messages come in pieces, which end where something else comes. Tokens
// stand in the last line only.
func (Client) Follow() func(line []byte) client.Progress {
	f := &follower{}
	return client.Following(&f.p, f.line)
}

// maxMessage bounds a message that comes in pieces, in bytes. What goes beyond it is
// left out.
const maxMessage = 16 << 20

type follower struct {
	p     client.Progress
	piece strings.Builder // of a message that is not whole yet
}

func (f *follower) line(line []byte) {
	v := rawjson.Values(line, "type", "session_id", "model", "role", "content", "delta", "tool_name", "parameters")
	kind := rawjson.Text(v[0])
	if kind == "message" && rawjson.Text(v[3]) == "assistant" {
		if text := rawjson.Text(v[4]); f.piece.Len()+len(text) <= maxMessage {
			f.piece.WriteString(text)
		}
		if rawjson.IsTrue(v[5]) {
			return
		}
	}
	if f.piece.Len() > 0 {
		f.p.Said(f.piece.String())
		f.p.Turns++
		f.piece.Reset()
	}
	switch kind {
	case "init":
		f.p.Session, f.p.Model = rawjson.Text(v[1]), rawjson.Text(v[2])
	case "tool_use":
		f.p.Called(rawjson.Text(v[6]), rawjson.FirstText(v[7], "command", "file_path", "absolute_path", "pattern", "query", "prompt", "description"))
	case "result":
		f.result(line)
	}
}

// result: what was read from the cache is in the input, and what the model thought
// is in the total only.
func (f *follower) result(line []byte) {
	v := rawjson.Values(line, "status", "error", "stats")
	n := rawjson.Values(v[2], "total_tokens", "input_tokens", "output_tokens", "cached")
	total, input, output, cached := rawjson.Count(n[0]), rawjson.Count(n[1]), rawjson.Count(n[2]), rawjson.Count(n[3])
	f.p.Usage = piton.TokenUsage{Input: max(input-cached, 0), Output: max(output, total-input), CacheRead: cached}
	if f.p.Done = rawjson.Text(v[0]) == "success"; !f.p.Done {
		f.p.Failure = rawjson.Text(rawjson.Member(v[1], "message"))
	}
}
