package daemon

import (
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnPeers: connections of other users are closed, and the next one is taken.
func TestOwnPeers(t *testing.T) {
	const own = 1000
	for _, c := range []struct {
		name string
		uid  int
		ok   bool
		in   bool
	}{
		{"this user", own, true, true},
		{"root", 0, true, true},
		{"another user", 1001, true, false},
		{"nobody knows who", 0, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, log := peers(t)
			l.own = own
			first := true
			l.peer = func(net.Conn) (int, bool) {
				if !first {
					return own, true
				}
				first = false
				return c.uid, c.ok
			}
			a, b := dial(t, l), dial(t, l)
			go func() {
				for i := range 2 { // the refused one is not an answer of Accept
					if x, err := l.Accept(); err == nil {
						_, _ = x.Write([]byte{byte('1' + i)})
						x.Close()
					}
				}
			}()
			want := "12"
			if !c.in {
				want = "1"
			}
			if got := heard(a) + heard(b); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if got := strings.Contains(log.String(), "uid=1001"); got == c.in {
				t.Errorf("got the log %q, want the refused user in it and no other", log.String())
			}
		})
	}
}

func peers(t *testing.T) (*ownPeers, *strings.Builder) {
	t.Helper()
	dir, err := os.MkdirTemp("", "piton") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := listenPrivate(filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	log := new(strings.Builder)
	return newOwnPeers(l, slog.New(slog.NewTextHandler(log, nil))), log
}

func dial(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func heard(c net.Conn) string {
	b, _ := io.ReadAll(c) // an error: it was closed
	return string(b)
}
