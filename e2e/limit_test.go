package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// resetsAt is when the API's limit is over.
var resetsAt = time.Now().Add(3 * time.Hour).Truncate(time.Minute)

// tooMany is what an API says that takes fewer requests: it does not say until when.
const tooMany = "Too many requests"

// An agent whose API takes no requests is not at work: it waits for the limit. Gemini CLI
// asks what to do first, which neither its hooks nor its log tell; a limit that says
// nothing of a day it tries to outlast.
func TestAPILimit(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		limitedBy(t, c, "You've hit your session limit · resets "+resetsAt.Format("3:04pm")+" ("+resetsAt.Location().String()+")")
	})
	for _, c := range []client{claude, codex} {
		t.Run(c.name()+", too many requests", func(t *testing.T) { limitedBy(t, c, tooMany) })
	}
}

func limitedBy(t *testing.T, c client, said string) {
	w := newWorldOf(t, c, always)
	other := map[bool]client{true: codex, false: claude}[c == claude]
	check(t, os.WriteFile(filepath.Join(w.bin, other.name()), []byte("#!/bin/sh\n"), 0o755)) // it is installed, too
	d := w.serve()
	w.model.script(call(readTool("calc.go")), reply{Status: http.StatusTooManyRequests, Repeat: true, Text: said})
	x := w.open()
	x.say("swap the operands")
	if c == gemini {
		x.answer("2", "2. Stop")
	}
	s := x.waits(d, "limit")
	if s.State != "waiting" || said != tooMany && c != gemini && !s.ResetsAt.Equal(resetsAt) {
		t.Errorf("got %+v, want it waiting until %s", s, resetsAt)
	}
	if want := "piton resume --session " + s.ID + " --agent " + other.name() + " --exec"; s.GoOn != want {
		t.Errorf("got the offer %q, want %q", s.GoOn, want)
	}
	var brief struct {
		Brief      string
		Checkpoint struct{ Trigger string }
	}
	x.pitonJSON(&brief, "resume", "--session", s.ID) // its work is saved, whoever has told of the limit
	if brief.Checkpoint.Trigger != "error" || !strings.Contains(brief.Brief, "swap the operands") {
		t.Errorf("got %+v, want the work as it stood at the limit", brief)
	}
	x.kill()
}

// An agent that asks a person waits for the answer, and is at work again after it.
func TestAsking(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		d := w.serve()
		question := w.asksBeforeCommands()
		run := bash("hang")
		if c == codex { // it asks for what the model wants to run outside of its sandbox
			run = tool{Kind: "exec_command", Input: map[string]any{"cmd": run.Text, "sandbox_permissions": "require_escalated", "justification": "Wait?", "yield_time_ms": 30000}}
		}
		w.model.script(call(run), say("It has run."))
		x := w.open()
		x.say("run it")
		x.see(question)
		x.waits(d, "permission")
		x.answer("Enter", question)
		x.hanging()
		w.release()
		x.waits(d, "prompt")
		x.kill()
	})
}

// An agent that asks a person something else than for permission waits too.
func TestQuestion(t *testing.T) {
	asks := map[client]tool{
		claude: {Kind: "AskUserQuestion", Input: question("multiSelect", false)},
		gemini: {Kind: "ask_user", Input: question("type", "choice")},
		codex:  {Kind: "request_user_input", Input: question("id", "which")},
	}
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		d := w.serve()
		w.model.script(call(asks[c]), say("So be it."))
		x := w.open()
		if c == codex { // it asks only while it plans; a key that came late may have turned that off again
			plans := func() bool { return strings.Contains(x.screen(), "Plan mode (") }
			x.until("it to plan", func() bool {
				before := plans()
				if !before {
					x.key("BTab")
				}
				time.Sleep(time.Second)
				return before && plans()
			})
		}
		x.say("ask me")
		x.see("Which one?")
		x.waits(d, "answer")
		x.answer("Enter", "The first.")
		x.waits(d, "prompt")
		x.kill()
	})
}

// question is what a model asks a person; a client's own field is given.
func question(name string, value any) map[string]any {
	options := []any{map[string]any{"label": "One", "description": "The first."}, map[string]any{"label": "Two", "description": "The second."}}
	return map[string]any{"questions": []any{map[string]any{"question": "Which one?", "header": "One", "options": options, name: value}}}
}

// waits waits until every door says that the only session waits for a thing.
func (x *terminal) waits(d *daemon, what string) (s session) {
	x.t.Helper()
	var said map[string]string
	x.until("every door to say that the session waits for "+what, func() bool {
		if x.client == gemini && strings.Contains(x.screen(), "2. Stop") { // it asks once more after a request of its own
			x.key("2")
		}
		var status, served struct{ Sessions []session }
		x.pitonJSON(&status, "status")
		d.get("/v1/sessions", &served)
		said = map[string]string{}
		for door, list := range map[string][]session{"sessions": x.sessions(), "status": status.Sessions, "HTTP": served.Sessions} {
			if len(list) == 1 {
				s, said[door] = list[0], list[0].WaitsFor
			}
		}
		return said["sessions"] == what && said["status"] == what && said["HTTP"] == what
	})
	return s
}

// What a person has said goes on by itself when the limit has ended: in a run, on the brief,
// within its budget. Its client is closed meanwhile.
func TestGoesOnAfterTheLimit(t *testing.T) {
	w := newWorldOf(t, claude, always)
	d := w.serve()
	w.model.script(call(readTool("calc.go")), reply{Status: http.StatusTooManyRequests, Repeat: true, Text: tooMany + ". Please try again in 10 seconds."})
	x := w.open()
	x.say("swap the operands")
	s := x.waits(d, "limit")
	x.kill()
	w.asItIs()
	w.model.afresh(say("Swapped."))
	out, err := w.run(filepath.Join(w.bin, "piton"), "resume", "--session", s.ID, "--when-limit-ends", "--max-tokens", "100000", "--within", "2m", "--json")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var r struct{ Success bool }
	lines := strings.Split(strings.TrimSpace(out), "\n")
	check(t, json.Unmarshal([]byte(lines[len(lines)-1]), &r))
	if left := w.model.left(); !r.Success || len(left) > 0 {
		t.Errorf("got %s, and left are %+v", out, left)
	}
	var shown struct{ Total struct{ Requests int } }
	if w.pitonJSON(&shown, "stats", "cost"); shown.Total.Requests < 2 {
		t.Errorf("got %d requests counted, want those before and after the limit", shown.Total.Requests)
	}
}
