package turn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// users is a project of two packages, of which one reads a constant of the other.
func users(t *testing.T) *world {
	w := shop(t, "a/a.go", "package a\n\nconst N = 1\n", "a/a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"b/b.go", "package b\n\nimport \"shop/a\"\n\nvar N = a.N\n", "b/b_test.go", "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {\n\tif N != 1 {\n\t\tt.Fail()\n\t}\n}\n")
	w.set.Verify = []debrief.Verify{{Run: "go test ./...", When: debrief.WhenUnproven}}
	w.asks("mend it")
	w.after(time.Minute)
	return w
}

// The folders of what changed are tested first, and where they pass, all the others:
// what they break is held against the tree of the beginning.
func TestWholeAfterItsPart(t *testing.T) {
	for _, c := range []struct {
		name, text string
		reason     agent.Reason
		says       string
		ran        string
	}{
		{"another package breaks", "package a\n\nconst N = 2\n", agent.ReasonHeld, "`go test ./...` fails (Piton ran it", "go test ./a passed, go test ./... failed, before: passed"},
		{"nothing breaks", "package a\n\nconst N = 2 - 1\n", agent.ReasonClear, "", "go test ./a passed, go test ./... passed"},
		{"the part is red", "package a\n\nconst N = missing\n", agent.ReasonHeld, "`go test ./a` fails (Piton ran it", "go test ./a failed, before: passed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := users(t)
			w.edits("a/a.go", c.text)
			w.want(w.stops(), c.reason, c.says)
			var ran []string
			for _, v := range w.decision().Verified {
				went := "passed"
				if !v.OK {
					went = "failed, before: " + v.Before
				}
				ran = append(ran, v.Command+" "+went)
			}
			if got := strings.Join(ran, ", "); got != c.ran {
				t.Errorf("got the runs %q, want %q", got, c.ran)
			}
		})
	}
}

// After the last hold what Piton ran on the same tree is said again, not that nothing ran.
func TestRanBeforeTheLastHold(t *testing.T) {
	w := users(t)
	for i := range agent.MaxHolds {
		w.edits("a/a.go", "package a\n\nconst N = missing"+string(rune('1'+i))+"\n")
		w.after(time.Minute)
		w.want(w.stops(), agent.ReasonHeld, "`go test ./a` fails (Piton ran it")
		w.after(time.Minute)
	}
	w.runs("ls a", "a.go\na_test.go\n")
	w.stops()
	if d := w.decision(); d.Reason != agent.ReasonBudget || !strings.Contains(d.Message, "`go test ./a` fails (Piton ran it") {
		t.Errorf("got %s: %q", d.Reason, d.Message)
	}
}

// What the client allows its hook bounds the runs, and it is said.
func TestClientsPatience(t *testing.T) {
	w := users(t)
	w.write(".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"piton-hook claude","timeout":12}]}]}}`)
	w.set.Verify = []debrief.Verify{{Run: "sleep 60", When: debrief.WhenUnproven}}
	w.edits("a/a.go", "package a\n\nconst N = 2\n")
	began := time.Now()
	w.want(w.stops(), agent.ReasonHeld, "`sleep 60` did not end within ", ": the client gives the hook no more time; 'piton init' asks it for more (Piton ran it)")
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}

// All folders are left out for a day after their run did not end.
func TestWholeThatTakesTooLong(t *testing.T) {
	w := users(t)
	w.set.Verify[0].Timeout = 5 * time.Second
	w.write("b/b_test.go", "package b\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestB(t *testing.T) { time.Sleep(time.Minute) }\n")
	for i, want := range []string{"did not end within", "it did not end within 5s lately, so it was left out"} {
		w.edits("a/a.go", "package a\n\nconst N = 1 + "+string(rune('1'+i))+"\n")
		w.after(time.Minute)
		w.stops()
		if got := w.decision(); got.Held || got.Reason == agent.ReasonClear || !strings.Contains(strings.Join(got.Lines, " ")+strings.Join(got.Observations, " "), want) {
			t.Errorf("got %+v at stop %d, want a line %q and no hold", got, i+1, want)
		}
		w.after(time.Minute)
		w.asks("once more")
		w.after(time.Minute)
	}
}
