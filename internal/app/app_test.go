package app

import (
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/app/caller"
)

// newCaller is an App with a home, a folder and an environment of its own.
func newCaller(t *testing.T, o caller.Options) *App {
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
