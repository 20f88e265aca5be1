//go:build unix

package proc

import (
	"os/exec"
	"strconv"
	"syscall"
)

// watch sees to it that the group ends with us, even if we are killed: a shell waits for the end of a pipe that only we hold
// open, and kills the group then. What it returns sends the shell away. Where there is no shell nobody watches.
func (g group) watch() (stop func()) {
	shell := exec.Command("sh", "-c", `read -r _ || kill -s KILL -- "-$1"`, "sh", strconv.Itoa(g.cmd.Process.Pid))
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // what kills our own group leaves it alone
	hold, err := shell.StdinPipe()
	if err != nil || shell.Start() != nil {
		return func() {}
	}
	return func() {
		_, _ = hold.Write([]byte("\n"))
		_ = shell.Wait()
	}
}
