package gemini

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// Transcript reads the session's log backwards to where the turn began, then
// goes through the turn forwards; then its subagents' logs.
func (Client) Transcript(path string, since time.Time, end int64) (agent.Transcript, error) {
	left := logfile.NewBudget()
	turn := turn{since: since, upTo: end}
	if err := turn.read(path, left); err != nil {
		return agent.Transcript{}, err
	}
	fold := &fold{dir: projectOf(path), calls: map[string]bool{}, outputs: outputFolders(path)}
	fold.turn(turn.lines)
	if since.IsZero() {
		since = turn.begin
	}
	whole := fold.subagents(path, since, left)
	t := fold.finish()
	t.Complete = turn.complete && whole
	t.Unreadable, t.UnreadUntil = logfile.Unread(turn.complete, turn.known, turn.begin)
	t.Notes = left.Notes()
	return t, nil
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
	files, whole := logfile.SubagentFiles(filepath.Join(filepath.Dir(path), id), "", since, logfile.MaxSubagents)
	for _, file := range files {
		turn := turn{since: since, subagent: true}
		if err := turn.read(file.Path, left); err != nil {
			whole = false // it went away, say: the others still count
			continue
		}
		f.subagent = file.ID
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
	if !client.SafeID(id) {
		return ""
	}
	return id
}

// projectOf is the folder the client works in, which a log does not tell:
// the client keeps it in a file beside the folder of its logs. Empty where there
// is none.
func projectOf(path string) string {
	name := filepath.Join(filepath.Dir(filepath.Dir(path)), ".project_root")
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b, err := logfile.ReadHead(name, 4<<10)
	dir := strings.TrimSpace(string(b))
	if err != nil || !filepath.IsAbs(dir) || strings.ContainsAny(dir, "\n\x00") {
		return ""
	}
	return filepath.Clean(dir)
}

// outputFolders are where the client keeps large outputs: a folder beside that of
// its logs, and in it one for the session.
func outputFolders(path string) []string {
	dir := filepath.Join(filepath.Dir(filepath.Dir(path)), "tool-outputs")
	if id := sessionOf(path); id != "" {
		return []string{filepath.Join(dir, "session-"+id), dir}
	}
	return []string{dir}
}
