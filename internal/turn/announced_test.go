package turn_test

import (
	"strings"
	"testing"
	"time"
)

// Who resumes sees what the agent had planned: its todos, else what it announced in
// words.
func TestThePlanIsInTheBrief(t *testing.T) {
	const section = "### Plan that the agent announced"
	plan := func(w *world) { w.says("My plan:\n1. read the parser\n2. mend it\n3. test it") }
	for _, x := range []struct {
		name string
		does func(w *world)
		want bool
	}{
		{"announced before the save", func(w *world) { w.asks("mend it"); plan(w); w.happens("PreCompact", nil) }, true},
		{"announced after the save", func(w *world) {
			w.asks("mend it")
			w.happens("PreCompact", nil)
			w.after(time.Second)
			plan(w)
			w.after(time.Second)
			w.runs("ls", "main.go")
		}, true},
		{"announced in one turn and begun in the next", func(w *world) {
			w.asks("what would you do?")
			plan(w)
			w.stops()
			w.after(time.Minute)
			w.asks("yes")
			w.edits("main.go", "package shop\n\nconst a = 1\n")
			w.happens("PreCompact", nil)
		}, true},
		{"of a turn long ago", func(w *world) {
			w.asks("mend it")
			plan(w)
			w.stops()
			for range 2 {
				w.after(time.Minute)
				w.asks("now something else")
				w.edits("main.go", "package shop\n")
				w.stops()
			}
			w.happens("PreCompact", nil)
		}, false},
		{"in plan mode", func(w *world) {
			w.asks("mend it")
			w.call("ExitPlanMode", `{"plan":"# Mend\n1. read the parser\n2. mend it\n3. test it"}`, "ok", false, `{"plan":"x"}`)
			w.happens("PreCompact", nil)
		}, true},
		{"taken over, and killed again", func(w *world) {
			w.asks("mend it")
			plan(w)
			w.happens("PreCompact", nil)
			w.after(history10)
			brief := w.resumes(w.checkpoints()[0].ID).Brief
			w.another()
			w.asks(brief)
			w.happens("PreCompact", nil)
		}, true},
		{"todos are kept", func(w *world) {
			w.asks("mend it")
			plan(w)
			w.call("TodoWrite", `{"todos":[]}`, "x", false, `{"oldTodos":[],"newTodos":[{"content":"test all","status":"pending","activeForm":"t"}]}`)
			w.happens("PreCompact", nil)
		}, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := shop(t)
			x.does(w)
			w.after(history10)
			brief := w.resumes(w.checkpoints()[0].ID).Brief
			if got := strings.Contains(brief, section) && strings.Contains(brief, "- mend it\n- test it"); got != x.want {
				t.Errorf("got the plan %v, want %v:\n%s", got, x.want, brief)
			}
			if strings.Contains(brief, "### State") {
				t.Errorf("got the plan among what is not known:\n%s", brief)
			}
		})
	}
}
