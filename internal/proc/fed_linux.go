package proc

import (
	"os"
	"path/filepath"
	"strconv"
)

// Fed reports whether a program other than those that have started us has the
// writing end of a pipe open, as in 'program | us'. False where the system does
// not tell, and for a socket.
func Fed(pipe *os.File) bool {
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(pipe.Fd())))
	if err != nil {
		return false
	}
	started := map[string]bool{strconv.Itoa(os.Getpid()): true}
	for _, p := range Ancestors() {
		started[strconv.Itoa(p.PID)] = true
	}
	ends, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return false
	}
	const write = 0o200
	for _, end := range ends {
		if to, err := os.Readlink(end); err != nil || to != name {
			continue
		}
		info, err := os.Lstat(end)
		if err == nil && info.Mode()&write != 0 && !started[filepath.Base(filepath.Dir(filepath.Dir(end)))] {
			return true
		}
	}
	return false
}
