package turn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// TestTexts: names and words of others as they are kept and shown.
func TestTexts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"a b.go": {"a b.go", "a b.go"}, "é": {"é", "é"}, "caf\xe9": {`"caf\351"`, `"caf\351"`}, "a\tb": {"a\tb", `"a\tb"`}, "a\nb\x07": {"a\nb\x07", `"a\nb\007"`},
		"\xff\"\\\n\t\u0085é": {`"\377\"\\\n\t\302\205é"`, `"\377\"\\\n\t\302\205é"`}, "": {"", ""},
	} {
		if got := [2]string{jsonName(name), shownName(name)}; got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
		if got := rawName(jsonName(name)); got != name {
			t.Errorf("%q: got %q back", name, got)
		}
	}
	for name, want := range map[string]string{`"a"`: `"a"`, `"`: `"`, `"\351`: `"\351`, "": ""} {
		if got := rawName(name); got != want {
			t.Errorf("%q: got %q, want it as it is", name, got)
		}
	}
	for text, want := range map[string]string{"a": "a", "<b>`c`\nd": "(b)'c' d"} {
		if got := inline(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"a", "a"}, {"a\xffb", "a�b"}, {strings.Repeat("a", 10), strings.Repeat("a", 10)},
	} {
		if got := cut(c.text, 10); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
	for _, long := range []string{strings.Repeat("a", 11), strings.Repeat("a", 99), strings.Repeat("ab ", 99)} {
		if got := cut(long, 10); len(got) > 10 || !strings.HasPrefix(got, "a") {
			t.Errorf("%.20s: got %q", long, got)
		}
	}
	if b, err := marshal(map[string]string{"a": "<&>"}); err != nil || string(b) != `{"a":"<&>"}` {
		t.Errorf("got %s (%v)", b, err)
	}
	if got := cleanList(nil); got == nil || len(got) != 0 {
		t.Errorf("got %v, want an empty list", got)
	}
}

// TestActions: which actions ask for the same, and which need a program.
func TestActions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"run `x`", "run `x`", true}, {"run `x`", "run `y`", false}, {"`l --since 4m`", "`l --since 12m`", true}, {"`l --since 4m` a", "`l --since 12m` b", false}, {"`l --since 1h2m3s`", "`l --since 5m`", true},
	} {
		if got := sameAction(c.a, c.b); got != c.same {
			t.Errorf("%s and %s: got %t", c.a, c.b, got)
		}
	}
	for _, c := range []struct {
		action string
		want   bool
	}{
		{"run `pytest -q`", true}, {"run `/usr/bin/pytest`", true}, {"run `uv run pytest`", true}, {"run pytest", false}, {"`a.go` changed: run `go test`", false}, {"`a` pytest `b`", false}, {"run `pytests`", false}, {"", false},
	} {
		if got := needs(c.action, []string{"pytest", "npm"}); got != c.want {
			t.Errorf("%s: got %t", c.action, got)
		}
	}
	if got := [2]string{andMore([]string{"a"}), andMore([]string{"a", "b", "c"})}; got != [2]string{"a", "a (and 2 more: 'piton explain')"} {
		t.Errorf("got %q", got)
	}
}

// TestPeoplesLines: what a person reads of a stop that is let through.
func TestPeoplesLines(t *testing.T) {
	t.Parallel()
	files := []agent.FileChange{{Path: "a", Whose: agent.OwnerAgent}, {Path: "b", Whose: agent.OwnerForeign}}
	with := func(change func(x *situation)) situation {
		x := situation{settings: debrief.Settings{Mode: debrief.ModeOn, AllClear: debrief.AllClearNotice}, result: debrief.Result{Files: files, Judged: 1}, session: agent.Session{}}
		x.session.TurnOpen = true
		change(&x)
		return x
	}
	for _, c := range []struct {
		name   string
		x      situation
		reason agent.Reason
		want   string
		held   bool
	}{
		{"passed", with(func(x *situation) { x.result.Passed = "`go test`" }), agent.ReasonClear, agent.Prefix + "all clear: 1 file changed, `go test` passed since.", false},
		{"passed, and silent", with(func(x *situation) { x.result.Passed, x.settings.AllClear = "`go test`", debrief.AllClearSilent }), agent.ReasonClear, "", false},
		{"passed, and said to the agent", with(func(x *situation) { x.result.Passed, x.settings.AllClear = "`go test`", debrief.AllClearMessage }), agent.ReasonClear, agent.Prefix + "all clear: 1 file changed, `go test` passed since.", true},
		{"said to it once", with(func(x *situation) {
			x.result.Passed, x.settings.AllClear, x.session.Holds = "`go test`", debrief.AllClearMessage, 1
		}), agent.ReasonClear, agent.Prefix + "all clear: 1 file changed, `go test` passed since.", false},
		{"not all was seen to pass", with(func(*situation) {}), agent.ReasonFine, agent.Prefix + "1 file changed; no test was seen to pass that covers all of it.", false},
		{"nothing to check", with(func(x *situation) { x.result.Judged, x.result.Files = 0, nil }), agent.ReasonFine, agent.Prefix + "0 files changed; nothing asks for a check of that.", false},
	} {
		d := c.x.clear(agent.Decision{})
		if d.Reason != c.reason || d.Held != c.held || !strings.Contains(d.Message, c.want) || c.want == "" && d.Message != "" {
			t.Errorf("%s: got %+v, want %s", c.name, d, c.want)
		}
	}
	open := []string{"x", "y"}
	for _, c := range []struct {
		name   string
		x      situation
		reason agent.Reason
		open   []string
		want   string
	}{
		{"the budget", with(func(x *situation) { x.session.Holds = 2 }), agent.ReasonBudget, open, "let go after 2 debriefs with this left open: x (and 1 more: 'piton explain')"},
		{"no activity", with(func(x *situation) { x.session.Holds = 1 }), agent.ReasonNoActivity, open[:1], "let go after 1 debrief with this left open: x"},
		{"never held", with(func(*situation) {}), agent.ReasonBudget, open, ""},
		{"short", with(func(x *situation) { x.session.Holds = 1 }), agent.ReasonShort, open[:1], "let go after 1 debrief with this left open: x"},
		{"asked", with(func(x *situation) { x.session.Holds = 1 }), agent.ReasonAsked, open[:1], "let go after 1 debrief with this left open: x"},
		{"the marker", with(func(*situation) {}), agent.ReasonMarker, open[:1], "let go by the marker file with this left open: x"},
		{"the marker, and nobody is held", with(func(x *situation) { x.settings.Mode = debrief.ModeAudit }), agent.ReasonMarker, open, ""},
		{"before an interruption", with(func(*situation) {}), agent.ReasonEarlier, open[:1], "left open from before the interruption: x"},
		{"another reason", with(func(x *situation) { x.session.Holds = 1 }), agent.ReasonFine, open, ""},
		{"nothing is open", with(func(x *situation) { x.session.Holds = 1 }), agent.ReasonBudget, nil, ""},
		{"no turn", with(func(x *situation) { x.session.Holds, x.session.TurnOpen = 1, false }), agent.ReasonBudget, open, ""},
	} {
		want := c.want
		if want != "" {
			want = agent.Prefix + want
		}
		if got := c.x.parted(c.reason, c.open); got != want {
			t.Errorf("%s: got %q, want %q", c.name, got, want)
		}
	}
	const untrusted = "is not trusted, so some of it does not count (x): 'piton trust' shows it and asks."
	for _, c := range []struct {
		name string
		x    situation
		d    agent.Decision
		says bool
	}{
		{"left out", with(func(x *situation) { x.settings.LeftOut = "x" }), agent.Decision{Reason: agent.ReasonFine, Message: "m"}, true},
		{"nothing is", with(func(*situation) {}), agent.Decision{Reason: agent.ReasonFine}, false},
		{"held", with(func(x *situation) { x.settings.LeftOut = "x" }), agent.Decision{Held: true}, false},
		{"off", with(func(x *situation) { x.settings.LeftOut = "x" }), agent.Decision{Reason: agent.ReasonOff}, false},
		{"no turn", with(func(x *situation) { x.settings.LeftOut = "x" }), agent.Decision{Reason: agent.ReasonNoTurn}, false},
		{"a check runs", with(func(x *situation) { x.settings.LeftOut = "x" }), agent.Decision{Reason: agent.ReasonRunning, Message: "m"}, false},
		{"a check runs, and nothing is said of it", with(func(x *situation) { x.settings.LeftOut = "x" }), agent.Decision{Reason: agent.ReasonRunning}, true},
		{"told before", with(func(x *situation) { x.settings.LeftOut, x.session.Troubled = "x", true }), agent.Decision{Reason: agent.ReasonFine}, false},
		{"nobody listens", with(func(x *situation) { x.settings.LeftOut, x.event.Unheard = "x", true }), agent.Decision{Reason: agent.ReasonFine}, false},
		{"silent", with(func(x *situation) { x.settings.LeftOut, x.settings.AllClear = "x", debrief.AllClearSilent }), agent.Decision{Reason: agent.ReasonFine}, false},
	} {
		if got := c.x.trouble(c.d); strings.HasSuffix(got, untrusted) != c.says || (got != "") != c.says {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
	x := with(func(x *situation) {
		x.result.Lines = []debrief.Line{{Text: "a", Finding: "1"}, {Text: "b", Finding: "2"}}
	})
	if got := fmt.Sprint(lines(x.untold())); got != "[a b]" {
		t.Errorf("got %s, want both where nobody knows", got)
	}
	if x.told = func(finding string) bool { return finding == "1" }; fmt.Sprint(lines(x.untold())) != "[b]" {
		t.Errorf("got %v, want what is new", x.untold())
	}
}
