package client

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// codexItem is what the client told of one call: an item that is completed, or
// an event of the versions before items. Their members have the same names.
type codexItem struct {
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

func (it *codexItem) read(raw []byte) {
	for key, value := range members(raw) {
		switch string(key) {
		case "id", "call_id":
			it.id = text(value)
		case "command":
			it.command = value
		case "cwd":
			it.cwd = codexPath(text(value))
		case "source":
			it.source = text(value)
		case "status":
			it.status = text(value)
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
			it.server, it.tool = text(member(value, "server")), text(member(value, "tool"))
		case "server":
			it.server = text(value)
		case "tool":
			it.tool = text(value)
		case "result":
			it.result = value
		case "error":
			it.failure = value
		case "agent_thread_id":
			it.agentThread = text(value)
		case "receiver_thread_ids":
			it.receivers = value
		case "path":
			it.path = codexPath(text(value))
		}
	}
}

// codexPath takes a path out of a file's URL.
func codexPath(s string) string {
	rest, ok := strings.CutPrefix(s, "file://")
	if !ok {
		return s
	}
	if p, err := url.PathUnescape(rest); err == nil {
		return p
	}
	return rest
}

// codexIs tells whether a member is there and not null.
func codexIs(raw []byte) bool { return len(raw) > 0 && string(raw) != "null" }

// ended says how a command ended.
func (it codexItem) ended(c *agent.Call) {
	c.ExitCode = codexExit(it.exit)
	c.Interrupted = it.status == "declined"
	c.Failed = !c.Interrupted && (it.status == "failed" || c.ExitCode != nil && *c.ExitCode != 0)
	out := text(it.output)
	if it.output == nil {
		out = text(it.stdout) + text(it.stderr)
	}
	c.Output = cut(out)
}

// codexChange reads the change of one file: by its type, or under it.
func codexChange(raw []byte) (kind, move string) {
	for key, value := range members(raw) {
		switch string(key) {
		case "type":
			kind = text(value)
		case "move_path":
			move = text(value)
		case "add", "delete", "update":
			kind, move = string(key), text(member(value, "move_path"))
		}
	}
	return kind, move
}

// codexTimes are when an item began and ended; a line's own time, where it does
// not say.
func codexTimes(l codexLine) (began, ended time.Time) {
	began, ended = l.at, l.at
	for key, value := range members(l.payload) {
		switch string(key) {
		case "started_at_ms":
			if ms := count(value); ms > 0 {
				began = time.UnixMilli(ms).UTC()
			}
		case "completed_at_ms":
			if ms := count(value); ms > 0 {
				ended = time.UnixMilli(ms).UTC()
			}
		case "duration":
			secs, nanos := count(member(value, "secs")), count(member(value, "nanos"))
			began = l.at.Add(-time.Duration(min(secs, 1<<30))*time.Second - time.Duration(min(nanos, 1<<30)))
		}
	}
	return began, ended
}

func codexExit(raw []byte) *int {
	code, err := strconv.ParseInt(string(raw), 10, 32)
	if err != nil {
		return nil
	}
	n := int(code)
	return &n
}
