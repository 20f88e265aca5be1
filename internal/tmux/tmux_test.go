package tmux

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// server is a tmux server of our own with one pane.
func server(t *testing.T, argv ...string) (Server, string) {
	need.Program(t, "tmux")
	t.Parallel()
	dir, err := os.MkdirTemp("", "tmux") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := Server{Socket: filepath.Join(dir, "s")}
	start := exec.Command("tmux", append([]string{"-S", s.Socket, "-f", "/dev/null", "new-session", "-d", "-x", "60", "-y", "10"}, argv...)...)
	start.Env = append(os.Environ(), "TMUX=", "LANG=C.UTF-8", "TERM=xterm-256color")
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("tmux", "-S", s.Socket, "kill-server").Run() })
	return s, "%0"
}

// seen waits until a pane shows a text and has its cursor in a row. It looks until two
// looks in turn have shown the same: a look asks for the cursor and the title before it
// reads the screen, and the text may have come between the two.
func seen(t *testing.T, s Server, id, text string, row int) Pane {
	t.Helper()
	before := ""
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		p, err := s.Look(t.Context(), id)
		shows := err == nil && p.Row == row && strings.Contains(strings.Join(p.Lines, "\n"), text)
		if shows && p.mark == before {
			return p
		}
		if before = ""; shows {
			before = p.mark
		}
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %q: %+v, %v", text, p, err)
		}
	}
}

func TestLook(t *testing.T) {
	// A title that would mean something to tmux, if it were not data.
	const title = `#{pid},}#(touch x),"$HOME" %1`
	s, id := server(t, "sh", "-c", `printf '\033]2;%s\073\033\\\033[2mfaint\033[0m firm' "$1"; sleep 100`, "sh", title)
	p := seen(t, s, id, "firm", 0)
	if p.Title != title+";" || p.ID != id || p.PID == 0 || p.ServerPID == 0 || p.Dead || p.Unsafe != "" || p.Socket != s.Socket {
		t.Errorf("got %+v, want the title %q", p, title)
	}
	if p.Lines[0] != "faint firm" || p.Solid[0] != "      firm" || p.Column != 10 || p.Row != 0 {
		t.Errorf("got %q and %q with the cursor at %d, %d", p.Lines[0], p.Solid[0], p.Column, p.Row)
	}
	// It is compared as it is, and the comparison holds.
	if done, err := s.if_(t.Context(), p, "set-option -p -t %0 @seen yes"); !done || err != nil {
		t.Errorf("got %v, %v; want the pane to be as it was", done, err)
	}
}

func TestRefusals(t *testing.T) {
	s, _ := server(t, "sleep", "100")
	other := filepath.Join(filepath.Dir(s.Socket), "other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		server Server
		id     string
	}{
		{"what is not a pane's id", s, "%0;kill-server"},
		{"a name that means another pane", s, "{last}"},
		{"a pane that is not there", s, "%9"},
		{"no server", Server{Socket: s.Socket + "x"}, "%0"},
		{"no socket", Server{Socket: other}, "%0"},
	} {
		var refused *Refusal
		if p, err := c.server.Look(t.Context(), c.id); !errors.As(err, &refused) {
			t.Errorf("%s: got %+v, %v; want a refusal", c.name, p, err)
		}
	}
	if _, err := os.Stat(s.Socket + "x"); err == nil {
		t.Error("a server was started to be asked")
	}
}

func TestTypeOnlyIfNothingHasChanged(t *testing.T) {
	for _, c := range []struct {
		name   string
		change []string
		want   bool
	}{
		{"as it was", nil, true},
		{"another title", []string{"select-pane", "-T", "asks you"}, false},
		{"the cursor has moved", []string{"send-keys", "-l", "x"}, false},
		{"copy mode", []string{"copy-mode"}, false},
		{"synchronized with others", []string{"set-option", "-p", "synchronize-panes", "on"}, false},
		{"another program", []string{"respawn-pane", "-k", "cat"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, id := server(t, "sh", "-c", "echo ready; cat")
			p := seen(t, s, id, "ready", 1)
			if c.change != nil {
				args := slices.Insert(slices.Clone(c.change), 1, "-t", id)
				if _, err := s.call(t.Context(), "", args...); err != nil {
					t.Fatal(err)
				}
				for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
					if now, err := s.Look(t.Context(), id); err != nil || now.mark != p.mark {
						break
					}
					if time.Now().After(end) {
						t.Fatal("nothing has changed")
					}
				}
			}
			done, err := s.Paste(t.Context(), p, "one\ntwo \x1b[201~; three")
			if done != c.want || err != nil {
				t.Fatalf("got %v, %v; want %v", done, err, c.want)
			}
			if c.want {
				p = seen(t, s, id, "three", 1)
				if p.Lines[1] != `one two \x1b[201~; three` {
					t.Errorf("got %q, want one line without control characters", p.Lines[1])
				}
				if done, err := s.Enter(t.Context(), p); !done || err != nil {
					t.Errorf("got %v, %v; want Enter", done, err)
				}
				return
			}
			if left, err := s.call(t.Context(), "", "list-buffers"); err != nil || left != "" {
				t.Errorf("a buffer is left: %q (%v)", left, err)
			}
			if done, _ := s.Enter(t.Context(), p); done {
				t.Error("Enter was pressed")
			}
		})
	}
}

// A program is opened with variables of any length and form; those that tell of another
// pane are left out.
func TestOpen(t *testing.T) {
	s, _ := server(t, "sleep", "100")
	out := filepath.Join(filepath.Dir(s.Socket), "out")
	values := []string{"a 'b' \"c\" \\ ; #{pid} $HOME ~\nsecond line;", "", strings.Repeat("x", 60_000)}
	id, err := s.Open(t.Context(), t.TempDir(), []string{"A=" + values[0], "B=" + values[1], "C=" + values[2], "TMUX_PANE=%77"},
		[]string{"sh", "-c", `printf '%s|' "$A" "${B-unset}" "$C" "$TMUX_PANE" "$1" >"$2"~; mv "$2"~ "$2"; sleep 100`, "sh", "it's;", out})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(append(values, id, "it's;", ""), "|")
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		got, err := os.ReadFile(out)
		if err == nil && string(got) == want {
			return
		}
		if err == nil || time.Now().After(end) {
			t.Fatalf("got %.200q, %v; want %.200q", got, err, want)
		}
	}
}
