package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/store/localfs"
)

func TestOnFullDisk(t *testing.T) {
	cause := errors.New("no space left on device")
	if err := onFullDisk("cannot prune", localfs.NoRoom("update", cause)); !strings.Contains(err.Error(), "cannot prune: disk full") || caller.AsError(err).Hint == "" || !errors.Is(err, cause) {
		t.Errorf("got %v, want that nothing can be pruned, what to do, and the cause", err)
	}
	other := error(&piton.Error{Code: piton.Unavailable, Op: "update", Err: cause})
	if err := onFullDisk("cannot prune", other); err != other {
		t.Errorf("got %v, want another error as it is", err)
	}
}

// TestKeepsLong: an agent, or a step of a run, shortens nobody's retention by its
// environment; what a person has started it with counts.
func TestKeepsLong(t *testing.T) {
	home := t.TempDir()
	const short, other = "PITON_CHECKPOINTS_DELETE_AFTER=1s", "XDG_CONFIG_HOME=/tmp/other"
	client := func(env ...string) proc.Ancestor {
		return proc.Ancestor{Name: "claude", Argv: []string{"claude"}, Env: append(env, "HOME="+home)}
	}
	shell := proc.Ancestor{Name: "bash", Argv: []string{"bash"}}
	run := proc.Ancestor{Name: "piton", Argv: []string{"piton", "run", "p.yaml"}, Env: []string{"HOME=" + home}}
	for _, c := range []struct {
		name  string
		env   []string
		above []proc.Ancestor // the nearest first
		want  string          // of the refusal
	}{
		{"a person", []string{short, other}, []proc.Ancestor{shell}, ""},
		{"an agent", nil, []proc.Ancestor{shell, client()}, ""},
		{"a variable of the agent's", []string{short}, []proc.Ancestor{shell, client()}, "PITON_CHECKPOINTS_DELETE_AFTER"},
		{"a variable of the person's", []string{short}, []proc.Ancestor{shell, client(short)}, ""},
		{"another value than the person's", []string{short}, []proc.Ancestor{shell, client("PITON_CHECKPOINTS_DELETE_AFTER=30d")}, "PITON_CHECKPOINTS_DELETE_AFTER"},
		{"settings of the agent's", []string{other}, []proc.Ancestor{shell, client()}, "settings"},
		{"the person's settings elsewhere", []string{other}, []proc.Ancestor{shell, client(other)}, ""},
		{"a client that the agent has started", []string{short, other}, []proc.Ancestor{client(short, other), shell, client()}, "PITON_CHECKPOINTS_DELETE_AFTER"},
		{"no client to be seen", []string{short, "CLAUDECODE=1"}, nil, "PITON_CHECKPOINTS_DELETE_AFTER"},
		{"a client whose environment cannot be read", []string{other}, []proc.Ancestor{{Name: "claude", Argv: []string{"claude"}}}, ""},
		{"no client to be seen, and settings of the agent's", []string{other, "CLAUDECODE=1"}, nil, "settings"},
		{"a step of a run", []string{other}, []proc.Ancestor{shell, run}, "settings"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := New(caller.Options{
				Home: home, Getenv: proc.Ancestor{Env: append(c.env, "HOME="+home)}.Getenv, Environ: []string{},
				Ancestors: func() []proc.Ancestor { return c.above },
			})
			defer a.Close()
			err := a.keepsLong(t.Context())
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}
