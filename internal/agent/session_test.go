package agent_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// at is a moment so many seconds after noon.
func at(seconds int) piton.Time {
	return piton.At(noon.Add(time.Duration(seconds) * time.Second))
}

func TestPrompted(t *testing.T) {
	between := agent.Session{
		InTurn: agent.InTurn{Turn: 3, LastToolUseAt: at(-40), FirstToolUseAt: at(-60), IdleMS: 7, Usage: piton.TokenUsage{Input: 1}, TurnUsage: piton.TokenUsage{Input: 2}}, OnHold: agent.OnHold{Holds: 2, LastCheckpoint: at(-50), HeldIdleMS: 5}, Remembers: agent.Remembers{LastMessage: "old", LastMessageAt: at(-100)},
		OnPerson: agent.OnPerson{WaitingSince: at(-30), Notified: true},
	}
	t.Run("opens a turn", func(t *testing.T) {
		s := between.Prompted("new", at(0))
		switch {
		case s.Turn != 4 || !s.TurnOpen || s.LastMessage != "new" || s.LastMessageAt != at(0):
			t.Errorf("got turn %d, open %v, %q at %s; want 4, open, new at noon", s.Turn, s.TurnOpen, s.LastMessage, s.LastMessageAt)
		case !s.LastCheckpoint.IsZero() || !s.LastToolUseAt.IsZero() || !s.FirstToolUseAt.IsZero() || !s.WaitingSince.IsZero() || s.IdleMS != 0 || s.HeldIdleMS != 0:
			t.Errorf("got timers %+v, want none of the turn before", s)
		case s.Notified || s.Holds != 0 || s.BudgetLeft() != agent.MaxHolds:
			t.Errorf("got notified %v and %d holds, want neither", s.Notified, s.Holds)
		case s.Usage.Input != 3 || s.TurnUsage.Input != 0:
			t.Errorf("got usage %d and %d, want 3 and 0", s.Usage.Input, s.TurnUsage.Input)
		}
	})
	t.Run("inside an open turn only the words, the budget and the notification flag change", func(t *testing.T) {
		open := between
		open.TurnOpen = true
		want := open
		open.Waiting = "ltr_1"
		want.LastMessage, want.Holds, want.HeldBefore, want.PromptedAt, want.Notified = "new", 0, 2, at(0), false
		if diff := cmp.Diff(want, open.Prompted("new", at(0))); diff != "" {
			t.Errorf("session (want -, got +):\n%s", diff)
		}
	})
}

// A prompt that was not what the turn was asked for renews no budget.
func TestContinued(t *testing.T) {
	held := agent.Session{InTurn: agent.InTurn{TurnOpen: true, Asked: "mend it"}, OnHold: agent.OnHold{Holds: 2}, Remembers: agent.Remembers{LastMessage: "mend it", LastMessageAt: at(-9)}}
	silent := held // its client never says what was asked
	silent.Asked = ""
	echoed := held.Prompted("Run the linter.", at(0))
	for _, c := range []struct {
		name, asked string
		s           agent.Session
		holds       int
		last        string
	}{
		{"another hook's words", "mend it", echoed, 2, "mend it"},
		{"told by two hooks", "mend it", echoed.Prompted("Run the linter.", at(0)), 2, "mend it"},
		{"twice in a row", "mend it", echoed.Continued("mend it").Prompted("Run the linter.", at(1)), 2, "mend it"},
		{"behind a stop that was let through", "mend it", held.Stopped("", "", at(0)).Prompted("Run the linter.", at(1)), 2, "mend it"},
		{"a person's words", "Run the linter.", echoed, 0, "Run the linter."},
		{"a person's words with a hook's behind them", "Run the linter.\n(more)", echoed, 0, "Run the linter."},
		{"the same words of a person again", "mend it", held.Prompted("mend it", at(0)), 0, "mend it"},
		{"Piton's own words, which began the turn", agent.Prefix + "validate your work", held, 2, "mend it"},
		{"another hook's words behind Piton's own", agent.Prefix + "validate your work", echoed, 2, "Run the linter."},
		{"a client that never says", "", silent.Prompted("Run the linter.", at(0)), 0, "Run the linter."},
		{"another hook's words before the client's first naming", "mend it", silent.Prompted("Run the linter.", at(0)), 2, "mend it"},
		{"a client that does not say this time", "", echoed, 2, "Run the linter."},
		{"two hooks' words", "mend it", echoed.Prompted("Format.", at(0)), 2, "mend it"},
		{"another hook's words that begin as the person's", "mend it", held.Prompted("mend it, then run the linter", at(0)), 2, "mend it, then run the linter"},
		{"another hook's words before a person's that no hook told", "deploy", echoed, 0, "deploy"},
		{"a person's words behind another hook's", "deploy", echoed.Prompted("deploy", at(0)), 0, "deploy"},
	} {
		got := c.s.Continued(c.asked)
		if got.Holds != c.holds || got.LastMessage != c.last {
			t.Errorf("%s: got %d holds after %q, want %d after %q", c.name, got.Holds, got.LastMessage, c.holds, c.last)
		}
		asked, before := c.asked, 0
		switch {
		case c.asked == "" && c.s.Asked == "": // a client that never says
			before = c.s.HeldBefore
		case c.asked == "" || agent.Injected(c.asked):
			asked = c.s.Asked
		}
		if got.Asked != asked || got.HeldBefore != before {
			t.Errorf("%s: got %q asked, %d holds before, want %q and %d", c.name, got.Asked, got.HeldBefore, asked, before)
		}
	}
}

func TestEchoes(t *testing.T) {
	held := agent.Session{InTurn: agent.InTurn{TurnOpen: true}, OnHold: agent.OnHold{Holds: 1}}
	doubted := agent.Session{InTurn: agent.InTurn{TurnOpen: true, Asked: "mend it"}, OnHold: agent.OnHold{HeldBefore: 1}} // after another hook's words
	for text, want := range map[string]bool{
		agent.Prefix + "x":                 true,
		"Run the linter.\n" + agent.Prefix: true,
		"\"" + agent.Prefix + "x\"":        true,
		"\ufeff" + agent.Prefix + "x":      true,
		"what is a Piton Checkpoint?":      false,
		"":                                 false,
	} {
		if got := held.Echoes(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
		if got := doubted.Echoes(text); got != want {
			t.Errorf("%q after another hook's words: got %v, want %v", text, got, want)
		}
	}
	for name, s := range map[string]agent.Session{
		"not held": {InTurn: agent.InTurn{TurnOpen: true}}, "let go": {OnHold: agent.OnHold{Holds: 1}}, "not held before": {InTurn: agent.InTurn{TurnOpen: true, Asked: "mend it"}},
		"held before a client that never says": {InTurn: agent.InTurn{TurnOpen: true}, OnHold: agent.OnHold{HeldBefore: 1}},
	} {
		if s.Echoes("what is " + agent.Prefix + "?") {
			t.Errorf("%s: a person who asks about a hold is not heard", name)
		}
	}
}

// A hold by letter counts when it is written; its time begins when it arrives.
func TestPosted(t *testing.T) {
	s := agent.Session{}.Prompted("go", at(0)).Used(at(10))
	s.IdleMS = 5
	s = s.Posted("ltr_1", time.Second)
	if s.HeldIdleMS != 1005 || s.FirstToolUseAt != at(10) || s.BudgetLeft() != 1 || !s.LastCheckpoint.IsZero() || s.Waiting != "ltr_1" {
		t.Errorf("got %+v, want one hold spent, a letter on its way, and no last checkpoint", s)
	}
	if s = s.Arrived(at(60)); !s.FirstToolUseAt.IsZero() || s.LastCheckpoint != at(60) || s.Waiting != "" || s.BudgetLeft() != 1 {
		t.Errorf("got %+v, want the last checkpoint at the arrival and nothing on its way", s)
	}
}

func TestPause(t *testing.T) {
	var got []time.Duration
	for n := 1; n <= agent.MaxAttempts; n++ {
		got = append(got, agent.Pause(n)/time.Second)
	}
	if diff := cmp.Diff([]time.Duration{1, 2, 4, 8, 16, 32, 60, 60}, got); diff != "" {
		t.Errorf("pauses (want -, got +):\n%s", diff)
	}
}

func TestTimers(t *testing.T) {
	prompted := agent.Session{}.Prompted("go", at(0))
	idle := prompted
	idle.IdleMS = 20_000
	heldIdle := idle.Held(at(60), 10*time.Second) // 30 s of idleness before the hold
	more := heldIdle
	more.IdleMS += 10_000 + 15_000 // the transcript's 10 s, now known, and 15 s since
	for _, c := range []struct {
		name  string
		s     agent.Session
		timer agent.Timer
		now   int
		start piton.Time
		want  time.Duration
	}{
		{"no prompt", agent.Session{}, agent.TimerUnified, 100, piton.Time{}, 0},
		{"from the prompt", prompted, agent.TimerUnified, 100, at(0), 100 * time.Second},
		{"from the hold", prompted.Held(at(60), 0), agent.TimerUnified, 100, at(60), 40 * time.Second},
		{"a hold before the prompt is over", agent.Session{Remembers: agent.Remembers{LastMessageAt: at(50)}, OnHold: agent.OnHold{LastCheckpoint: at(10)}}, agent.TimerUnified, 100, at(50), 50 * time.Second},
		{"without idleness", idle, agent.TimerUnified, 100, at(0), 80 * time.Second},
		{"idleness before a hold is over", heldIdle, agent.TimerUnified, 100, at(60), 40 * time.Second},
		{"idleness since a hold", more, agent.TimerUnified, 100, at(60), 25 * time.Second},
		{"more idle than there is time", agent.Session{Remembers: agent.Remembers{LastMessageAt: at(0)}, InTurn: agent.InTurn{IdleMS: 1e9}}, agent.TimerUnified, 100, at(0), 0},
		{"a clock that went back", prompted, agent.TimerUnified, -100, at(0), 0},
		{"activity without a tool", prompted, agent.TimerActivity, 100, piton.Time{}, 0},
		{"activity from the first tool", prompted.Used(at(30)).Used(at(50)), agent.TimerActivity, 100, at(30), 70 * time.Second},
		{"activity after a hold", prompted.Used(at(30)).Held(at(60), 0), agent.TimerActivity, 100, piton.Time{}, 0},
		{"activity from the next tool", prompted.Used(at(30)).Held(at(60), 0).Used(at(70)), agent.TimerActivity, 100, at(70), 30 * time.Second},
	} {
		now := at(c.now).Time
		if start, got := c.s.TurnStart(c.timer), c.s.Elapsed(c.timer, now); start != c.start || got != c.want {
			t.Errorf("%s: got %s since %s, want %s since %s", c.name, got, start, c.want, c.start)
		}
		for _, least := range []time.Duration{0, c.want, c.want + 1} {
			held := !c.s.LastCheckpoint.IsZero() // such a turn was long enough
			want := !c.start.IsZero() && (held || c.want >= least)
			if got := c.s.Due(c.timer, now, least); got != want {
				t.Errorf("%s: got due %v after %s of at least %s, want %v", c.name, got, c.want, least, want)
			}
		}
	}
}

func TestUsed(t *testing.T) {
	s := agent.Session{}.Used(at(1)).Used(at(2))
	if s.FirstToolUseAt != at(1) || s.LastToolUseAt != at(2) {
		t.Errorf("got the first use at %s, the last at %s; want %s and %s", s.FirstToolUseAt, s.LastToolUseAt, at(1), at(2))
	}
}

func TestWorked(t *testing.T) {
	s := agent.Session{}.Prompted("go", at(0))
	if got := (agent.Session{}).Worked(at(0).Time); got != 0 {
		t.Errorf("no turn: got %s, want 0", got)
	}
	s.IdleMS = 10_000
	if got := s.Held(at(50), 0).Worked(at(100).Time); got != 90*time.Second {
		t.Errorf("got %s, want 90s of the whole turn, holds or not", got)
	}
}

func TestHeldAndStopped(t *testing.T) {
	s := agent.Session{}.Prompted("go", at(0)).Used(at(10))
	for want := 1; want >= 0; want-- {
		s = s.Held(at(60-want), 0)
		if s.BudgetLeft() != want || s.LastCheckpoint != at(60-want) || !s.TurnOpen || s.Notified {
			t.Fatalf("got %+v, want %d left in an open turn", s, want)
		}
	}
	if got := s.Held(at(70), 0).BudgetLeft(); got != 0 {
		t.Errorf("got %d left, want 0, never less", got)
	}
	s = s.Stopped("Done.", "sum", at(80))
	if s.TurnOpen || !s.Notified || s.LastFeedback != "Done." || s.SeenAt != at(80) || s.Holds != 2 {
		t.Errorf("got %+v, want a turn that ended, and its words", s)
	}
}

func TestWaited(t *testing.T) {
	waiting := agent.Session{OnPerson: agent.OnPerson{WaitingSince: at(0)}, InTurn: agent.InTurn{IdleMS: 1000}}
	for _, c := range []struct {
		name string
		s    agent.Session
		took time.Duration
		want int64
	}{
		{"nobody waited", agent.Session{InTurn: agent.InTurn{IdleMS: 1000}}, 0, 1000},
		{"all of it", waiting, 0, 61_000},
		{"without the tool's own time", waiting, 20 * time.Second, 41_000},
		{"a tool that ran longer than that", waiting, time.Hour, 1000},
	} {
		if got := c.s.Waited(at(60), c.took); got.IdleMS != c.want || !got.WaitingSince.IsZero() {
			t.Errorf("%s: got %d ms, waiting since %s; want %d and no more", c.name, got.IdleMS, got.WaitingSince, c.want)
		}
	}
}

func TestInjected(t *testing.T) {
	const own = agent.Prefix + "Run the tests."
	for text, want := range map[string]bool{
		own:                    true,
		"\n\t  " + own:         true,
		"\u00a0" + own:         true,
		"[Piton Checkpoint] -": true, // cut behind the prefix
		"<system-reminder>\n" + own + "\n</system-reminder>": true,
		"Stop hook feedback:\n" + own:                        true,
		"<system-reminder>Stop hook feedback: " + own:        true,
		"<task-notification>\n<status>x</status>":            true,
		"  <task-notification></task-notification>":          true,
		`<teammate-message teammate_id="tester">done`:        true,

		`<teammate-message teammate_id="team-lead">do it`:    false, // a teammate's task
		"<system-reminder>x</system-reminder>\n" + own:       true,
		"<system-reminder>only a reminder</system-reminder>": true,
		"<hook_prompt hook=\"x\">" + own + "</hook_prompt>":  true,
		"<hook_context>" + own + "</hook_context>":           true,

		"":                                  false,
		"please":                            false,
		"please see " + own:                 false,
		"[Piton Checkpoint]: what is that?": false,
		"[piton checkpoint] - x":            false,
		"<task-notifications>":              false,
		"what is <task-notification>?":      false,
		"<system-reminder>please":           false,
		"<system-reminder>x</system-reminder>\nplease": false,
		"Stop hook feedback:\nplease":                  false,
		"<hook_context>" + own + "</hook_context> go":  false,
		"<hook_prompt": false,
	} {
		if got := agent.Injected(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
