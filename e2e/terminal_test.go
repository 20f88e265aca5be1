package e2e

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// terminal is the client in a terminal, in a tmux server of its own.
type terminal struct {
	*world
	socket string
	pid    int // the client's
	closed bool
	shell  bool // the client was started from it
	opened bool // by Piton, in a pane of its own

	said string // the last line, and when it was sent
	sent time.Time
}

// open starts the client in a terminal and waits until it takes input.
func (w *world) open(args ...string) *terminal {
	w.t.Helper()
	x := w.start(append([]string{w.program(w.client)}, args...)...)
	x.see(w.client.screen().ready)
	return x
}

// start runs a program in a terminal. The tmux server lives as long as we are
// attached to it, so that a killed test leaves nothing.
func (w *world) start(argv ...string) *terminal {
	w.t.Helper()
	need.Program(w.t, "tmux")
	x := &terminal{world: w, socket: filepath.Join(w.root, "tmux")}
	os.Remove(x.socket) // of a terminal before this one
	line := append(append([]string{"env", "-i"}, w.env...), argv...)
	for i, word := range line {
		line[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	columns, rows := strconv.Itoa(cmp.Or(w.columns, 100)), strconv.Itoa(cmp.Or(w.rows, 50))
	attached := w.command(context.Background(), "tmux", "-S", x.socket, "-f", "/dev/null", "-C",
		"new-session", "-s", "e2e", "-x", columns, "-y", rows, "-c", w.project, "exec "+strings.Join(line, " "),
		";", "set-option", "destroy-unattached", "on", ";", "refresh-client", "-C", columns+"x"+rows)
	stdin, err := attached.StdinPipe()
	check(w.t, err)
	check(w.t, attached.Start())
	w.t.Cleanup(func() {
		x.kill()
		stdin.Close()
		attached.Wait() // it ends with its server, whatever its status
	})
	x.until("the terminal", func() bool {
		out, err := x.tryTmux("display-message", "-p", "-t", "e2e", "#{pane_pid}")
		x.pid, _ = strconv.Atoi(strings.TrimSpace(out))
		return err == nil && x.pid > 0
	})
	return x
}

// tmux runs a command of our own server.
func (x *terminal) tmux(args ...string) string {
	x.t.Helper()
	out, err := x.tryTmux(args...)
	if err != nil {
		x.t.Fatalf("tmux %v: %v", args, err)
	}
	return out
}

func (x *terminal) tryTmux(args ...string) (string, error) {
	return x.run(append([]string{"tmux", "-S", x.socket}, args...)...)
}

func (x *terminal) screen() string {
	out, err := x.tryTmux("capture-pane", "-p", "-t", "e2e")
	if err != nil {
		return "(no screen: " + err.Error() + ")"
	}
	return emptyLines.ReplaceAllString(out, "\n")
}

var emptyLines = regexp.MustCompile(`\n([ \t]*\n)+`)

// until waits for something. If it does not come it says what, and shows the
// screen.
func (x *terminal) until(what string, ok func() bool) {
	x.t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(50 * time.Millisecond) {
		x.insist()
		if time.Now().After(end) {
			title, _ := x.tryTmux("display-message", "-p", "-t", "e2e", "#{pane_title}")
			x.t.Fatalf("waited %s in vain for %s; the title: %q; the screen:\n%s", patience, what, title, x.screen())
		}
	}
}

// see waits for a text on the screen.
func (x *terminal) see(text string) {
	x.t.Helper()
	x.until("the text "+strconv.Quote(text)+" on the screen", func() bool { return strings.Contains(x.screen(), text) })
}

// say types a line, waits until it stands on the screen, and sends it.
func (x *terminal) say(line string) {
	x.t.Helper()
	x.tmux("send-keys", "-t", "e2e", "-l", "--", line)
	x.see(line)
	time.Sleep(x.client.screen().pause)
	x.key("Enter")
	x.said, x.sent = line, time.Now()
}

// insist sends once more what still stands where it was typed: a client that
// is busy, or just taking up a conversation, gives it back.
func (x *terminal) insist() {
	if x.said == "" || time.Since(x.sent) < 2*time.Second {
		return
	}
	x.sent = time.Now()
	if x.field() == x.said {
		x.tryTmux("send-keys", "-t", "e2e", "Enter") // it may have ended
	}
}

// field is what stands where the client is typed to.
func (x *terminal) field() string {
	mark, found := x.client.screen().mark, ""
	for line := range strings.Lines(x.screen()) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), mark); ok {
			found = strings.TrimSpace(text)
		}
	}
	return found
}

func (x *terminal) key(name string) {
	x.t.Helper()
	x.tmux("send-keys", "-t", "e2e", name)
}

// answer waits for a question and presses a key until it is off the screen: a client
// drops what is typed in a question's first moments.
func (x *terminal) answer(key, question string) {
	x.t.Helper()
	x.see(question)
	var pressed time.Time
	x.until(key+" to answer "+strconv.Quote(question), func() bool {
		if !strings.Contains(x.screen(), question) {
			return true
		}
		if time.Since(pressed) > 5*time.Second {
			x.key(key)
			pressed = time.Now()
		}
		return false
	})
}

// stops waits until so many stops have been decided.
func (x *terminal) stops(n int) []decision {
	x.t.Helper()
	x.until(strconv.Itoa(n)+" decisions", func() bool { return len(x.decisions()) >= n })
	return x.decisions()
}

// leave ends the client as a person does.
func (x *terminal) leave() {
	x.t.Helper()
	x.say(x.client.screen().exit)
	x.until("the client's end", func() bool { return !alive(x.pid) })
	x.kill()
}

// crash kills the client at once.
func (x *terminal) crash() {
	x.t.Helper()
	check(x.t, syscall.Kill(x.pid, syscall.SIGKILL))
	x.until("the client's death", func() bool { return !alive(x.pid) })
	x.kill()
}

// kill ends our own server and with it the client.
func (x *terminal) kill() {
	if x.closed {
		return
	}
	if x.t.Failed() {
		x.t.Logf("the screen:\n%s", x.screen())
	}
	x.closed = true
	x.tryTmux("kill-server") // it may have ended with the client
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }
