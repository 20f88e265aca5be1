package codex

import (
	"math"
	"path/filepath"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// maxDaysOfThreads bounds the days in whose folders the subagents of a session are looked for.
const maxDaysOfThreads = 31

// Spending reads the session's rollout, then those of its subagents.
func (c Client) Spending(path string, take func(agent.Request)) (whole bool, err error) {
	own, err := readHead(path)
	if err != nil {
		return false, err
	}
	whole, last, err := spending(path, "", take)
	sessions, ok := rolloutRoot(path)
	began := beganAt(own.id)
	if err != nil || !ok || own.id == "" || began.IsZero() {
		return whole, err
	}
	days := []string{filepath.Dir(path)}
	for day, n := began.AddDate(0, 0, -1), 0; !day.After(last.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
		if n++; n > maxDaysOfThreads {
			whole = false
			break
		}
		if folder := dayFolder(sessions, day); folder != days[0] {
			days = append(days, folder)
		}
	}
	files, _ := changedRollouts(days, path, began, math.MaxInt)
	for _, file := range files {
		head, err := readHead(file.Path)
		if err != nil || !head.of(own.id) {
			continue
		}
		all, _, err := spending(file.Path, head.id, take)
		whole = whole && all && err == nil
	}
	return whole, nil
}

// spending reads one rollout, and says when its last line was written. What was copied from
// another thread was used by that one: behind its head the own work begins with the first
// turn that is younger than the thread.
func spending(path, subagent string, take func(agent.Request)) (whole bool, last time.Time, err error) {
	var (
		thread, model string
		copied, told  bool
		count         counter
		counted       []agent.Request
	)
	whole, err = logfile.ReadForward(path, func(_ int64, b []byte) {
		if b[0] != '{' {
			return
		}
		l, ok := parseLine(b)
		if !ok {
			return
		}
		if !l.at.IsZero() {
			last = l.at
		}
		switch {
		case l.kind == "session_meta":
			id := parseHead(b).id
			if thread == "" {
				thread = id
			}
			copied = copied || id != thread
		case l.what == "task_started" || l.what == "turn_started":
			began := beganAt(l.turn)
			copied = copied && (began.IsZero() || began.Before(beganAt(thread)))
		case l.kind == "turn_context":
			if m := rawjson.Text(rawjson.Member(l.body, "model")); m != "" {
				model = m
			}
		case l.kind == "token_usage_record":
			told = true
			v := rawjson.Values(l.body, "usage", "response_id")
			if !copied {
				take(agent.Request{ID: rawjson.Text(v[1]), At: l.at, Spent: agent.Spend(model, subagent, usageOf(v[0]), 0)})
			}
		case l.what == "token_count":
			if u, more := count.since(l); more && !copied {
				counted = append(counted, agent.Request{At: l.at, Spent: agent.Spend(model, subagent, u, 0)})
			}
		}
	})
	if !told {
		for _, r := range counted {
			take(r)
		}
	}
	return whole && !copied, last, err
}
