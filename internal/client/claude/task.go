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
	return tagged(notice, "tool-use-id"), taskEnd{at: at, status: tagged(notice, "status"), summary: tagged(notice, "summary")}
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
// stays what it was.
func (t taskEnd) end(c *agent.Call) {
	if c.Kind != agent.CallShell || !c.Background {
		return
	}
	c.EndedAt = t.at
	c.Output = client.Cut(t.summary)
	if t.status != "completed" && t.status != "failed" {
		return
	}
	c.Background = false
	c.Failed = t.status == "failed"
	// The command's description stands before it and may say anything.
	if i := strings.LastIndex(t.summary, "exit code "); i >= 0 {
		digits := strings.TrimRight(t.summary[i+len("exit code "):], ")")
		if code, err := strconv.Atoi(digits); err == nil {
			c.ExitCode = &code
			c.Failed = c.Failed || code != 0
		}
	}
}
