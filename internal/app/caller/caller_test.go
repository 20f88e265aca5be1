package caller

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// newCaller is a caller with a home, a folder and an environment of its own.
func newCaller(t *testing.T, o Options) *Caller {
	t.Helper()
	home := t.TempDir()
	if o.Getenv == nil {
		o.Getenv = func(name string) string { return map[string]string{"HOME": home}[name] }
	}
	o.Environ = []string{}
	if o.Home == "" {
		o.Home = filepath.Join(home, "state")
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	a := New(o)
	t.Cleanup(a.Close)
	return a
}

// TestKeeper saves in each kind of store that needs no server, and loads with
// another caller.
func TestKeeper(t *testing.T) {
	for name, spec := range map[string]string{"the file in the home": "", "a file": "sqlite:own.db", "a folder": "file:shared"} {
		t.Run(name, func(t *testing.T) {
			a := newCaller(t, Options{Store: spec})
			k, err := a.Keeper(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			p, err := a.Project(t.Context(), "", true)
			if err != nil {
				t.Fatal(err)
			}
			saved, err := k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", InProject: piton.InProject{Project: p.ID}, State: []byte(`{"n":1}`)}})
			if err != nil {
				t.Fatal(err)
			}
			again := newCaller(t, Options{Home: a.Options.Home, Dir: a.Options.Dir, Store: spec})
			k, err = again.Keeper(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			q, err := again.Project(t.Context(), "", false)
			if err != nil || q.ID != p.ID {
				t.Errorf("got the project %q, %v, want %q", q.ID, err, p.ID)
			}
			l, err := k.Load(t.Context(), history.Selector{ID: saved.ID}, false)
			if err != nil || string(l.State) != `{"n":1}` {
				t.Errorf("got %s, %v, want the state", l.State, err)
			}
			for _, path := range []string{strings.TrimPrefix(spec, "sqlite:"), strings.TrimPrefix(spec, "file:")} {
				if strings.Contains(path, ":") || path == "" {
					continue
				}
				if _, err := os.Stat(filepath.Join(a.Options.Dir, path)); err != nil {
					t.Errorf("the store is not in the caller's folder: %v", err)
				}
			}
		})
	}
}

// TestNoStore: a reader makes no store, and no flag of a command is named.
func TestNoStore(t *testing.T) {
	for _, spec := range []string{"", "file:shared"} {
		a := newCaller(t, Options{Store: spec})
		_, err := a.Keeper(t.Context(), true)
		if piton.CodeOf(err) != piton.NotFound || strings.Contains(AsError(err).Hint, "--") {
			t.Errorf("%q: got %v, want not found and a hint without flags", spec, err)
		}
		if left, _ := filepath.Glob(filepath.Join(a.Options.Dir, "*")); len(left) > 0 {
			t.Errorf("%q: got %q, want nothing made", spec, left)
		}
	}
	for _, spec := range []string{"redis:x", "sqlite:", "file:", "sqlite:~bob/x"} {
		if _, err := newCaller(t, Options{Store: spec}).Keeper(t.Context(), true); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%q: got %v, want invalid", spec, err)
		}
	}
}

// TestWarnings: settings that cannot be used are told once and stop nothing.
func TestWarnings(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".config", "piton"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".config", "piton", "config.yaml"), []byte("no_such_key: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var told []string
	a := newCaller(t, Options{
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
		Warn:   func(e *piton.Error) { told = append(told, e.Error()) },
	})
	for range 2 {
		if _, err := a.Keeper(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "no_such_key") {
		t.Errorf("got %q, want one warning of no_such_key", told)
	}
}
