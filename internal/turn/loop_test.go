package turn_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/draw"
)

// The loops that clients were seen in. Each is what comes between a hold and
// the next stop; none of them may end in a third hold.
func TestLoopsSeen(t *testing.T) {
	prompt := func(w *world, text string) { w.happens("UserPromptSubmit", map[string]any{"prompt": text}) }
	for _, c := range []struct {
		name    string
		client  client.Client
		between func(w *world, reason string)
		stop    map[string]any
	}{
		{"claude says that no stop hook is active after a tool", claude.Client{}, func(*world, string) {}, map[string]any{"stop_hook_active": false}},
		{"claude says that one is", claude.Client{}, func(*world, string) {}, map[string]any{"stop_hook_active": true}},
		{"claude echoes a block's reason as a prompt", claude.Client{}, func(w *world, reason string) { prompt(w, "Stop hook feedback:\n"+reason) }, nil},
		{"claude hands context on in a reminder", claude.Client{}, func(w *world, reason string) { prompt(w, "<system-reminder>\n"+reason+"\n</system-reminder>") }, nil},
		{"claude's subagent comes back", claude.Client{}, func(w *world, _ string) {
			w.happens("SubagentStart", map[string]any{"agent_id": "a1", "agent_type": "x"})
			w.happens("SubagentStop", map[string]any{"agent_id": "a1", "agent_type": "x", "last_assistant_message": "done"})
			w.machine("<task-notification>\n<status>completed</status></task-notification>")
		}, nil},
		{"claude compacts and comes back", claude.Client{}, func(w *world, _ string) { w.happens("PreCompact", nil); w.starts("compact"); w.starts("resume") }, nil},
		{"claude goes and comes back", claude.Client{}, func(w *world, _ string) { w.happens("SessionEnd", nil); w.starts("resume") }, nil},
		{"claude meets an API error", claude.Client{}, func(w *world, _ string) { w.happens("StopFailure", map[string]any{"error": "overloaded"}) }, nil},
		{"gemini makes our reason the next prompt", gemini(), prompt, map[string]any{"stop_hook_active": false}},
		{"gemini makes it one behind context", gemini(), func(w *world, reason string) { prompt(w, "<hook_context>"+agent.Prefix+"x</hook_context>\n"+reason) }, nil},
		{"gemini joins our reason to another hook's", gemini(), func(w *world, reason string) { prompt(w, "Run the linter.\n"+reason) }, nil},
		{"gemini quotes it", gemini(), func(w *world, reason string) { prompt(w, "Blocked: "+quoted(reason)) }, nil},
		{"gemini cuts it short, and says what was asked", gemini(), func(w *world, reason string) { prompt(w, reason[:9]) }, map[string]any{"prompt": "mend it"}},
		{"codex goes on without a prompt", codex(), func(*world, string) {}, map[string]any{"stop_hook_active": true}},
		{"codex shows a hook's prompt", codex(), func(w *world, reason string) { prompt(w, `<hook_prompt hook_run_id="stop:0">`+reason+"</hook_prompt>") }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t)
			w.client = c.client
			changed(w)
			holds := 0
			for range 6 {
				answer := w.stops(c.stop)
				if reason, held := strings.CutPrefix(answer, "held: "); held {
					holds++
					c.between(w, reason)
				}
				mends(w)
				w.after(time.Minute)
			}
			if holds != agent.MaxHolds {
				t.Errorf("got %d holds, want %d", holds, agent.MaxHolds)
			}
		})
	}
	t.Run("another hook of gemini's denies each stop, in a person's place", func(t *testing.T) {
		w := shop(t)
		w.client = gemini()
		changed(w)
		holds := 0
		for range 6 {
			if strings.HasPrefix(w.stops(map[string]any{"prompt": "mend it"}), "held: ") {
				holds++
			}
			prompt(w, "Run the linter.")
			w.edits("main.go", fmt.Sprintf("package shop\n\nconst text = `%d`\n", w.calls))
			w.after(time.Minute)
		}
		if s := w.session(); holds != agent.MaxHolds {
			t.Errorf("got %d holds, want %d: %+v", holds, agent.MaxHolds, s)
		}
		w.asks("mend it again")
		w.edits("main.go", "package shop\n\nconst text = `again`\n")
		w.after(time.Minute)
		if got := w.stops(map[string]any{"prompt": "mend it again"}); !strings.HasPrefix(got, "held: ") {
			t.Errorf("got %q, want a person's next prompt to have a budget of its own", got)
		}
	})
	t.Run("letters", func(t *testing.T) {
		w, _ := unheard(t)
		w.said("mend it")
		w.after(time.Minute)
		w.edits("main.go", "package shop\n\nconst text = `1`\n")
		posted := 0
		for range 6 {
			w.notified()
			if len(w.letters()) > 0 {
				posted++
				w.arrives()
			}
			mends(w)
			w.after(time.Minute)
		}
		if posted != 1 {
			t.Errorf("got %d letters, want 1: the message before a second one is Piton's own", posted)
		}
	})
}

// What another hook of Gemini CLI's says at a stop becomes the next prompt. None
// of these renews the budget; what the client names as the prompt of the turn does.
func TestAnotherHooksWordsRenewNothing(t *testing.T) {
	for name, denials := range map[string][]string{
		"two in a row":                       {"Run the linter.", "Format."},
		"the same twice":                     {"Run the linter.", "Run the linter."},
		"ours behind them, then alone":       {"Run the linter.", "Run the linter.\n" + agent.Prefix + "x", "Format."},
		"they begin as the person's do":      {"mend it, then lint"},
		"they are the beginning of them":     {"mend"},
		"the person's, with more behind":     {"mend it\n\nRun the linter."},
		"the beginning of ours":              {agent.Prefix[:9], "Lint."},
		"a machine's words come between":     {"Run the linter.", "<task-notification>done</task-notification>", "Format."},
		"a request fails between":            {"Run the linter.", "", "Format."},
		"nothing but white space":            {" \n", "\t"},
		"the tool's own words, then another": {"Please continue.", "Format."},
	} {
		t.Run(name, func(t *testing.T) {
			w := shop(t)
			w.client = gemini()
			changed(w)
			asked := "mend it"
			w.asks(asked)
			stops := func() (holds int) {
				for range 5 {
					w.edits("main.go", fmt.Sprintf("package shop\n\nconst text = `%d`\n", w.calls))
					w.after(time.Minute)
					if strings.HasPrefix(w.stops(map[string]any{"prompt": asked}), "held: ") {
						holds++
					}
					for _, words := range denials {
						if words == "" {
							w.happens("StopFailure", map[string]any{"error": "overloaded"})
							continue
						}
						w.happens("UserPromptSubmit", map[string]any{"prompt": words})
					}
				}
				return holds
			}
			if holds := stops(); holds != agent.MaxHolds {
				t.Errorf("got %d holds, want %d", holds, agent.MaxHolds)
			}
			w.asks(asked)
			if holds := stops(); holds != agent.MaxHolds {
				t.Errorf("the same words of a person again: got %d holds, want %d", holds, agent.MaxHolds)
			}
			asked = "deploy it"
			w.asks(asked)
			if holds := stops(); holds != agent.MaxHolds {
				t.Errorf("a person's other words: got %d holds, want %d", holds, agent.MaxHolds)
			}
		})
	}
}

// scripted is a client whose log is in memory.
type scripted struct {
	fake
	log *agent.Transcript
}

func (s scripted) Transcript(_ string, since time.Time, _ int64) (agent.Transcript, error) {
	x := *s.log
	x.Calls = nil
	for _, c := range s.log.Calls {
		if !c.EndedAt.Before(since) {
			x.Calls = append(x.Calls, c)
		}
	}
	return x, nil
}

// adversary is an agent that does anything to be held again, and a client that
// tells it in any order.
type adversary struct {
	*world
	*rapid.T
	log    *agent.Transcript
	last   string    // the last hold's words
	asked  string    // the last human prompt, where the client says that at a stop
	holds  int       // since the last human prompt
	newest time.Time // the newest moment the clock has shown
	n      int
}

// perWorld is how many sessions share a store and a repository.
const perWorld = 50

// TestNeverHeldThrice: whatever an agent and its client do, there are at most
// two holds between two prompts of a person (docs/spec.md, "Loop guard"). More
// sequences: scripts/soak.
func TestNeverHeldThrice(t *testing.T) {
	for _, client := range []string{"claude", "gemini", "codex"} {
		t.Run(client, func(t *testing.T) {
			var w *world
			total, most := 0, 0
			draw.Check(t, func(r *rapid.T) {
				if total%perWorld == 0 {
					w = shop(t)
				}
				total++
				w.id = fmt.Sprintf("session-%d", total)
				w.now = time.Now().UTC().Truncate(time.Millisecond)
				a := newAdversary(w, r, client)
				acts := a.acts()
				for range rapid.IntRange(5, 40).Draw(r, "events") {
					acts[rapid.IntRange(0, len(acts)-1).Draw(r, "act")]()
					a.after(time.Duration(rapid.IntRange(0, 90).Draw(r, "seconds")) * time.Second)
					if most = max(most, a.holds); a.holds > agent.MaxHolds {
						r.Fatalf("got %d holds after one prompt", a.holds)
					}
				}
			})
			if most < agent.MaxHolds && !testing.Short() { // a few tries need not come that far
				t.Errorf("got at most %d holds, so that nothing was tried", most)
			}
		})
	}
}

func newAdversary(w *world, r *rapid.T, client string) *adversary {
	a := &adversary{world: w, T: r, log: &agent.Transcript{Complete: true, ClientVersion: "1"}, last: agent.Prefix + "x"}
	w.client = scripted{fake{name: client, takes: func(agent.Event) bool { return true }}, a.log}
	return a
}

// acts are what this client can do. Only Codex tells of a stop without reading an
// answer, so only there a hold is a letter; only Gemini CLI puts what another hook
// says at a stop in a person's place, and names the person's prompt at a stop.
func (a *adversary) acts() []func() {
	all := []func(){a.human, a.round, a.round, a.round, a.edit, a.stop, a.echo, a.machine, a.tool, a.subagent, a.start, a.other, a.jump}
	switch a.client.Name() {
	case "codex":
		all = append(all, a.unheard, a.arrival)
	case "gemini":
		all = append(all, a.deny, a.deny, a.failed)
	}
	return all
}

// handle hands an event to Piton and counts what holds.
func (a *adversary) handle(e agent.Event) {
	e.Agent, e.ClientID, e.Transcript, e.Cwd, e.At = a.client.Name(), a.id, a.script, a.root, a.now
	reply, err := a.turns().Handle(a.world.Context(), e)
	if err != nil {
		a.T.Fatalf("%s: %v", e.Kind, err)
	}
	var r struct{ Decision, Reason string }
	if len(reply.Get()) > 0 {
		if err := json.Unmarshal(reply.Get(), &r); err != nil {
			a.T.Fatalf("the reply %q is not JSON: %v", reply, err)
		}
	}
	if r.Decision == "block" {
		a.holds++
		a.last = r.Reason
	}
}

// human is a person's prompt: in the log, and told by a hook or not.
func (a *adversary) human() {
	a.n++
	text := rapid.SampledFrom([]string{"go on", "task", fmt.Sprint("task ", a.n)}).Draw(a.T, "text")
	skew := time.Duration(rapid.IntRange(-2000, 5000).Draw(a.T, "skew")) * time.Millisecond
	a.log.LastPrompt, a.log.LastPromptAt, a.log.OwnTextLast, a.log.Interrupted = text, a.now.Add(skew), false, time.Time{}
	a.holds = 0
	if a.client.Name() == "gemini" {
		a.asked = text
	}
	if rapid.Bool().Draw(a.T, "heard") {
		a.handle(agent.Event{Kind: agent.EventPrompt, Prompt: text})
	}
}

func (a *adversary) call(c agent.Call) {
	a.n++
	c.ID, c.StartedAt, c.EndedAt = fmt.Sprint(a.n), a.now, a.now
	a.log.Calls = append(a.log.Calls, c)
}

func (a *adversary) edit() {
	a.n++
	a.write("main.go", fmt.Sprintf("package shop\n\nconst text = `%d %s`\n", a.n, a.id))
	a.call(agent.Call{Kind: agent.CallEdit, Tool: "Write", Paths: []string{a.path("main.go")}})
}

// round is work enough for another hold, and a stop.
func (a *adversary) round() {
	a.edit()
	a.now = a.now.Add(40 * time.Second)
	if a.client.Name() == "codex" && rapid.Bool().Draw(a.T, "unheard") {
		a.unheard()
	} else {
		a.stop()
	}
}

// says is the agent's last output. Where the clock was set back the log would be
// waited for, so there it says nothing.
func (a *adversary) says() string {
	a.log.LastOutput, a.log.LastOutputAt = "Done.", a.now
	if !a.now.After(a.newest) {
		return ""
	}
	a.newest = a.now
	return "Done."
}

func (a *adversary) stop() {
	a.handle(agent.Event{Kind: agent.EventStop, LastOutput: a.says(), Prompt: a.asked})
}

// failed is a stop of a request that failed: the client tells nothing more.
func (a *adversary) failed() {
	a.handle(agent.Event{Kind: agent.EventStopFailed, Error: "[no response text]"})
}

func (a *adversary) unheard() {
	before := len(a.posted())
	a.handle(agent.Event{Kind: agent.EventStop, LastOutput: a.says(), Unheard: true})
	a.holds += max(len(a.posted())-before, 0)
}

// posted are the session's letters that wait.
func (a *adversary) posted() (list []agent.Letter) {
	s, err := a.store.SessionByClient(a.world.Context(), a.client.Name(), a.id)
	if err != nil {
		return nil // it has none yet
	}
	for _, l := range a.letters() {
		if l.SessionID == s.ID {
			list = append(list, l)
		}
	}
	return list
}

// echo is our own text as a prompt, in what clients put around it.
func (a *adversary) echo() {
	form := rapid.SampledFrom([]string{"%s", "\n \t%s", "Stop hook feedback:\n%s", "<system-reminder>\n%s\n</system-reminder>", `<hook_prompt id="1">%s</hook_prompt>`,
		"<hook_context>%s</hook_context>", "<system-reminder>x</system-reminder>\n%s"}).Draw(a.T, "form")
	a.log.OwnTextLast = rapid.Bool().Draw(a.T, "own text in the log")
	a.handle(agent.Event{Kind: agent.EventPrompt, Prompt: fmt.Sprintf(form, a.last)})
}

// deny is another hook that denies the stop: its words become a prompt, ours
// beside them or not. They may begin as the person's do, and not be the same.
func (a *adversary) deny() {
	if a.asked != "" {
		a.handle(agent.Event{Kind: agent.EventPrompt, Prompt: rapid.SampledFrom([]string{"Lint.", "Format.", a.asked[:1], a.asked + " and lint", a.asked + "\n\nLint.", "Lint.\n" + a.last, a.last + "\nLint.", a.last[:9]}).Draw(a.T, "denial")})
	}
}

func (a *adversary) machine() {
	a.handle(agent.Event{Kind: agent.EventPrompt, Prompt: rapid.SampledFrom([]string{"<task-notification>done</task-notification>", "<system-reminder>tidy up</system-reminder>"}).Draw(a.T, "machine")})
}

func (a *adversary) tool() {
	kind := rapid.SampledFrom([]agent.EventKind{agent.EventToolUse, agent.EventToolDone, agent.EventPermissionRequest}).Draw(a.T, "tool")
	a.call(agent.Call{Kind: agent.CallShell, Tool: "Bash", Command: "ls"})
	a.handle(agent.Event{Kind: kind, Call: agent.CallShell, Command: rapid.SampledFrom([]string{"ls", "rm -rf build"}).Draw(a.T, "command")})
}

func (a *adversary) subagent() {
	kind := rapid.SampledFrom([]agent.EventKind{agent.EventSubagentStart, agent.EventSubagentStop, agent.EventStop, agent.EventPrompt, agent.EventSessionEnd}).Draw(a.T, "subagent")
	a.handle(agent.Event{Kind: kind, Subagent: "a1", Role: "explorer", Prompt: "look", LastOutput: "seen"})
}

func (a *adversary) start() {
	a.handle(agent.Event{Kind: agent.EventSessionStart, Source: rapid.SampledFrom([]string{"startup", "resume", "compact", "clear", "fork"}).Draw(a.T, "source")})
}

func (a *adversary) other() {
	kind := rapid.SampledFrom([]agent.EventKind{agent.EventStopFailed, agent.EventPreCompact, agent.EventSessionEnd, agent.EventInterrupt, agent.EventNotification}).Draw(a.T, "other")
	a.handle(agent.Event{Kind: kind, Source: "manual", Error: "overloaded"})
}

// arrival delivers a letter, as the courier does.
func (a *adversary) arrival() {
	list := a.posted()
	if len(list) == 0 {
		return
	}
	l := list[0]
	l.DoneAt = piton.At(a.now)
	err := a.store.Update(a.world.Context(), func(tx store.LocalTx) error {
		s, err := tx.Session(a.world.Context(), l.SessionID)
		if err != nil {
			return err
		}
		if s.Waiting == l.ID {
			a.log.OwnTextLast = rapid.Bool().Draw(a.T, "own text in the log")
			if err := tx.PutSession(a.world.Context(), redact.Value(s.Arrived(piton.At(a.now)))); err != nil {
				return err
			}
		}
		_, err = tx.Settle(a.world.Context(), redact.Value(l))
		return err
	})
	if err != nil {
		a.T.Fatal(err)
	}
}

func (a *adversary) jump() {
	a.now = a.now.Add(time.Duration(rapid.IntRange(-7200, 7200).Draw(a.T, "jump")) * time.Second)
}
