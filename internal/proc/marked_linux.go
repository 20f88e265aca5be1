package proc

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// EndMarked kills the processes that were started with the mark (NAME=VALUE) in their environment, also those that have left the group and the
// session. It looks again until there are none: one may start another meanwhile.
func EndMarked(mark string) {
	for range 10 {
		found := false
		entries, _ := os.ReadDir("/proc")
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil || pid == os.Getpid() {
				continue
			}
			env, err := os.ReadFile("/proc/" + e.Name() + "/environ") // another user's cannot be read
			if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00")) {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		}
		if !found {
			return
		}
	}
}
