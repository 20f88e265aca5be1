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
}

func (it *item) read(raw []byte) {
	for key, value := range rawjson.Members(raw) {
		switch string(key) {
		case "id", "call_id":
			it.id = rawjson.Text(value)
		case "command":
			it.command = value
		case "cwd":
			it.cwd = pathOf(rawjson.Text(value))
		case "source":
			it.source = rawjson.Text(value)
		case "status":
			it.status = rawjson.Text(value)
		case "exit_code":
			it.exit = value
		case "success":
			it.success = value
		case "aggregated_output":
			it.output = value
		case "stdout":
			it.stdout = value
		case "stderr":
			it.stderr = value
		case "changes":
			it.changes = value
		case "invocation":
			it.server, it.tool = rawjson.Text(rawjson.Member(value, "server")), rawjson.Text(rawjson.Member(value, "tool"))
		case "server":
			it.server = rawjson.Text(value)
		case "tool":
			it.tool = rawjson.Text(value)
		case "result":
			it.result = value
		case "error":
			it.failure = value
		case "agent_thread_id":
			it.agentThread = rawjson.Text(value)
		case "receiver_thread_ids":
			it.receivers = value
		case "path":
			it.path = pathOf(rawjson.Text(value))
		}
	}
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

// isThere tells whether a member is there and not null.
func isThere(raw []byte) bool { return len(raw) > 0 && string(raw) != "null" }

// ended says how a command ended.
func (it item) ended(c *agent.Call) {
	c.ExitCode = exitCode(it.exit)
	c.Interrupted = it.status == "declined"
	c.Failed = !c.Interrupted && (it.status == "failed" || c.ExitCode != nil && *c.ExitCode != 0)
	out := rawjson.Text(it.output)
	if it.output == nil {
		out = rawjson.Text(it.stdout) + rawjson.Text(it.stderr)
	}
	c.Output = client.Cut(out)
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
