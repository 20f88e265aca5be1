package codex

import (
	"math"
	"os"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// maxDaysOfThreads bounds the days in whose folders the subagents of a session are looked for.
const maxDaysOfThreads = 400

// Spending reads the session's rollout, then those of its subagents.
func (Client) Spending(path string, take func(agent.Request)) (whole bool, err error) {
	own, err := readHead(path)
	if err != nil {
		return false, err
	}
	var files []logfile.SubagentFile
	var days []string
	began := beganAt(own.id)
	if info, err := os.Stat(path); err == nil && !began.IsZero() {
		days = daysBetween(path, began, info.ModTime(), maxDaysOfThreads)
		files, _ = threadsOf(own.id, days, path, began, math.MaxInt)
	}
	whole, err = logfile.WithSubagents(path, files, func(path, subagent string) (bool, error) { return spending(path, subagent, take) })
	return whole && len(days) <= maxDaysOfThreads, err // with more there may be earlier ones
}

// spending reads one rollout. What was copied from another thread was used by that one: behind
// its head the own work begins with the first turn that is younger than the thread.
func spending(path, subagent string, take func(agent.Request)) (whole bool, err error) {
	var (
		thread, model string
		began         time.Time
		copied, told  bool
		count         counter
		counted       []agent.Request
	)
	whole, err = logfile.ReadLines(path, parseLine, func(_ int64, l line) {
		r := agent.Request{At: l.at, Model: model, Subagent: subagent}
		switch {
		case l.kind == "session_meta":
			id := rawjson.Text(rawjson.Member(l.payload, "id"))
			if thread == "" {
				thread, began = id, beganAt(id)
			}
			copied = copied || id != thread
		case l.what == "task_started" || l.what == "turn_started":
			turn := beganAt(l.turn)
			copied = copied && (turn.IsZero() || turn.Before(began))
		case l.kind == "turn_context":
			if m := rawjson.Text(rawjson.Member(l.body, "model")); m != "" {
				model = m
			}
		case l.kind == "token_usage_record":
			told = true
			v := rawjson.Values(l.body, "usage", "response_id")
			if r.ID, r.Usage = rawjson.Text(v[1]), usageOf(v[0]); !copied {
				take(r)
			}
		case l.what == "token_count":
			if r.Usage = count.since(l); !copied && r.Usage.Total() > 0 {
				counted = append(counted, r)
			}
		}
	})
	if !told { // an older version
		for _, r := range counted {
			take(r)
		}
	}
	return whole && !copied, err
}
