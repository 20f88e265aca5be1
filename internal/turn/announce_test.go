package turn_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// told is what waits for the listeners: "name event: text", in the order of their names.
func (w *world) toldListeners() []string {
	w.Helper()
	var list []string
	for _, l := range w.letters() {
		var n agent.News
		if err := json.Unmarshal([]byte(l.Body), &n); err != nil || l.SessionID != w.session().ID {
			w.Fatalf("got the letter %+v (%v), want news of this session", l, err)
		}
		list = append(list, strings.TrimPrefix(l.To, "listener:")+" "+string(n.Event)+": "+n.Text)
	}
	slices.Sort(list)
	return list
}

// delivered takes away what waits.
func (w *world) delivered() {
	w.Helper()
	err := w.store.Update(w.Context(), func(tx store.LocalTx) error {
		for {
			var any bool
			for _, l := range w.listeners {
				x, ok, err := tx.Claim(w.Context(), store.Claim{Session: w.session().ID, To: agent.ToListener(l.Name), At: piton.At(w.now), Until: piton.At(w.now.Add(time.Minute))})
				if err != nil {
					return err
				}
				if ok {
					any, x.DoneAt = true, piton.At(w.now)
					if _, err := tx.Settle(w.Context(), redact.Value(x)); err != nil {
						return err
					}
				}
			}
			if !any {
				return nil
			}
		}
	})
	if err != nil {
		w.Fatal(err)
	}
}

// waits checks what the session waits for a person for; before the first prompt
// it gives it something to do.
func (w *world) waits(want agent.Wait) {
	w.Helper()
	if len(w.sessions()) == 0 {
		w.asks("explain it")
	}
	x := w.session().Stands(true, piton.At(w.now))
	if got, since := x.Wait, x.Since; got != want || since.IsZero() != (want == "") {
		w.Errorf("got it waiting for %q since %s, want %q", got, since, want)
	}
}

func said(text string) map[string]any { return map[string]any{"last_assistant_message": text} }

func TestAnnouncements(t *testing.T) {
	only := func(w *world, want ...string) {
		w.Helper()
		if diff := cmp.Diff(want, w.toldListeners()); diff != "" {
			w.Errorf("what listeners are told (want -, got +):\n%s", diff)
		}
	}
	stories := []story{
		{"nobody listens: no letter is written", func(w *world) {
			w.listeners = nil
			w.asks("explain it")
			w.after(time.Minute)
			w.stops(said("So it is."))
			only(w)
			if s := w.session(); s.LastFeedback != "So it is." || !s.Notified {
				w.Errorf("got %q, notified %t; want it kept all the same", s.LastFeedback, s.Notified)
			}
		}},
		{"a real stop announces what is new", func(w *world) {
			w.asks("explain it")
			w.after(time.Minute)
			w.stops(said("So it is."))
			only(w, "all agent_stop: So it is.", "speech announcement: So it is.")
		}},
		{"what is equal is not said again; the stop is told all the same", func(w *world) {
			w.asks("explain it")
			w.after(time.Minute)
			w.stops(said("So it is."))
			w.delivered()
			before := w.session().NotifiedAt
			w.asks("explain it again")
			w.after(time.Minute)
			w.stops(said("So it is."))
			only(w, "all agent_stop: So it is.")
			if s := w.session(); !s.Notified || !s.NotifiedAt.After(before.Time) || s.TurnOpen {
				w.Errorf("got %+v, want the session at its new stop", s)
			}
		}},
		{"an output that differs only behind what is kept is new", func(w *world) {
			long := strings.Repeat("all is well. ", 300)
			w.asks("explain it")
			w.stops(said(long + "one"))
			w.delivered()
			w.asks("explain it again")
			w.stops(said(long + "two"))
			if got := w.toldListeners(); len(got) != 2 || !strings.HasSuffix(got[1], "two") {
				w.Errorf("got %d pieces of news, want both, with the end of the second output", len(got))
			}
		}},
		{"an agent that says nothing is not announced", func(w *world) {
			w.asks("explain it")
			w.stops(said(""))
			only(w, "all agent_stop: The turn is over.")
		}},
		{"a held stop announces nothing; the hold is told", func(w *world) {
			changed(w)
			w.want(w.stops(said("Mended.")), agent.ReasonHeld)
			got := w.toldListeners()
			if len(got) != 1 || !strings.HasPrefix(got[0], "all agent_held: The agent was held: ") || !strings.Contains(got[0], "go test") {
				w.Errorf("got %q, want the hold alone", got)
			}
			if l := w.letters()[0]; !l.Critical || !l.Expires.IsZero() {
				w.Errorf("got %+v, want it never dropped", l)
			}
			w.delivered()
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.after(time.Minute)
			w.stops(said("Mended and tested."))
			only(w, "all agent_stop: Mended and tested.", "speech announcement: Mended and tested.")
		}},
		{"a stop that leaves the turn open announces nothing", func(w *world) {
			w.asks("explain it")
			w.after(time.Minute)
			w.stops(said("A helper looks."), map[string]any{"background_tasks": []any{map[string]any{"id": "b1", "type": "subagent", "status": "running"}}})
			only(w)
		}},
		{"a subagent's stop announces nothing", func(w *world) {
			w.asks("explain it")
			w.happens("Stop", map[string]any{"last_assistant_message": "Found.", "agent_id": "a1", "agent_type": "Explore"})
			w.happens("SubagentStop", map[string]any{"last_assistant_message": "Found.", "agent_id": "a1", "agent_type": "Explore"})
			only(w, "all subagent_stop: The subagent Explore is done.")
		}},
		{"an error of the API is told, not announced", func(w *world) {
			w.asks("explain it")
			w.happens("StopFailure", map[string]any{"error": "overloaded"})
			only(w, "all agent_stop_failed: The turn ended with an error of the API: overloaded.")
		}},
		{"what a person is asked", func(w *world) {
			w.asks("explain it")
			w.happens("PermissionRequest", map[string]any{"tool_name": "Bash"})
			w.happens("Notification", map[string]any{"message": "Which colour?", "notification_type": "elicitation_dialog"})
			only(w, "all notification: Which colour?", "all permission_request: Your permission is needed for Bash.")
		}},
		{"of what tools do the newest stands", func(w *world) {
			w.asks("explain it")
			for range 5 {
				w.happens("PostToolUse", map[string]any{"tool_name": "Edit", "tool_input": map[string]any{"file_path": w.path("main.go")}})
				w.after(time.Second)
			}
			only(w, "all tool_done: Edit: main.go")
		}},
		{"a tool that failed names no file, and is told where every tool counts", func(w *world) {
			w.asks("explain it")
			failed := map[string]any{"tool_name": "Edit", "tool_input": map[string]any{"file_path": w.path("main.go")}}
			w.happens("PostToolUseFailure", failed)
			only(w)
			w.set.Timer = agent.TimerActivity
			w.happens("PostToolUseFailure", failed)
			only(w, "all tool_done: Edit is done.")
		}},
		{"a secret is never in what is told", func(w *world) {
			w.asks("explain it")
			w.stops(said("The key is ghp_" + strings.Repeat("A1b2", 9) + "."))
			for _, l := range w.letters() {
				if strings.Contains(l.Body, "A1b2A1b2") || !strings.Contains(l.Body, "REDACTED") {
					w.Errorf("got the body %s, want the secret taken out", l.Body)
				}
			}
		}},
		{"a huge output is cut", func(w *world) {
			w.asks("explain it")
			w.stops(said(strings.Repeat("word\x1b[31m ", 1<<20)))
			for _, l := range w.letters() {
				if len(l.Body) > 64<<10 {
					w.Errorf("got a body of %d bytes, want it bounded", len(l.Body))
				}
			}
		}},
		{"an announcement expires, and is sent at once", func(w *world) {
			var later []string
			w.later = &later
			w.asks("explain it")
			w.stops(said("So it is."))
			for _, l := range w.letters() {
				if l.Kind == agent.LetterAnnounce && l.Expires != piton.At(w.now.Add(5*time.Minute)) {
					w.Errorf("got %+v, want it to expire after 5 minutes", l)
				}
			}
			if !slices.Equal(later, []string{"flush --wait"}) {
				w.Errorf("got %q started, want a flush", later)
			}
		}},
		{"a listener that is off hears nothing", func(w *world) {
			w.listeners = []agent.Listener{{Name: "speech", Off: true}}
			w.asks("explain it")
			w.stops(said("So it is."))
			only(w)
		}},
	}
	for i, s := range stories {
		stories[i].play = func(w *world) {
			w.listeners = []agent.Listener{{Name: "speech"}, {Name: "all", Events: []agent.EventKind{
				agent.EventStop, agent.EventHeld, agent.EventStopFailed, agent.EventNotification, agent.EventPermissionRequest, agent.EventToolDone, agent.EventSubagentStop,
			}}}
			s.play(w)
		}
	}
	tell(t, stories)
}

func TestWaitsForAPerson(t *testing.T) {
	tell(t, []story{
		{"from the stop on until a person speaks", func(w *world) {
			w.waits("")
			w.stops(said("Done."))
			stopped := w.now
			w.waits(agent.WaitPrompt)
			w.after(time.Minute)
			w.happens("Notification", map[string]any{"notification_type": "idle_prompt"})
			w.waits(agent.WaitPrompt)
			if since := w.session().Stands(true, piton.At(w.now)).Since; since != piton.At(stopped) {
				w.Errorf("got it waiting since %s, want since the stop at %s", since, piton.At(stopped))
			}
			w.machine("<task-notification>done</task-notification>")
			w.waits(agent.WaitPrompt)
			w.asks("and now?")
			w.waits("")
		}},
		{"for permission, until the tool has run", func(w *world) {
			w.waits("")
			w.happens("PermissionRequest", map[string]any{"tool_name": "Bash"})
			w.waits(agent.WaitPermission)
			w.happens("PostToolUse", map[string]any{"tool_name": "Bash"})
			w.waits("")
		}},
		{"for an answer, until anything else is heard", func(w *world) {
			w.waits("")
			w.happens("Notification", map[string]any{"notification_type": "elicitation_dialog"})
			w.waits(agent.WaitAnswer)
			w.after(time.Second)
			w.happens("Notification", map[string]any{"notification_type": "elicitation_response"})
			w.waits("")
		}},
		{"a held stop waits for nobody", func(w *world) {
			changed(w)
			w.want(w.stops(), agent.ReasonHeld)
			w.waits("")
		}},
		{"a session that has ended waits for nobody", func(w *world) {
			w.waits("")
			w.stops(said("Done."))
			w.happens("SessionEnd", map[string]any{"reason": "exit"})
			w.waits("")
		}},
	})
}
