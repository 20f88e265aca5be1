package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// resetsAt is when the API's limit is over.
var resetsAt = time.Now().Add(3 * time.Hour).Truncate(time.Minute)

// An agent whose API takes no requests is not at work: it waits for the limit. Gemini CLI
// asks what to do first, which neither its hooks nor its log tell.
func TestAPILimit(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.script(call(readTool("calc.go")), reply{Status: http.StatusTooManyRequests, Repeat: true, Text: "You've hit your session limit · resets " + resetsAt.Format("3:04pm") + " (" + resetsAt.Location().String() + ")"})
		x := w.open()
		x.say("swap the operands")
		if c == gemini {
			x.see("2. Stop")
			x.key("Down")
			x.until("the choice to stop", func() bool { return strings.Contains(x.screen(), "● 2.") })
			x.key("Enter")
		}
		x.until("the session to wait for the limit", func() bool {
			list := w.sessions()
			return len(list) == 1 && list[0].WaitsFor == "limit"
		})
		if s := w.theSession(); s.State != "waiting" || c != gemini && !s.ResetsAt.Equal(resetsAt) {
			t.Errorf("got %+v, want it waiting until %s", s, resetsAt)
		}
		x.kill()
	})
}
