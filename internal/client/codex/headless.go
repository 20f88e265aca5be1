package codex

import (
	"cmp"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// HeadlessCommand: exec asks nobody; the sandbox says what it may do. It would
// refuse a folder outside every repository: which folder it is, the caller has said.
// A daemon that it would start for all terminals would have the step's environment,
// and end with the step.
func (Client) HeadlessCommand(t client.Task) []string {
	if t.Resume && !client.SafeID(t.Session) {
		return nil
	}
	sandbox := cmp.Or(map[client.Rights]string{client.Read: "read-only", client.Full: "danger-full-access"}[t.Rights], "workspace-write")
	argv := slices.Concat([]string{"codex", "exec", "--json", "--skip-git-repo-check"}, program.OwnHooks, []string{"--sandbox", sandbox})
	if t.Model != "" {
		argv = append(argv, "--model="+t.Model)
	}
	argv = append(argv, t.Args...)
	if t.Resume {
		argv = append(argv, "resume", t.Session)
	}
	return append(argv, "-")
}

// RunsCommands: its sandbox lets it run them, whatever they may change.
func (Client) RunsCommands(client.Task) bool { return true }

// TakesID: it makes the id itself.
func (Client) TakesID() bool { return false }

// PricesItself: it tells tokens only.
func (Client) PricesItself() bool { return false }

// LogOf is a thread's rollout.
func (Client) LogOf(clientID string) string {
	if !client.SafeID(clientID) {
		return ""
	}
	return "sessions/*/*/*/rollout-*-" + clientID + ".jsonl"
}

// Marks were seen in the environment of commands.
func (c Client) Marks() []string { return []string{c.SessionEnv(), "CODEX_THREAD_ID", "CODEX_CI"} }

// Refused reads what 0.169.0 says.
func (Client) Refused(stderr string) client.Refusal {
	if strings.Contains(stderr, "no rollout found for thread id") {
		return client.RefusedGone
	}
	return client.RefusedElse
}

// Follow: the usage is that of the whole thread, as far as the client remembers it.
func (Client) Follow() func(line []byte) client.Progress {
	p := client.Progress{Cumulative: true}
	return client.Following(&p, func(line []byte) { follow(&p, line) })
}

func follow(p *client.Progress, line []byte) {
	v := rawjson.Values(line, "type", "thread_id", "item", "usage", "error", "message")
	switch rawjson.Text(v[0]) {
	case "thread.started":
		p.Session = rawjson.Text(v[1])
	case "item.started":
		doing(p, v[2], false)
	case "item.completed":
		doing(p, v[2], true)
	case "turn.completed":
		p.Usage, p.Done, p.Failure = usageOf(v[3]), true, ""
	case "turn.failed":
		p.Failure, p.Done = said(rawjson.Text(rawjson.Member(v[4], "message"))), false
	case "error":
		p.Failure = said(rawjson.Text(v[5]))
	}
}

// doing takes what the agent did: a call when it begins, a message when it is whole.
func doing(p *client.Progress, raw []byte, whole bool) {
	v := rawjson.Values(raw, "type", "text", "command", "changes", "tool", "query")
	switch kind := rawjson.Text(v[0]); {
	case kind == "agent_message" && whole:
		p.Said(rawjson.Text(v[1]))
		p.Turns++
	case whole || kind == "agent_message" || kind == "reasoning":
	case kind == "command_execution":
		p.Called("shell", rawjson.Text(v[2]))
	case kind == "file_change":
		p.Called("edit", paths(v[3]))
	default:
		p.Called(kind, rawjson.Text(v[4])+rawjson.Text(v[5]))
	}
}

func paths(changes []byte) string {
	var list []string
	for raw := range rawjson.Elements(changes) {
		list = append(list, rawjson.Text(rawjson.Member(raw, "path")))
	}
	return strings.Join(list, " ")
}

// said is the message within a model's error, where it is one.
func said(text string) string {
	if inner := rawjson.Text(rawjson.Member(rawjson.Member([]byte(text), "error"), "message")); inner != "" {
		return inner
	}
	return strings.TrimSpace(text)
}
