package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestNewUntrackedFilesAreSeen(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.script(
			call(writeTool("sub.go", "package calc\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a - b }\n"),
				writeTool("sub_test.go", strings.ReplaceAll(strings.ReplaceAll(testGo, "Add", "Sub"), "3", "-1"))),
			say("Done."), call(bash("go test ./...")), say("Done."))
		w.ask("add a subtraction")
		list := w.reasons("held", "all_clear")
		if got := list[0].owners(); got["sub.go"] != "agent" || got["sub_test.go"] != "agent" || len(got) != 2 {
			t.Errorf("got the files %v, want sub.go and sub_test.go of the agent", got)
		}
		if got := w.git("status", "--porcelain"); got != "?? sub.go\n?? sub_test.go\n" {
			t.Errorf("got git's status %q, want two untracked files", got)
		}
	})
}

func TestEditsByTheShellAreTheAgents(t *testing.T) {
	for name, command := range map[string]string{
		"named":     "printf 'package calc\\n\\nconst One = 1\\n' > one.go",
		"not named": "./generate",
		"committed": "printf 'package calc\\n\\nconst One = 1\\n' > one.go && git add one.go && git -c user.name=Ada -c user.email=ada@example.org commit -q -m one",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, always)
			w.write("generate", "#!/bin/sh\nprintf 'package calc\\n\\nconst One = 1\\n' > one.go\n")
			check(t, os.Chmod(w.path("generate"), 0o755))
			w.model.script(call(bash(command)), say("Done."), call(bash("go test ./...")), say("Done."))
			w.ask("write the constant One")
			list := w.reasons("held", "all_clear")
			if got := list[0].owners(); len(got) != 1 || got["one.go"] != "agent" {
				t.Errorf("got the files %v, want one.go of the agent", got)
			}
		})
	}
}

func TestAnotherProgramsChangeIsNotTheAgents(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		t.Run("alone it does not hold", func(t *testing.T) {
			w := newWorldOf(t, c, always)
			w.model.script(call(readTool("README.md")), reply{Text: "It adds.", before: func(request) {
				w.write("calc.go", strings.ReplaceAll(calcGo, "a + b", "b + a"))
			}})
			w.ask("what is this?")
			list := w.reasons("nothing_changed")
			if got := list[0].owners(); got["calc.go"] != "foreign" {
				t.Errorf("got the files %v, want calc.go as foreign", got)
			}
		})
		t.Run("beside the agent's own it is not named", func(t *testing.T) {
			w := newWorldOf(t, c, always)
			w.write("other.py", "x = 1\n")
			w.git("add", "other.py")
			w.model.script(swap()...)
			w.model.script(reply{Text: "Done.", before: func(request) { w.write("other.py", "x = 2\n") }}, say("I leave it so."))
			w.ask("swap the operands")
			list := w.reasons("held", "no_activity")
			if got := list[0].owners(); got["calc.go"] != "agent" || got["other.py"] != "foreign" {
				t.Errorf("got the files %v, want calc.go of the agent and other.py as foreign", got)
			}
			if strings.Contains(list[0].Message, "other.py") {
				t.Errorf("the message blames the agent for other.py: %s", list[0].Message)
			}
		})
	})
}

func TestWorkFromBeforeTheTurnDoesNotCount(t *testing.T) {
	w := newWorld(t, always)
	w.write("calc.go", strings.ReplaceAll(calcGo, "a + b", "b + a"))
	w.model.script(call(writeTool("NOTES.md", "# Notes\n")), say("Done."))
	w.ask("write notes")
	list := w.reasons("nothing_asked")
	if got := list[0].owners(); len(got) != 1 || got["NOTES.md"] != "agent" {
		t.Errorf("got the files %v, want NOTES.md alone", got)
	}
}

// marker finds the way out in a debrief.
var marker = regexp.MustCompile("create the file `([^`]+)`")

func TestTheWayOut(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.script(swap()...)
		w.model.script(say("Done."), call(editTool("calc.go", "b + a", "a + 0 + b")), say("Done again."),
			reply{When: "create the file", then: func(r request) []tool {
				found := marker.FindStringSubmatch(r.News)
				if found == nil {
					t.Errorf("no way out in: %s", r.News)
					return nil
				}
				return []tool{bash("touch '" + found[1] + "'")}
			}},
			say("There is no Go here."))
		w.ask("swap the operands")
		list := w.reasons("held", "held", "clear_marker")
		if strings.Contains(list[0].Message, "create the file") {
			t.Errorf("the first hold names the way out: %s", list[0].Message)
		}
		found := marker.FindStringSubmatch(list[1].Message)
		if found == nil {
			t.Fatalf("no way out in: %s", list[1].Message)
		}
		if _, err := os.Stat(found[1]); !os.IsNotExist(err) {
			t.Errorf("the marker is still there (%v)", err)
		}
	})
}

func TestPitonsOwnPromptChangesNothing(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.script(swap()...)
		w.model.script(say("Done."), say("I leave it so."))
		a := w.ask("swap the operands")
		w.reasons("held", "no_activity")
		before := w.theSession()

		// A stop behind an injected prompt is looked at like any other of the turn.
		w.model.script(call(editTool("calc.go", "b + a", "a + 0 + b")), say("Done."), muse("I leave it so."))
		w.again(a.Session, prefix+"validate your work")
		list := w.reasons("held", "no_activity", "held", "budget_spent")
		after := w.theSession()
		if after.ID != before.ID || after.Turn != 1 || list[2].Turn != 1 {
			t.Errorf("got turn %d, then %d; want the first turn of one session", before.Turn, after.Turn)
		}
		if got := list[2]; got.BudgetLeft != 0 || !got.TurnStart.Equal(list[1].TurnStart) {
			t.Errorf("got %d holds left and a turn since %s; want 0, and since %s", got.BudgetLeft, got.TurnStart, list[1].TurnStart)
		}
		w.ownTextChangedNothing(list)
		// One client reports its own retry as a prompt, too.
		if got := len(w.hooks(c.events().prompt)); got < 2 {
			t.Errorf("the client reported %d prompts, want 2 at least", got)
		}
	})
}
