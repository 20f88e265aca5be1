package pane

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/codex"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/need"
)

// fakeEnv makes this test's program a client: the folder that it is played in.
const fakeEnv = "PITON_TEST_CLIENT"

// keyEnv is a variable that the first client has, and its server has not.
const keyEnv = "PITON_TEST_KEY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(fakeEnv); dir != "" && strings.HasPrefix(filepath.Base(os.Args[0]), "codex") {
		play(dir)
		return
	}
	os.Exit(m.Run())
}

// play is a client that looks like Codex: it draws what the file "mode" says (idle,
// working, asking), keeps what is pasted in its input field, and at Enter sends that
// or, while it asks, approves. With the file "asks-at-paste" it asks as soon as
// something was pasted. With the file
// "drops" it drops what is pasted, as often as the file has bytes. With the file "lingers" it says in the file "asked" that it was
// asked to end, and ends when "lingers" is gone.
func play(dir string) {
	stty := func(args ...string) {
		c := exec.Command("stty", args...)
		c.Stdin = os.Stdin
		_ = c.Run()
	}
	stty("raw", "-echo")
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM)
	keys := make(chan []byte)
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := os.Stdin.Read(b)
			if err != nil {
				os.Exit(0)
			}
			keys <- bytes.Clone(b[:n])
		}
	}()
	note := func(name, text string) {
		f, _ := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		fmt.Fprintln(f, text)
		f.Close()
	}
	note("started", strings.Join(os.Args[1:], " "))
	note("keys", os.Getenv(keyEnv))
	mode := func() string {
		b, _ := os.ReadFile(filepath.Join(dir, "mode"))
		return strings.TrimSpace(string(b))
	}
	field := ""
	if b, err := os.ReadFile(filepath.Join(dir, "draft")); err == nil {
		field = string(b)
	}
	fmt.Print("\x1b[?2004h")
	for {
		cwd, _ := os.Getwd()
		title := filepath.Base(cwd)
		screen := "\x1b[2J\x1b[H\r\n\r\n› " + field
		switch mode() {
		case "working":
			title = "⠙ " + title
		case "asking":
			title, screen = "[ ! ] Action Required | "+title, "\x1b[2J\x1b[H\r\n› 1. Yes, proceed (y)\r\n"
		}
		fmt.Print("\x1b]2;" + title + "\x1b\\" + screen)
		select {
		case <-ends:
			for i, err := 0, error(nil); err == nil; i++ {
				if _, err = os.Stat(filepath.Join(dir, "lingers")); err == nil && i == 0 {
					note("asked", "to end")
				}
				time.Sleep(10 * time.Millisecond)
			}
			if _, err := os.Stat(filepath.Join(dir, "stubborn")); err != nil {
				fmt.Print("\x1b[2J\x1b[H\x1b[?2004l")
				leaves, _ := os.ReadFile(filepath.Join(dir, "leaves"))
				fmt.Print(string(leaves))
				stty("sane")
				os.Exit(0)
			}
		case k := <-keys:
			text := strings.NewReplacer("\x1b[200~", "", "\x1b[201~", "").Replace(string(k))
			enter := strings.Contains(text, "\r")
			if text = strings.ReplaceAll(text, "\r", ""); mode() != "asking" {
				field += text
			}
			if text != "" {
				note("typed", text)
			}
			if n, err := os.ReadFile(filepath.Join(dir, "drops")); err == nil && len(n) > 0 && text != "" {
				os.WriteFile(filepath.Join(dir, "drops"), n[1:], 0o600)
				field = ""
			}
			if _, err := os.Stat(filepath.Join(dir, "asks-at-paste")); err == nil && text != "" {
				os.Remove(filepath.Join(dir, "asks-at-paste"))
				os.WriteFile(filepath.Join(dir, "mode"), []byte("asking"), 0o600)
			}
			switch {
			case enter && mode() == "asking":
				note("approved", "yes")
			case enter && field != "":
				if _, err := os.Stat(filepath.Join(dir, "deaf")); err != nil {
					note("got", field)
				}
				field = ""
			}
		case <-time.After(30 * time.Millisecond):
		}
	}
}

// played is Codex with the log of the fake one.
type played struct {
	codex.Client
	dir string
}

func (p played) Transcript(string, time.Time, int64) (agent.Transcript, error) {
	b, _ := os.ReadFile(filepath.Join(p.dir, "got"))
	return agent.Transcript{OwnTextLast: strings.Contains(string(b), "[Piton")}, nil
}

func (played) QueueCommand(string, string) []string { return nil }

// stage is a tmux server of our own with a fake client in a pane, and a store.
type stage struct {
	*testing.T
	dir, socket, pane string
	local             *store.Local
	Panes
	session agent.Session
}

const letterText = agent.Prefix + "validate your work, then end with a short debrief."

func newStage(t *testing.T, shell bool) *stage {
	if shell {
		return stageIn(t, "codex first", "sh", "-i")
	}
	return stageIn(t, "")
}

// stageIn has the client started by what is typed to a shell; without a shell it is the
// pane's own program.
func stageIn(t *testing.T, typed string, shell ...string) *stage {
	need.Program(t, "tmux")
	need.Program(t, "stty")
	t.Parallel()
	dir, err := os.MkdirTemp("", "pane") // a socket's path is short
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	x := &stage{T: t, dir: dir, socket: filepath.Join(dir, "tmux")}
	self, err := os.Executable()
	must(t, err)
	must(t, os.Mkdir(filepath.Join(dir, "project"), 0o700))
	must(t, os.Symlink(self, filepath.Join(dir, "codex")))
	x.mode("idle")
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "piton.db"), sqlite.Options{})
	must(t, err)
	t.Cleanup(func() { st.Close() })
	x.local = st.Local()
	x.Panes = Panes{Local: x.local, Client: func(string) (client.Client, bool) { return played{dir: dir}, true }}

	program := []string{"env", keyEnv + "=its own", filepath.Join(dir, "codex"), "first"}
	if shell != nil {
		program = shell
	}
	start := exec.Command("tmux", append([]string{"-S", x.socket, "-f", "/dev/null", "new-session", "-d", "-s", "s", "-x", "160", "-y", "30", "-c", filepath.Join(dir, "project")}, program...)...)
	start.Env = append(os.Environ(), fakeEnv+"="+dir, "PATH="+dir+":"+os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "TMUX=", "PS1=$ ", "ENV=")
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v: %s", err, out)
	}
	server := x.socket // a test may name another
	t.Cleanup(func() { exec.Command("tmux", "-S", server, "kill-server").Run() })
	x.pane = strings.TrimSpace(x.tmux("display-message", "-p", "-t", "s", "#{pane_id}"))
	if shell != nil {
		x.shows("$")
		x.tmux("send-keys", "-t", x.pane, "-l", typed)
		x.tmux("send-keys", "-t", x.pane, "Enter")
	}
	x.session = agent.Session{Identity: agent.Identity{ID: piton.NewID(piton.SessionPrefix), Agent: "codex", ClientID: "0192-abc", Cwd: filepath.Join(dir, "project"), StartedAt: piton.At(time.Now()), SeenAt: piton.At(time.Now())}}
	x.update(func(s *agent.Session) {})
	x.shows("›")
	return x
}

func (x *stage) attach() {
	x.Helper()
	at, err := x.Find(x.Context(), x.session, x.socket, x.pane)
	must(x, err)
	x.session, err = x.Put(x.Context(), x.session.ID, at)
	must(x, err)
}

// letter posts a debrief after a restart and claims it, as a courier does.
func (x *stage) letter() agent.Letter {
	x.Helper()
	l := agent.Letter{ID: piton.NewID(piton.LetterPrefix), SessionID: x.session.ID, Kind: agent.LetterRestart, Due: piton.At(time.Now()), Body: `{"text":"` + letterText + `"}`}
	must(x, x.post(x.Context(), l))
	return x.claim()
}

func (x *stage) claim() (l agent.Letter) { return x.claimIn(time.Minute) }

// claimIn claims the first letter that is due after d.
func (x *stage) claimIn(d time.Duration) (l agent.Letter) {
	x.Helper()
	must(x, x.local.Update(x.Context(), func(tx store.LocalTx) (err error) {
		now := piton.At(time.Now().Add(d))
		l, _, err = tx.Claim(x.Context(), store.Claim{Session: x.session.ID, At: now, Until: now})
		return err
	}))
	return l
}

func (x *stage) now() agent.Session {
	x.Helper()
	s, err := x.local.Session(x.Context(), x.session.ID)
	must(x, err)
	return s
}

func (x *stage) update(change func(*agent.Session)) {
	x.Helper()
	must(x, x.local.Update(x.Context(), func(tx store.LocalTx) error {
		s, err := tx.Session(x.Context(), x.session.ID)
		if err != nil {
			s = x.session
		}
		change(&s)
		return tx.PutSession(x.Context(), redact.Value(s))
	}))
}

func (x *stage) mode(m string) {
	must(x, os.WriteFile(filepath.Join(x.dir, "mode"), []byte(m), 0o600))
	if x.pane != "" {
		x.until("the client to be "+m, func() bool {
			title := x.tmux("display-message", "-p", "-t", x.pane, "#{pane_title}")
			return strings.Contains(title, "Action") == (m == "asking") && strings.Contains(title, "⠙") == (m == "working")
		})
	}
}

func (x *stage) file(name string) string {
	b, _ := os.ReadFile(filepath.Join(x.dir, name))
	return strings.TrimSpace(string(b))
}

func (x *stage) tmux(args ...string) string {
	x.Helper()
	out, err := exec.CommandContext(context.Background(), "tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// shows waits until a text is on the screen.
func (x *stage) shows(text string) {
	x.Helper()
	x.until(text+" on the screen", func() bool { return strings.Contains(x.tmux("capture-pane", "-p", "-t", x.pane), text) })
}

func (x *stage) until(what string, ok func() bool) {
	x.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			x.Fatalf("waited in vain for %s; the screen:\n%s", what, x.tmux("capture-pane", "-p", "-t", x.pane))
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
