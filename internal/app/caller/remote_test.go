package caller

import (
	"context"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/proc"
)

// TestRemote: what this process was started with says nothing of a caller that is
// another one, and such a caller is not a person at a terminal.
func TestRemote(t *testing.T) {
	here := seen{id: "ses_0000000000000001", agent: "claude", client: "one", pid: 7}
	for _, c := range []struct {
		name   string
		remote bool
		do     func(*Caller) (string, error)
		want   string
	}{
		{"the environment's session, of a caller in this process", false, session, here.id},
		{"the environment's session, of a remote caller", true, session, ""},
		{"a person's decision by a remote caller", true, func(a *Caller) (string, error) { return "", a.ByPerson(t.Context(), "approve", "") }, "over a connection"},
		{"a part of a path where the folder is known", true, func(a *Caller) (string, error) { return a.Path("x") }, "/x"},
		{"a part of a path where it is not", true, func(a *Caller) (string, error) { a.Options.Dir = ""; return a.Path("x") }, "not known"},
		{"the root where it is not", true, func(a *Caller) (string, error) { a.Options.Dir = ""; return a.Root() }, "not known"},
		{"the environment's episode", true, func(a *Caller) (string, error) { return a.Options.Getenv("PITON_EPISODE"), nil }, ""},
		{"other variables", true, func(a *Caller) (string, error) { return a.Options.Getenv("LANG"), nil }, "C"},
		{"the processes above", true, func(a *Caller) (string, error) { return strings.Repeat("one", len(a.Options.Ancestors())), nil }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := map[string]string{"CLAUDE_CODE_SESSION_ID": "one", "PITON_EPISODE": "e", "LANG": "C"}
			a := newCaller(t, Options{
				Remote: c.remote, Getenv: func(name string) string { return env[name] }, Home: t.TempDir(),
				Ancestors: func() []proc.Ancestor { return []proc.Ancestor{{Identity: proc.Identity{PID: 7}}} },
			})
			put(t, a, []seen{here})
			got, err := c.do(a)
			if err != nil {
				got = err.Error()
				if piton.CodeOf(err) != piton.Invalid {
					t.Errorf("got the code %s, want invalid", piton.CodeOf(err))
				}
			}
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	a := newCaller(t, Options{Remote: true, Home: t.TempDir()})
	a.Options.Dir = ""
	if _, err := a.Project(t.Context(), "", false); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("the project that nobody named: got %v, want not found", err)
	}
}

// session is the session that the caller's environment leads to.
func session(a *Caller) (string, error) {
	if _, err := a.Local(context.Background(), true); err != nil {
		return "", err
	}
	return a.Session(context.Background()), nil
}
