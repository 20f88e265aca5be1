package turn_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	geminiclient "github.com/piton-project/piton/internal/client/gemini"
	"github.com/piton-project/piton/internal/turn"
)

// The name of work that is resumed is the work's, whoever resumes it, and however often:
// never the prompt that asked for it, nor the heading of its brief.
func TestTheNameOfResumedWork(t *testing.T) {
	prompt := func(change func(brief string) string) func(w *world, c piton.Checkpoint) {
		return func(w *world, c piton.Checkpoint) {
			brief := w.resumes(c.ID).Brief
			w.another()
			w.asks(change(brief))
		}
	}
	command := func(words string) func(w *world, c piton.Checkpoint) {
		return func(w *world, c piton.Checkpoint) {
			w.another()
			w.asks(words)
			w.takes(c)
		}
	}
	again := func(ways ...func(w *world, c piton.Checkpoint)) func(w *world, c piton.Checkpoint) {
		return func(w *world, c piton.Checkpoint) {
			for i, way := range ways {
				if i > 0 {
					w.happens("PreCompact", nil)
					w.after(history10)
					c = w.checkpoints()[0]
				}
				way(w, c)
			}
		}
	}
	whole := func(brief string) string { return brief }
	stories := []struct {
		name  string
		does  func(w *world, c piton.Checkpoint)
		asked any // beside the name
	}{
		{"the brief", prompt(whole), nil},
		{"the brief behind words", prompt(func(b string) string { return "Go on with this, please.\n\n" + b }), nil},
		{"the brief before words", prompt(func(b string) string { return b + "\nGo on with it." }), nil},
		{"the brief with Windows' line ends", prompt(func(b string) string { return strings.ReplaceAll(b, "\n", "\r\n") }), nil},
		{"the brief as a quotation", prompt(func(b string) string { return "> " + strings.ReplaceAll(b, "\n", "\n> ") }), nil},
		{"the brief indented", prompt(func(b string) string { return "    " + strings.ReplaceAll(b, "\n", "\n    ") }), nil},
		{"the brief in a block of code", prompt(func(b string) string { return "```markdown\n" + b + "```\n" }), nil},
		{"the brief without its last lines", prompt(func(b string) string { return b[:strings.Index(b, "\n---\n")] }), nil},
		{"the beginning of the brief", prompt(func(b string) string { return b[:strings.Index(b, "**Workflow**")] }), nil},
		{"the brief behind a heading on the same line", prompt(func(b string) string { return "Restore: " + b }), nil},
		{"a command", command("go on with it"), "go on with it"},
		{"the client's own command", command("/checkpoint resume"), "/checkpoint resume"},
		{"the brief twice", again(prompt(whole), prompt(whole)), nil},
		{"a chain of commands", again(command("go on"), command("now you"), command("and you")), "and you"},
		{"a command, then the brief", again(command("go on"), prompt(whole)), nil},
		{"the brief, then a command", again(prompt(whole), command("now you")), "now you"},
		{"its own brief", func(w *world, c piton.Checkpoint) { w.asks(w.resumes(c.ID).Brief) }, nil},
		{"the beginning of its own brief", func(w *world, c piton.Checkpoint) {
			b := w.resumes(c.ID).Brief
			w.asks(b[:strings.Index(b, "**Workflow**")])
		}, nil},
		{"its own work by a command", func(w *world, c piton.Checkpoint) {
			w.asks("resume where you were")
			w.takes(c)
		}, "resume where you were"},
		{"its own work, taken over before", again(command("go on"), func(w *world, c piton.Checkpoint) {
			w.asks("again")
			w.takes(c)
		}), "again"},
		{"a compaction after it", func(w *world, c piton.Checkpoint) {
			prompt(whole)(w, c)
			w.happens("PreCompact", map[string]any{"trigger": "auto"})
			w.happens("SessionStart", map[string]any{"source": "compact"})
			w.asks("go on")
		}, "go on"},
		{"the brief, where hooks tell of stops only", func(w *world, c piton.Checkpoint) {
			brief := w.resumes(c.ID).Brief
			w.another()
			w.line(`"promptId":"p","type":"user","message":{"role":"user","content":` + quoted(brief) + `},"origin":{"kind":"human"},"promptSource":"typed"`)
			w.after(2 * time.Second)
			w.says("Done.")
			e := w.event("Stop", map[string]any{"last_assistant_message": "Done."})
			e.Unheard = true
			if _, err := w.turns().Handle(w.Context(), e); err != nil {
				w.Fatal(err)
			}
		}, nil},
	}
	for _, client := range []string{"claude", "gemini", "codex"} {
		for _, s := range stories {
			t.Run(client+": "+s.name, func(t *testing.T) {
				w := shop(t)
				w.client = fake{name: client, takes: func(agent.Event) bool { return true }}
				s.does(w, crashed(w))
				w.after(time.Minute)
				w.edits("other.go", "package shop\n")
				w.happens("PreCompact", nil)
				if got := w.checkpoints()[0].TaskSummary; got != "mend it" || w.state()["asked"] != s.asked {
					t.Errorf("got the name %q, asked %v; want \"mend it\" and %v", got, w.state()["asked"], s.asked)
				}
				if r := w.resumes(w.checkpoints()[0].ID); strings.Contains(r.Brief[20:], "Restored State") {
					t.Errorf("got the brief %s\nwant no heading in it but its own", r.Brief)
				}
			})
		}
	}
	t.Run("words that only mention the heading", func(t *testing.T) {
		w := shop(t)
		changed(w)
		w.asks("rename the heading ## Restored State in the brief")
		w.happens("PreCompact", nil)
		if got := w.checkpoints()[0].TaskSummary; !strings.HasPrefix(got, "rename") {
			t.Errorf("got the name %q, want the person's words", got)
		}
	})
	t.Run("a second prompt is not a name of work that goes on", func(t *testing.T) {
		w := shop(t)
		changed(w)
		w.happens("PreCompact", nil)
		name := w.checkpoints()[0].TaskSummary
		for _, said := range []string{"docs", "go on"} { // inside the turn; in one behind it, with something open
			w.asks(said)
			mends(w)
			w.happens("PreCompact", nil)
			if got := w.checkpoints()[0].TaskSummary; got != name || w.state()["asked"] != said {
				t.Errorf("got the name %q, asked %v; want %q and %q", got, w.state()["asked"], name, said)
			}
			w.stops()
			mends(w)
			w.stops()
			mends(w)
			w.stops()
		}
		w.asks("test it")
		w.runs("go test ./...", "ok  \tshop\t0.1s")
		w.stops()
		w.asks("now something else")
		w.edits("other.go", "package shop\n")
		w.happens("PreCompact", nil)
		if got := w.checkpoints()[0].TaskSummary; got != "now something else" {
			t.Errorf("got the name %q, want that of the new work", got)
		}
	})
	t.Run("words that only say to go on name nothing", func(t *testing.T) {
		for said, names := range map[string]bool{
			"go on": false, "Continue.": false, "yes, go on please": false, "ok next": false, "Weiter!": false, "继续": false,
			"test it once more": true, "continue with the tax": true, "ok 2": true, "next: the cart": true,
		} {
			w := shop(t)
			w.asks(said) // nothing came before it
			mends(w)
			w.happens("PreCompact", nil)
			first := w.checkpoints()[0].TaskSummary
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.stops()
			w.asks("mend the tax")
			w.edits("other.go", "package shop\n\nvar tax = 1\n")
			w.happens("PreCompact", nil)
			w.runs("go test ./...", "ok  \tshop\t0.1s")
			w.stops()
			w.asks(said)
			w.edits("more.go", "package shop\n\nvar more = 1\n")
			w.happens("PreCompact", nil)
			last := w.checkpoints()[0].TaskSummary
			want := [2]string{said, said}
			if !names {
				want = [2]string{"", "mend the tax"}
			}
			if got := [2]string{first, last}; got != want {
				t.Errorf("%q: got the names %q, want %q", said, got, want)
			}
			if asked := w.state()["asked"]; !names && asked != said {
				t.Errorf("%q: got asked %v", said, asked)
			}
		}
	})
	t.Run("work without a task", func(t *testing.T) {
		w := shop(t)
		c := crashed(w)
		c.TaskSummary, c.Workflow, c.WorkflowType, c.SessionID, c.WorkflowID = "", "import of the orders", piton.TypeConductor, "", "wf_other"
		w.another()
		w.asks("go on")
		if err := turn.Take(t.Context(), w.store, w.session().ID, c, "", piton.At(w.now)); err != nil {
			t.Fatal(err)
		}
		w.happens("PreCompact", nil)
		if got := w.checkpoints()[0].TaskSummary; got != "import of the orders" {
			t.Errorf("got the name %q, want its workflow's", got)
		}
	})
}

// geminiStops ends a turn as Gemini CLI tells it: with all that was said since the
// prompt.
func (w *world) geminiStops(said string) string {
	w.Helper()
	w.after(2 * time.Second)
	last := said[strings.LastIndex(said, "\n")+1:]
	w.says(last)
	b, err := json.Marshal(map[string]any{"session_id": w.id, "transcript_path": w.script, "cwd": w.root, "hook_event_name": "AfterAgent", "prompt": w.session().LastMessage, "prompt_response": said})
	w.must(err)
	e, err := geminiclient.Client{}.Decode(b, nil)
	w.must(err)
	e.At, e.Agent, e.ProjectDir, e.Child = w.now, w.client.Name(), w.root, false
	reply, err := w.turns().Handle(w.Context(), e)
	w.must(err)
	return w.read(reply.Get())
}

// A held answer is not announced. What is said at the stop that is let go is announced
// once, without what was held, also by clients that repeat it.
func TestAnnouncedOnce(t *testing.T) {
	long := strings.Repeat("all is well. ", 900)
	green := func(w *world) {
		w.runs("go test ./...", "ok  \tshop\t0.1s")
		w.after(time.Minute)
	}
	for _, x := range []struct {
		name   string
		stops  []string // all but the last are held
		want   string
		claude string // what the other clients tell, where it is not the last
	}{
		{"a debrief", []string{"Mended.", "Mended.\nTests pass."}, "Tests pass.", "Tests pass."},
		{"the same once more", []string{"Mended.", "Mended.\nMended."}, "Mended.", "Mended."},
		{"nothing new", []string{"Mended.", "Mended."}, "Mended.", "Mended."},
		{"two debriefs", []string{"Mended.", "Mended.\nAgain.", "Mended.\nAgain.\nTests pass."}, "Tests pass.", "Tests pass."},
		{"the same, three times", []string{"Mended.", "Mended.\nMended.", "Mended.\nMended.\nMended."}, "Mended.", "Mended."},
		{"a long answer", []string{long, long + "\nTests pass."}, "Tests pass.", "Tests pass."},
		{"two lines after it", []string{"Mended.", "Mended.\nVerifying. \nTests pass."}, "Verifying. \nTests pass.", "Tests pass."},
		{"white space at its end", []string{"Mended. ", "Mended. \nTests pass."}, "Tests pass.", "Tests pass."},
		{"letters of other scripts", []string{"直した。", "直した。\nテスト済み。"}, "テスト済み。", "テスト済み。"},
		{"another beginning", []string{"Mended.", "It is mended.\nTests pass."}, "It is mended.\nTests pass.", "Tests pass."},
		{"a beginning of it", []string{"Mended.", "Mend"}, "Mend", "Mend"},
		{"a secret", []string{"The key is ghp_" + strings.Repeat("A1b2", 9), "The key is ghp_" + strings.Repeat("A1b2", 9) + "\nTests pass."}, "Tests pass.", "Tests pass."},
		{"never held", []string{"I look.\nMended."}, "I look.\nMended.", "Mended."},
	} {
		for _, client := range []string{"gemini", "claude", "codex"} {
			t.Run(client+": "+x.name, func(t *testing.T) {
				w := shop(t)
				w.client = fake{name: client, takes: func(agent.Event) bool { return true }}
				w.listeners = []agent.Listener{{Name: "speech"}, {Name: "all", Events: []agent.EventKind{agent.EventStop}}}
				changed(w)
				stop, want := w.geminiStops, x.want
				if client != "gemini" {
					want = x.claude
					stop = func(said string) string {
						return w.stops(map[string]any{"last_assistant_message": said[strings.LastIndex(said, "\n")+1:]})
					}
				}
				for i, said := range x.stops {
					if last := i == len(x.stops)-1; last {
						green(w)
					} else if i > 0 {
						mends(w)
						w.after(time.Minute)
					}
					got := stop(said)
					if held := strings.HasPrefix(got, "held"); held != (i < len(x.stops)-1) || held && len(w.toldListeners()) > 0 {
						t.Fatalf("stop %d: got %q, told %q; want it held before the last, and nothing told then", i+1, got, w.toldListeners())
					}
				}
				if got := strings.Join(w.toldListeners(), "|"); got != "all agent_stop: "+want+"|speech announcement: "+want {
					t.Errorf("got %q, want %q once", got, want)
				}
			})
		}
	}
	t.Run("a new prompt begins anew", func(t *testing.T) {
		w := shop(t)
		w.client = gemini()
		w.listeners = []agent.Listener{{Name: "speech"}}
		changed(w)
		w.geminiStops("Done.")
		w.asks("and now the rest")
		green(w)
		w.geminiStops("Done.\nAll tests pass.")
		if got := strings.Join(w.toldListeners(), "|"); got != "speech announcement: Done.\nAll tests pass." {
			t.Errorf("got %q, want all of it", got)
		}
	})
}
