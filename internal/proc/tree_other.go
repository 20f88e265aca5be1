//go:build !linux

package proc

import (
	"context"
	"path"
	"strconv"
	"strings"
	"time"
)

// processes are all that ps lists. Start is when it began, in words.
func processes() []Node {
	r, err := Run(context.Background(), Command{Argv: []string{"ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,lstart=,command="}, Timeout: 5 * time.Second})
	if err != nil {
		return nil
	}
	var all []Node
	for line := range strings.Lines(string(r.Stdout)) {
		f := strings.Fields(line)
		const words = 8 // of pid, parent, state, and a time in five words
		if len(f) <= words {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		parent, err2 := strconv.Atoi(f[1])
		if err == nil && err2 == nil {
			argv := f[words:]
			all = append(all, Node{Identity: Identity{PID: pid, Start: strings.Join(f[3:words], " ")}, Parent: parent, Name: path.Base(argv[0]), Argv: argv, Foreground: strings.Contains(f[2], "+"), ended: strings.HasPrefix(f[2], "Z")})
		}
	}
	return all
}
