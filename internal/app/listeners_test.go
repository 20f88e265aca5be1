package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/courier"
)

// settled is an App with settings of its user's.
func settled(t *testing.T, text string, env map[string]string) *App {
	t.Helper()
	home := t.TempDir()
	a := newCaller(t, caller.Options{Home: filepath.Join(home, "state"), Getenv: func(name string) string {
		if name == "HOME" {
			return home
		}
		return env[name]
	}})
	path := filepath.Join(home, ".config", "piton", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDoctorChecksListeners(t *testing.T) {
	if got := newCaller(t, caller.Options{}).checkListeners(""); len(got) > 0 {
		t.Errorf("got %+v, want no word of listeners where there are none", got)
	}
	sound := settled(t, "listeners:\n  - {name: team, webhook: 'https://example.org/${env:TOKEN}'}\n", map[string]string{"TOKEN": "T0K3N"})
	if got := sound.checkListeners(""); len(got) != 1 || !got[0].OK || got[0].Warn || !strings.Contains(got[0].Detail, "team") || strings.Contains(got[0].Detail, "T0K3N") {
		t.Errorf("got %+v, want one that is sound", got)
	}
	broken := settled(t, `listeners:
  - {name: voice, command: [there-is-no-such-program]}
  - {name: team, webhook: 'https://example.org/${env:TOKEN}', secret_file: ~/gone}
  - {name: quiet, off: true}
`, nil)
	got := broken.checkListeners("")
	if len(got) != 3 {
		t.Fatalf("got %+v, want one for each of three causes", got)
	}
	for i, want := range []struct {
		name string
		ok   bool
		says string
	}{{"listener voice", false, "there-is-no-such-program"}, {"listener team", true, "TOKEN"}, {"listener team", false, "secret_file"}} {
		if c := got[i]; c.Name != want.name || c.OK != want.ok || c.Warn != want.ok || !strings.Contains(c.Detail, want.says) || c.Hint == "" {
			t.Errorf("got %+v, want %+v", c, want)
		}
	}
}

// What a run reports, which is of no session, reaches a webhook through the store and
// the courier. An answer that is lost and a 500 have it sent again, with the id by
// which the server recognises it, and not once more after a 200.
func TestARunsNewsReachesAWebhookThatFails(t *testing.T) {
	var ids []string
	var last struct {
		Type string
		Data struct{ ID, Text string }
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ids = append(ids, r.Header.Get("webhook-id"))
		if err := json.NewDecoder(r.Body).Decode(&last); err != nil {
			t.Error(err)
		}
		switch len(ids) {
		case 1:
			panic(http.ErrAbortHandler) // taken, and the answer is lost
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	a := settled(t, "listeners:\n  - {name: team, webhook: '"+server.URL+"', events: [run_ended]}\n", nil)
	endRun(t, a)
	for _, want := range []courier.Carried{{Delivered: 1}, {}} {
		if got, err := a.deliver(t.Context(), true); err != nil || got != want {
			t.Fatalf("got %+v (%v), want %+v", got, err, want)
		}
	}
	server.Close() // no request is under way
	if len(ids) != 3 || ids[0] == "" || ids[1] != ids[0] || ids[2] != ids[0] || last.Data.ID != ids[0] {
		t.Errorf("got the ids %q and %q in the body, want one id three times", ids, last.Data.ID)
	}
	if last.Type != "run_ended" || !strings.Contains(last.Data.Text, "completed") {
		t.Errorf("got %+v, want that the run has ended", last)
	}
}

// A listener that was named after a courier has begun to work is told too: the daemon's
// reads the settings as they are.
func TestListenerNamedLater(t *testing.T) {
	a := settled(t, "", nil)
	if got, err := a.deliver(t.Context(), false); err != nil || got.Any() {
		t.Fatalf("got %+v, %v; want nothing to carry", got, err)
	}
	a.Config("")
	heard := filepath.Join(a.Options.Home, "heard")
	text := "listeners:\n  - {name: talk, command: ['true'], events: [announcement]}\n  - {name: late, command: [tee, '" + heard + "'], events: [run_ended]}\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(a.Options.Home), ".config", "piton", "config.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	other := New(a.Options)
	defer other.Close()
	endRun(t, other)
	if l := other.Config("").Listeners; len(l) != 2 || l[0].Name != "talk" || l[1].Name != "late" {
		t.Errorf("got the listeners %+v, want them as the settings name them", l)
	}
	got, err := a.deliver(t.Context(), true)
	if said, _ := os.ReadFile(heard); err != nil || got.Delivered != 1 || !strings.Contains(string(said), "completed") {
		t.Errorf("got %+v, %v, %q; want the one letter delivered", got, err, said)
	}
}

// endRun has a run complete.
func endRun(t *testing.T, a *App) {
	t.Helper()
	r := planruns.RunRequest{File: "plan.yaml", FileLess: true, RunRequest: piton.RunRequest{Plan: []byte("name: release\nsteps:\n- {id: a, run: 'true'}\n")}}
	if x, err := a.Run(t.Context(), r); err != nil || !x.Success {
		t.Fatalf("got %+v, %v", x, err)
	}
}
