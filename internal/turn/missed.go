package turn

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store/localfs"
)

// Reply is what a client is told, in its own form. An empty one is none.
type Reply = redact.Clean[json.RawMessage]

// Missed is the first thing in a session that a hook could not keep. It is a
// file of its own in PITON_HOME, because the store may be what is in trouble.
type Missed struct {
	At      piton.Time      `json:"at"`
	Agent   string          `json:"agent"`
	Session string          `json:"session" redact:"name"` // the client's id
	Event   agent.EventKind `json:"event"`
	Why     string          `json:"why"`
	// Damaged: the store itself is damaged, or older than what was acknowledged.
	Damaged bool `json:"damaged,omitempty"`
}

// Where the files lie, what marks one that the person has been told of, and how
// long one is kept.
const (
	missedFolder = "missed"
	toldSuffix   = ".told"
	missedKept   = 7 * 24 * time.Hour
	maxWhy       = 300 // bytes
)

// Missed notes that a hook could not keep an event or make a checkpoint, and
// returns the reply that tells the person, once a session: an empty one where the
// client shows none at this event, so that the next stop tells, or where it was
// told.
func (t Turns) Missed(e agent.Event, cause error) Reply {
	return redact.Value(json.RawMessage(t.missed(e, cause)))
}

// missed is Missed with the reply as it is.
func (t Turns) missed(e agent.Event, cause error) []byte {
	if e.ClientID == "" || t.Home == "" || !keeps(e.Kind) {
		return nil
	}
	path := t.missedFile(e)
	if there(path + toldSuffix) {
		return nil
	}
	m := Missed{At: t.handler(e).at, Agent: e.Agent, Session: e.ClientID, Event: e.Kind, Why: inline(cut(cause.Error(), maxWhy)), Damaged: piton.CodeOf(cause) == piton.Corrupt}
	text, err := json.Marshal(redact.Value(m).Get())
	if err != nil {
		return nil
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		forgetMissed(filepath.Dir(path), m.At)
		err = writeNew(path, text)
	}
	switch {
	case !shown(e):
		return nil
	case err == nil || errors.Is(err, fs.ErrExist):
		return t.tellMissed(e)
	case writeNew(filepath.Join(t.TempDir, "piton_missed_"+filepath.Base(path)), text) == nil: // PITON_HOME cannot be written; here we remember that we told
		return t.Client.Notice(m.line())
	}
	return nil
}

// tellMissed is the reply that tells the person of what was missed in this session,
// nil when nothing was, or it was told.
func (t Turns) tellMissed(e agent.Event) []byte {
	path := t.missedFile(e)
	if !there(path) {
		return nil
	}
	m, ok := readMissed(path)
	if !ok || os.Rename(path, path+toldSuffix) != nil {
		return nil
	}
	return t.Client.Notice(m.line())
}

// line is what the person reads.
func (m Missed) line() string {
	what := "some of this session may not be saved: "
	if m.Damaged {
		what = "the store needs you: "
	}
	return agent.Prefix + what + m.Why + ". Run 'piton doctor' to see what is wrong and what to do."
}

// keeps reports whether something of a session is lost with an event of a kind: the
// others tell how long an agent waited.
func keeps(kind agent.EventKind) bool {
	switch kind {
	case agent.EventNotification, agent.EventPermissionRequest, agent.EventInterrupt:
		return false
	}
	return true
}

// shown reports whether the client shows the person a notice at an event.
func shown(e agent.Event) bool {
	return e.Kind == agent.EventStop && e.Subagent == "" && !e.Unheard
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// missedFile is where a session's note lies.
func (t Turns) missedFile(e agent.Event) string {
	return filepath.Join(t.Home, missedFolder, e.Agent+"-"+fmt.Sprintf("%x", sha256.Sum256([]byte(e.ClientID)))[:16])
}

// forgetMissed removes the notes that are old.
func forgetMissed(dir string, now piton.Time) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > missedKept {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// MissedIn lists what hooks could not keep in the last seven days, the newest
// first, as PITON_HOME tells.
func MissedIn(home string, now time.Time) []Missed {
	dir := filepath.Join(home, missedFolder)
	entries, _ := os.ReadDir(dir)
	var list []Missed
	for _, e := range entries {
		if m, ok := readMissed(filepath.Join(dir, e.Name())); ok && now.Sub(m.At.Time) <= missedKept {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b Missed) int { return b.At.Compare(a.At.Time) })
	return list
}

func readMissed(path string) (m Missed, ok bool) {
	b, err := localfs.ReadPlain(path, 1<<16)
	if err != nil || json.Unmarshal(b, &m) != nil {
		return m, false
	}
	m.Why = strings.TrimSpace(inline(m.Why))
	return m, true
}
