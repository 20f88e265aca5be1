package proc

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Identity names one process for good, where a pid is given out again. Without a /proc all but PID is empty, and a pid in use is believed.
type Identity struct {
	PID   int    `json:"pid"`
	Start string `json:"start,omitempty"` // start time in ticks since boot
	Boot  string `json:"boot,omitempty"`  // the kernel's boot id
	Space string `json:"space,omitempty"` // pid namespace: containers on one kernel share its boot id, not its pids
}

// Identify reads pid's identity; errors.Is fs.ErrNotExist where there is no such process.
func Identify(pid int) (Identity, error) {
	i := Identity{PID: pid}
	if pid <= 0 {
		return i, fmt.Errorf("identify process %d: %w", pid, fs.ErrNotExist)
	}
	st, err := readStatus(pid)
	if err != nil {
		if alive, known := exists(pid); known && !alive {
			return i, fmt.Errorf("identify process %d: %w", pid, fs.ErrNotExist)
		}
		return i, nil
	}
	i.Start, i.Boot, i.Space = st.start, boot(), space()
	return i, nil
}

// Visible reports whether the process is, or was, one of this boot and pid namespace.
func (i Identity) Visible() bool { return i.Boot == boot() && i.Space == space() }

// Alive reports whether this very process still runs, and whether that is known. It is for identities made on this machine:
// another boot id means that the machine was started again since, so the process is gone; one of another pid namespace cannot be seen from here.
func (i Identity) Alive() (alive, known bool) {
	if i.PID <= 0 {
		return false, false
	}
	if b := boot(); i.Boot != "" && b != "" && i.Boot != b {
		return false, true
	}
	if s := space(); i.Space != "" && s != "" && i.Space != s {
		return false, false
	}
	st, err := readStatus(i.PID)
	if err == nil {
		return !st.ended && (i.Start == "" || i.Start == st.start), true
	}
	alive, known = exists(i.PID)
	if alive && i.Start != "" {
		return false, false // in use, but hidden from us (hidepid): it may be another
	}
	return alive, known
}

// status is what the kernel tells of a process.
type status struct {
	name   string // the program's own name of itself
	parent int
	start  string // ticks since boot
	ended  bool   // it only waits to be collected
	front  bool   // its group has the terminal's keys

	group, session int
}

func readStatus(pid int) (status, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return status{}, err
	}
	return parseStatus(b)
}

// parseStatus reads "pid (name) state parent ...". It counts from the last parenthesis, since the name before it may hold anything.
func parseStatus(b []byte) (status, error) {
	end := bytes.LastIndexByte(b, ')')
	f := strings.Fields(string(b[end+1:]))
	if end < 0 || len(f) < 20 {
		return status{}, fmt.Errorf("process status has %d fields after the name, want 20", len(f))
	}
	parent, err := strconv.Atoi(f[1])
	group, _ := strconv.Atoi(f[2])
	session, _ := strconv.Atoi(f[3])
	_, name, _ := strings.Cut(string(b[:end]), "(")
	return status{name: name, parent: parent, start: f[19], ended: f[0] == "Z" || f[0] == "X", front: f[2] == f[5], group: group, session: session}, err
}

// boot and space stay what they are while a process lives.
var (
	boot = sync.OnceValue(func() string {
		b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
		return strings.TrimSpace(string(b))
	})
	space = sync.OnceValue(func() string {
		s, _ := os.Readlink("/proc/self/ns/pid")
		return s
	})
)
