package e2e

import (
	"os"
	"strings"
	"testing"
	"time"
)

// packages gives the project a second package with tests.
func (w *world) packages() {
	w.t.Helper()
	check(w.t, os.Mkdir(w.path("tax"), 0o755))
	w.write("tax/tax.go", "package tax\n\n// Rate is in percent.\nfunc Rate() int { return 19 }\n")
	w.write("tax/tax_test.go", "package tax\n\nimport \"testing\"\n\nfunc TestRate(t *testing.T) {\n\tif Rate() != 19 {\n\t\tt.Fail()\n\t}\n}\n")
	w.git("add", "tax")
	w.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "tax")
}

func TestAnotherPackagesTestsProveNothing(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.packages()
		w.model.script(swap()...)
		w.model.script(call(bash("go test ./tax/")), say("The tests pass."), call(bash("go test .")), say("Now these do."))
		w.ask("swap the operands")
		list := w.reasons("held", "all_clear")
		if !strings.Contains(list[0].Message, "calc.go") {
			t.Errorf("the message does not name calc.go: %s", list[0].Message)
		}
	})
}

func TestTestsThatFailedAndWereDeletedAreNamed(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.packages()
		w.model.script(slip()...)
		w.model.script(call(bash("go test ./...")), call(bash("rm calc_test.go")), call(bash("go test ./...")), say("All tests pass."),
			call(bash("git checkout calc_test.go")), call(editTool("calc.go", "a - b", "b + a")), call(bash("go test ./...")), say("Now they do."))
		w.ask("swap the operands")
		list := w.reasons("held", "all_clear")
		if !strings.Contains(list[0].Message, "TestAdd") {
			t.Errorf("the message does not name the deleted test: %s", list[0].Message)
		}
	})
}

// A client that is told of a command's end goes on then, and is judged then.
func TestATestRunInTheBackgroundIsWaitedFor(t *testing.T) {
	for name, test := range map[string]struct {
		change, then []reply
		want         []string
	}{
		"and passes": {swap(), []reply{{When: "task-notification", Text: "They pass."}}, []string{"background_check", "all_clear"}},
		"and fails": {slip(), []reply{{When: "task-notification", Text: "They pass."}, call(editTool("calc.go", "a - b", "b + a")), call(bash("go test ./...")), say("Now they do.")},
			[]string{"background_check", "held", "all_clear"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, always)
			w.model.script(test.change...)
			w.model.script(call(background("sleep 2; go test ./...")), say("The tests run."))
			w.model.script(test.then...)
			w.ask("swap the operands")
			list := w.reasons(test.want...)
			if list[0].Held || list[1].Turn != 1 || w.theSession().Turn != 1 {
				t.Errorf("got the decisions %+v, want the first let go, and one turn", list)
			}
			if got := w.hooks("Stop")[0].stdout; !strings.Contains(got, "`sleep 2; go test ./...` still runs in the background") {
				t.Errorf("the person reads %q, want what is waited for", got)
			}
			if second := list[1]; second.Held && !strings.Contains(second.Message, "TestAdd") {
				t.Errorf("the message does not name the failure: %s", second.Message)
			}
		})
	}
}

func TestAnotherTopicAfterEscapeIsNotHeldForTheFirst(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		w := newWorldOf(t, c, always)
		w.model.script(swap()...)
		w.model.script(call(bash("hang")))
		x := w.open()
		x.say("swap the operands")
		x.hanging()
		x.key("Escape")
		x.see(c.screen().interrupted)
		time.Sleep(c.screen().pause)
		w.model.script(call(readTool("README.md")), say("It adds."))
		x.say("tell me what it does") // a question mark is a key of its own in one client
		x.see("left open from before the interruption: ")
		w.reasons("earlier_work")
		w.left("left open from before the interruption: ", "calc.go")
		w.release()
		x.leave()
	})
}

// The failure stands where no client shows it. Some keep the whole output in a
// file; of the others nobody knows what was left out.
func TestAFailureInALongOutputBehindTee(t *testing.T) {
	for _, test := range []struct{ name, command string }{
		{"at its end", "go test -v ./many . 2>&1 | tee out.log"},
		{"in its middle", "(go test -v ./many; go test .; go test -v ./many) 2>&1 | tee out.log"},
	} {
		t.Run(test.name, func(t *testing.T) {
			overClients(t, func(t *testing.T, c client) {
				w := newWorldOf(t, c, always)
				w.many()
				w.model.script(slip()...)
				w.model.script(call(bash(test.command)), say("All tests pass."))
				if test.name == "in its middle" && c == codex { // it keeps no more of it
					w.ask("swap the operands")
					w.reasons("notice")
					return
				}
				w.model.script(call(editTool("calc.go", "a - b", "b + a")), call(bash("go test ./...")), say("Now they do."))
				w.ask("swap the operands")
				list := w.reasons("held", "all_clear")
				why := "FAIL"
				if !strings.Contains(list[0].Message, why) {
					t.Errorf("the message does not say %q: %s", why, list[0].Message)
				}
			})
		})
	}
}

// many gives the project a package whose tests say more than a client shows.
func (w *world) many() {
	w.t.Helper()
	check(w.t, os.Mkdir(w.path("many"), 0o755))
	w.write("many/many_test.go", `package many

import (
	"fmt"
	"testing"
)

func TestMany(t *testing.T) {
	for i := 0; i < 1200; i++ {
		t.Run(fmt.Sprintf("a_case_with_a_long_name_%d", i), func(t *testing.T) {})
	}
}
`)
	w.write(".gitignore", "out.log\n")
	w.git("add", ".")
	w.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "many")
}
