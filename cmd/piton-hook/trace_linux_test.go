//go:build linux && amd64

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// trace is what a run of the program asked of the system.
type trace struct {
	started []string // the command line of each program that was started
	opened  []string // each file that piton-hook opened, or tried to
	links   int      // symbolic links that piton-hook read, or tried to
	reply   string
}

// traced runs the program under ptrace.
func (c *client) traced(in io.Reader, args ...string) trace {
	c.Helper()
	stdin, stdout := c.file(in), c.file(nil)
	defer stdin.Close()
	defer stdout.Close()
	runtime.LockOSThread() // the tracer is a thread
	defer runtime.UnlockOSThread()
	x := exec.Command(program, append([]string{"claude"}, args...)...)
	x.Env, x.Dir, x.Stdin, x.Stdout = c.env, c.project, stdin, stdout
	x.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := x.Start(); err != nil {
		need.Missing(c, "the system allows no ptrace: "+err.Error())
	}
	p := tracer{TB: c, pid: x.Process.Pid}
	begun := time.Now()
	p.follow()
	c.took(begun)
	b, err := os.ReadFile(stdout.Name())
	if err != nil {
		c.Fatal(err)
	}
	p.reply = string(b)
	return p.trace
}

// file is a temporary file that holds what there is to read.
func (c *client) file(in io.Reader) *os.File {
	c.Helper()
	f, err := os.CreateTemp(c.TempDir(), "")
	if err == nil && in != nil {
		_, err = io.Copy(f, in)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		c.Fatal(err)
	}
	return f
}

// tracer follows one process and those that it starts.
type tracer struct {
	testing.TB
	trace
	pid int
}

const (
	traceOptions = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEFORK | syscall.PTRACE_O_TRACEVFORK | syscall.PTRACE_O_TRACEEXEC
	atSyscall    = syscall.SIGTRAP | 0x80
	openat2      = 437
)

func (p *tracer) follow() {
	p.Helper()
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(p.pid, &ws, syscall.WALL, nil); err != nil {
		p.Fatal(err)
	}
	if err := syscall.PtraceSetOptions(p.pid, traceOptions); err != nil {
		need.Missing(p, "the system allows no ptrace: "+err.Error())
	}
	for tid, signal := p.pid, 0; ; {
		if err := syscall.PtraceSyscall(tid, signal); err != nil && err != syscall.ESRCH {
			p.Fatal(err)
		}
		for {
			var err error
			if tid, err = syscall.Wait4(-1, &ws, syscall.WALL, nil); err != nil {
				p.Fatal(err)
			}
			if ws.Stopped() {
				break
			}
			if tid == p.pid {
				if ws.ExitStatus() != 0 {
					p.Errorf("got status %d, want 0", ws.ExitStatus())
				}
				return
			}
		}
		signal = p.stop(tid, ws)
	}
}

// stop looks at a thread that has stopped, and returns the signal to go on with.
func (p *tracer) stop(tid int, ws syscall.WaitStatus) int {
	switch sig := ws.StopSignal(); {
	case sig == atSyscall:
		var regs syscall.PtraceRegs
		if syscall.PtraceGetRegs(tid, &regs) == nil && int64(regs.Rax) == -int64(syscall.ENOSYS) && p.own(tid) { // on its way in
			p.call(tid, &regs)
		}
		return 0
	case sig == syscall.SIGTRAP:
		if ws.TrapCause() == syscall.PTRACE_EVENT_EXEC {
			line, _ := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/cmdline")
			p.started = append(p.started, strings.ReplaceAll(strings.Trim(string(line), "\x00"), "\x00", " "))
		}
		return 0
	case sig == syscall.SIGSTOP:
		return 0 // how a thread that is new begins
	default:
		return int(sig)
	}
}

// own tells whether a thread is one of piton-hook's.
func (p *tracer) own(tid int) bool {
	_, err := os.Stat(filepath.Join("/proc", strconv.Itoa(p.pid), "task", strconv.Itoa(tid)))
	return err == nil
}

func (p *tracer) call(tid int, regs *syscall.PtraceRegs) {
	switch regs.Orig_rax {
	case syscall.SYS_OPENAT, openat2:
		p.opened = append(p.opened, p.text(tid, uintptr(regs.Rsi)))
	case syscall.SYS_OPEN:
		p.opened = append(p.opened, p.text(tid, uintptr(regs.Rdi)))
	case syscall.SYS_READLINK, syscall.SYS_READLINKAT:
		p.links++
	}
}

// text reads a string of the traced program's.
func (p *tracer) text(tid int, at uintptr) string {
	var s []byte
	for b := make([]byte, 64); len(s) < 4096; at += uintptr(len(b)) {
		n, err := syscall.PtracePeekData(tid, at, b)
		if err != nil || n == 0 {
			break
		}
		if end := bytes.IndexByte(b[:n], 0); end >= 0 {
			return string(append(s, b[:end]...))
		}
		s = append(s, b[:n]...)
	}
	return string(s)
}
