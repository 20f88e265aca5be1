package client

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// geminiFold goes through a turn's messages in their order: the session's, then
// those of each subagent.
type geminiFold struct {
	t        agent.Transcript
	dir      string    // where the client works, if known
	subagent string    // whose lines they are; empty: the session's
	asked    time.Time // the newest answer of the model
	calls    map[string]bool
}

func newGeminiFold(dir string) *geminiFold {
	return &geminiFold{dir: dir, calls: map[string]bool{}}
}

// turn takes lines that were read backwards.
func (f *geminiFold) turn(lines []geminiLine) {
	f.asked = time.Time{}
	for _, l := range slices.Backward(lines) {
		f.line(l)
	}
}

func (f *geminiFold) line(l geminiLine) {
	switch {
	case l.kind == "gemini":
		f.answered(l)
	case f.subagent != "":
		// Nobody speaks to a subagent but the agent.
	case l.prompt():
		prompted(&f.t, l.typed(), l.at)
	case l.own():
		f.t.OwnTextLast = true
	case l.interrupt():
		f.t.Interrupted = l.at
	}
}

// answered takes an answer of the model: its words, and the calls it made. They
// stand here only when they have ended.
func (f *geminiFold) answered(l geminiLine) {
	f.spent(l.tokens)
	if words, _ := geminiText(l.content); f.subagent == "" && strings.TrimSpace(words) != "" {
		f.t.LastOutput, f.t.LastOutputAt = words, l.at
	}
	// Where the client has said something while the tools ran, their calls stand
	// in a message of their own, which was made when they ended.
	if l.tokens == nil && !f.asked.IsZero() && f.asked.Before(l.at) {
		l.at = f.asked
	}
	f.asked = l.at
	for raw := range elements(l.calls) {
		f.call(l, raw)
	}
}

// spent counts an answer's tokens. What came from the cache is counted with the
// input, and thoughts apart from the output.
func (f *geminiFold) spent(tokens []byte) {
	var input, cached, output int64
	for key, value := range members(tokens) {
		switch string(key) {
		case "input", "tool":
			input += count(value)
		case "cached":
			cached = count(value)
		case "output", "thoughts":
			output += count(value)
		}
	}
	f.t.Usage.Input += max(input-cached, 0)
	f.t.Usage.CacheRead += cached
	f.t.Usage.Output += output
}

// finish applies what is known at the end only.
func (f *geminiFold) finish() agent.Transcript {
	inOrder(f.t.Calls)
	return f.t
}

// subagents goes through what the subagents of a session did since the turn
// began. Each has a log of its own beside the session's, <session>/<id>.jsonl;
// the session's id stands in its log's first line. It returns false when not all
// could be read.
func (f *geminiFold) subagents(path string, since time.Time, left *budget) bool {
	id := geminiSession(path)
	if id == "" {
		return true
	}
	files, whole := subagentFiles(filepath.Join(filepath.Dir(path), id), "", since)
	for _, file := range files {
		turn := geminiTurn{since: since, subagent: true}
		if err := turn.read(file.path, left); err != nil {
			whole = false // it went away, say: the others still count
			continue
		}
		f.subagent = file.id
		f.turn(turn.lines)
		whole = whole && turn.complete
	}
	return whole
}

// geminiSession reads the session's id, as it can stand in a path, from a log's
// first line.
func geminiSession(path string) string {
	head, err := readHead(path, 4<<10)
	if err != nil {
		return ""
	}
	id := text(member(head, "sessionId"))
	for i := range len(id) {
		if c := id[i]; c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return ""
		}
	}
	return id
}
