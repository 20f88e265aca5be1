package codex

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxDays bounds how many day folders are looked through for one rollout.
const maxDays = 1000

// sessionsFolder is the folder of all rollouts: sessions/YYYY/MM/DD. Variables
// other than CODEX_HOME only say where the user's home is.
func sessionsFolder(getenv func(string) string) string {
	if getenv == nil {
		return ""
	}
	if home := getenv("CODEX_HOME"); home != "" {
		return filepath.Join(home, "sessions")
	}
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if home := getenv(name); home != "" {
			return filepath.Join(home, ".codex", "sessions")
		}
	}
	return ""
}

// findRollout finds the log of a thread. Its id tells when it began, and the
// folder is named after that day on the client's clock: of the three days
// around it one is right. Ids of another form are looked for from the newest
// day on.
func findRollout(sessions, thread string) (path string, ok bool) {
	if sessions == "" || !isThread(thread) {
		return "", false
	}
	look := func(day string) bool {
		entries, _ := os.ReadDir(day)
		for _, e := range slices.Backward(entries) {
			if name := e.Name(); strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, "-"+thread+".jsonl") && e.Type().IsRegular() {
				path = filepath.Join(day, name)
				return true
			}
		}
		return false
	}
	for _, day := range daysAround(sessions, thread) {
		if look(day) {
			return path, true
		}
	}
	days, _ := filepath.Glob(filepath.Join(quoteGlob(sessions), "[0-9]*", "[0-9]*", "[0-9]*"))
	for _, day := range slices.Backward(days[max(0, len(days)-maxDays):]) {
		if look(day) {
			return path, true
		}
	}
	return "", false
}

// quoteGlob keeps a folder's name from being read as a pattern.
func quoteGlob(dir string) string {
	if os.PathSeparator == '\\' {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func daysAround(sessions, thread string) (days []string) {
	began := beganAt(thread)
	if began.IsZero() {
		return nil
	}
	for _, off := range []int{0, -1, 1} {
		days = append(days, dayFolder(sessions, began.AddDate(0, 0, off)))
	}
	return days
}

func dayFolder(sessions string, at time.Time) string {
	return filepath.Join(sessions, at.Format("2006"), at.Format("01"), at.Format("02"))
}

// isThread reports whether an id is a UUID: it becomes part of a path.
func isThread(id string) bool {
	const form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	for i := range min(len(form), len(id)) {
		allowed := "0123456789abcdef"
		if form[i] == '-' {
			allowed = "-"
		}
		if strings.IndexByte(allowed, id[i]) < 0 {
			return false
		}
	}
	return len(id) == len(form)
}

// beganAt reads the time out of a UUID of version 7; of others it is zero.
func beganAt(thread string) time.Time {
	if !isThread(thread) || thread[14] != '7' {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(thread[:8]+thread[9:13], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
