package app

import (
	"testing"

	"github.com/piton-project/piton/internal/run/runner"
)

// TestDaemonContinues: a person is told that the daemon goes on only where one runs
// that has worked on the run.
func TestDaemonContinues(t *testing.T) {
	a, _, _ := ownedRun(t, thisOwner())
	home, err := a.homeID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check := func(name, daemon string, want bool) {
		if got := a.daemonContinues(t.Context(), runner.State{Daemon: daemon}); got != want {
			t.Errorf("%s: got %t, want %t", name, got, want)
		}
	}
	check("no daemon runs", home, false)
	release, err := a.BeDaemon()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	check("its daemon runs", home, true)
	check("a person's own process has worked on it", "", false)
	check("the daemon of another home has", "another", false)
}
