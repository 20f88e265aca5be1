package e2e

import (
	"os"
	"strings"
	"testing"
	"time"
)

// notifies gives Codex the old way of telling of its stops, and no hooks, and has
// it ask before it leaves its sandbox. Its queue is that of an older version: there
// is none.
func (w *world) notifies() {
	settings := strings.NewReplacer(`"never"`, `"on-request"`, `"danger-full-access"`, `"workspace-write"`).Replace(w.read(w.config + "/config.toml"))
	w.write(w.config+"/config.toml", `notify = ["`+w.bin+`/piton-hook", "codex"]`+"\n"+settings)
	text := w.read(w.program(codex))
	check(w.t, os.WriteFile(w.program(codex), []byte(strings.Replace(text, "\n", "\n[ \"$1\" = queue ] && { echo \"error: unrecognized subcommand 'queue'\" >&2; exit 2; }\n", 1)), 0o755))
}

// carry delivers what is due, as the daemon does.
func (w *world) carry() {
	w.t.Helper()
	_, _ = w.run(w.bin+"/piton", "flush") // an error where no letter waits
}

// A person's answer is a person's: while a question is open in the pane nothing is
// typed into it, and the debrief comes when it was answered.
func TestLetterWaitsUntilAnApprovalIsAnswered(t *testing.T) {
	w := newMachineOf(t, codex, always)
	w.notifies()
	outside := w.root + "/outside"
	asks := tool{Kind: "exec_command", Input: map[string]any{"cmd": "touch " + outside, "sandbox_permissions": "require_escalated", "justification": "Need it?"}}
	w.model.script(say("Hello."), call(asks), say("It is there."), reply{When: "Piton Checkpoint", Text: "All is well."})
	x := w.open()
	x.say("hello")
	x.stops(1)
	s := w.theSession()
	x.attach(s.ID)
	x.tmux("set-option", "-p", "-t", "e2e", "synchronize-panes", "on") // until the question is there
	var r restarted
	w.pitonJSON(&r, "sessions", "restart", s.ID)
	x.pid = r.Pane.PID
	x.see(codex.screen().ready)
	x.say("make the file")
	x.see("Yes, proceed")
	x.tmux("set-option", "-p", "-u", "-t", "e2e", "synchronize-panes")

	x.until("the letter to be due", func() bool { return time.Now().After(r.Due) })
	for range 3 {
		time.Sleep(1200 * time.Millisecond) // it is looked at again
		w.carry()
		if screen := x.screen(); !strings.Contains(screen, "Yes, proceed") || strings.Contains(screen, "[Piton") {
			t.Fatalf("the question was answered, or something was typed; the screen:\n%s", screen)
		}
	}
	if _, err := os.Stat(outside); err == nil || len(w.debriefs()) > 0 || w.waitingLetters() != 1 {
		t.Fatalf("got %d debriefs and %d letters that wait, and the command's file: %v", len(w.debriefs()), w.waitingLetters(), err)
	}
	x.answer("y", "Yes, proceed")
	x.until("the debrief", func() bool {
		w.carry()
		return len(w.debriefs()) == 1
	})
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("the command that a person approved did not run: %v", err)
	}
	x.until("the letter to be done", func() bool {
		w.carry()
		return w.waitingLetters() == 0
	})
	x.leave()
}
