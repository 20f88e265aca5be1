package gemini

import (
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// toolKind says what the client's tools do.
func toolKind(name string) agent.CallKind {
	switch name {
	case "run_shell_command":
		return agent.CallShell
	case "write_file", "replace", "edit", "smart_edit":
		return agent.CallEdit
	case "read_file", "read_many_files":
		return agent.CallRead
	}
	return agent.CallOther
}

// toolCall is a tool call as it stands in the message that made it.
type toolCall struct {
	id, name string
	args     []byte
	result   []byte // what the model was told
	display  []byte // resultDisplay: what the person was shown
	status   string // success, error, cancelled
	at       time.Time
}

func readToolCall(raw []byte) toolCall {
	v := rawjson.Values(raw, "id", "name", "args", "result", "resultDisplay", "status", "timestamp")
	return toolCall{
		id: rawjson.Text(v[0]), name: rawjson.Text(v[1]), args: v[2], result: v[3], display: v[4],
		status: rawjson.Text(v[5]), at: rawjson.Time(v[6]),
	}
}

// said is the text the model was told. After some rewriting the answers of all
// calls of a message stand in each.
func (g *toolCall) said() string {
	var said []byte
	for part := range rawjson.Elements(g.result) {
		answer := rawjson.Member(part, "functionResponse")
		if answer == nil {
			continue
		}
		v := rawjson.Values(answer, "id", "response")
		id, response := rawjson.Text(v[0]), v[1]
		if id == g.id || id == "" {
			said = response
		}
		if id == g.id {
			break
		}
	}
	for key, value := range rawjson.Members(said) {
		if string(key) == "output" || string(key) == "error" {
			return rawjson.Text(value)
		}
	}
	return ""
}

// unwrapped takes away what the client puts around what comes from outside, and
// what hooks have said behind it. Inside, the end mark does not occur: the
// client rewrites it. Of a long text the client shows beginning and end, after a
// line that says so.
func unwrapped(said string) string {
	rest := said
	if strings.HasPrefix(rest, tooLarge) {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	inner, ok := strings.CutPrefix(rest, "<untrusted_context>\n")
	if !ok {
		return rest
	}
	inner, _, _ = strings.Cut(inner, "\n</untrusted_context>")
	return inner
}

// neverRan reports whether a call was not started: a person or a rule refused it,
// or it waited behind one that was refused.
func neverRan(status, said string) bool {
	switch status {
	case "cancelled":
		return strings.Contains(said, "[Operation Cancelled] Reason: User denied") || strings.Contains(said, "[Operation Cancelled] Reason: User cancelled operation")
	case "error":
		return strings.HasPrefix(said, "Tool execution") && strings.Contains(said[:min(len(said), 200)], "denied by policy")
	}
	return false
}

const tooLarge = "Output too large. Showing first "
