package pane

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/proc"
)

func (x *stage) debrief() *agent.Letter {
	return &agent.Letter{ID: piton.NewID(piton.LetterPrefix), SessionID: x.session.ID, Kind: agent.LetterRestart, Key: string(agent.LetterRestart), Due: piton.At(time.Now().Add(5 * time.Second)), Body: `{"text":"` + letterText + `"}`}
}

func TestRestart(t *testing.T) {
	for _, c := range []struct {
		name   string
		shell  bool
		mode   string
		before func(x *stage)
	}{
		{"the pane's own program", false, "idle", func(*stage) {}},
		{"below the person's shell", true, "idle", func(*stage) {}},
		{"in the middle of a turn", false, "working", func(*stage) {}},
		{"while it asks a person", true, "asking", func(*stage) {}},
		{"it has ended already", true, "idle", func(x *stage) {
			x.until("the client's end", func() bool {
				v, _, _ := look(x.Context(), "codex", *x.session.Pane)
				if v.client.PID != 0 {
					proc.EndTree(x.Context(), v.client.Identity, time.Second, time.Second)
				}
				return v.client.PID == 0
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newStage(t, c.shell)
			x.attach()
			x.mode(c.mode)
			v, _, why := look(t.Context(), "codex", *x.session.Pane)
			if why != "" {
				t.Fatal(why)
			}
			c.before(x)
			l := x.debrief()
			must(t, os.WriteFile(x.dir+"/mode", []byte("idle"), 0o600))
			done, err := x.Restart(t.Context(), x.session, l, []int{os.Getpid()})
			if err != nil {
				t.Fatalf("%v; the screen:\n%s", err, x.tmux("capture-pane", "-p", "-t", x.pane))
			}
			x.until("the client to run again", func() bool { return strings.Count(x.file("started"), "\n") == 1 })
			if got := x.file("started"); got != "first\nresume 0192-abc" {
				t.Errorf("got the starts %q, want the client's own resume", got)
			}
			if keys := x.file("keys"); !c.shell && runtime.GOOS == "linux" && keys != "its own\nits own" {
				t.Errorf("got the keys %q, want the new client to have that of the old one", keys)
			}
			if alive, _ := v.client.Alive(); alive {
				t.Error("the old client still runs")
			}
			s := x.now()
			if s.Restarted != l.ID || s.Pane == nil || s.Pane.ID != x.pane || s.Pane.Process.PID != done.Pane.Process.PID || c.shell != (s.Pane.Process == x.session.Pane.Process) {
				t.Errorf("got the session %+v, want it to wait for %s, in the pane as it is now", s, l.ID)
			}
			if again, _, why := look(t.Context(), "codex", *s.Pane); why != "" || again.client.PID == 0 || again.client.PID == v.client.PID {
				t.Errorf("got %d in the pane (%s), want another client", again.client.PID, why)
			}
			x.shows("›") // it has drawn its input field
			if out := x.Carry(t.Context(), x.claim(), s); out.What != "delivered" || x.file("got") != letterText {
				t.Errorf("got %+v, and the client %q; want the debrief", out, x.file("got"))
			}
			if got := strings.TrimSpace(x.tmux("show-options", "-p", "-t", x.pane)); got != "" {
				t.Errorf("the pane's options are changed: %s", got)
			}
		})
	}
}

// A client that was just opened takes input, or not yet, or has ended.
func TestOpened(t *testing.T) {
	for _, c := range []struct {
		name, mode string
		ready      bool
		err        string
	}{
		{"it takes input", "idle", true, ""},
		{"it asks something first", "asking", false, "deadline"},
		{"it has ended", "", false, "ended at once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newStage(t, false)
			x.mode(c.mode)
			if c.mode == "asking" {
				x.shows("Yes, proceed")
			}
			pane := x.pane
			if c.mode == "" {
				pane = "%9"
			}
			ctx, over := context.WithTimeout(t.Context(), 6*time.Second)
			defer over()
			ready, err := x.Opened(ctx, "codex", x.socket, pane)
			if ready != c.ready || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %v, %v; want %v, …%s…", ready, err, c.ready, c.err)
			}
		})
	}
}

// Where debriefs are off the client is started again, and told nothing.
func TestRestartWithoutADebrief(t *testing.T) {
	x := newStage(t, false)
	x.attach()
	if _, err := x.Restart(t.Context(), x.session, nil, []int{os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	x.until("the client to run again", func() bool { return x.file("started") == "first\nresume 0192-abc" })
	if n, err := x.local.WaitingLetters(t.Context()); err != nil || n != 0 || x.now().Restarted != "" {
		t.Errorf("got %d letters (%v), and the session waits for %q; want none", n, err, x.now().Restarted)
	}
}

// A restart whose process was killed between the end of the client and its start is gone
// on with by whoever carries the letter that was posted before.
func TestRestartIsGoneOnWith(t *testing.T) {
	for _, c := range []struct {
		name   string
		killed func(x *stage, r *restart)
		starts string
	}{
		{"before the client was ended", func(*stage, *restart) {}, "first"},
		{"before it was started again", func(x *stage, r *restart) { must(x, r.end(x.Context())) }, "first\nresume 0192-abc"},
		{"before the debrief was posted anew", func(x *stage, r *restart) {
			must(x, r.end(x.Context()))
			must(x, r.start(x.Context()))
			must(x, r.settle(x.Context()))
		}, "first\nresume 0192-abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newStage(t, false)
			x.attach()
			r := restart{Panes: x.Panes, session: x.session, op: "restart"}
			must(t, r.check(t.Context(), []int{os.Getpid()}))
			must(t, r.keep(t.Context()))
			first, err := r.announce(t.Context(), x.debrief())
			must(t, err)
			c.killed(x, &r)
			if out := x.Carry(t.Context(), x.claimIn(2*time.Minute), x.now()); out.What != "dropped" || !strings.Contains(out.Why, "gone on") {
				t.Fatalf("got %+v, want the restart gone on with", out)
			}
			x.until("the client to run", func() bool { return x.file("started") == c.starts })
			if got := strings.TrimSpace(x.tmux("show-options", "-p", "-t", x.pane)); got != "" {
				t.Errorf("the pane's options are changed: %s", got)
			}
			s := x.now()
			if s.Restarted == first.ID || s.Restarted == "" {
				t.Errorf("the session waits for %q, want it to wait for a new letter", s.Restarted)
			}
			l := agent.Letter{ID: s.Restarted, SessionID: s.ID, Kind: agent.LetterRestart, Body: `{"text":"` + letterText + `"}`}
			if out := x.goOn(t.Context(), l, s); out != nil {
				t.Errorf("got %+v, want the new letter carried like any other", out)
			}
		})
	}
}

// A restart that could not end the client leaves no letter, and the pane as it was.
func TestRestartGivenUp(t *testing.T) {
	x := newStage(t, false)
	x.attach()
	r := restart{Panes: x.Panes, session: x.session, op: "restart"}
	must(t, r.check(t.Context(), []int{os.Getpid()}))
	must(t, r.keep(t.Context()))
	undone, err := r.announce(t.Context(), x.debrief())
	must(t, err)
	r.giveUp(t.Context(), undone)
	if n, err := x.local.WaitingLetters(t.Context()); err != nil || n != 0 || x.now().Restarted != "" {
		t.Errorf("got %d letters (%v), and the session waits for %q; want none", n, err, x.now().Restarted)
	}
	if got := strings.TrimSpace(x.tmux("show-options", "-p", "-t", x.pane)); got != "" {
		t.Errorf("the pane's options are changed: %s", got)
	}
}

// A restart that has begun goes on without its caller: an agent that restarts itself
// over HTTP is gone with the client, and so is its connection.
func TestRestartWithoutItsCaller(t *testing.T) {
	x := newStage(t, false)
	x.attach()
	must(t, os.WriteFile(x.dir+"/lingers", nil, 0o600))
	ctx, gone := context.WithCancel(t.Context())
	go func() {
		for x.file("asked") == "" && t.Context().Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		gone()
		os.Remove(x.dir + "/lingers")
	}()
	l := x.debrief()
	if done, err := x.Restart(ctx, x.session, l, []int{os.Getpid()}); err != nil || done.Killed != 0 {
		t.Errorf("got %+v, %v; want the client ended without force, and started again", done, err)
	}
	x.until("the client to run again", func() bool { return x.file("started") == "first\nresume 0192-abc" })
	if x.now().Restarted != l.ID {
		t.Error("the session waits for no debrief")
	}
}

func TestRestartRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(x *stage, above *[]int)
		code   piton.Code
	}{
		{"no pane is attached", func(x *stage, _ *[]int) { x.session.Pane = nil }, piton.Invalid},
		{"an id that a shell would read", func(x *stage, _ *[]int) { x.session.ClientID = "a;b" }, piton.Invalid},
		{"the client runs the caller", func(x *stage, above *[]int) {
			v, _, _ := look(x.Context(), "codex", *x.session.Pane)
			*above = append(*above, v.client.PID)
		}, piton.Invalid},
		{"another server has the pane's number", func(x *stage, _ *[]int) { x.session.Pane.Server.Start += "1" }, piton.Conflict},
		{"another program was started in it", func(x *stage, _ *[]int) {
			x.tmux("respawn-pane", "-k", "-t", x.pane, "sh", "-c", "sleep 100; :")
		}, piton.Conflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newStage(t, false)
			x.attach()
			above := []int{os.Getpid()}
			c.change(x, &above)
			_, err := x.Restart(t.Context(), x.session, x.debrief(), above)
			if piton.CodeOf(err) != c.code {
				t.Fatalf("got %v, want %s", err, c.code)
			}
			if x.now().Restarted != "" || x.file("started") != "first" {
				t.Errorf("got the starts %q and a letter %q, want none", x.file("started"), x.now().Restarted)
			}
		})
	}
}

func TestAttachRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(x *stage)
		code   piton.Code
	}{
		{"what is not a pane", func(x *stage) { x.pane = "%0 ; kill-server" }, piton.Invalid},
		{"a pane that is not there", func(x *stage) { x.pane = "%77" }, piton.NotFound},
		{"a server that is not there", func(x *stage) { x.socket += "2" }, piton.NotFound},
		{"another client's session", func(x *stage) { x.session.Agent = "claude" }, piton.Conflict},
		{"its client runs elsewhere", func(x *stage) { x.session.Process, _ = identify(os.Getpid()) }, piton.Conflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newStage(t, false)
			c.change(x)
			if at, err := x.Find(t.Context(), x.session, x.socket, x.pane); piton.CodeOf(err) != c.code {
				t.Errorf("got %+v, %v; want %s", at, err, c.code)
			}
		})
	}
}

// A pane has one client: the session that it was attached to before loses it.
func TestPaneOfAnotherSession(t *testing.T) {
	x := newStage(t, false)
	x.attach()
	first := x.session
	x.session.ID = piton.NewID(piton.SessionPrefix)
	x.session.Pane, x.session.ClientID = nil, "0193"
	x.update(func(*agent.Session) {})
	x.attach()
	was, err := x.local.Session(t.Context(), first.ID)
	must(t, err)
	if was.Pane != nil || x.now().Pane == nil {
		t.Errorf("got %+v before and %+v now, want the pane with the second", was.Pane, x.now().Pane)
	}
}
