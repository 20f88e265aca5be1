//go:build unix

package proc

import (
	"io"
	"os/exec"
	"strconv"
	"syscall"
)

// watcher sees to it that a group ends with us, even if we are killed: a shell waits for the end of a pipe that only we hold
// open, and kills the group then. It is there before the group is, so that almost nothing passes between the start of a command
// and its being watched: only a kill in the moment before its pid is told leaves it running. Where there is no shell nobody watches.
type watcher struct {
	shell *exec.Cmd
	pipe  io.WriteCloser // nil: nobody watches
	begun *brood
}

func newWatcher() watcher {
	shell := exec.Command("sh", "-c", `read -r group || exit 0; read -r _ || kill -s KILL -- "-$group"`)
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // what kills our own group leaves it alone
	pipe, err := shell.StdinPipe()
	if err != nil {
		return watcher{}
	}
	begun, err := start(shell, false)
	if err != nil {
		return watcher{}
	}
	begun.leave()
	return watcher{shell, pipe, begun}
}

// name tells the watcher the group.
func (w watcher) name(g group) {
	if w.pipe != nil {
		_, _ = io.WriteString(w.pipe, strconv.Itoa(g.cmd.Process.Pid)+"\n")
	}
}

// end sends the watcher away, whether it was told a group or not.
func (w watcher) end() {
	if w.pipe != nil {
		_, _ = io.WriteString(w.pipe, "\n\n")
		_ = w.shell.Wait()
		w.begun.done(w.shell.Process.Pid)
	}
}
