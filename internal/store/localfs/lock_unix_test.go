//go:build unix

package localfs

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const lockEnv = "LOCALFS_TEST_LOCK"

// TestLockOfAMachineThatStoodStill: who waits for a lock stands still for longer than it
// waits, and the lock is let go a little later.
func TestLockOfAMachineThatStoodStill(t *testing.T) {
	const wait = 4 * time.Second
	if path := os.Getenv(lockEnv); path != "" {
		fmt.Println("waits")
		release, err := Lock(t.Context(), path, wait)
		if err != nil {
			t.Fatal(err)
		}
		release()
		return
	}
	path := filepath.Join(t.TempDir(), "lock")
	release, err := Lock(t.Context(), path, wait)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], "-test.run", "^TestLockOfAMachineThatStoodStill$")
	c.Env = append(os.Environ(), lockEnv+"="+path)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(out)
	if _, err := said.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	err = c.Process.Signal(syscall.SIGSTOP)
	time.Sleep(wait + time.Second)
	err = errors.Join(err, c.Process.Signal(syscall.SIGCONT))
	time.Sleep(wait / 40)
	release()
	rest, _ := said.ReadString(0)
	if err := errors.Join(err, c.Wait()); err != nil {
		t.Errorf("got %v, want it to get the lock\n%s", err, rest)
	}
}

// TestLockIsBusy: the wait has an end.
func TestLockIsBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := Lock(t.Context(), path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, wait := range []time.Duration{0, time.Microsecond, 50 * time.Millisecond} {
		begun := time.Now()
		if _, err := Lock(t.Context(), path, wait); !errors.Is(err, ErrBusy) || time.Since(begun) < wait {
			t.Errorf("got %v after %s, want it busy after %s", err, time.Since(begun), wait)
		}
	}
}

// TestHeld: those who ask at the same time do not take each other for who has the lock.
func TestHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	if Held(path) {
		t.Error("a file that is not there is held")
	}
	release, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if !Held(path) {
		t.Error("it is not held while it is locked")
	}
	release()
	f, err := OpenOwn(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil { // another one who asks
		t.Fatal(err)
	}
	if Held(path) {
		t.Error("it is held while somebody asks")
	}
}
