package announce_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/announce"
	"github.com/piton-project/piton/internal/courier"
)

// TestRunOfAMessage: a listener is told the run that a message is about, else the one in
// which its session works, and never the run that Piton itself was started in.
func TestRunOfAMessage(t *testing.T) {
	t.Setenv(agent.RunEnv, "run_ofthecaller")
	file := filepath.Join(t.TempDir(), "told")
	url, got := serve(t, status(200))
	for _, x := range []struct {
		name    string
		news    agent.News
		session agent.Session
		run     string
		step    string
	}{
		{"about a run", agent.News{Event: agent.EventRunWaiting, Run: "run_1", Step: "sign"}, agent.Session{}, "run_1", "sign"},
		{"about a run, of a session in another", agent.News{Event: agent.EventRunEnded, Run: "run_1"}, agent.Session{Identity: agent.Identity{ID: "ses_1", Run: "run_2", Step: "build"}}, "run_1", ""},
		{"of a session in a run", agent.News{Event: agent.EventHeld}, agent.Session{Identity: agent.Identity{ID: "ses_1", Run: "run_2", Step: "build"}}, "run_2", "build"},
		{"of a session in none", agent.News{Event: agent.EventHeld}, agent.Session{Identity: agent.Identity{ID: "ses_1"}}, "", ""},
	} {
		body, _ := json.Marshal(x.news)
		l := agent.Letter{ID: "ltr_1", SessionID: x.session.ID, To: agent.ToListener("a"), Kind: agent.LetterEvent, Body: string(body)}
		for _, to := range []agent.Listener{{Name: "a", Command: helper("keep", file)}, {Name: "a", Webhook: url}} {
			c := announce.Carrier{
				Listeners: func(string) ([]agent.Listener, error) { return []agent.Listener{to}, nil },
				Getenv:    os.Getenv, UserHome: t.TempDir(), Now: func() time.Time { return noon.Time },
			}
			if o := c.Carry(t.Context(), l, x.session); o.What != courier.Delivered {
				t.Fatalf("%s: got %+v", x.name, o)
			}
		}
		if told, err := os.ReadFile(file); err != nil || !strings.Contains(string(told), "PITON_RUN_ID \""+x.run+"\"\n") {
			t.Errorf("%s: got a command told (%v)\n%swant the run %q", x.name, err, told, x.run)
		}
		var sent struct {
			Data struct {
				Run  string `json:"run_id"`
				Step string `json:"step_id"`
			}
		}
		all := got()
		if err := json.Unmarshal(all[len(all)-1].body, &sent); err != nil || sent.Data.Run != x.run || sent.Data.Step != x.step {
			t.Errorf("%s: got %+v sent (%v), want the run %q and the step %q", x.name, sent.Data, err, x.run, x.step)
		}
	}
}
