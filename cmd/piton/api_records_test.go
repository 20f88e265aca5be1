package main

import (
	"os/exec"
	"path/filepath"
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

// TestSameRecords: what hooks and couriers have left is shown alike by both doors: a
// session, a decision with its reasons, workflows with their heads, letters that wait
// and that were given up.
func TestSameRecords(t *testing.T) {
	hooks := builtHook(t)
	d, _ := openDoors(t)
	d.agentStops(hooks)
	d.letters("waits", "keep", "one-aaaa", "one-bbbb", "two-aaaa", "two-bbbb")
	for _, c := range []struct {
		name         string
		cli          []string
		method, path string
		body         string
		own          bool // each door does it to its own
	}{
		{name: "sessions", cli: []string{"sessions"}, method: "GET", path: "/v1/sessions"},
		{name: "decisions here", cli: []string{"explain"}, method: "GET", path: "/v1/decisions?project={dir}"},
		{name: "decisions of a session", cli: []string{"explain", "{session}", "--limit", "1"}, method: "GET", path: "/v1/decisions?session={session}&limit=1&project={dir}"},
		{name: "what was counted", cli: []string{"stats", "--project", "{dir}"}, method: "GET", path: "/v1/stats?project={dir}"},
		{name: "letters", cli: []string{"letters"}, method: "GET", path: "/v1/letters"},
		{name: "letters that are tried again", cli: []string{"letters", "retry", "ltr_one-{w}"}, method: "POST", path: "/v1/letters/retry", body: `{"letters":["ltr_one-{w}"]}`, own: true},
		{name: "letters that are dropped", cli: []string{"letters", "drop", "ltr_one-{w}", "ltr_two-{w}"}, method: "POST", path: "/v1/letters/drop", body: `{"letters":["ltr_one-{w}","ltr_two-{w}"]}`, own: true},
		{name: "a letter that is not there", cli: []string{"letters", "retry", "ltr_none"}, method: "POST", path: "/v1/letters/retry", body: `{"letters":["ltr_none"]}`},
		{name: "a letter that was dropped", cli: []string{"letters", "drop", "ltr_one-aaaa"}, method: "POST", path: "/v1/letters/drop", body: `{"letters":["ltr_one-aaaa"]}`},
		{name: "some letters that are there and one that is not", cli: []string{"letters", "drop", "ltr_keep", "ltr_none"}, method: "POST", path: "/v1/letters/drop", body: `{"letters":["ltr_keep","ltr_none"]}`},
		{name: "letters after that", cli: []string{"letters"}, method: "GET", path: "/v1/letters"},
		{name: "restart without a pane", cli: []string{"sessions", "restart", "{session}"}, method: "POST", path: "/sessions/{session}/agent-restart"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.t = t
			answer, failed := d.cli("", c.cli...)
			got, problem := d.api(c.method, c.path, c.body)
			d.compare(!c.own, answer, failed, got, problem)
		})
	}
	d.t = t
	d.sameHeads()
	decisions, _ := d.api("GET", "/v1/decisions", "")
	list := decisions.(map[string]any)["decisions"].([]any)
	if len(list) != 1 || len(list[0].(map[string]any)["files"].([]any)) != 1 {
		t.Errorf("got the decisions %v, want one about a file", list)
	}
	for _, body := range []string{`{"letters":[]}`, `{"letters":[""]}`, `{"letters":[null]}`, `{"letters":"ltr_keep"}`, `{"ids":["ltr_keep"]}`} {
		if _, problem := d.api("POST", "/v1/letters/drop", body); problem == nil || problem["status"] != 422.0 {
			t.Errorf("drop %s: got %v, want it refused", body, problem)
		}
	}
	if dropped, problem := d.api("POST", "/v1/letters/drop", ""); problem != nil || len(dropped.(map[string]any)["letters"].([]any)) != 1 {
		t.Errorf("got %v, %v, want the one letter dropped that was given up", dropped, problem)
	}
}

// agentStops lets an agent change a file and stop without a test.
func (d *doors) agentStops(hooks string) {
	d.t.Helper()
	const id = "6152e381-4c21-432b-8da3-8b6a5782ebeb"
	d.ids["cli"]["session"], d.ids["api"]["session"] = id, id
	program := need.Program(d.t, "agent")
	env := []string{
		"HOME=" + d.home, "PITON_HOME=" + d.home, "PITON_DEBRIEF_MIN_TURN=0s", "SESSION=" + id, "TRANSCRIPT=" + filepath.Join(d.home, "log.jsonl"),
		"PATH=" + hooks + ":" + d.env("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
	}
	do := func(argv ...string) {
		c := exec.Command(argv[0], argv[1:]...)
		c.Dir, c.Env = d.dir, env
		if out, err := c.CombinedOutput(); err != nil {
			d.t.Fatalf("%q: %v\n%s", argv, err, out)
		}
	}
	do(need.Program(d.t, "git"), "init", "-q")
	do(program, "write", "go.mod", "module calc")
	do(program, "SessionStart", "source=startup")
	do(program, "ask", "fix the average")
	do(program, "write", "calc.go", "package calc")
	do(program, "Stop", "last_assistant_message=It is done.")
}

// letters posts one letter that waits, and others that are given up.
func (d *doors) letters(waits string, parked ...string) {
	d.t.Helper()
	ctx := d.t.Context()
	a := app.New(caller.Options{Home: d.home, Dir: d.dir, Getenv: d.env, Environ: []string{}})
	defer a.Close()
	st, err := a.Local(ctx, false)
	if err != nil {
		d.t.Fatal(err)
	}
	now := time.Now()
	err = st.Update(ctx, func(tx store.LocalTx) error {
		for i, name := range append([]string{waits}, parked...) {
			l := agent.Letter{ID: "ltr_" + name, To: agent.ToListener(name), Kind: agent.LetterEvent, Due: piton.At(now.Add(time.Hour)), Body: `{"text":"x"}`}
			if i > 0 {
				l.Due = piton.At(now)
			}
			if err := tx.Post(ctx, redact.Value(l)); err != nil {
				return err
			}
			if i == 0 {
				continue
			}
			l, _, err := tx.Claim(ctx, store.Claim{To: l.To, At: piton.At(now), Until: piton.At(now)})
			if err != nil {
				return err
			}
			l.DoneAt, l.Outcome = piton.At(now.Add(time.Duration(i)*time.Second)), agent.LetterParked+": nobody listens"
			if _, err := tx.Settle(ctx, redact.Value(l)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// sameHeads: the workflows that only the API lists have the heads that the command line
// shows.
func (d *doors) sameHeads() {
	d.t.Helper()
	for _, w := range []string{"one", "two"} {
		for range 2 {
			d.cli(`{"n":1}`, "save", "--workflow", w, "--state", "-")
		}
	}
	list, problem := d.api("GET", "/v1/workflows?limit=0", "")
	if problem != nil {
		d.t.Fatal(problem)
	}
	workflows := list.(map[string]any)["workflows"].([]any)
	if len(workflows) < 2 {
		d.t.Errorf("got %d workflows, want at least the two that were saved to", len(workflows))
	}
	for _, w := range workflows {
		w := w.(map[string]any)
		newest, failed := d.cli("", "list", "--workflow", w["id"].(string), "--limit", "1")
		if failed != nil {
			d.t.Fatal(failed)
		}
		if diff := cmp.Diff(newest.(map[string]any)["checkpoints"].([]any)[0], w["head"]); diff != "" {
			d.t.Errorf("the workflow %s: its head in the API (+) is not the newest that the command line (-) lists:\n%s", w["name"], diff)
		}
	}
}
