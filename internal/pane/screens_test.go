package pane

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/tmux"
)

// screen is a terminal as it was recorded from the real client in tmux: the
// cursor's column and row first, the title, and what capture-pane -e gave.
func screen(t *testing.T, name, file string) client.Screen {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "client", name, "testdata", "screens", file+".txt"))
	must(t, err)
	head, rest, _ := strings.Cut(string(b), "\n")
	title, text, _ := strings.Cut(rest, "\n")
	f := strings.Fields(head)
	x := client.Screen{Title: title, Dir: "/tmp/piton-e2e-1/project"}
	x.Column, _ = strconv.Atoi(f[0])
	x.Row, _ = strconv.Atoi(f[1])
	x.Lines, x.Solid = tmux.Read(text)
	return x
}

const (
	shortText = agent.Prefix + "validate your work, then end with a short debrief."
	longLine  = "all work and no play makes a dull boy, "
)

func TestRecordedScreens(t *testing.T) {
	longText := agent.Prefix + strings.Repeat(longLine, 40) + "end"
	workText := agent.Prefix + "in the work"
	for _, c := range []struct {
		client, file, unready, holds string
	}{
		{"claude", "own-question", "its input field is not to be seen: it may wait for you in its pane", ""},
		{"claude", "idle-after-turn", "", ""},
		{"claude", "pasted-short", "something stands in its input field", shortText},
		{"claude", "pasted-long", "something stands in its input field", longText},
		{"claude", "asking", "it asks a person something", ""},
		{"claude", "asking-pasted", "it asks a person something", ""},
		{"claude", "working", "it is at work", ""},
		{"claude", "working-pasted", "it is at work", workText},
		{"gemini", "fresh", "", ""},
		{"gemini", "draft", "something stands in its input field", "a draft"},
		{"gemini", "idle-after-turn", "", ""},
		{"gemini", "pasted-short", "something stands in its input field", shortText},
		{"gemini", "pasted-long", "something stands in its input field", longText},
		{"gemini", "asking", "it asks a person something", ""},
		{"gemini", "asking-pasted", "it asks a person something", ""},
		{"gemini", "working", "it is at work", ""},
		{"gemini", "working-pasted", "it is at work", workText},
		{"codex", "fresh", "it is at work", ""}, // it has set no title yet
		{"codex", "idle-after-turn", "", ""},
		{"codex", "pasted-short", "something stands in its input field", shortText},
		{"codex", "pasted-long", "something stands in its input field", longText},
		{"codex", "asking", "it asks a person something", ""},
		{"codex", "asking-pasted", "it asks a person something", ""},
		{"codex", "working", "it is at work", ""},
		{"codex", "working-pasted", "it is at work", workText},
	} {
		t.Run(c.client+", "+c.file, func(t *testing.T) {
			program, _ := clients.ByName(c.client)
			x := screen(t, c.client, c.file)
			got := program.Stand(x)
			if got.Unready() != c.unready || got.Empty() != (c.unready == "") {
				t.Errorf("got %+v: %q, want %q", got, got.Unready(), c.unready)
			}
			if c.holds != "" && !got.Holds(c.holds) || got.Holds(shortText+" And more.") && got.Typed != "[Pastedtext#1]" {
				t.Errorf("got %q in the field, want %q and nothing else", got.Typed, c.holds)
			}
			if strings.HasPrefix(c.file, "asking") {
				return
			}
			// The same with the cursor elsewhere is no field that can be typed into.
			x.Row = max(x.Row-1, 0)
			if moved := program.Stand(x); moved.Empty() {
				t.Errorf("got %+v with the cursor above the field, want no field", moved)
			}
		})
	}
}

// Whatever stands on a screen, a client is not taken to be ready while its title
// says that it is not.
func FuzzStand(f *testing.F) {
	f.Add("project", "› \n", 2, 0)
	f.Add("✳ x", "───\n❯ \n", 2, 1)
	f.Add("◇  Ready (project)", "▄▄▄\n > \n", 3, 1)
	f.Add("", "\x1b[38;5m\x1b[38;2;1m\x1b[", -1, 1<<40)
	f.Fuzz(func(t *testing.T, title, text string, column, row int) {
		x := client.Screen{Title: title, Dir: "/p/project", Column: column, Row: row}
		x.Lines, x.Solid = tmux.Read(text)
		if len(x.Lines) != len(x.Solid) {
			t.Fatalf("got %d lines and %d", len(x.Lines), len(x.Solid))
		}
		for _, c := range clients.All {
			s := c.Stand(x)
			if s.Empty() && (strings.Contains(title, "Action Required") || title == "" || strings.ContainsAny(title, "✋✦⠙")) && !strings.HasPrefix(title, "✳ ") {
				t.Errorf("%s is taken to be ready by %+v", c.Name(), x)
			}
		}
	})
}
