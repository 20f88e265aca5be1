package codex

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/logfile"
)

// Transcript reads the session's rollout backwards to where the turn began,
// then goes through the turn forwards; then its subagents' rollouts.
func (Client) Transcript(path string, since time.Time, end int64) (agent.Transcript, error) {
	left := logfile.NewBudget()
	turn := turn{since: since, upTo: end}
	if err := turn.read(path, left); err != nil {
		return agent.Transcript{}, err
	}
	fold := newFold()
	fold.dir = turn.head.cwd
	fold.turn(turn.lines, turn.ids())
	if since.IsZero() {
		since = turn.begin
	}
	whole := fold.subagents(path, turn.head.id, since, turn.end, left)
	t := fold.finish()
	t.ClientVersion = turn.head.version
	t.Complete = turn.complete && whole
	t.Unreadable, t.UnreadUntil = logfile.Unread(turn.complete, turn.known, turn.begin)
	t.Notes = left.Notes()
	return t, nil
}

// subagents goes through what the subagents of a session did since the turn
// began. Each is a thread with a rollout of its own, in the folder of the day
// when it began; its head names the session. It returns false when not all
// could be read.
func (f *fold) subagents(path, session string, since, until time.Time, left *logfile.Budget) bool {
	if session == "" {
		return true
	}
	files, whole := threadsOf(session, f.days(path, since, until), path, since, maxRollouts)
	for i, file := range files {
		if i == logfile.MaxSubagents {
			return false
		}
		turn := turn{since: since, thread: file.ID}
		if err := turn.read(file.Path, left); err != nil {
			whole = false // it went away, say: the others still count
			continue
		}
		f.subagent, f.dir, f.own = file.ID, turn.head.cwd, turn.own()
		f.count = counter{}
		f.turn(turn.lines, nil)
		whole = whole && turn.complete
	}
	return whole
}

// days are the folders in which subagents of the turn may lie: the session's
// own, those between the turn's beginning and its end, and those of the threads
// that the turn names. A turn of more than some days is looked at in its last.
func (f *fold) days(path string, since, until time.Time) (days []string) {
	days = daysBetween(path, since, until, 7)
	sessions, ok := rolloutRoot(path)
	for _, thread := range f.threads[:min(len(f.threads), logfile.MaxSubagents)] {
		if ok {
			days = append(days, daysAround(sessions, thread)...)
		}
	}
	return days
}

// daysBetween are a rollout's own folder and those of the days of a time, at most so many,
// the last ones; a log that lies apart has its own alone.
func daysBetween(path string, since, until time.Time, most int) []string {
	days := []string{filepath.Dir(path)}
	sessions, ok := rolloutRoot(path)
	ok = ok && !until.IsZero()
	for day := until.AddDate(0, 0, 1); ok && len(days) <= most && !day.Before(since.AddDate(0, 0, -1)); day = day.AddDate(0, 0, -1) {
		days = append(days, dayFolder(sessions, day))
	}
	return days
}

// maxRollouts bounds how many heads of other rollouts are read for one turn.
const maxRollouts = 64

// threadsOf are those of the rollouts that changed since a time which are of subagents of a
// session.
func threadsOf(session string, days []string, but string, since time.Time, most int) (list []logfile.SubagentFile, whole bool) {
	files, whole := changedRollouts(days, but, since, most)
	for _, f := range files {
		if head, err := readHead(f.Path); err == nil && head.of(session) {
			f.ID = head.id
			list = append(list, f)
		}
	}
	return list, whole
}

// changedRollouts lists the rollouts that changed since the turn began, the newest
// first, at most so many.
func changedRollouts(days []string, but string, since time.Time, most int) (files []logfile.SubagentFile, whole bool) {
	slices.Sort(days)
	for _, day := range slices.Compact(days) {
		entries, err := os.ReadDir(day)
		if err != nil {
			continue // there is none
		}
		for _, e := range entries {
			path := filepath.Join(day, e.Name())
			if !strings.HasPrefix(e.Name(), "rollout-") || !strings.HasSuffix(e.Name(), ".jsonl") || !e.Type().IsRegular() || path == filepath.Clean(but) {
				continue
			}
			if info, err := e.Info(); err == nil && !info.ModTime().Before(since.Add(-logfile.ClockSlack)) {
				files = append(files, logfile.SubagentFile{Path: path, Changed: info.ModTime()})
			}
		}
	}
	slices.SortStableFunc(files, func(a, b logfile.SubagentFile) int { return b.Changed.Compare(a.Changed) })
	if len(files) > most {
		return files[:most], false
	}
	return files, true
}
