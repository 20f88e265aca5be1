package claude

import (
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// taskEnd is the notice that a command in the background has ended. It
// stands in the transcript up to three times: when it is queued, when the model
// gets it within a turn, and when it begins a turn of its own.
type taskEnd struct {
	at      time.Time
	status  string // completed, failed, killed
	summary string // Background command "Wait" completed (exit code 0)
	task    string // the client's id of the command
}

// readTaskEnd reads a notice: which tool use it is about, and how that ended; of
// any other text nothing.
func readTaskEnd(notice string, at time.Time) (use string, task taskEnd) {
	notice = strings.TrimSpace(notice)
	if !strings.HasPrefix(notice, "<task-notification>") {
		return "", taskEnd{}
	}
	// A subagent's answer stands in <result>: it may hold anything.
	notice, _, _ = strings.Cut(notice, "<result>")
	return tagged(notice, "tool-use-id"), taskEnd{at: at, status: tagged(notice, "status"), summary: tagged(notice, "summary"), task: tagged(notice, "task-id")}
}

func tagged(s, tag string) string {
	_, s, _ = strings.Cut(s, "<"+tag+">")
	s, _, ok := strings.Cut(s, "</"+tag+">")
	if !ok {
		return ""
	}
	return s
}

// end gives a command that ran in the background its real result: it is then
// like one that was waited for. One that was stopped has proved nothing and
// stays what it was. What it has said stands in a file of the client's; where that
// is gone, there are only the notice's words.
func (t taskEnd) end(c *agent.Call, said string, whole, ok, heard bool) {
	if c.Kind != agent.CallShell || !c.Background {
		return
	}
	c.EndedAt = t.at
	switch {
	case ok:
		client.Said(c, said)
		c.Cut = c.Cut || !whole
	case !heard:
		client.Said(c, t.summary)
		c.Cut = true
	}
	if t.status != "completed" && t.status != "failed" {
		c.Task = "" // it runs no more
		return
	}
	c.Background = false
	c.Failed = t.status == "failed"
	// The command's description stands before it and may say anything.
	if i := strings.LastIndex(t.summary, "exit code "); i >= 0 {
		ended(c, strings.TrimRight(t.summary[i+len("exit code "):], ")"))
	}
}

func ended(c *agent.Call, code string) {
	if code, err := strconv.Atoi(strings.TrimSpace(code)); err == nil {
		c.ExitCode = &code
		c.Failed = c.Failed || code != 0
	}
}

// isPoll reports whether a tool asks for what a command in the background has said
// so far. Newer versions have none.
func isPoll(tool string) bool {
	switch tool {
	case "BashOutput", "BashOutputTool", "TaskOutput", "AgentOutputTool":
		return true
	}
	return false
}
