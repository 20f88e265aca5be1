package gemini

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// fold goes through a turn's messages in their order: the session's, then
// those of each subagent.
type fold struct {
	t        agent.Transcript
	dir      string    // where the client works, if known
	subagent string    // whose lines they are; empty: the session's
	asked    time.Time // the newest answer of the model
	calls    map[string]bool
}

func newFold(dir string) *fold {
	return &fold{dir: dir, calls: map[string]bool{}}
}

// turn takes lines that were read backwards.
func (f *fold) turn(lines []line) {
	f.asked = time.Time{}
	for _, l := range slices.Backward(lines) {
		f.line(l)
	}
}

func (f *fold) line(l line) {
	switch {
	case l.kind == "gemini":
		f.answered(l)
	case f.subagent != "":
		// Nobody speaks to a subagent but the agent.
	case l.prompt():
		client.Prompted(&f.t, l.typed(), l.at)
	case l.own():
		f.t.OwnTextLast = true
	case l.interrupt():
		f.t.Interrupted = l.at
	}
}

// answered takes an answer of the model: its words, and the calls it made. They
// stand here only when they have ended.
func (f *fold) answered(l line) {
	f.spent(l.tokens)
	if words, _ := textOf(l.content); f.subagent == "" && strings.TrimSpace(words) != "" {
		f.t.LastOutput, f.t.LastOutputAt = words, l.at
	}
	// Where the client has said something while the tools ran, their calls stand
	// in a message of their own, which was made when they ended.
	if l.tokens == nil && !f.asked.IsZero() && f.asked.Before(l.at) {
		l.at = f.asked
	}
	f.asked = l.at
	for raw := range rawjson.Elements(l.calls) {
		f.call(l, raw)
	}
}

// spent counts an answer's tokens. What came from the cache is counted with the
// input, and thoughts apart from the output.
func (f *fold) spent(tokens []byte) {
	var input, cached, output int64
	for key, value := range rawjson.Members(tokens) {
		switch string(key) {
		case "input", "tool":
			input += rawjson.Count(value)
		case "cached":
			cached = rawjson.Count(value)
		case "output", "thoughts":
			output += rawjson.Count(value)
		}
	}
	f.t.Usage.Input += max(input-cached, 0)
	f.t.Usage.CacheRead += cached
	f.t.Usage.Output += output
}

// finish applies what is known at the end only.
func (f *fold) finish() agent.Transcript {
	client.InOrder(f.t.Calls)
	return f.t
}

// subagents goes through what the subagents of a session did since the turn
// began. Each has a log of its own beside the session's, <session>/<id>.jsonl;
// the session's id stands in its log's first line. It returns false when not all
// could be read.
func (f *fold) subagents(path string, since time.Time, left *logfile.Budget) bool {
	id := sessionOf(path)
	if id == "" {
		return true
	}
	files, whole := logfile.SubagentFiles(filepath.Join(filepath.Dir(path), id), "", since)
	for _, file := range files {
		turn := turn{since: since, subagent: true}
		if err := turn.read(file.Path, left); err != nil {
			whole = false // it went away, say: the others still count
			continue
		}
		f.subagent = file.Id
		f.turn(turn.lines)
		whole = whole && turn.complete
	}
	return whole
}

// sessionOf reads the session's id, as it can stand in a path, from a log's
// first line.
func sessionOf(path string) string {
	head, err := logfile.ReadHead(path, 4<<10)
	if err != nil {
		return ""
	}
	id := rawjson.Text(rawjson.Member(head, "sessionId"))
	for i := range len(id) {
		if c := id[i]; c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return ""
		}
	}
	return id
}
