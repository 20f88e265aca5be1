package e2e

import (
	"os"
	"strings"
	"testing"
)

// A person who refuses the test run is not asked for it again: it is a line.
func TestRefusedTestRun(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		question := w.asksBeforeCommands()
		w.model.script(swap()...)
		run := bash("go test ./...")
		if c == codex { // it asks for what the model wants to run outside of its sandbox
			run = tool{Kind: "exec_command", Input: map[string]any{"cmd": run.Text, "sandbox_permissions": "require_escalated", "justification": "Test it?"}}
		}
		w.model.script(call(run))
		x := w.open()
		x.say("swap the operands")
		x.answer("Escape", question)
		x.see(c.screen().ready)
		w.model.script(reply{Text: "Done, without a test run.", Repeat: true})
		x.say("leave it so")
		x.stops(1)
		d := w.decisions()[0]
		t.Logf("LIVE refused|%s|held=%v %s|%s", c.name(), d.Held, d.Reason, w.said())
		if d.Held || d.Reason == "all_clear" {
			t.Errorf("got the decision %+v, want it let go with a line", d)
		}
		w.left("`calc.go` changed", "refused")
		x.leave()
	})
}

// asksBeforeCommands has the client ask a person before it runs a command, and edit
// without a question; it returns a part of the question.
func (w *world) asksBeforeCommands() string {
	w.t.Helper()
	switch w.client {
	case claude:
		w.write(w.config+"/settings.json", strings.Replace(w.read(w.config+"/settings.json"), `"Bash", `, "", 1))
		return "Do you want"
	case gemini:
		program := w.program(w.client)
		check(w.t, os.WriteFile(program, []byte(strings.Replace(w.read(program), "'yolo'", "'auto_edit'", 1)), 0o755))
		return "Allow execution"
	}
	w.write(w.config+"/config.toml", strings.NewReplacer(`"never"`, `"on-request"`, `"danger-full-access"`, `"workspace-write"`).Replace(w.read(w.config+"/config.toml")))
	return "Would you like to run"
}
