package turn_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

const goTarget = "test:\n\tgo test ./...\n"

// A run through a definition that this turn changed counts as the definition
// stood before, or as it reads now, whichever asks for more. Why it does not count
// stands in the evidence.
func TestChangedDefinitions(t *testing.T) {
	for _, c := range []struct {
		name   string
		before string // the Makefile; "" for none
		play   func(w *world)
		reason agent.Reason
		words  []string // of the evidence
	}{
		{"as it was", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.runs("make test", "ok")
		}, agent.ReasonClear, nil},
		{"to true", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", "test:\n\ttrue\n")
			w.runs("make test", "true")
		}, agent.ReasonHeld, []string{"runs nothing, as its definition reads (Makefile)"}},
		{"to true, committed", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", "test:\n\ttrue\n")
			w.git("commit", "-qam", "mended")
			w.runs("git commit -qam mended", "")
			w.runs("make test", "true")
		}, agent.ReasonHeld, []string{"runs nothing"}},
		{"to one package", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", "test:\n\tgo test ./a\n")
			w.runs("make test", "ok  \tshop/a\t0.1s")
		}, agent.ReasonHeld, []string{"runs fewer tests than before this turn changed it"}},
		{"to something else", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", "test:\n\t./run\n")
			w.runs("make test", "done")
		}, agent.ReasonNotice, []string{"was changed in this turn"}},
		{"to something else that says what passed", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", "test:\n\t./run\n")
			w.runs("make test", "12 tests, 0 failures")
		}, agent.ReasonClear, nil},
		{"to more", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", "test:\n\tgo vet ./...\n\tgo test -race ./...\n")
			w.runs("make test", "")
		}, agent.ReasonClear, nil},
		{"to true, and the runner itself", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", "test:\n\ttrue\n")
			w.runs("go test ./...", "ok  \tshop\t0.1s")
		}, agent.ReasonClear, nil},
		{"a new one", "", func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", goTarget)
			w.runs("make test", "")
		}, agent.ReasonClear, nil},
		{"not to run anything, by a variable", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", "SHELL := /bin/true\n"+goTarget)
			w.runs("make test", "")
		}, agent.ReasonHeld, []string{"kept from running tests by SHELL"}},
		{"flags for what it runs", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", "export GOFLAGS=-n\n"+goTarget)
			w.runs("make test", "")
		}, agent.ReasonHeld, []string{"kept from running tests by GOFLAGS"}},
		{"harmless variables", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", "SHELL := /bin/bash\nexport GOFLAGS=-mod=mod\nVERSION = 1\n"+goTarget)
			w.runs("make test", "")
		}, agent.ReasonClear, nil},
		{"to succeed always", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("Makefile", ".IGNORE:\n"+goTarget)
			w.runs("make test", "make: [Makefile:3: test] Error 1 (ignored)")
		}, agent.ReasonNotice, []string{"by .IGNORE"}},
		{"another file of targets", goTarget, func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.edits("x.mk", "test:\n\t@echo\n")
			w.runs("make -f x.mk test", "")
		}, agent.ReasonNotice, []string{"x.mk"}},
		{"true all along", "test:\n\ttrue\n", func(w *world) {
			w.edits("main.go", "package shop\n\nconst text = `1`\n")
			w.runs("make test", "true")
		}, agent.ReasonHeld, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var files []string
			if c.before != "" {
				files = []string{"Makefile", c.before}
			}
			w := shop(t, files...)
			w.asks("mend it")
			w.after(time.Minute)
			c.play(w)
			answer := w.stops()
			w.want(answer, c.reason)
			if c.reason != agent.ReasonClear && strings.Contains(answer, "clear") {
				t.Errorf("got %q, want nothing called clear", answer)
			}
			if c.name == "true all along" && !strings.Contains(answer, "run `go test .`") {
				t.Errorf("got %q, want the runner asked for", answer)
			}
			why := ""
			for _, e := range w.decision().Evidence {
				why += e.Command + " " + e.Why + "\n"
			}
			for _, word := range c.words {
				if !strings.Contains(why, word) {
					t.Errorf("got the evidence %q, want %q in it", why, word)
				}
			}
		})
	}
}

// A script goes by several names, and a doubt about it holds for each.
func TestChangedScripts(t *testing.T) {
	const node, php = `{"scripts":{"test":"vitest run"},"devDependencies":{"vitest":"1"}}`, `{"scripts":{"test":["@lint","phpunit"],"lint":"php -l a.php"}}`
	for _, c := range []struct {
		name, file, before, after, code, test, run string
		reason                                     agent.Reason
	}{
		{"npm test", "package.json", node, `{"scripts":{"test":"true"},"devDependencies":{"vitest":"1"}}`, "a.ts", "a.test.ts", "npm test", agent.ReasonHeld},
		{"npm run test", "package.json", node, `{"scripts":{"test":"echo 3 passed"},"devDependencies":{"vitest":"1"}}`, "a.ts", "a.test.ts", "npm run test", agent.ReasonHeld},
		{"composer test", "composer.json", php, `{"scripts":{"test":"true"}}`, "a.php", "aTest.php", "composer test", agent.ReasonHeld},
		{"composer run test", "composer.json", php, `{"scripts":{"test":["@lint"],"lint":"@php -v"}}`, "a.php", "aTest.php", "composer run test", agent.ReasonNotice}, // it runs something, and nobody saw tests pass
	} {
		t.Run(c.name, func(t *testing.T) {
			w := shop(t, c.file, c.before, c.code, "x\n", c.test, "x\n")
			w.asks("mend it")
			w.after(time.Minute)
			w.edits(c.code, "y\n")
			w.runs(c.run, "")
			w.want(w.stops(), agent.ReasonClear)
			w.asks("mend it again")
			w.after(time.Minute)
			w.edits(c.code, "z\n")
			w.edits(c.file, c.after)
			w.runs(c.run, "")
			w.want(w.stops(), c.reason, c.code)
		})
	}
}

// The settings of a turn that changed the project's file are asked for with what
// stood there before.
func TestSettingsOfATurnThatChangedThem(t *testing.T) {
	w := shop(t, ".piton.yaml", "debrief: {min_turn: 1s}\n")
	w.asks("mend it")
	w.after(time.Minute)
	w.edits("main.go", "package shop\n\nconst text = `1`\n")
	if err := os.Remove(w.path(".piton.yaml")); err != nil {
		t.Fatal(err)
	}
	w.runs("rm .piton.yaml", "")
	w.runs("go test ./...", "ok")
	was := ""
	w.changed = func(_ string, text *string) debrief.Settings {
		if text != nil {
			was = *text
		}
		set := w.set
		set.LogCheck, set.LogCheckUntrusted = "just logs", true
		return set
	}
	w.want(w.stops(), agent.ReasonHeld, "The logs have not been looked at")
	if was != "debrief: {min_turn: 1s}\n" {
		t.Errorf("got %q, want the text before", was)
	}
}

// What of the settings does not count is told to the person, once a session, and
// never before a hold.
func TestLeftOutSettingsAreToldOnce(t *testing.T) {
	w := shop(t)
	w.set.LeftOut = "debrief.mode"
	changed(w)
	w.want(w.stops(), agent.ReasonHeld, "main.go")
	w.runs("go test ./...", "ok")
	w.after(time.Minute)
	w.want(w.stops(), agent.ReasonClear, "notice: ", ".piton.yaml is not trusted, so some of it does not count (debrief.mode)", "'piton trust'")
	w.asks("and again")
	w.after(time.Minute)
	w.edits("README.md", "more\n")
	if got := w.stops(); got == "" || strings.Contains(got, "not trusted") {
		t.Errorf("got %q, want the line told once", got)
	}
	other := *w
	other.id = "another"
	other.set.AllClear = debrief.AllClearSilent
	other.asks("x")
	other.after(time.Minute)
	if got := other.stops(); got != "" {
		t.Errorf("got %q, want a person who wants silence left alone", got)
	}
}
