package daemon

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func damage(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(`{"run_1":`), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The service manager is told how the daemon stands, over the socket that it names.
func TestServiceManager(t *testing.T) {
	dir, err := os.MkdirTemp("", "piton")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "60000000")
	m := TakeManager(os.Getenv)
	if _, left := os.LookupEnv("NOTIFY_SOCKET"); left || m.Watchdog != time.Minute {
		t.Errorf("got a watchdog of %s, and the variable left: %t; want 1m, and nothing left for the steps of runs", m.Watchdog, left)
	}
	m.tell("READY=1")
	b := make([]byte, 100)
	if err := l.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := l.Read(b); err != nil || string(b[:n]) != "READY=1" {
		t.Errorf("got %q, %v, want READY=1", b[:n], err)
	}
}
