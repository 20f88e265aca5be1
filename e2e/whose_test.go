package e2e

import (
	"encoding/json"
	"testing"
)

// A command that an agent runs belongs to the agent's session, also in another folder,
// by a person's slash command as by the agent's own choice.
func TestWhoseCall(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always, "GEMINI_CLI_NO_RELAUNCH=") // a client of a client, as people have it
		w.unfinished()
		job := w.checkpoints("--workflow", "job")[0].ID
		w.model.script(
			call(readTool("calc.go")),
			call(bash("piton save --json >"+w.root+"/saved.json; cd "+w.root+"/home && piton save --json >"+w.root+"/elsewhere.json; cd "+w.project+" && piton list >"+w.root+"/list")),
			say("It is saved."),
			call(bash("piton resume "+job)), say("It is taken over."))
		x := w.open()
		x.say(c.screen().command + " save")
		x.stops(1)
		for _, file := range []string{"saved.json", "elsewhere.json"} {
			var saved struct {
				Session string `json:"session_id"`
				From    string `json:"state_from"`
			}
			check(t, json.Unmarshal([]byte(w.read(w.root+"/"+file)), &saved))
			if s := w.theSession(); saved.Session != s.ID || saved.From != "session" {
				t.Errorf("%s: got the state of %q from %q, want that of %s", file, saved.Session, saved.From, s.ID)
			}
		}
		x.say(c.screen().command + " resume " + job)
		x.stops(2)
		var now struct {
			From string `json:"resumed_from"`
		}
		w.piton("save", "--session", w.theSession().ID)
		w.pitonJSON(&now, "load", "--session", w.theSession().ID)
		if now.From != job {
			t.Errorf("got a state that was resumed from %q, want %s", now.From, job)
		}
		x.kill()
	})
}
