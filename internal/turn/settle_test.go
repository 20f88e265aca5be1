package turn

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// lateLog is a client whose log is whole after a while only.
type lateLog struct {
	client.Client
	whole time.Time
	said  string
	calls []agent.Call // until then
}

func (l lateLog) Transcript(string, time.Time, int64) (agent.Transcript, error) {
	now := time.Now()
	if now.Before(l.whole) {
		return agent.Transcript{Calls: l.calls}, nil
	}
	return agent.Transcript{LastOutput: l.said, LastOutputAt: now, Calls: []agent.Call{{ID: "edit", Kind: agent.CallEdit, EndedAt: now}}}, nil
}

func TestStopWaitsForALateTranscript(t *testing.T) {
	for _, c := range []struct {
		name   string
		late   time.Duration // of the log
		said   string        // in the log
		before time.Duration // the last event, before the stop
		calls  []agent.Call  // in the log as first read
		began  time.Duration // when the hook began, before the log was read
		worked time.Duration // before the stop, when hooks saw work; 0: they saw none
		want   time.Duration // how long it waits
	}{
		{name: "until it is whole", late: 75 * time.Millisecond, said: "Done.", want: 80 * time.Millisecond},
		{name: "not for ever", late: time.Hour, said: "Done.", want: settleFor},
		{name: "not for other words", late: 0, said: "Hello.", want: settleFor},
		{name: "not where the last event is long ago", late: 75 * time.Millisecond, said: "Done.", before: 2 * lately, want: 0},
		{name: "longer for a result", late: time.Hour, said: "Done.", calls: []agent.Call{{ID: "test"}}, want: settleCalls},
		{name: "not longer for words, where calls are whole", late: time.Hour, said: "Done.", calls: []agent.Call{{ID: "old", EndedAt: time.Unix(1, 0)}}, want: settleFor},
		{name: "longer for work that hooks saw", late: time.Hour, said: "Done.", worked: time.Minute, want: settleCalls},
		{name: "with the time that git took", late: time.Hour, said: "Done.", began: 200 * time.Millisecond, want: settleFor - 200*time.Millisecond},
		{name: "a little where git took all of it", late: time.Hour, said: "Done.", began: time.Minute, want: settleLeast},
		{name: "where a call has no result", late: 75 * time.Millisecond, said: "Done.", before: 2 * lately, calls: []agent.Call{{ID: "test"}}, want: 80 * time.Millisecond},
		{name: "not for a command in the background", late: 75 * time.Millisecond, said: "Done.", before: 2 * lately, calls: []agent.Call{{ID: "server", Background: true}}, want: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				turns := Turns{Client: lateLog{whole: start.Add(c.late), said: c.said, calls: c.calls}, Began: start.Add(-c.began)}
				s := agent.Session{Identity: agent.Identity{Transcript: "log"}}
				if c.worked > 0 {
					s.WorkedAt = piton.At(start.Add(-c.worked))
				}
				f := found{links: newLinks(), script: agent.Transcript{Calls: c.calls}}
				f = turns.handler(agent.Event{LastOutput: "Done.", At: start}).settle(t.Context(), s, piton.At(start.Add(-c.before)), agent.Turn{}, f)
				if got := time.Since(start); got != c.want {
					t.Errorf("waited %s, want %s", got, c.want)
				}
				if got := len(f.script.Calls) == 1 && f.script.Calls[0].ID == "edit"; got != (c.want > 0 && c.late < settleFor) {
					t.Errorf("got the calls %v", f.script.Calls)
				}
			})
		})
	}
}

func TestWordsFromBeforeTheHoldAreNotTheLast(t *testing.T) {
	now := piton.At(time.Now())
	f := found{script: agent.Transcript{LastOutput: "Done.", LastOutputAt: now.Add(-time.Second)}}
	e := agent.Event{LastOutput: "Done."}
	for _, c := range []struct {
		name string
		s    agent.Session
		turn agent.Turn
		want bool
	}{
		{"no hold", agent.Session{}, agent.Turn{}, false},
		{"a hold after them", agent.Session{OnHold: agent.OnHold{LastCheckpoint: now}}, agent.Turn{}, true},
		{"a stop after them", agent.Session{}, agent.Turn{EndedAt: now}, true},
		{"a hold before them", agent.Session{OnHold: agent.OnHold{LastCheckpoint: piton.At(now.Add(-time.Minute))}}, agent.Turn{}, false},
	} {
		if got := lags(e, c.s, c.turn, f); got != c.want {
			t.Errorf("%s: got %t, want %t", c.name, got, c.want)
		}
	}
}

// A client may hand over all that was said in a turn, in pieces.
func TestTheLastWordsInWhateverPieces(t *testing.T) {
	for _, c := range []struct {
		name, told, said string
		want             bool
	}{
		{"the same", "Done.", "Done.", true},
		{"with what was said before", "I look.\nDone.", "Done.", true},
		{"in pieces", "I look.\nAll ste ps  are  do ne.  ", "All steps are done.", true},
		{"on lines", "One.\n\nTwo.", "One.\n Two.\n", true},
		{"others", "I look.", "Done.", false},
		{"fewer", "ne.", "Done.", false},
		{"none", "Done.", " \n", false},
		{"in other letters", "Ça marche – 完了", "– 完了", true},
		{"in half a letter", "\xbf", "完", false},
	} {
		if got := endsWith(c.told, c.said); got != c.want {
			t.Errorf("%s: got %t, want %t", c.name, got, c.want)
		}
	}
}

// What a person has cut off never comes to stand in the log.
func TestStopDoesNotWaitForWordsThatWereCutOff(t *testing.T) {
	now := time.Now()
	f := found{script: agent.Transcript{LastOutput: "Before.", LastOutputAt: now.Add(-time.Minute), Interrupted: now}}
	if lags(agent.Event{LastOutput: "Before.\nslow one  slow"}, agent.Session{}, agent.Turn{}, f) {
		t.Error("got a wait, want none")
	}
}
