package daemon

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// TestPeerUser: the system says whose a connection is: this process's, or that of a
// thread that has become another user, where this one may do that.
func TestPeerUser(t *testing.T) {
	l, _ := peers(t)
	for _, path := range []struct {
		name string
		mode os.FileMode
	}{{filepath.Dir(l.Addr().String()), 0o755}, {l.Addr().String(), 0o666}} {
		if err := os.Chmod(path.name, path.mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, uid := range map[string]int{"this user": os.Geteuid(), "another user": 65534} {
		if uid != os.Geteuid() && os.Geteuid() != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dialAs(t, l.Addr().String(), uid)
			c, err := l.Listener.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if got, ok := peerUser(c); !ok || got != uid {
				t.Errorf("got the user %d (%v), want %d", got, ok, uid)
			}
		})
	}
}

// dialAs connects as a user. The thread that has become that user ends with it.
func dialAs(t *testing.T, path string, uid int) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked
		if uid != os.Geteuid() {
			same := ^uintptr(0)
			if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESUID, same, uintptr(uid), same); e != 0 {
				done <- e
				return
			}
		}
		c, err := net.Dial("unix", path)
		if err == nil {
			t.Cleanup(func() { c.Close() })
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
