//go:build !linux

package proc

import (
	"context"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// Ancestors are the processes above us, our parent first, as far up as the system lets us see. It runs ps once; without ps there are
// none.
func Ancestors() []Ancestor {
	all := map[int]process{}
	r, err := Run(context.Background(), Command{Argv: []string{"ps", "-A", "-ww", "-o", "pid=,ppid=,command="}, Timeout: 5 * time.Second})
	if err == nil {
		for line := range strings.Lines(string(r.Stdout)) {
			f := strings.Fields(line)
			if len(f) < 3 {
				continue
			}
			pid, err := strconv.Atoi(f[0])
			parent, err2 := strconv.Atoi(f[1])
			if err == nil && err2 == nil {
				all[pid] = process{parent: parent, name: path.Base(f[2]), argv: f[2:]}
			}
		}
	}
	return ancestors(os.Getppid(), func(pid int) (process, bool) {
		p, ok := all[pid]
		return p, ok
	})
}

// Getenv is a variable that another process was started with: that cannot be seen
// here.
func Getenv(int, string) string { return "" }

// Environ are the variables that another process was started with: they cannot be seen
// here.
func Environ(int) []string { return nil }
