//go:build amd64

package restore_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/mark/restore"
	"github.com/piton-project/piton/internal/testkit/need"
)

// changing are the system calls by which a program changes files.
var changing = map[uint64]string{
	unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite", unix.SYS_FTRUNCATE: "truncate", unix.SYS_FALLOCATE: "allocate", unix.SYS_FSYNC: "sync", unix.SYS_FDATASYNC: "sync",
	unix.SYS_OPENAT: "open", unix.SYS_MKDIRAT: "mkdir", unix.SYS_UNLINKAT: "remove", unix.SYS_RENAMEAT: "rename", unix.SYS_RENAMEAT2: "rename", unix.SYS_LINKAT: "link",
	unix.SYS_SYMLINKAT: "symlink", unix.SYS_FCHMOD: "chmod", unix.SYS_UTIMENSAT: "touch",
}

// takingRoom are those that a full disk refuses.
var takingRoom = map[string]bool{"write": true, "pwrite": true, "allocate": true, "open": true, "mkdir": true, "link": true, "symlink": true}

// strike has a child do its work in a place and kills it before its n-th change of a file there; with
// full it is not killed, but there is no room any more from then on. It tells how many changes there
// were, and gives the child's end.
func strike(t *testing.T, p place, work string, n int, full bool) (changes int, err error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(os.Args[0], string(p))
	cmd.Env = append(os.Environ(), childEnv+"="+work)
	var said strings.Builder
	out, err := os.CreateTemp(t.TempDir(), "said")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stderr = out
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := cmd.Start(); err != nil {
		need.Missing(t, "no process can be watched here (ptrace): "+err.Error())
	}
	pid := cmd.Process.Pid
	defer cmd.Process.Release()
	var status unix.WaitStatus
	if _, err := wait(pid, &status); err != nil {
		t.Fatal(err)
	}
	if err := unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL); err != nil {
		need.Missing(t, "no process can be watched here (ptrace): "+err.Error())
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	inside, refused := map[int]bool{}, map[int]bool{}
	for tid := pid; tid != pid || status.Stopped(); {
		signal := 0
		switch s := status.StopSignal(); s {
		case unix.SIGTRAP | 0x80:
			var regs unix.PtraceRegs
			if err := unix.PtraceGetRegs(tid, &regs); err != nil {
				break
			}
			if inside[tid] = !inside[tid]; !inside[tid] {
				if refused[tid] {
					refused[tid], regs.Rax = false, ^uint64(unix.ENOSPC)+1
					err = unix.PtraceSetRegs(tid, &regs)
				}
				break
			}
			what := changing[regs.Orig_rax]
			if what == "" || !in(p, pid, memory, what, regs) {
				break
			}
			if changes++; changes < n || n == 0 {
				break
			}
			if !full {
				syscall.Kill(pid, syscall.SIGKILL)
				break
			}
			if takingRoom[what] {
				regs.Orig_rax, refused[tid] = ^uint64(0), true
				err = unix.PtraceSetRegs(tid, &regs)
			}
		case -1, unix.SIGTRAP, unix.SIGSTOP:
		default:
			signal = int(s)
		}
		if err := unix.PtraceSyscall(tid, signal); err != nil && !errors.Is(err, unix.ESRCH) {
			t.Fatal(err)
		}
		if tid, err = wait(-pid, &status); err != nil {
			t.Fatal(err)
		}
	}
	if status.ExitStatus() == 0 {
		return changes, nil
	}
	text, _ := os.ReadFile(out.Name())
	said.Write(text)
	return changes, fmt.Errorf("ended with %d, signal %v: %s", status.ExitStatus(), status.Signal(), said.String())
}

// in tells whether a call changes something in the place.
func in(p place, pid int, memory *os.File, what string, regs unix.PtraceRegs) bool {
	text := func(at uint64) string {
		var b [4096]byte
		n, _ := memory.ReadAt(b[:], int64(at))
		name, _, _ := strings.Cut(string(b[:n]), "\x00")
		return name
	}
	open := func(fd uint64) string {
		name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, int32(fd)))
		return name
	}
	name := open(regs.Rdi)
	switch what {
	case "open", "mkdir", "remove", "rename", "touch":
		name = filepath.Join(name, text(regs.Rsi))
		if at := text(regs.Rsi); filepath.IsAbs(at) {
			name = at
		}
	case "link":
		name = filepath.Join(open(regs.Rdx), text(regs.R10))
	case "symlink":
		name = filepath.Join(open(regs.Rsi), text(regs.Rdx))
	}
	if what == "open" {
		if _, err := os.Lstat(name); regs.Rdx&unix.O_CREAT == 0 || err == nil {
			return false
		}
	}
	return strings.HasPrefix(name, string(p)+"/")
}

func wait(pid int, status *unix.WaitStatus) (int, error) {
	for {
		got, err := unix.Wait4(pid, status, unix.WALL, nil)
		if !errors.Is(err, unix.EINTR) {
			return got, err
		}
	}
}

// every are the changes before which a test kills: all, or every so many.
func every(t *testing.T, all, few int) (which []int) {
	step := max(1, all/need.Many(few, all))
	if testing.Short() {
		step *= 3
	}
	for n := 1; n <= all; n += step {
		which = append(which, n)
	}
	t.Logf("%d of %d changes of files", len(which), all)
	return which
}

// TestACaptureIsKilled kills at each change of a file while a mark is taken, in a new store and in one
// that is there, and lets the disk be full from then on.
func TestACaptureIsKilled(t *testing.T) {
	for _, full := range []bool{false, true} {
		for _, first := range []bool{true, false} {
			t.Run(fmt.Sprintf("full %t, first %t", full, first), func(t *testing.T) {
				p, was := begun(t)
				if !first {
					p.destroyed(t)
					was = files(p.tree())
				}
				want := []map[string]file{was}
				if !first {
					want = append(want, p.original(t))
				}
				fresh := place(string(p) + "-fresh")
				p.copied(t, fresh)
				all, err := strike(t, p, "capture", 0, false)
				if err != nil || all < 8 {
					t.Fatalf("%d changes, %v", all, err)
				}
				for _, n := range every(t, all, 10) {
					fresh.copied(t, p)
					if _, err := strike(t, p, "capture", n, full); err == nil && n < all-3 {
						t.Errorf("change %d: the child has not failed", n)
					}
					if d := differences(was, files(p.tree())); len(d) > 0 {
						t.Errorf("change %d: a capture has changed %q", n, d)
					}
					p.sound(t, want...)
					if t.Failed() {
						t.Fatalf("change %d of %d", n, all)
					}
				}
			})
		}
	}
}

// original are the files of the first mark; nil where there is none.
func (p place) original(t *testing.T) map[string]file {
	all := map[string]file{}
	_ = p.with(func(k keep.Taker) error {
		marks, err := k.List(t.Context(), keep.Query{})
		if err != nil || len(marks) == 0 {
			return err
		}
		for _, f := range marks[len(marks)-1].Files {
			text, _ := k.Bytes(f)
			all[f.Path] = file{os.FileMode(f.Mode), string(text)}
		}
		return nil
	})
	return all
}

// TestARestoreIsKilled kills at each change of a file while files are restored, or lets the disk be full
// from then on. Nothing has wrong bytes then, and to go on and to take back both end well, also where
// they are killed themselves.
func TestARestoreIsKilled(t *testing.T) {
	for _, work := range []string{"restore", "undo of a restore"} {
		for _, full := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, full %t", work, full), func(t *testing.T) {
				p, mine := begun(t)
				gone := p.destroyed(t)
				before, after := gone, mine
				if work != "restore" {
					if err := p.with(func(k keep.Taker) error { return p.undo(t.Context(), k, "command") }); err != nil {
						t.Fatal(err)
					}
					before, after = mine, gone
				}
				fresh, struck := place(string(p)+"-fresh"), place(string(p)+"-struck")
				p.copied(t, fresh)
				all, err := strike(t, p, work, 0, false)
				if err != nil || all < 12 || !maps.Equal(files(p.tree()), after) {
					t.Fatalf("%d changes, %v, %q", all, err, differences(files(p.tree()), after))
				}
				kills, open := 0, 0
				for _, n := range every(t, all, 12) {
					fresh.copied(t, p)
					_, died := strike(t, p, work, n, full)
					kills++
					p.between(t, before, after, true)
					p.copied(t, struck)
					for _, end := range []struct {
						work string
						want map[string]file
					}{{"continue", after}, {"abort", before}} {
						struck.copied(t, p)
						there := p.interrupted(t)
						if there {
							open++
							again := 1 + (n*7)%13
							if _, err := strike(t, p, end.work, again, false); err != nil {
								kills++
							}
						}
						if err := children[end.work](t.Context(), p); err != nil {
							t.Errorf("%s: %v", end.work, err)
						}
						now := files(p.tree())
						if there && !maps.Equal(now, end.want) {
							t.Errorf("after %s: %q", end.work, differences(now, end.want))
						}
						if !there && !maps.Equal(now, before) && !maps.Equal(now, after) && !(full && died == nil) {
							t.Errorf("nothing is said to be interrupted: %q, %q", differences(now, before), differences(now, after))
						}
						p.between(t, before, after, false)
						if p.interrupted(t) {
							t.Errorf("after %s it is still interrupted", end.work)
						}
						p.sound(t, before, after)
					}
					if t.Failed() {
						t.Fatalf("change %d of %d; the child: %v", n, all, died)
					}
				}
				t.Logf("%d kills; %d times something was interrupted", kills, open)
			})
		}
	}
}

func (p place) interrupted(t *testing.T) (there bool) {
	t.Helper()
	err := p.with(func(k keep.Taker) (err error) {
		_, there, err = restore.Interrupted(t.Context(), k.Store, p.tree())
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return there
}
