package caller

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

func TestCallingAgent(t *testing.T) {
	home := t.TempDir()
	me, err := proc.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	st, err := sqlite.Open(t.Context(), filepath.Join(home, "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	session := agent.Session{
		Identity: agent.Identity{ID: piton.NewID(piton.SessionPrefix), Agent: "codex", ClientID: "x", StartedAt: piton.At(time.Now()), SeenAt: piton.At(time.Now()),
			Process: agent.Process(me)},
	}
	if err := st.Update(t.Context(), func(tx store.LocalTx) error { return tx.PutSession(t.Context(), redact.Value(session)) }); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	person := proc.Ancestor{Identity: proc.Identity{PID: 2}, Name: "zsh", Argv: []string{"-zsh"}}
	old := me
	old.Start = "1"
	for _, c := range []struct {
		name  string
		env   map[string]string
		above []proc.Ancestor
		want  string
	}{
		{"a person", nil, []proc.Ancestor{person}, ""},
		{"nothing to be seen above", nil, nil, ""},
		{"Claude Code's variable", map[string]string{"CLAUDECODE": "1"}, []proc.Ancestor{person}, "claude"},
		{"the conversation's id", map[string]string{"CLAUDE_CODE_SESSION_ID": "x"}, nil, "claude"},
		{"a client above, the variables gone", nil, []proc.Ancestor{person, {Name: "node", Argv: []string{"node", "/usr/bin/gemini"}}, person}, "gemini"},
		{"a terminal that an agent opened, without a client above", nil, []proc.Ancestor{person, {Name: "tmux: server", Argv: []string{"tmux"}, Env: []string{"HOME=/", "CLAUDECODE=1"}}}, "claude"},
		{"a live session's process above, by another name", nil, []proc.Ancestor{person, {Identity: me, Name: "agent"}}, "codex"},
		{"its number given out again", nil, []proc.Ancestor{{Identity: old, Name: "zsh"}}, ""},
	} {
		a := New(Options{
			Getenv: func(k string) string {
				return map[string]string{"PITON_HOME": home, "HOME": home, "PATH": c.env["PATH"]}[k] + c.env[k]
			},
			Ancestors: func() []proc.Ancestor { return c.above },
		})
		if got := a.CallingAgent(t.Context()); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if err := a.ByPerson(t.Context(), "trust", "an agent may not"); c.want != "" && piton.CodeOf(err) != piton.Invalid || c.want == "" && err != nil {
			t.Errorf("%s: got %v", c.name, err)
		}
		a.Close()
	}
}

func TestStepIsNoPerson(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		name  string
		env   string
		above []string
		step  bool
	}{
		{"a person", "", []string{"HOME=/"}, false},
		{"a step's program", "build", nil, true},
		{"a program of it, the variable gone", "", []string{"HOME=/", "PITON_STEP_ID=build"}, true},
	} {
		a := New(Options{
			Getenv: func(k string) string {
				return map[string]string{"PITON_HOME": home, "HOME": home, "PITON_STEP_ID": c.env}[k]
			},
			Ancestors: func() []proc.Ancestor {
				return []proc.Ancestor{{Identity: proc.Identity{PID: 2}, Name: "sh", Env: c.above}}
			},
		})
		if err := a.ByPerson(t.Context(), "approve", "an agent may not"); (piton.CodeOf(err) == piton.Invalid) != c.step {
			t.Errorf("%s: got %v", c.name, err)
		}
		a.Close()
	}
}

// TestWorksOnRuns: a program of Piton that starts steps is known by its command line, also
// where an alias was typed, which puts its command in the place of the process.
func TestWorksOnRuns(t *testing.T) {
	for line, want := range map[string]bool{
		"piton run plan.yaml": true, "/usr/bin/piton runs continue x": true, "piton runs undo x": true, "piton serve": true, "piton demo client claude": true,
		"piton init": true, "piton resume --when-limit-ends": true, "piton runs list": false, "piton": false, "sh run": false,
	} {
		if got := WorksOnRuns(strings.Fields(line)); got != want {
			t.Errorf("%s: got %v, want %v", line, got, want)
		}
	}
}
