package e2e

import (
	"os"
	"strings"
	"testing"
	"time"
)

// resetsAt is when the API's limit is over.
var resetsAt = time.Now().Add(3 * time.Hour).Truncate(time.Minute)

func TestAPILimit(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.script(call(readTool("calc.go")), reply{Status: 429, Repeat: true, Text: "You've hit your session limit · resets " + resetsAt.Format("3:04pm") + " (UTC)"})
		x := w.open()
		x.say("swap the operands")
		x.until("three requests", func() bool { return len(w.model.all()) >= 2 })
		x.until("rest", func() bool {
			time.Sleep(200 * time.Millisecond)
			return strings.Contains(x.screen(), "limit") || strings.Contains(x.screen(), "429") || strings.Contains(x.screen(), "quota")
		})
		time.Sleep(8 * time.Second)
		t.Log(x.screen())
		t.Log(x.tmux("display-message", "-p", "-t", "e2e", "#{pane_title}"))
		t.Log(w.piton("sessions"))
		for _, h := range w.hooks() {
			t.Logf("%s", h.stdin)
		}
		s := w.theSession()
		os.WriteFile("/tmp/clients/limit-"+c.name()+".jsonl", []byte(w.transcript(s.ClientID)), 0o644)
		x.kill()
	})
}
