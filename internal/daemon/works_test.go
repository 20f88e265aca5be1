package daemon

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
)

// TestReload: the settings that are there when a daemon is told to read them again are
// in force in what it has open: it carries the letters of the store that they name, to
// the listeners that they name.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	heard := filepath.Join(dir, "heard")
	o := caller.Options{Home: filepath.Join(dir, "state"), Dir: dir, Environ: []string{}, Getenv: func(name string) string {
		return map[string]string{"HOME": dir, "XDG_CONFIG_HOME": dir, "PATH": os.Getenv("PATH")}[name]
	}}
	set := func(more string) {
		t.Helper()
		text := "listeners:\n  - {name: " + more
		if err := os.MkdirAll(filepath.Join(dir, "piton"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "piton", "config.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string) {
		t.Helper()
		a := app.New(o)
		defer a.Close()
		a.NoSession()
		if _, err := a.Run(t.Context(), planruns.RunRequest{File: "plan", FileLess: true, RunRequest: piton.RunRequest{New: true, Workflow: name, Plan: []byte(`{"name":"p","steps":[{"id":"a","run":"true"}]}`)}}); err != nil {
			t.Fatal(err)
		}
	}
	told := func(want string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			text, _ := os.ReadFile(heard)
			if strings.Contains(string(text), want) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("waited in vain for %q; got %q", want, text)
			}
		}
	}

	set("one, command: [tee, -a, '" + heard + "'], events: [run_ended]}\n")
	run("first")
	w := newWorks(o, nil, nil)
	ctx, end := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { w.carry(ctx); close(over) }()
	defer func() { end(); <-over }()
	told("The run first has completed.")

	set("two, command: [sh, -c, 'echo two: $PITON_TEXT >> " + heard + "'], events: [run_ended]}\nstore: sqlite:" + dir + "/other.db\n")
	run("second")
	w.reload(ctx)
	told("two: The run second has completed.")
}
