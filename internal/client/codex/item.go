package codex

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// item is what the client told of one call: an item that is completed, or
// an event of the versions before items. Their members have the same names.
type item struct {
	id          string
	command     []byte
	cwd         string
	source      string
	status      string
	exit        []byte
	success     []byte
	output      []byte
	stdout      []byte
	stderr      []byte
	changes     []byte
	server      string
	tool        string
	result      []byte
	failure     []byte
	agentThread string
	receivers   []byte
	path        string
	arguments   []byte // of an MCP call
}

func readItem(raw []byte) item {
	v := rawjson.Values(raw, "id", "call_id", "command", "cwd", "source", "status", "exit_code", "success", "aggregated_output", "stdout",
		"stderr", "changes", "server", "tool", "result", "error", "agent_thread_id", "receiver_thread_ids", "path", "invocation", "arguments")
	it := item{
		id: rawjson.Text(v[0]), command: v[2], cwd: pathOf(rawjson.Text(v[3])), source: rawjson.Text(v[4]), status: rawjson.Text(v[5]),
		exit: v[6], success: v[7], output: v[8], stdout: v[9], stderr: v[10], changes: v[11], server: rawjson.Text(v[12]), tool: rawjson.Text(v[13]),
		result: v[14], failure: v[15], agentThread: rawjson.Text(v[16]), receivers: v[17], path: pathOf(rawjson.Text(v[18])),
	}
	if v[1] != nil {
		it.id = rawjson.Text(v[1])
	}
	if v[19] != nil {
		it.server, it.tool = rawjson.Text(rawjson.Member(v[19], "server")), rawjson.Text(rawjson.Member(v[19], "tool"))
		v[20] = rawjson.Member(v[19], "arguments")
	}
	it.arguments = v[20]
	return it
}

// pathOf takes a path out of a file's URL.
func pathOf(s string) string {
	rest, ok := strings.CutPrefix(s, "file://")
	if !ok {
		return s
	}
	if p, err := url.PathUnescape(rest); err == nil {
		return p
	}
	return rest
}

// isThere reports whether a member is there and not null.
func isThere(raw []byte) bool { return len(raw) > 0 && string(raw) != "null" }

// ended says how a command ended.
func (it item) ended(c *agent.Call) {
	c.ExitCode = exitCode(it.exit)
	c.NeverRan = it.status == "declined"
	c.Interrupted = c.NeverRan
	c.Failed = !c.Interrupted && (it.status == "failed" || c.ExitCode != nil && *c.ExitCode != 0)
	out := rawjson.Text(it.output)
	if it.output == nil {
		out = rawjson.Text(it.stdout) + rawjson.Text(it.stderr)
	}
	client.Said(c, out)
}

// failureOf is what a call that failed has said: a text, or an error that has one.
func failureOf(raw []byte) string {
	if s := rawjson.Text(raw); s != "" {
		return s
	}
	return rawjson.Text(rawjson.Member(raw, "message"))
}

// changeOf reads the change of one file: by its type, or under it.
func changeOf(raw []byte) (kind, move string) {
	for key, value := range rawjson.Members(raw) {
		switch string(key) {
		case "type":
			kind = rawjson.Text(value)
		case "move_path":
			move = rawjson.Text(value)
		case "add", "delete", "update":
			kind, move = string(key), rawjson.Text(rawjson.Member(value, "move_path"))
		}
	}
	return kind, move
}

// diffOf is the patch of an updated file.
func diffOf(change []byte) string {
	if inner := rawjson.Member(change, "update"); inner != nil {
		change = inner
	}
	return rawjson.Text(rawjson.Member(change, "unified_diff"))
}

// timesOf are when an item began and ended; a line's own time, where it does
// not say.
func timesOf(l line) (began, ended time.Time) {
	began, ended = l.at, l.at
	for key, value := range rawjson.Members(l.payload) {
		switch string(key) {
		case "started_at_ms":
			if ms := rawjson.Count(value); ms > 0 {
				began = time.UnixMilli(ms).UTC()
			}
		case "completed_at_ms":
			if ms := rawjson.Count(value); ms > 0 {
				ended = time.UnixMilli(ms).UTC()
			}
		case "duration":
			secs, nanos := rawjson.Count(rawjson.Member(value, "secs")), rawjson.Count(rawjson.Member(value, "nanos"))
			began = l.at.Add(-time.Duration(min(secs, 1<<30))*time.Second - time.Duration(min(nanos, 1<<30)))
		}
	}
	return began, ended
}

func exitCode(raw []byte) *int {
	code, err := strconv.ParseInt(string(raw), 10, 32)
	if err != nil {
		return nil
	}
	n := int(code)
	return &n
}
