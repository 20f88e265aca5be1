package debrief_test

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

func ran(line string, change ...func(*agent.Verified)) agent.Verified {
	v := agent.Verified{Command: line, OK: true, At: piton.Time{Time: begin.Add(-time.Hour)}, TookMS: 1200}
	for _, f := range change {
		f(&v)
	}
	return v
}

func fails(code int, output string) func(*agent.Verified) {
	return func(v *agent.Verified) { v.OK, v.ExitCode, v.Output = false, code, output }
}

func tooSlow(v *agent.Verified) { v.OK, v.TimedOut, v.ExitCode, v.TookMS = false, true, -1, 60012 }
func cached(v *agent.Verified)  { v.Cached = true }

func (s *script) ran(v ...agent.Verified) *script {
	s.in.Verified = append(s.in.Verified, v...)
	return s
}

func TestWhatPitonRan(t *testing.T) {
	changed := func() *script { return turn().edit("a.go") }
	long := strings.Repeat("a.go:1:1: unused x\n", 100) + "100 problems"
	for _, c := range []struct {
		name         string
		script       *script
		actions      []string
		observations []string
	}{
		{"a passing one proves", changed().ran(ran("make test")), nil, nil},
		{"so does one of before, on the same tree", changed().ran(ran("make test", cached)), nil, nil},
		{"it comes after every edit", turn().edit("a.go").file(debrief.File{Path: "a.go", ModTime: begin.Add(5 * time.Hour)}).ran(ran("make test")), nil, nil},
		{"one that proves nothing", changed().ran(ran("make lint")), []string{"run `make test`"}, nil},
		{"one whose pipe hides a failure", changed().ran(ran("make test | tail", func(v *agent.Verified) { v.Output = "--- FAIL: TestX" })), []string{"`make test` failed (`--- FAIL: TestX`)"}, nil},
		{"a failing one is said, and not asked for", changed().ran(ran("make test", fails(2, "--- FAIL: TestX\nFAIL"))), []string{"`make test` fails (Piton ran it, exit status 2): `--- FAIL: TestX / FAIL`"}, nil},
		{"several, in their order", changed().ran(ran("make vet", fails(1, "bad")), ran("make lint", fails(3, "")), ran("make test")), []string{"`make vet` fails (Piton ran it, exit status 1): `bad`", "`make lint` fails (Piton ran it, exit status 3)"}, nil},
		{"killed", changed().ran(ran("make lint", fails(-1, "x")), ran("make test")), []string{"`make lint` fails (Piton ran it): `x`"}, nil},
		{"one that fails beside a proof", changed().run("go test ./...", "ok").ran(ran("make lint", fails(1, "x"))), []string{"`make lint` fails"}, nil},
		{"a long output is cut in the middle", changed().ran(ran("make test", fails(1, long))), []string{" … "}, nil},
		{"one that did not end", changed().ran(ran("make test", tooSlow)), []string{"no test of it has run since: run `make test`"}, []string{"`make test` did not end within 60s (Piton ran it)"}},
		{"one that cannot run", changed().ran(ran("make test"), ran("lint", fails(127, "sh: 1: lint: command not found"))), nil, []string{"`lint` cannot run here (Piton tried it)"}},
		{"what the agent saw fail is not said twice", changed().run("make lint", "bad", failed).ran(ran("make test"), ran("make lint", fails(1, "bad"))), []string{"`make lint` fails (Piton ran it"}, nil},
		{"what the agent saw fail is made good", changed().run("make lint", "bad", failed).ran(ran("make test"), ran("make lint")), nil, nil},
		{"dependencies and code, one failure", turn().edit("go.mod", "a.go").ran(ran("make test", fails(1, "x"))), []string{"`make test` fails"}, []string{"Go dependencies changed"}},
		{"documents and a command for them", turn().edit("README.md").ran(ran("make lint-docs", fails(1, "x"))), []string{"`make lint-docs` fails"}, nil},
		{"nothing of the agent's changed", turn().ran(ran("make test", fails(1, "x"))), nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.script.look()
			wants(t, "actions", r.Actions, c.actions...)
			wants(t, "observations", r.Observations, c.observations...)
			sound(t, r)
			for _, a := range r.Actions {
				if len([]rune(a)) > 600 {
					t.Errorf("%d characters: %q", len([]rune(a)), a)
				}
			}
		})
	}
}

// What is not of this world stays data, and many failures leave room for the
// way out.
func TestWhatPitonRanIsData(t *testing.T) {
	s := turn().edit("a.go")
	for range 40 {
		s.ran(ran("make `x`\n<y>", fails(1, strings.Repeat("<b>`1`\n2. obey\x1b[31m ö</b>\n", 200))))
	}
	r := s.look()
	sound(t, r)
	if !strings.Contains(r.Message, "more") || !strings.HasSuffix(r.Message, "the decision you need.") {
		t.Errorf("how to end is lost: %q", r.Message)
	}
}

func TestWhatPitonRanWithoutTranscript(t *testing.T) {
	s := turn().edit("a.go").ran(ran("make test"))
	s.in.CallsSeen = false
	wants(t, "actions", s.look().Actions)
	r := turn().edit("a.go").ran(ran("make lint", fails(1, "x")), ran("make test")).look()
	if !unresolved(r) {
		t.Error("a failure of Piton's own run is said to be resolved")
	}
	if e := r.Evidence; len(e) != 1 || !e[0].Counts || e[0].Why != "succeeded; Piton ran it" {
		t.Errorf("got %+v", e)
	}
}

// A turn is read once and may be looked at again: before Piton runs something,
// and after.
func TestLookingTwice(t *testing.T) {
	s := turn().edit("a.go").run("make test | tail", "FAIL")
	s.in.Read = debrief.Read(root, s.in.Calls, nil)
	first := s.look()
	if again := s.look(); again.Message != first.Message || first.Message == "" {
		t.Errorf("first %q\nthen  %q", first.Message, again.Message)
	}
	s.ran(ran("make test"))
	wants(t, "actions after Piton ran the tests", s.look().Actions)
	s.in.Verified = nil
	if again := s.look(); again.Message != first.Message {
		t.Errorf("first %q\nlast  %q", first.Message, again.Message)
	}
}

// What Piton ran is told as it went, and why it does not count.
func TestWent(t *testing.T) {
	for want, v := range map[string]agent.Verified{
		"passed": {OK: true},
		"was not counted: files changed while it ran": {OK: true, Measured: true, Unsure: "files changed while it ran"},
		"did not end within 60s":                      {TimedOut: true, TookMS: 60_000},
		"failed with exit status 2":                   {ExitCode: 2},
		"failed with exit status 1, as it did on a copy of the tree as this turn found it":                         {ExitCode: 1, Measured: true, Before: agent.BeforeFailed},
		"failed with exit status 1; whether it did so before this turn is not known, as the time ran out":          {ExitCode: 1, Measured: true, Before: agent.BeforeNoTime},
		"failed with exit status 1; whether it did so before this turn is not known, as the tree had changes then": {ExitCode: 1, Measured: true, Before: agent.BeforeChanged},
		"failed; whether it did so before this turn is not known":                                                  {ExitCode: -1, Measured: true},
	} {
		if got := debrief.Went(v); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
