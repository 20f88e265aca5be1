//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// group is the process group a command leads; its id is the leader's pid.
type group struct{ cmd *exec.Cmd }

func newGroup(cmd *exec.Cmd, session bool) group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !session, Setsid: session} // a session's leader leads a group too
	return group{cmd}
}

func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func (g group) terminate() error { return g.signal(syscall.SIGTERM) }

// kill ends what is still there at the deadline. The leader is gone by now, but its children may need the time it was given.
func (g group) kill(deadline time.Time) {
	for time.Now().Before(deadline) && g.signal(0) == nil {
		time.Sleep(5 * time.Millisecond)
	}
	_ = g.signal(syscall.SIGKILL) // no such group: all have ended
}

// signal reaches every process of the group; a pid is not given out again while it names a living group.
func (g group) signal(s syscall.Signal) error {
	err := syscall.Kill(-g.cmd.Process.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

func exitCode(s *os.ProcessState) int {
	if s == nil {
		return -1
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// exists asks the kernel whether pid is in use; a process of another user's counts.
func exists(pid int) (alive, known bool) {
	switch err := syscall.Kill(pid, 0); {
	case err == nil, errors.Is(err, syscall.EPERM):
		return true, true
	case errors.Is(err, syscall.ESRCH):
		return false, true
	}
	return false, false
}
