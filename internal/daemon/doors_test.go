//go:build unix

package daemon

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
)

// pane is a terminal that keeps what is written to it.
type pane struct{ bytes.Buffer }

func (*pane) Columns() int { return 80 }

// TestLogLines: lines of text, on a terminal with the time of day, or JSON; no secret in any.
func TestLogLines(t *testing.T) {
	secret := "ghp_" + strings.Repeat("A1b2", 9)
	text := []string{"level=INFO msg=begins of=a run_id=\"r\\n1\"", "level=WARN msg=slow of=a at=[REDACTED:github-token]", "level=ERROR msg=\"\\x1b[31mbad\" of=a none=\"\""}
	for name, c := range map[string]struct {
		json, terminal bool
		want           []string // of each line, behind its time
	}{
		"a terminal": {false, true, text},
		"a file":     {false, false, text},
		"JSON":       {true, true, []string{`"level":"INFO","msg":"begins","of":"a","run_id":"r\n1"}`, `"level":"WARN","msg":"slow","of":"a","at":"[REDACTED:github-token]"}`, `"level":"ERROR","msg":"\u001b[31mbad","of":"a","none":""}`}},
	} {
		p := &pane{}
		log := newLog(p, c.json)
		if !c.terminal {
			log = newLog(&p.Buffer, c.json)
		}
		log = log.With("of", "a")
		log.Debug("not told")
		log.Info("begins", "run_id", "r\n1")
		log.Warn("slow", "at", secret)
		log.Error("\x1b[31mbad", "none", "")
		lines := strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n")
		for i, line := range lines {
			if len(lines) != len(c.want) || !strings.HasSuffix(line, c.want[i]) {
				t.Errorf("%s, line %d of %d: got %q, want %q", name, i+1, len(lines), line, c.want[min(i, len(c.want)-1)])
			}
			if _, err := time.Parse("time=15:04:05 ", line[:min(14, len(line))]); (err == nil) != (c.terminal && !c.json) {
				t.Errorf("%s: got %q", name, line)
			}
		}
	}
}

// TestRoomForTheSocket: a socket that is left is taken away, and nothing else.
func TestRoomForTheSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "d") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket, file := filepath.Join(dir, "s"), filepath.Join(dir, "f")
	l, err := net.Listen("unix", socket)
	if err == nil {
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		err = errors.Join(l.Close(), os.WriteFile(file, nil, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		code piton.Code
	}{
		{filepath.Join(dir, "none"), ""}, {socket, ""}, {file, piton.Conflict}, {dir, piton.Conflict}, {filepath.Join(file, "x"), piton.Unavailable},
		{dir + "/" + strings.Repeat("x", maxSocket-1-len(dir)), ""}, {dir + "/" + strings.Repeat("x", maxSocket-len(dir)), piton.Invalid},
	} {
		if err := clearSocket(c.path); piton.CodeOf(err) != c.code {
			t.Errorf("%s: got %v, want %q", c.path, err, c.code)
		}
	}
	if _, err := os.Lstat(socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want the socket away", err)
	}
	if _, err := os.Lstat(file); err != nil {
		t.Errorf("got %v, want the file still there", err)
	}
	first, err := listenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if _, err := listenLoopback(first.Addr().String()); piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("an address that is taken: got %v", err)
	}
	if _, err := listenLoopback("0.0.0.0:0"); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("an address of all: got %v", err)
	}
	if got := (&doors{tcp: first}).address(); got != first.Addr().String() || (&doors{}).address() != "" {
		t.Errorf("got the address %q", got)
	}
}

// TestToken: it is drawn once, and what is no token of ours is not used.
func TestToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	first, err := readToken(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := readToken(path)
	info, err2 := os.Stat(path)
	if err != nil || err2 != nil || again != first || len(first) < minToken || info.Mode() != 0o600 {
		t.Errorf("got %q and %q (%v), %v", first, again, err, info.Mode())
	}
	if other, err := readToken(path + "2"); err != nil || other == first {
		t.Errorf("another one: got %q, %v", other, err)
	}
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		ok   bool
	}{
		"as short as may be": {strings.Repeat("x", minToken) + "\n", 0o600, true}, "too short": {strings.Repeat("x", minToken-1), 0o600, false}, "with a blank": {strings.Repeat("x y", minToken), 0o600, false},
		"not printable": {strings.Repeat("é", minToken), 0o600, false}, "the last that is": {strings.Repeat("~", minToken), 0o600, true}, "the first that is not": {strings.Repeat("\x7f", minToken), 0o600, false}, "as long as may be": {strings.Repeat("x", maxToken), 0o600, true}, "too long": {strings.Repeat("x", maxToken+1), 0o600, false},
		"open to the group": {first, 0o640, false}, "open to all": {first, 0o604, false}, "for its owner only": {first, 0o400, true},
	} {
		if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte(c.text), 0o600), os.Chmod(path, c.mode)); err != nil {
			t.Fatal(err)
		}
		got, err := readToken(path)
		if c.ok && (err != nil || got != strings.TrimSpace(c.text)) || !c.ok && piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if _, err := readToken(filepath.Join(path, "token")); err == nil {
		t.Error("in a file: got no error")
	}
}

// TestManager: who has started the daemon, by its variables.
func TestManager(t *testing.T) {
	me := strconv.Itoa(os.Getpid())
	for name, c := range map[string]struct {
		env    map[string]string
		socket string
		dog    time.Duration
	}{
		"none": {nil, "", 0}, "a path": {map[string]string{"NOTIFY_SOCKET": "/run/x"}, "/run/x", 0}, "an abstract name": {map[string]string{"NOTIFY_SOCKET": "@x"}, "@x", 0}, "no path": {map[string]string{"NOTIFY_SOCKET": "vsock:2:1"}, "", 0},
		"a watchdog": {map[string]string{"WATCHDOG_USEC": "1000000"}, "", time.Second}, "ours": {map[string]string{"WATCHDOG_USEC": "1000000", "WATCHDOG_PID": me}, "", time.Second}, "another's": {map[string]string{"WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"}, "", 0},
		"no time": {map[string]string{"WATCHDOG_USEC": "0", "WATCHDOG_PID": me}, "", 0}, "less than none": {map[string]string{"WATCHDOG_USEC": "-1"}, "", 0}, "no number": {map[string]string{"WATCHDOG_USEC": "x", "WATCHDOG_PID": me}, "", 0},
	} {
		m := TakeManager(func(name string) string { return c.env[name] })
		if m.socket != c.socket || m.Watchdog != c.dog {
			t.Errorf("%s: got %+v", name, m)
		}
		if m.socket == "" {
			m.tell("READY=1") // to nobody
		}
		beat, stop := m.beat()
		if stop(); (beat != nil) != (c.dog > 0) {
			t.Errorf("%s: got a beat %t", name, beat != nil)
		}
	}
}
