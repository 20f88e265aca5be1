package turn_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// What earlier turns have shown is kept at their ends, bounded.
func TestSeenInEarlierTurns(t *testing.T) {
	each(t, []story{
		{"a file that an earlier turn read or edited is known", func(w *world) {
			w.starts("startup")
			w.asks("look at it")
			w.runs("cat README.md", "shop")
			w.call("Read", `{"file_path":`+quoted(w.path("main.go"))+`}`, "1\tpackage shop", false, `{"type":"text"}`)
			w.edits("new.go", "package shop\n")
			w.stops()
			s := w.session()
			for _, path := range []string{"README.md", "main.go", "new.go"} {
				if !s.Seen.Has(path) {
					w.Errorf("%s is not known", path)
				}
			}
			if s.Seen.Has("go.mod") || !s.SeenAll {
				w.Errorf("go.mod is known (%v), or what was seen is not said to be all (%v)", s.Seen.Has("go.mod"), s.SeenAll)
			}
		}},
		{"a conversation that goes on from another one is not known", func(w *world) {
			w.starts("resume")
			w.asks("look at it")
			w.runs("cat README.md", "shop")
			w.stops()
			if w.session().SeenAll {
				w.Error("what was seen is said to be all, want it not known")
			}
		}},
		{"more than is kept: the newest, and not all", func(w *world) {
			w.starts("startup")
			w.asks("look at it")
			for i := range 2 * agent.MaxSeen / 100 {
				var names []string
				for k := range 100 {
					names = append(names, fmt.Sprintf("f%d_%d.go", i, k))
				}
				w.runs("cat "+strings.Join(names, " "), "x")
			}
			w.stops()
			s := w.session()
			b, err := json.Marshal(s)
			if err != nil || len(s.Seen) != agent.MaxSeen || s.SeenAll || len(b) > 5000 {
				w.Errorf("got %d paths, all %v, a row of %d bytes (%v)", len(s.Seen), s.SeenAll, len(b), err)
			}
		}},
	})
}

// A log that cannot be read is not the log of an agent that did nothing.
func TestUnreadableLog(t *testing.T) {
	for name, change := range map[string]func(*agent.Transcript){
		"of an unknown form": func(x *agent.Transcript) { x.Calls, x.Unreadable = nil, "no line of it is known" },
		"longer than is read": func(x *agent.Transcript) {
			x.Complete, x.Unreadable = false, "the turn is longer than is read"
		},
	} {
		for _, client := range []string{"claude", "gemini", "codex"} {
			t.Run(client+", "+name, func(t *testing.T) {
				w := shop(t)
				w.client = fake{name: client, takes: func(agent.Event) bool { return true }, script: change}
				changed(w)
				w.happens("PostToolUse", map[string]any{"tool_name": "Write", "tool_input": map[string]any{"file_path": w.path("main.go")}})
				w.runs("go test ./...", "ok  \tshop\t0.1s")
				w.after(time.Minute)
				w.want(w.stops(), agent.ReasonHeld, "main.go", "go test")
				if notes := w.decision().Notes; len(notes) != 1 || !strings.HasPrefix(notes[0], "transcript: ") {
					t.Errorf("got the notes %q, want what is wrong with the log", notes)
				}
			})
			t.Run(client+", "+name+", and no sign of work", func(t *testing.T) {
				w := shop(t)
				w.client = fake{name: client, takes: func(agent.Event) bool { return true }, script: change}
				w.asks("explain it")
				w.after(time.Minute)
				w.write("main.go", "package shop\n\nconst text = `by the user`\n")
				if got := w.stops(); strings.HasPrefix(got, "held") {
					t.Errorf("got %q, want it let go", got)
				}
			})
		}
	}
}
