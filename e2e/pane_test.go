package e2e

import (
	"strings"
	"testing"
	"time"
)

// attach names the client's pane to Piton, as a person does in another terminal.
func (x *terminal) attach(session string) {
	x.t.Helper()
	pane := strings.TrimSpace(x.tmux("display-message", "-p", "-t", "e2e", "#{pane_id}"))
	x.piton("sessions", "attach", session, "--pane", pane, "--socket", x.socket)
}

// restarted is what `piton sessions restart --json` tells.
type restarted struct {
	Command []string
	Ended   int
	Letter  string    `json:"letter_id"`
	Due     time.Time `json:"due_at"`
	Pane    struct{ PID int }
}

func TestRestart(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.restarts(w.open(), byCommand)
	})
}

func byCommand(w *world, session string) (r restarted) {
	w.pitonJSON(&r, "sessions", "restart", session)
	return r
}

// shells are how a person has a client in a pane: the shell, and what is typed to it.
var shells = []struct {
	name  string
	shell []string
	types string // {} is the client's program
	ahead string // is typed as soon as the client has ended
}{
	{"bash", []string{"bash", "--norc", "-i"}, "{}", ""},
	{"bash, a line typed ahead", []string{"bash", "--norc", "-i"}, "{}", "echo ahead"},
	{"bash in vi mode, with a prompt of two lines", []string{"bash", "--norc", "-o", "vi", "-i"}, `PS1='\w [\t]\n> '; {}`, ""},
	{"bash, and a job behind it", []string{"bash", "--norc", "-i"}, "sleep 600 & {}", ""},
}

// A client that a person has started from a shell is started again from it.
func TestRestartFromAShell(t *testing.T) {
	for i, s := range shells {
		t.Run(s.name, func(t *testing.T) {
			overClients(t, func(t *testing.T, c client) {
				if i > 0 && !today(i, c) {
					return
				}
				w := newWorldOf(t, c, always)
				x := w.start(s.shell...)
				x.until("the shell's prompt", func() bool { return strings.ContainsAny(x.screen(), "$#") })
				x.tmux("send-keys", "-t", "e2e", "-l", "--", strings.ReplaceAll(s.types, "{}", c.name()))
				x.key("Enter")
				x.see(c.screen().ready)
				x.shell = true
				w.restarts(x, func(w *world, session string) restarted {
					over := x.typesAhead(s.ahead)
					defer over()
					return byCommand(w, session)
				})
			})
		})
	}
}

// typesAhead types a text as soon as the shell has its terminal back; the function that
// it returns waits until that was done.
func (x *terminal) typesAhead(text string) func() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for end := time.Now().Add(patience); text != "" && time.Now().Before(end); {
			if out, _ := x.tryTmux("display-message", "-p", "-t", "e2e", "#{pane_current_command}"); strings.TrimSpace(out) == "bash" {
				x.tryTmux("send-keys", "-t", "e2e", "-l", "--", text)
				return
			}
		}
	}()
	return func() { <-done }
}

// A client that was started by piton open is attached to its pane from the start, and is
// started again in it: both times with the variables of the shell.
func TestOpen(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		x := w.start("sh", "-i")
		x.opens(c, "TMUX="+x.socket+",1,0 ")
		x.opened = true
		w.restarts(x, byCommand)
	})
	t.Run("outside of tmux", func(t *testing.T) {
		w := newWorldOf(t, codex, always)
		w.model.script(say("Hello."))
		x := w.start("sh", "-i")
		x.opens(codex, "")
		x.say("hello")
		x.stops(1)
		if s := w.theSession(); s.Pane == nil || !strings.HasPrefix(s.Pane.Socket, w.tmp) {
			t.Errorf("got %+v, want it in a pane of its own server", s)
		}
		_, _ = w.run("tmux", "kill-server") // it may have ended with the client
		x.kill()
	})
}

// What a client asks first is a person's to answer: piton open says that it shows no input
// field, though some clients draw theirs before they ask.
func TestOpenWithoutTrust(t *testing.T) {
	asks := map[client]struct{ file, old, new, question string }{
		claude: {".claude.json", `"hasTrustDialogAccepted":true`, `"hasTrustDialogAccepted":false`, "Yes, I trust this folder"},
		gemini: {"trustedFolders.json", `/project"`, `/other"`, "Do you trust the files"},
		codex:  {"config.toml", `trust_level = "trusted"`, "", "Trust this folder?"},
	}
	overClients(t, func(t *testing.T, c client) {
		w, ask := newWorldOf(t, c, always), asks[c]
		w.write(w.config+"/"+ask.file, strings.Replace(w.read(w.config+"/"+ask.file), ask.old, ask.new, 1))
		x := w.start("sh", "-i")
		out, err := w.run("env", "TMUX="+x.socket+",1,0", "piton", "open", c.name())
		check(t, err)
		if screen := x.screen(); !strings.Contains(out, "no input field") || !strings.Contains(screen, ask.question) {
			t.Errorf("got %q, want it to tell of the question; the screen:\n%s", out, screen)
		}
		x.kill()
	})
}

// opens has the shell open a client.
func (x *terminal) opens(c client, variables string) {
	x.t.Helper()
	x.until("the shell's prompt", func() bool { return strings.ContainsAny(x.screen(), "$#") })
	x.tmux("send-keys", "-t", "e2e", "-l", "--", variables+"piton open "+c.name())
	x.key("Enter")
	x.see(c.screen().ready)
}

// restarts has a client started again in its pane: the old one ends, its conversation
// goes on, and the debrief comes when it is due.
func (w *world) restarts(x *terminal, restart func(w *world, session string) restarted) {
	t := w.t
	w.model.script(say("Hello."), reply{When: "Piton Checkpoint", Text: "All is well."})
	x.say("hello")
	x.stops(1)
	s := w.theSession()
	if x.opened {
		if pane := strings.TrimSpace(x.tmux("display-message", "-p", "-t", "e2e", "#{pane_id}")); s.Pane == nil || s.Pane.ID != pane {
			t.Fatalf("got %+v, want it in pane %s", s, pane)
		}
	} else {
		x.attach(s.ID)
	}
	old := x.pid
	r := restart(w, s.ID)
	if alive(old) && r.Pane.PID == old && !x.shell {
		t.Errorf("the old client still runs as %d", old)
	}
	if r.Letter == "" || r.Ended == 0 || !strings.Contains(strings.Join(r.Command, " "), s.ClientID) {
		t.Errorf("got %+v, want a letter, processes that were ended, and a command that resumes %s", r, s.ClientID)
	}
	x.pid = r.Pane.PID
	pressed := time.Now()
	x.until("the debrief after the restart", func() bool {
		// A question of Claude Code's own: Piton types nothing into it. Keys that
		// come soon after it or each other are not taken.
		if screen := x.screen(); strings.Contains(screen, "Make auto mode your default") && time.Since(pressed) > 3*time.Second {
			key := "Down"
			if strings.Contains(screen, "❯ No") {
				key = "Enter"
			}
			x.key(key)
			pressed = time.Now()
		}
		return len(w.debriefs()) == 1
	})
	got := w.debriefs()[0]
	if !strings.Contains(got.All, "hello") {
		t.Errorf("the conversation was not resumed: %s", short(got.All))
	}
	if early := r.Due.Sub(got.At); early > 0 {
		t.Errorf("the debrief came %s before it was due", early)
	}
	x.stops(2)
	if now := w.theSession(); now.ID != s.ID || now.Turn != 1 || !now.Alive {
		t.Errorf("got %+v, want the session %s, alive in its first turn: a debrief is not a prompt", now, s.ID)
	}
	x.until("the letter to be done", func() bool { return w.waitingLetters() == 0 })
	if x.shell || x.opened {
		x.kill()
		return
	}
	x.leave()
}

// waitingLetters is how many letters wait.
func (w *world) waitingLetters() int {
	w.t.Helper()
	var x struct{ Outbox struct{ Waiting int } }
	w.pitonJSON(&x, "stats")
	return x.Outbox.Waiting
}
