package client

import (
	"testing"
	"time"
	_ "time/tzdata" // whatever the machine has

	"github.com/piton-project/piton/internal/agent"
)

// TestRefused: what clients say of a failed request, whether it is a limit, and when it
// ends.
func TestRefused(t *testing.T) {
	machine := time.Local
	defer func() { time.Local = machine }()
	time.Local = time.FixedZone("Local", 3600)
	at := time.Date(2026, 12, 30, 18, 5, 0, 0, time.Local)
	in := func(zone string, year int, month time.Month, day, hour, minute int) time.Time {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		return time.Date(year, month, day, hour, minute, 0, 0, loc)
	}
	for _, c := range []struct {
		said string
		want agent.Wait
		end  time.Time
	}{
		{"API Error: Request rejected (429) · You've hit your session limit · resets 9:05pm (Local)", agent.WaitLimit, in("Local", 2026, 12, 30, 21, 5)},
		{"You've hit your session limit · resets 9pm (Local)", agent.WaitLimit, in("Local", 2026, 12, 30, 21, 0)},
		{"You've hit your session limit · resets 3am (Local)", agent.WaitLimit, in("Local", 2026, 12, 31, 3, 0)},
		{"You've hit your weekly limit · resets Jan 2, 12am (Europe/Berlin)", agent.WaitLimit, in("Europe/Berlin", 2027, 1, 2, 0, 0)},
		{"You’ve hit your usage limit. Upgrade to Pro, visit https://x.test or try again at 9:05 PM.", agent.WaitLimit, in("Local", 2026, 12, 30, 21, 5)},
		{"You've hit your usage limit. Try again at Jan 2nd, 2027 3:45 PM.", agent.WaitLimit, in("Local", 2027, 1, 2, 15, 45)},
		{"You've hit your usage limit. Try again in 3 days 4 hours 5 minutes.", agent.WaitLimit, at.Add(76*time.Hour + 5*time.Minute)},
		{"You exceeded your current quota. Please retry in 38.5s.", agent.WaitLimit, at.Add(38500 * time.Millisecond)},
		{"[API Error: got status: RESOURCE_EXHAUSTED. retry after 1m30s]", agent.WaitLimit, at.Add(90 * time.Second)},
		{"You've hit your usage limit. Try again at 9:05 PM (No/Where)", agent.WaitLimit, in("Local", 2026, 12, 30, 21, 5)},
		{"weekly limit, resets 6:04pm", agent.WaitLimit, in("Local", 2026, 12, 30, 18, 4)},
		{"weekly limit, resets 6:03pm", agent.WaitLimit, in("Local", 2026, 12, 31, 18, 3)},
		{"weekly limit, resets Nov 30, 7pm", agent.WaitLimit, in("Local", 2026, 11, 30, 19, 0)},
		{"weekly limit, resets Nov 30, 5pm", agent.WaitLimit, in("Local", 2027, 11, 30, 17, 0)},
		{"weekly limit, resets Dec 31, 5pm", agent.WaitLimit, in("Local", 2026, 12, 31, 17, 0)},
		{"quota: retry in 9.09 seconds", agent.WaitLimit, at.Add(9090 * time.Millisecond)},
		{"exceeded retry limit, last status: 429 Too Many Requests", agent.WaitLimit, time.Time{}},
		{"API Error: 500 Internal server error", agent.WaitPrompt, time.Time{}},
		{"API Error: 400 mock failure", agent.WaitPrompt, time.Time{}},
		{"prompt is too long: 204291 tokens > 200000 maximum", agent.WaitPrompt, time.Time{}},
		{"error in line 4291: unexpected token", agent.WaitPrompt, time.Time{}},
		{"stream disconnected before completion", agent.WaitPrompt, time.Time{}},
		{"", agent.WaitPrompt, time.Time{}},
	} {
		got := Refused(at, c.said, false)
		if got.Wait != c.want || !got.Until.Equal(c.end) || got.At.IsZero() {
			t.Errorf("%q: got %s until %s, want %s until %s", c.said, got.Wait, got.Until, c.want, c.end)
		}
	}
}
