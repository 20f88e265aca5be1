package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// group is the command alone: its children outlive it.
type group struct{ cmd *exec.Cmd }

func newGroup(cmd *exec.Cmd, _ bool) group { return group{cmd} }

// detach gives the program no console of ours: CREATE_NEW_PROCESS_GROUP and
// DETACHED_PROCESS.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: 0x200 | 0x8} }

func (g group) terminate() error { return g.cmd.Process.Kill() }
func (g group) kill(time.Time)   {}

// watcher has nothing to go by here.
type watcher struct{}

func newWatcher() watcher  { return watcher{} }
func (watcher) name(group) {}
func (watcher) end()       {}

func exitCode(s *os.ProcessState) int {
	if s == nil {
		return -1
	}
	return s.ExitCode()
}

// exists opens the process: for a pid that is not in use that is an invalid parameter; one of another user's is denied.
func exists(pid int) (alive, known bool) {
	const invalidParameter = syscall.Errno(87)
	p, err := os.FindProcess(pid)
	if err != nil {
		return false, errors.Is(err, invalidParameter)
	}
	_ = p.Release()
	return true, true
}
