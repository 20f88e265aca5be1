//go:build amd64 || arm64

// Package disktest watches a process at its system calls (ptrace): what it says is done
// has reached the disk by then, file and name. Linux only. Tests only.
package disktest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/need"
)

// childEnv names the folder that a test's own binary is to work in.
const childEnv = "PITON_TEST_DISK_CHILD"

// Check runs work in a process of its own, as the top test that calls it, and watches
// its system calls below dir: no file is renamed or linked before what was written to it
// is synced, and at each ack all files and all names are. loose are patterns of base
// names to which this does not apply; of each of wants a file must have been written and
// then synced.
func Check(t *testing.T, work func(dir string, ack func()) error, loose, wants []string) {
	t.Helper()
	if dir := os.Getenv(childEnv); dir != "" {
		if err := work(dir, func() { fmt.Println("acknowledged") }); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{dir: dir, loose: loose, data: map[string]bool{}, names: map[string]bool{}, calls: map[int]func(){}}
	w.follow(t)
	for _, want := range wants {
		if !slices.ContainsFunc(w.synced, func(name string) bool { return matches(want, name) }) {
			w.faults = append(w.faults, "no file like "+want+" was written and synced")
		}
	}
	if len(w.faults) > 0 || w.acks == 0 {
		t.Errorf("%d acknowledgements; %s\nits calls:\n%s", w.acks, strings.Join(w.faults, "\n"), strings.Join(w.log, "\n"))
	}
}

// Saves is the work of a store that is made in a folder that is not there yet, and of
// two saves in it.
func Saves[S store.Checkpoints](open func(dir string) (S, error)) func(dir string, ack func()) error {
	return func(dir string, ack func()) error {
		s, err := open(filepath.Join(dir, "made"))
		for range 2 {
			if err == nil {
				_, err = history.Keeper{Store: s}.Save(context.Background(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{}`)}})
			}
			if err != nil {
				return err
			}
			ack()
		}
		return nil
	}
}

func matches(pattern, name string) bool {
	ok, _ := filepath.Match(pattern, filepath.Base(name))
	return ok
}

// watch is what is known of a process's files below dir.
type watch struct {
	dir    string
	loose  []string
	pid    int
	memory *os.File
	data   map[string]bool // files with content that is not synced
	names  map[string]bool // names, come or gone, whose folder is not synced since
	synced []string        // files that were written, and synced
	calls  map[int]func()  // by thread: what its call does if it succeeds
	acks   int
	log    []string
	faults []string
}

// info is the kernel's struct ptrace_syscall_info, the same on all machines.
type info struct {
	op     uint8 // 1: a call begins, 2: it has ended
	_      [23]byte
	number uint64 // of the call, or what it has returned
	args   [6]uint64
}

// getInfo is PTRACE_GET_SYSCALL_INFO.
const getInfo = 0x420e

// follow runs this test again as a child and watches it to its end. The thread that
// follows ends with the test: so does a child that is left.
func (w *watch) follow(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), childEnv+"="+w.dir)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	allowed := func(err error) {
		if err != nil {
			need.Missing(t, "no process can be watched here (ptrace): "+err.Error())
		}
	}
	allowed(cmd.Start())
	w.pid = cmd.Process.Pid
	var status unix.WaitStatus
	_, err := wait(w.pid, &status)
	allowed(errors.Join(err, unix.PtraceSetOptions(w.pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL)))
	w.memory, err = os.Open(fmt.Sprintf("/proc/%d/mem", w.pid))
	allowed(err)
	defer w.memory.Close()
	for tid := w.pid; tid != w.pid || status.Stopped(); {
		signal := 0
		switch s := status.StopSignal(); s {
		case unix.SIGTRAP | 0x80:
			var i info
			if _, _, no := unix.Syscall6(unix.SYS_PTRACE, getInfo, uintptr(tid), unsafe.Sizeof(i), uintptr(unsafe.Pointer(&i)), 0, 0); no != 0 {
				allowed(no)
			}
			w.stop(tid, i)
		case -1, unix.SIGTRAP, unix.SIGSTOP: // a thread has begun or ended
		default:
			signal = int(s)
		}
		if err := unix.PtraceSyscall(tid, signal); err != nil && !errors.Is(err, unix.ESRCH) {
			t.Fatal(err)
		}
		if tid, err = wait(-w.pid, &status); err != nil {
			t.Fatal(err)
		}
	}
	if status.ExitStatus() != 0 {
		t.Fatalf("the child has ended with %d", status.ExitStatus())
	}
}

func wait(pid int, status *unix.WaitStatus) (int, error) {
	for {
		got, err := unix.Wait4(pid, status, unix.WALL, nil)
		if !errors.Is(err, unix.EINTR) {
			return got, err
		}
	}
}

// stop takes a call that begins, and lets it count once it has succeeded.
func (w *watch) stop(tid int, i info) {
	if i.op == 1 {
		w.calls[tid] = w.begin(i.number, i.args)
	} else if done := w.calls[tid]; done != nil && int64(i.number) >= 0 {
		done()
	}
}

// begin is what a call will have done.
func (w *watch) begin(number uint64, a [6]uint64) func() {
	switch number {
	case unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE:
		if a[0] == 1 {
			w.acknowledged()
			return nil
		}
		name := w.open(a[0])
		return w.does(func() { w.data[name] = true }, "write", name)
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		name := w.open(a[0])
		return w.does(func() { w.sync(name) }, "sync", name)
	case unix.SYS_OPENAT, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT:
		name := w.path(a[0], a[1])
		if _, err := os.Lstat(name); number != unix.SYS_OPENAT || a[2]&unix.O_CREAT != 0 && err != nil {
			return w.does(func() { w.names[name] = true; delete(w.data, name) }, "make or remove", name)
		}
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT:
		from, to := w.path(a[0], a[1]), w.path(a[2], a[3])
		if w.data[from] {
			w.fault("is not synced when it gets its name", from)
		}
		return w.does(func() { w.names[from], w.names[to] = true, true }, "name "+from, to)
	}
	return nil
}

// does lets what lies outside of dir pass.
func (w *watch) does(done func(), what, name string) func() {
	if name != w.dir && !strings.HasPrefix(name, w.dir+"/") {
		return nil
	}
	w.log = append(w.log, what+" "+name)
	return done
}

func (w *watch) sync(name string) {
	if w.data[name] {
		w.synced = append(w.synced, name)
	}
	delete(w.data, name)
	maps.DeleteFunc(w.names, func(of string, _ bool) bool { return filepath.Dir(of) == name })
}

func (w *watch) acknowledged() {
	w.acks++
	w.log = append(w.log, "acknowledged")
	w.fault("is not synced when the work is acknowledged", slices.Sorted(maps.Keys(w.data))...)
	w.fault("is in a folder that is not synced when the work is acknowledged", slices.Sorted(maps.Keys(w.names))...)
}

func (w *watch) fault(what string, names ...string) {
	for _, name := range names {
		if !slices.ContainsFunc(w.loose, func(l string) bool { return matches(l, name) }) {
			w.faults = append(w.faults, name+" "+what)
		}
	}
}

// open is the path of an open file.
func (w *watch) open(fd uint64) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", w.pid, int32(fd)))
	return name
}

// path is the path of a name in the child's memory, below an open folder.
func (w *watch) path(fd, at uint64) string {
	var b [unix.PathMax]byte
	n, _ := w.memory.ReadAt(b[:], int64(at)) // as far as there is memory
	name, _, _ := strings.Cut(string(b[:n]), "\x00")
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(w.open(fd), name)
}
