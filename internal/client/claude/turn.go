package claude

import (
	"cmp"
	"time"

	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// turn collects the lines of one file that belong to the turn.
type turn struct {
	since     time.Time
	upTo      int64 // the bytes of the file that count; 0: all
	sidechain bool  // the file is a subagent's
	lines     []line
	begin     time.Time // the oldest line's
	version   string    // the newest line's
	complete  bool      // the turn's beginning was reached
	known     bool      // a line is in a known form
	stray     logfile.Stray
}

func (t *turn) read(path string, left *logfile.Budget) (err error) {
	t.stray.Since = t.since
	t.complete, err = logfile.ReadBackFrom(path, t.upTo, left, t.take)
	return err
}

// take adds a line, if it matters, and reports whether the turn began with it or
// after it. A prompt is stamped before its hook is run (33 to 77 ms in
// recordings), so the newest prompt that is not younger than since is the one
// that opened the turn. Where none stands, older work ends it, and among lines that
// tell nothing their own time (see logfile.Stray).
func (t *turn) take(b []byte) bool {
	if b[0] != '{' {
		return false
	}
	l, ok := parseLine(b)
	if !ok || l.sidechain != t.sidechain && l.kind != "queue-operation" {
		if !t.stray.Ends(b, rawjson.Stamp) {
			return false
		}
		t.known = true
		if t.version == "" {
			t.version = rawjson.Text(rawjson.Member(b, "version"))
		}
		return true
	}
	t.known = true
	t.version = cmp.Or(t.version, l.version)
	prompt := !t.sidechain && l.prompt()
	// Attachments stand out of order: what was queued is stamped with the time
	// it was typed. Meta lines belong to the prompt before them.
	result := l.kind == "user" && !l.meta && !prompt
	work := result || l.kind == "assistant" || l.kind == "system"
	if work && !t.since.IsZero() && !l.at.IsZero() && l.at.Before(t.since.Add(-logfile.ClockSlack)) {
		return true
	}
	if (work || prompt) && !l.at.IsZero() {
		t.begin = l.at
	}
	if l.kind != "system" {
		t.lines = append(t.lines, l)
	}
	return prompt && (t.since.IsZero() || !l.at.IsZero() && !l.at.After(t.since))
}
