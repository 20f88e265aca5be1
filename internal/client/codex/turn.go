package codex

import (
	"cmp"
	"io"
	"slices"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// turn collects the lines of one rollout that belong to the turn.
type turn struct {
	since    time.Time
	upTo     int64  // the bytes of the rollout that count; 0: all
	thread   string // the rollout is this subagent's
	head     head
	lines    []line    // the newest first
	begin    time.Time // the oldest line's
	end      time.Time // the newest line's
	complete bool      // the turn's beginning was reached
	known    bool      // a line is in a known form
	forked   bool      // a copy of another thread stands before the subagent's own lines
	stray    logfile.Stray
}

func (t *turn) read(path string, left *logfile.Budget) error {
	f, size, err := logfile.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if t.head, err = headFrom(f, size); err != nil {
		return err
	}
	return t.from(f, logfile.Within(size, t.upTo), left)
}

func (t *turn) from(r io.ReaderAt, size int64, left *logfile.Budget) (err error) {
	t.stray.Since = t.since
	lines := logfile.NewTail(r, size, left)
	if t.complete, err = lines.Until(t.take); t.complete {
		t.before(lines)
	}
	return err
}

// before looks for where the client is: that stands some lines before the prompt. The
// session's head says where it was once.
func (t *turn) before(lines *logfile.Tail) {
	for known, n := 0, 0; known < 16 && n < 64; n++ {
		b, ok := lines.Next()
		if !ok {
			return
		}
		l, ok := parseLine(b)
		if ok {
			known++
		}
		if ok && l.kind == "turn_context" {
			t.head.cwd = cmp.Or(rawjson.Text(rawjson.Member(l.body, "cwd")), t.head.cwd)
			return
		}
	}
}

// take adds a line, if it matters, and reports whether the turn began with it or
// after it. A prompt is written when its hooks have ended, so it is never older
// than since, and no line before since is of the turn: lines stand in the order
// of their times. In a subagent's rollout there may be a copy of another
// thread's before its own, which begins with that thread's head. Among lines that
// tell nothing, their own time ends it (see logfile.Stray).
func (t *turn) take(b []byte) bool {
	if b[0] != '{' {
		return false
	}
	l, ok := parseLine(b)
	if !ok {
		ended := t.stray.Ends(b, func([]byte) time.Time { return cmp.Or(l.at, rawjson.Stamp(b)) })
		t.known = t.known || ended
		return ended
	}
	t.known = true
	if l.kind == "session_meta" {
		t.forked = t.thread != "" && parseHead(b).id != t.thread
		return t.forked
	}
	if !l.at.IsZero() {
		if !t.since.IsZero() && l.at.Before(t.since) {
			return true
		}
		if t.begin = l.at; t.end.IsZero() {
			t.end = l.at
		}
	}
	if t.thread != "" && l.thread != "" && l.thread != t.thread {
		return false
	}
	t.lines = append(t.lines, l)
	return t.since.IsZero() && t.thread == "" && l.user() && !agent.Injected(l.words())
}

// own leaves the lines that are the subagent's own, and reports whether all of
// them are known to be. Behind another thread's head stands a copy of that
// thread, with the times of the copying: a subagent's own work begins with the
// first turn that is younger than its thread.
func (t *turn) own() bool {
	if !t.forked {
		return true
	}
	thread := beganAt(t.thread)
	for i, l := range slices.Backward(t.lines) {
		if l.what != "task_started" && l.what != "turn_started" {
			continue
		}
		if began := beganAt(l.turn); !began.IsZero() && !thread.IsZero() && !began.Before(thread) {
			t.lines = t.lines[:i+1]
			return true
		}
	}
	return false
}

// ids are the client's turns that make up this one: those that began in it, or
// got a prompt in it. A command of an earlier one may end in it, and is not of
// it. nil, when none of them is known, stands for all.
func (t *turn) ids() map[string]bool {
	var ids map[string]bool
	for _, l := range t.lines {
		if l.turn != "" && (l.user() || l.what == "task_started" || l.what == "turn_started") {
			if ids == nil {
				ids = map[string]bool{}
			}
			ids[l.turn] = true
		}
	}
	return ids
}
