package claude

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// writers are the tools that change something or run commands.
const writers = "Bash,PowerShell,Edit,MultiEdit,Write,NotebookEdit"

// HeadlessCommand: what it may do unasked is what its user's settings allow, and
// what the permission mode adds; without a terminal the rest is refused. Under
// dontAsk a rule of the user's could still allow a change, so the tools that change
// something are refused by name: that rules over all others.
func (Client) HeadlessCommand(t client.Task) []string {
	if (t.Resume || t.Session != "") && !client.SafeID(t.Session) {
		return nil
	}
	argv := []string{"claude", "-p", "--output-format", "stream-json", "--verbose"}
	switch {
	case t.Resume:
		argv = append(argv, "--resume", t.Session)
	case t.Session != "":
		argv = append(argv, "--session-id", t.Session)
	}
	switch t.Rights {
	case client.Full:
		argv = append(argv, "--permission-mode", "bypassPermissions")
	case client.Read:
		argv = append(argv, "--permission-mode", "dontAsk", "--disallowedTools="+writers)
	default:
		argv = append(argv, "--permission-mode", "acceptEdits")
	}
	if len(t.Tools) > 0 {
		argv = append(argv, "--allowedTools="+strings.Join(t.Tools, ","))
	}
	if t.Model != "" {
		argv = append(argv, "--model="+t.Model)
	}
	if t.System != "" {
		argv = append(argv, "--append-system-prompt="+t.System)
	}
	if t.CostUSD > 0 {
		argv = append(argv, "--max-budget-usd="+strconv.FormatFloat(t.CostUSD, 'f', -1, 64))
	}
	return append(argv, t.Args...)
}

// RunsCommands: what edits only may still run commands, by the rules of its user.
func (Client) RunsCommands(t client.Task) bool { return t.Rights != client.Read }

// TakesID: --session-id.
func (Client) TakesID() bool { return true }

// PricesItself: the last line has total_cost_usd.
func (Client) PricesItself() bool { return true }

// LogOf is a session's log, whatever its folder is called.
func (Client) LogOf(clientID string) string {
	if !client.SafeID(clientID) {
		return ""
	}
	return "projects/*/" + clientID + ".jsonl"
}

// Marks were seen in the environment of hooks and commands (2.1.330).
func (c Client) Marks() []string {
	return []string{
		"CLAUDECODE", c.SessionEnv(), "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_CHILD_NOTES_DIR",
		"CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_SSE_PORT",
		"CLAUDE_PID", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "CLAUDE_EFFORT",
	}
}

// Refused reads what 2.1.330 says.
func (Client) Refused(stderr string) client.Refusal {
	switch {
	case strings.Contains(stderr, "No conversation found with session ID"):
		return client.RefusedGone
	case strings.Contains(stderr, "Session ID") && strings.Contains(stderr, "already in use"):
		return client.RefusedTaken
	}
	return client.RefusedElse
}

// follower reads what the client prints with --output-format stream-json.
type follower struct {
	p       client.Progress
	told    piton.TokenUsage            // by the results so far
	cost    float64                     // likewise
	message map[string]piton.TokenUsage // of the answers after the last result
}

// Follow counts answers by the id of their message, each block of which is a line
// that repeats the message's usage. A result has the final numbers, also of
// subagents; at a resume its totals are those of the session, so what is new is
// taken.
func (Client) Follow() func(line []byte) client.Progress {
	f := &follower{message: map[string]piton.TokenUsage{}}
	return client.Following(&f.p, f.line)
}

func (f *follower) line(line []byte) {
	v := rawjson.Values(line, "type", "session_id", "model", "message", "parent_tool_use_id", "is_api_error_message")
	if id := rawjson.Text(v[1]); id != "" {
		f.p.Session = id
	}
	switch rawjson.Text(v[0]) {
	case "system":
		if m := rawjson.Text(v[2]); m != "" {
			f.p.Model = m
		}
	case "assistant":
		f.answer(v[3], rawjson.Text(v[4]) == "" && !rawjson.IsTrue(v[5]))
	case "result":
		f.result(line)
	}
}

// answer takes a block of an answer; a subagent's words are not the agent's.
func (f *follower) answer(message []byte, own bool) {
	v := rawjson.Values(message, "id", "content", "usage")
	id := rawjson.Text(v[0])
	u, known := f.message[id]
	if !known && own && id != "" {
		f.p.Turns++
	}
	n := usageOf(v[2])
	more := piton.TokenUsage{Input: max(n.Input-u.Input, 0), Output: max(n.Output-u.Output, 0), CacheRead: max(n.CacheRead-u.CacheRead, 0), CacheWrite: max(n.CacheWrite-u.CacheWrite, 0)}
	f.message[id], f.p.Usage = u.Plus(more), f.p.Usage.Plus(more)
	for raw := range rawjson.Elements(v[1]) {
		b := rawjson.Values(raw, "type", "text", "name", "input")
		switch kind := rawjson.Text(b[0]); {
		case kind == "text" && own:
			f.p.Said(rawjson.Text(b[1]))
		case kind == "tool_use":
			f.p.Called(rawjson.Text(b[2]), rawjson.FirstText(b[3], "command", "file_path", "pattern", "url", "query", "description", "prompt"))
		}
	}
}

func usageOf(raw []byte) piton.TokenUsage {
	v := rawjson.Values(raw, "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
	return piton.TokenUsage{Input: rawjson.Count(v[0]), Output: rawjson.Count(v[1]), CacheRead: rawjson.Count(v[2]), CacheWrite: rawjson.Count(v[3])}
}

func (f *follower) result(line []byte) {
	v := rawjson.Values(line, "is_error", "subtype", "result", "usage", "total_cost_usd", "model_usage_since_last_result", "permission_denials", "api_error_status", "errors")
	used, cost, ok := since(v[5])
	if !ok { // before 2.1.330
		used, cost = usageOf(v[3]), number(v[4])
	}
	f.told, f.cost = f.told.Plus(used), f.cost+cost
	clear(f.message)
	f.p.Usage, f.p.CostUSD = f.told, f.cost
	for raw := range rawjson.Elements(v[6]) {
		if name := rawjson.Text(rawjson.Member(raw, "tool_name")); name != "" {
			f.p.Denied = append(f.p.Denied, name)
		}
	}
	text, kind := rawjson.Text(v[2]), rawjson.Text(v[1])
	if f.p.Done = !rawjson.IsTrue(v[0]) && kind == "success"; f.p.Done {
		f.p.Failure, f.p.Status = "", 0
		if strings.TrimSpace(text) != "" {
			f.p.Text = text
		}
		return
	}
	f.p.Status = int(rawjson.Count(v[7]))
	for raw := range rawjson.Elements(v[8]) {
		text = strings.TrimSpace(text + "\n" + rawjson.Text(raw))
	}
	if kind != "" && kind != "success" {
		text = strings.TrimSuffix(fmt.Sprintf("%s: %s", strings.ReplaceAll(kind, "_", " "), text), ": ")
	}
	f.p.Failure = text
}

// since sums what the models have used since the last result.
func since(models []byte) (u piton.TokenUsage, cost float64, ok bool) {
	if !client.IsLine(models) {
		return u, 0, false
	}
	for _, raw := range rawjson.Members(models) {
		v := rawjson.Values(raw, "inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "costUSD")
		u = u.Plus(piton.TokenUsage{Input: rawjson.Count(v[0]), Output: rawjson.Count(v[1]), CacheRead: rawjson.Count(v[2]), CacheWrite: rawjson.Count(v[3])})
		cost += number(v[4])
	}
	return u, cost, true
}

func number(raw []byte) float64 {
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(n >= 0) {
		return 0
	}
	return min(n, maxCost)
}

// maxCost bounds what a client says that it costs, in dollars: a sum of costs stays
// a number that can be stored.
const maxCost = 1e9
