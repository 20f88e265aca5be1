//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/need"
)

// TestSameRestart: a restart that a request asks for ends and starts a client as the
// command does, by both of its paths, and is answered alike.
func TestSameRestart(t *testing.T) {
	h := newHouse(t)
	session := h.clientInPane()
	d := h.serve()
	var answers []map[string]any
	add := func(text string) {
		t.Helper()
		var x map[string]any
		if err := json.Unmarshal([]byte(text), &x); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		answers = append(answers, x)
	}
	add(h.run("sessions", "restart", session, "--json"))
	for _, prefix := range []string{"", "/v1"} {
		code, text := h.call("POST", prefix+"/sessions/"+session+"/agent-restart", "")
		if code != 200 {
			t.Fatalf("got %d %s", code, text)
		}
		add(text)
	}
	if got, want := strings.Join(h.lines("started"), " "), strings.Repeat("--resume client-1 ", 3); got+" " != want {
		t.Errorf("the client was started with %q, want %q", got, want)
	}
	seen := map[any]bool{}
	for _, x := range answers {
		pane := x["pane"].(map[string]any)
		for _, own := range []any{pane["pid"], x["letter_id"]} {
			if own == nil || seen[own] {
				t.Errorf("got %v again, or not at all", own)
			}
			seen[own] = true
		}
		if due, err := time.Parse(time.RFC3339, x["due_at"].(string)); err != nil || due.After(time.Now().Add(5*time.Second)) {
			t.Errorf("got a debrief due at %v", x["due_at"])
		}
		delete(pane, "pid")
		delete(pane, "at") // each restart notes the pane anew
		delete(x, "letter_id")
		delete(x, "due_at")
		if diff := cmp.Diff(answers[0], x); diff != "" {
			t.Errorf("the API (+) does not answer what the command line (-) prints:\n%s", diff)
		}
	}
	d.end(15)
}

// clientInPane runs something that is named as a client in a tmux pane, and attaches the
// pane to a session of it, whose id it returns.
func (h *house) clientInPane() (session string) {
	h.Helper()
	need.Program(h.T, "tmux")
	bin, socket := filepath.Join(h.dir, "bin"), filepath.Join(h.dir, "tmux")
	script := "#!/bin/sh\ntest $# -eq 0 || echo \"$@\" >> '" + h.dir + "/started'\nwhile :; do read -r _; done\n"
	err := os.Mkdir(bin, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(bin, "claude"), []byte(script), 0o700)
	}
	if err != nil {
		h.Fatal(err)
	}
	h.env = append(h.env, "TMUX=", "CLAUDECODE=", "TERM=xterm-256color")
	c := exec.Command("tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "20", "claude")
	c.Dir, c.Env = h.dir, append(h.env, "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := c.CombinedOutput(); err != nil {
		h.Fatalf("tmux: %v: %s", err, out)
	}
	h.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() })

	s := agent.Session{Identity: agent.Identity{ID: piton.NewID(piton.SessionPrefix), Agent: "claude", ClientID: "client-1", Root: h.dir, Cwd: h.dir, StartedAt: piton.At(time.Now()), SeenAt: piton.At(time.Now())}}
	a := app.New(caller.Options{Home: h.home(), Dir: h.dir, Getenv: func(string) string { return "" }, Environ: []string{}})
	defer a.Close()
	st, err := a.Local(h.Context(), false)
	if err == nil {
		err = st.Update(h.Context(), func(tx store.LocalTx) error { return tx.PutSession(h.Context(), redact.Value(s)) })
	}
	if err != nil {
		h.Fatal(err)
	}
	h.await("the client to be attached", func() bool {
		return h.piton("sessions", "attach", s.ID, "--pane", "%0", "--socket", socket).Run() == nil
	})
	return s.ID
}
