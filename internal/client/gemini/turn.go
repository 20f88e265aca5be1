package gemini

import (
	"time"

	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

func (t *turn) read(path string, left *logfile.Budget) (err error) {
	if isDocument(path) {
		t.complete, err = readDocument(path, t.upTo, left, t.take)
		return err
	}
	t.stray.Since = t.since
	t.complete, err = logfile.ReadBackFrom(path, t.upTo, left, t.take)
	return err
}

// take adds a line, if it matters, and reports whether the turn began with it or
// after it. A prompt is written when its hook has answered, so every line of the
// turn is younger than since. Among lines that tell nothing, their own time ends it
// (see logfile.Stray).
func (t *turn) take(b []byte) bool {
	if b[0] != '{' {
		return false
	}
	l, ok := parseLine(b)
	if !ok {
		ended := t.stray.Ends(b, rawjson.Stamp)
		t.known = t.known || ended
		return ended
	}
	t.known = true
	switch l.kind {
	case "header":
		return false
	case "rewind":
		if t.rewound == "" {
			t.rewound = l.id
		}
		return false
	case "set":
		t.set(l)
		return false
	}
	if t.copy(l) || t.seen[l.id] {
		return false
	}
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	t.seen[l.id] = true
	if t.older(l) {
		return true
	}
	if t.rewound != "" {
		if t.rewound == l.id {
			t.rewound = ""
		}
		return false
	}
	if !l.at.IsZero() {
		t.begin = l.at
	}
	t.lines = append(t.lines, l)
	return !t.subagent && t.since.IsZero() && l.prompt()
}

// older reports whether a line is from before the turn. What a message asked of
// tools may have ended long after it was said.
func (t *turn) older(l line) bool {
	if t.since.IsZero() || l.at.IsZero() || !l.at.Before(t.since) {
		return false
	}
	for raw := range rawjson.Elements(l.calls) {
		if !rawjson.Time(rawjson.Member(raw, "timestamp")).Before(t.since) {
			return false
		}
	}
	return true
}

// copyTime is how long before a set the copies that it lists can have been
// written.
const copyTime = time.Second

// set looks at a set of all messages. The client may have written them out just
// before it, each as a new one: under a new id, with the time of the copy and
// without its calls. Those look like prompts that nobody has asked.
func (t *turn) set(l line) {
	if l.bare {
		return
	}
	t.copies, t.copied = nil, l.at
	for raw := range rawjson.Elements(l.listed) {
		if id := rawjson.Text(rawjson.Member(raw, "id")); id != "" {
			if t.copies == nil {
				t.copies = map[string]bool{}
			}
			t.copies[id] = true
		}
	}
}

// copy reports whether a line is such a copy. They stand in one row.
func (t *turn) copy(l line) bool {
	if t.copies[l.id] && l.calls == nil && !l.at.After(t.copied) && t.copied.Sub(l.at) < copyTime {
		return true
	}
	t.copies = nil
	return false
}

// turn collects the messages of one log that belong to the turn. The log
// only grows. A message that changes is written again under its id, so the last
// line of an id counts. A rewind takes back what stands before it, down to the
// message it names.
//
// Where the client sets all messages anew ({"$set":{"messages":…}}), it has
// compressed the conversation, cut what an interruption left of it, or read it
// again after a restart; a restart or an emptied conversation may also write a
// header in mid-file. What the model no longer knows has been done all the same,
// and each call has had a line of its own before: nothing is dropped.
type turn struct {
	since    time.Time
	upTo     int64 // the bytes of the log that count; 0: all
	subagent bool  // the log is a subagent's
	lines    []line
	seen     map[string]bool
	rewound  string          // all down to this message was taken back
	copies   map[string]bool // messages that may stand here once more
	copied   time.Time       // when
	begin    time.Time       // the oldest line's
	complete bool            // the turn's beginning was reached
	known    bool            // a line is in a known form
	stray    logfile.Stray
}
