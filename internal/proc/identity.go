package proc

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
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
	start, _, err := stat(pid)
	if err != nil {
		if alive, known := exists(pid); known && !alive {
			return i, fmt.Errorf("identify process %d: %w", pid, fs.ErrNotExist)
		}
		return i, nil
	}
	i.Start, i.Boot, i.Space = start, boot(), space()
	return i, nil
}

// Alive says whether this very process still runs, and whether that is known. It is for identities made on this machine:
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
	start, zombie, err := stat(i.PID)
	if err == nil {
		return !zombie && (i.Start == "" || i.Start == start), true
	}
	alive, known = exists(i.PID)
	if alive && i.Start != "" {
		return false, false // in use, but hidden from us (hidepid): it may be another
	}
	return alive, known
}

// stat reads the start time, and whether the process has ended and only waits to be collected.
func stat(pid int) (start string, zombie bool, err error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false, err
	}
	return parseStat(b)
}

// parseStat finds field 22; it counts from the last parenthesis, since the program's name before it may hold anything.
func parseStat(b []byte) (start string, zombie bool, err error) {
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 20 {
		return "", false, fmt.Errorf("process status has %d fields after the name, want 20", len(f))
	}
	return f[19], f[0] == "Z" || f[0] == "X", nil
}

func boot() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}

func space() string {
	s, _ := os.Readlink("/proc/self/ns/pid")
	return s
}
