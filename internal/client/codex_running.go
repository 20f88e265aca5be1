package client

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/piton-project/piton/internal/agent"
)

// maxRunningBytes bounds how far back subagents are looked for at a stop.
const maxRunningBytes = 8 << 20

// codexRunning lists the subagents that still work behind a stopped agent. The
// stop itself does not tell: those are asked that the session's rollout names
// since the client's own turn began, and each one's rollout says whether a turn
// of it is open. What cannot be read does not run.
func codexRunning(path string) (out []agent.Background) {
	sessions, ok := codexRoot(path)
	if !ok {
		return nil
	}
	for _, thread := range codexNamed(path) {
		log, ok := codexRollout(sessions, thread)
		if ok && codexOpen(log) {
			out = append(out, agent.Background{ID: thread, Type: "subagent", Running: true})
		}
	}
	return out
}

// codexRoot is the folder of all rollouts that one lies in.
func codexRoot(path string) (sessions string, ok bool) {
	sessions = filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(path))))
	return sessions, filepath.Base(sessions) == "sessions"
}

// codexNamed lists the threads that the client's newest turn has to do with.
func codexNamed(path string) (threads []string) {
	codexBack(path, func(l codexLine) bool {
		var it codexItem
		switch {
		case l.what == "task_started" || l.what == "turn_started":
			return false
		case l.item == "SubAgentActivity" || l.item == "CollabAgentToolCall":
			it.read(l.body)
			named := []string{it.agentThread}
			for id := range elements(it.receivers) {
				named = append(named, text(id))
			}
			for _, id := range named {
				if id != "" && !slices.Contains(threads, id) {
					threads = append(threads, id)
				}
			}
		}
		return len(threads) < maxSubagents
	}, `"task_started"`, `"turn_started"`, `"SubAgentActivity"`, `"CollabAgentToolCall"`)
	return threads
}

// codexOpen tells whether the newest turn of a thread has not ended.
func codexOpen(path string) (open bool) {
	codexBack(path, func(l codexLine) bool {
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

// codexBack goes through those lines of a rollout, from its end on, that hold
// one of the marks, until take has had enough.
func codexBack(path string, take func(codexLine) bool, marks ...string) {
	f, size, err := openLog(path)
	if err != nil {
		return
	}
	defer f.Close()
	lines := newTail(f, size, &budget{bytes: maxRunningBytes, lines: maxTailLines})
	for {
		b, ok := lines.next()
		if !ok {
			return
		}
		if !slices.ContainsFunc(marks, func(mark string) bool { return bytes.Contains(b, []byte(mark)) }) {
			continue
		}
		if l, ok := parseCodexLine(b); ok && !take(l) {
			return
		}
	}
}
