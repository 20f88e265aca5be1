package codex

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// maxRunningBytes bounds how far back subagents are looked for at a stop.
const maxRunningBytes = 8 << 20

// runningOf lists the subagents that still work behind a stopped agent. The stop
// itself does not tell: those are asked that the session's rollout names since
// the client's own turn began, and each one's rollout says whether a turn of it is
// open. What cannot be read does not run. Commands that go on behind are left out:
// the client does not wake its agent at their end, so that nobody would judge it.
func runningOf(path string) (out []agent.Background) {
	sessions, ok := rolloutRoot(path)
	if !ok {
		return nil
	}
	for _, thread := range namedThreads(path) {
		log, ok := findRollout(sessions, thread)
		if ok && isOpen(log) {
			out = append(out, agent.Background{ID: thread, Type: agent.BackgroundSubagent, Kind: agent.CallOther, Running: true})
		}
	}
	return out
}

// rolloutRoot is the folder of all rollouts that one lies in.
func rolloutRoot(path string) (sessions string, ok bool) {
	sessions = filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(path))))
	return sessions, filepath.Base(sessions) == "sessions"
}

// namedThreads lists the threads that the client's newest turn has to do with.
func namedThreads(path string) (threads []string) {
	readBack(path, func(l line) bool {
		switch {
		case l.what == "task_started" || l.what == "turn_started":
			return false
		case l.item == "SubAgentActivity" || l.item == "CollabAgentToolCall":
			it := readItem(l.body)
			named := []string{it.agentThread}
			for id := range rawjson.Elements(it.receivers) {
				named = append(named, rawjson.Text(id))
			}
			for _, id := range named {
				if id != "" && !slices.Contains(threads, id) {
					threads = append(threads, id)
				}
			}
		}
		return len(threads) < logfile.MaxSubagents
	}, `"task_started"`, `"turn_started"`, `"SubAgentActivity"`, `"CollabAgentToolCall"`)
	return threads
}

// isOpen reports whether the newest turn of a thread has not ended.
func isOpen(path string) (open bool) {
	readBack(path, func(l line) bool {
		switch l.what {
		case "task_started", "turn_started":
			open = true
			return false
		case "task_complete", "turn_complete", "turn_aborted":
			return false
		}
		return true
	}, `"task_`, `"turn_started"`, `"turn_complete"`, `"turn_aborted"`)
	return open
}

// readBack goes through those lines of a rollout, from its end on, that hold
// one of the marks, until take has had enough.
func readBack(path string, take func(line) bool, marks ...string) {
	f, size, err := logfile.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	lines := logfile.NewTail(f, size, logfile.NewBudget().Within(maxRunningBytes))
	for {
		b, ok := lines.Next()
		if !ok {
			return
		}
		if !slices.ContainsFunc(marks, func(mark string) bool { return bytes.Contains(b, []byte(mark)) }) {
			continue
		}
		if l, ok := parseLine(b); ok && !take(l) {
			return
		}
	}
}
