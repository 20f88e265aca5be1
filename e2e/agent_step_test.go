package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// agentRun is what `piton run --json` ends with.
type agentRun struct {
	Success bool
	RunID   string `json:"run_id"`
	Error   string
	State   struct {
		Plan []struct {
			ID, Status, Reason string
			Attempt            int
			Note               struct{ Agent, Session string }
		}
		Results []struct {
			StepID string `json:"step_id"`
			Output struct {
				Text, Agent, Session string
				Result               any
			}
			Usage struct{ Input, Output int64 } `json:"token_usage"`
		}
		Used struct {
			Usage struct{ Input, Output int64 } `json:"token_usage"`
		}
	}
}

// asItIs makes the client's program one without the arguments that other tests
// give it: which rights it has is what a step says.
func (w *world) asItIs() {
	line := "#!/bin/sh\nexec"
	for _, word := range w.client.argv() {
		if word == "--approval-mode" {
			break
		}
		line += " '" + word + "'"
	}
	check(w.t, os.WriteFile(w.program(w.client), []byte(line+" \"$@\"\n"), 0o755))
}

// runPlan runs piton, and returns what it said last and its exit status.
func (w *world) runPlan(args ...string) (r agentRun, code int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	c := w.command(ctx, append([]string{filepath.Join(w.bin, "piton"), "run", "--json"}, args...)...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		check(w.t, err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil {
		w.t.Fatalf("piton run %v: %v in %s\n%s", args, err, out.String(), errs.String())
	}
	if w.t.Failed() {
		w.t.Logf("%s\n%s", out.String(), errs.String())
	}
	return r, code
}

// A step's agent, its runner and its terminal are killed in the middle; the run is
// finished from another terminal, in the agent's own session.
func TestAgentStepGoesOnAfterAKill(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, "PITON_DEBRIEF_MODE=audit")
		w.asItIs()
		w.write("plan.yaml", "name: notes\nsteps:\n  - id: write\n    action: agent\n    parameters:\n      agent: "+c.name()+"\n      prompt: Please write the two notes.\n"+
			"    check:\n      - file: one.txt\n      - changed: two.txt\n")
		reached, never := make(chan struct{}), make(chan struct{})
		w.model.script(call(writeTool("one.txt", "1\n")), reply{before: func(request) { close(reached) }, after: never})
		p := w.command(context.Background(), filepath.Join(w.bin, "piton"), "run", "plan.yaml", "--json")
		var out bytes.Buffer
		p.Stdout, p.Stderr = &out, &out
		check(t, p.Start())
		select {
		case <-reached:
		case <-time.After(patience):
			p.Process.Kill()
			p.Wait()
			t.Fatalf("the agent did not get as far: %s", out.String())
		}
		w.logged("one.txt") // what the client has not written down, a kill takes with it
		check(t, p.Process.Kill())
		p.Wait()
		w.model.script(call(writeTool("two.txt", "2\n")), say("Both are written.\n```json\n{\"notes\": 2}\n```"))
		r, code := w.runPlan("--resume")
		if code != 0 || !r.Success || len(r.State.Results) != 1 {
			t.Fatalf("got status %d, %+v; want the run finished\n%s", code, r, out.String())
		}
		got, step := r.State.Results[0], r.State.Plan[0]
		if got.Output.Agent != c.name() || got.Output.Session == "" || got.Output.Session != step.Note.Session || step.Attempt != 2 {
			t.Errorf("got the session %q of %s, noted %+v in attempt %d", got.Output.Session, got.Output.Agent, step.Note, step.Attempt)
		}
		if n, _ := got.Output.Result.(map[string]any); n["notes"] != 2.0 {
			t.Errorf("got the result %v", got.Output.Result)
		}
		if got.Usage.Input < 200 || got.Usage.Output < 20 || r.State.Used.Usage.Input < 300 {
			t.Errorf("got the usage %+v and %+v in all, want that of two answers and of the one before the kill", got.Usage, r.State.Used.Usage)
		}
		all := w.model.all()
		if last := all[len(all)-1]; !strings.Contains(last.All, "Please write the two notes.\n\nYou work without a terminal") || !strings.Contains(last.All, "broken off") {
			t.Errorf("the model was asked without what was said before the kill: %s", short(last.All))
		}
		w.transcript(got.Output.Session)
		var list struct {
			Sessions []struct {
				ClientID string `json:"client_id"`
				RunID    string `json:"run_id"`
				StepID   string `json:"step_id"`
			}
		}
		w.pitonJSON(&list, "sessions")
		if s := list.Sessions; len(s) != 1 || s[0].ClientID != got.Output.Session || s[0].RunID != r.RunID || s[0].StepID != "write" {
			t.Errorf("got the sessions %+v, want the step's, linked to its run %s", s, r.RunID)
		}
	})
}

// An agent that says that all is done, and it is not: Piton's own hooks hold it, its
// check finds it, and the step is not completed.
func TestAgentStepClaimsSuccess(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, "PITON_DEBRIEF_MIN_TURN=0s")
		w.asItIs()
		w.write("plan.yaml", "name: mend\nsteps:\n  - id: mend\n    action: agent\n    parameters:\n      agent: "+c.name()+"\n      prompt: Please mend Add.\n      permissions: edit\n"+
			"    check:\n      - run: go test ./...\n      - verified: true\n  - id: after\n    action: shell\n    parameters:\n      command: touch after.txt\n    dependencies: [mend]\n")
		w.model.script(slip()...)
		w.model.script(reply{Text: "All tests pass.", Repeat: true})
		r, code := w.runPlan("plan.yaml")
		if code != 7 || r.Success || r.State.Plan[0].Status != "failed" || len(r.State.Results) != 0 {
			t.Fatalf("got status %d, %+v; want the step failed", code, r)
		}
		if _, err := os.Stat(w.path("after.txt")); err == nil || r.State.Plan[1].Status == "completed" {
			t.Errorf("the step after it ran: %+v", r.State.Plan[1])
		}
		if got := r.State.Plan[0].Reason + r.Error; !strings.Contains(got, "no progress") || !strings.Contains(got, "go test ./...") || !strings.Contains(got, "not verified") {
			t.Errorf("got the reason %q", got)
		}
		held := 0
		for _, d := range w.decisions() {
			if d.Held {
				held++
			}
		}
		if held > 0 {
			t.Error("a stop was held for tests that the step's own check runs")
		}
	})
}

// logged waits until the log of the only session holds a text, with the usage of the
// answer that it belongs to.
func (w *world) logged(text string) {
	w.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if list := w.sessions(); len(list) == 1 {
			if files, _ := filepath.Glob(w.client.transcripts(w, list[0].ClientID)); len(files) == 1 && strings.Contains(w.read(files[0]), text) {
				return
			}
		}
	}
	w.t.Fatalf("the client's log never said %q", text)
}
