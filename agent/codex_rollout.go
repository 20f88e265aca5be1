package agent

import (
	"bytes"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxDays bounds how many day folders are looked through for one rollout.
const maxDays = 1000

// codexSessions is the folder of all rollouts: sessions/YYYY/MM/DD. Variables
// other than CODEX_HOME only say where the user's home is.
func codexSessions(getenv func(string) string) string {
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

// codexRollout finds the log of a thread. Its id tells when it began, and the
// folder is named after that day on the client's clock: of the three days
// around it one is right. Ids of another form are looked for from the newest
// day on.
func codexRollout(sessions, thread string) (path string, ok bool) {
	if sessions == "" || !codexThread(thread) {
		return "", false
	}
	tried := map[string]bool{}
	look := func(day string) bool {
		if tried[day] {
			return false
		}
		tried[day] = true
		entries, err := os.ReadDir(day)
		if err != nil {
			return false
		}
		for _, e := range slices.Backward(entries) {
			if name := e.Name(); strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, "-"+thread+".jsonl") && e.Type().IsRegular() {
				path = filepath.Join(day, name)
				return true
			}
		}
		return false
	}
	for _, day := range codexDaysAround(sessions, thread) {
		if look(day) {
			return path, true
		}
	}
	days, _ := filepath.Glob(filepath.Join(codexGlob(sessions), "[0-9]*", "[0-9]*", "[0-9]*"))
	for i, day := range slices.Backward(days) {
		if len(days)-i > maxDays {
			break
		}
		if look(day) {
			return path, true
		}
	}
	return "", false
}

// codexGlob keeps a folder's name from being read as a pattern.
func codexGlob(dir string) string {
	if os.PathSeparator == '\\' {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func codexDaysAround(sessions, thread string) (days []string) {
	began := codexBegan(thread)
	if began.IsZero() {
		return nil
	}
	for _, off := range []int{0, -1, 1} {
		days = append(days, codexDay(sessions, began.AddDate(0, 0, off)))
	}
	return days
}

func codexDay(sessions string, at time.Time) string {
	return filepath.Join(sessions, at.Format("2006"), at.Format("01"), at.Format("02"))
}

// codexThread tells whether an id is a UUID: it becomes part of a path.
func codexThread(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i, c := range []byte(id) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return false
		}
	}
	return true
}

// codexBegan reads the time out of a UUID of version 7; of others it is zero.
func codexBegan(thread string) time.Time {
	if !codexThread(thread) || thread[14] != '7' {
		return time.Time{}
	}
	b, err := hex.DecodeString(thread[:8] + thread[9:13])
	if err != nil {
		return time.Time{}
	}
	var ms int64
	for _, c := range b {
		ms = ms<<8 | int64(c)
	}
	return time.UnixMilli(ms).UTC()
}

// codexHead is a rollout's first line.
type codexHead struct {
	id      string // the thread's
	session string // the thread that a person speaks to; itself, unless a subagent
	parent  string
	source  string // thread_source: user, subagent
	nested  bool   // source says that it is a subagent
	version string
	cwd     string
}

// subagent tells whether another thread started this one.
func (h codexHead) subagent() bool {
	return h.nested || h.parent != "" || h.source != "" && h.source != "user" || h.session != "" && h.session != h.id
}

// of tells whether the thread is a subagent of a session, or of a subagent of it.
func (h codexHead) of(session string) bool {
	return session != "" && h.id != session && (h.session == session || h.parent == session)
}

// A head holds the model's instructions, but behind what is asked for here: the
// first read is enough for it, but for older versions.
const (
	headBlock = 16 << 10
	headLarge = 1 << 20
)

func readCodexHead(path string) (codexHead, error) {
	f, size, err := openLog(path)
	if err != nil {
		return codexHead{}, err
	}
	defer f.Close()
	return codexHeadFrom(f, size)
}

func codexHeadFrom(r io.ReaderAt, size int64) (codexHead, error) {
	for _, block := range []int64{headBlock, headLarge} {
		buf := make([]byte, min(block, size))
		n, err := r.ReadAt(buf, 0)
		if err != nil && err != io.EOF {
			return codexHead{}, logError(err)
		}
		line, _, whole := bytes.Cut(buf[:n], []byte{'\n'})
		if h := parseCodexHead(line); whole || h.id != "" && h.source != "" || int64(n) == size {
			return h, nil
		}
	}
	return codexHead{}, nil
}

// parseCodexHead reads what can be read of a first line that may be torn.
func parseCodexHead(line []byte) (h codexHead) {
	o := object{b: line}
	for {
		key, ok := o.next()
		if !ok {
			return codexHead{}
		}
		if string(key) == "type" && text(o.value()) != "session_meta" {
			return codexHead{}
		}
		if string(key) == "payload" {
			break
		}
	}
	for key, value := range members(o.ahead()) {
		switch string(key) {
		case "id":
			h.id = text(value)
		case "session_id":
			h.session = text(value)
		case "parent_thread_id":
			h.parent = text(value)
		case "thread_source":
			h.source = text(value)
		case "source":
			sub := member(value, "subagent")
			h.nested = sub != nil
			if p := text(member(member(sub, "thread_spawn"), "parent_thread_id")); h.parent == "" {
				h.parent = p
			}
		case "cli_version":
			h.version = text(value)
		case "cwd":
			h.cwd = text(value)
		}
	}
	return h
}
