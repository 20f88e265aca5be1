package pane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/courier"
)

func TestCarry(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(x *stage)
		want   courier.What
		why    string
	}{
		{"an idle client gets it", func(*stage) {}, courier.Delivered, "typed"},
		{"it drops what is typed at first", func(x *stage) { must(x, os.WriteFile(filepath.Join(x.dir, "drops"), []byte("x"), 0o600)) }, courier.Delivered, "typed"},
		{"it drops all that is typed", func(x *stage) { must(x, os.WriteFile(filepath.Join(x.dir, "drops"), []byte("xxxx"), 0o600)) }, courier.Waits, "nothing tells"},
		{"a person is asked", func(x *stage) { x.mode("asking") }, courier.Waits, "asks a person"},
		{"a turn runs", func(x *stage) { x.mode("working") }, courier.Waits, "at work"},
		{"a person has begun to type", func(x *stage) {
			x.tmux("send-keys", "-l", "-t", x.pane, "a draft")
			x.shows("a draft")
		}, courier.Waits, "input field"},
		{"the pane is in copy mode", func(x *stage) { x.tmux("copy-mode", "-t", x.pane) }, courier.Waits, "copy mode"},
		{"keys would go to other panes too", func(x *stage) { x.tmux("set-option", "-p", "-t", x.pane, "synchronize-panes", "on") }, courier.Waits, "synchronized"},
		{"no pane is attached", func(x *stage) { x.update(func(s *agent.Session) { s.Pane = nil }) }, courier.Waits, "no pane"},
		{"another server has its number", func(x *stage) { x.update(func(s *agent.Session) { s.Pane.Server.Start += "1" }) }, courier.Waits, "another tmux server"},
		{"another program was started in it", func(x *stage) { x.update(func(s *agent.Session) { s.Pane.Process.Start += "1" }) }, courier.Waits, "another program"},
		{"the client has ended", func(x *stage) {
			x.tmux("set-option", "-p", "-t", x.pane, "remain-on-exit", "on")
			x.tmux("respawn-pane", "-k", "-t", x.pane, "sh", "-c", "sleep 100")
		}, courier.Waits, "another program"},
		{"its words are the last", func(x *stage) { must(x, os.WriteFile(filepath.Join(x.dir, "got"), []byte(letterText), 0o600)) }, courier.Dropped, "Piton's own"},
		{"debriefs were switched off", func(x *stage) { x.Off = func(s agent.Session) bool { return s.Agent == "codex" } }, courier.Dropped, "off"},
		{"a prompt has taken it along", func(x *stage) { x.update(func(s *agent.Session) { s.Restarted = "" }) }, courier.Dropped, "gone on"},
		{"it was typed, and nothing tells of it", func(x *stage) {
			l := x.now().Restarted
			x.update(func(s *agent.Session) { s.Typing = l })
		}, courier.Parked, "nothing tells"},
		{"the client takes it and says nothing", func(x *stage) { must(x, os.WriteFile(filepath.Join(x.dir, "deaf"), nil, 0o600)) }, courier.Waits, "nothing tells"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newStage(t, false)
			x.attach()
			l := x.letter()
			c.before(x)
			out := x.Carry(x.Context(), l, x.now())
			if out.What != c.want || !strings.Contains(out.Why, c.why) {
				t.Fatalf("got %+v, want %s: …%s…", out, c.want, c.why)
			}
			got := x.file("got")
			if want := c.want == courier.Delivered; want != (got == letterText) && c.want != courier.Dropped {
				t.Errorf("the client got %q", got)
			}
			if c.want == courier.Waits && c.why != "nothing tells" && x.now().Typing != "" || x.file("approved") != "" {
				t.Errorf("something was typed: %q, approved: %q", x.now().Typing, x.file("approved"))
			}
		})
	}
}

// What opens between the text and Enter is not answered by it.
func TestAQuestionBetweenPasteAndEnter(t *testing.T) {
	x := newStage(t, false)
	x.attach()
	l := x.letter()
	must(t, os.WriteFile(filepath.Join(x.dir, "asks-at-paste"), nil, 0o600))
	out := x.Carry(x.Context(), l, x.now())
	if out.What != courier.Waits || x.now().Typing != l.ID || x.file("approved") != "" || x.file("got") != "" {
		t.Fatalf("got %+v with %q typed; approved %q, sent %q; want it to wait", out, x.file("typed"), x.file("approved"), x.file("got"))
	}
	x.mode("idle") // a person has answered
	if out := x.Carry(x.Context(), l, x.now()); out.What != courier.Delivered {
		t.Fatalf("got %+v, want it sent", out)
	}
	if typed, got := x.file("typed"), x.file("got"); typed != letterText || got != letterText || x.file("approved") != "" {
		t.Errorf("typed %q, sent %q, approved %q; want it once, and no approval", typed, got, x.file("approved"))
	}
}

// After a crash behind the note the text is sent where it stands, and not typed
// again.
func TestCrashBeforeEnter(t *testing.T) {
	x := newStage(t, false)
	x.attach()
	l := x.letter()
	if mine, err := x.note(x.Context(), l); err != nil || !mine {
		t.Fatal(mine, err)
	}
	x.tmux("send-keys", "-l", "-t", x.pane, letterText)
	x.shows("debrief.")
	if out := x.Carry(x.Context(), l, x.now()); out.What != courier.Delivered || x.file("got") != letterText {
		t.Errorf("got %+v, and the client %q", out, x.file("got"))
	}
}
