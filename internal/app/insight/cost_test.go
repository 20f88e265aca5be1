package insight

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// Each price has all that is needed.
func TestPricesAreWhole(t *testing.T) {
	list, date := listPrices()
	if len(list) == 0 || date == "" {
		t.Fatal("there are no prices")
	}
	seen := map[string]bool{}
	for _, p := range list {
		key := fmt.Sprint(p.Model, p.From, p.Over)
		if seen[key] {
			t.Errorf("%s has two prices", key)
		}
		seen[key] = true
		least := min(p.Input, p.Output, p.Read, p.Write)
		if least <= 0 || p.Input > p.Output || p.Source == "" {
			t.Errorf("%s: got %+v", key, p)
		}
		if _, err := time.Parse(time.DateOnly, p.Checked); err != nil || p.Checked > date {
			t.Errorf("%s was checked on %q, and the file is of %s", key, p.Checked, date)
		}
	}
}

// The price is that of the day, of the length of the prompt and of the settings; a model that is
// not in the list has none, whatever its name is like.
func TestPriceOf(t *testing.T) {
	million := piton.TokenUsage{Input: 1e6, Output: 1e6, CacheRead: 1e6, CacheWrite: 1e6}
	own := map[string]agent.Price{"mine": {Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}, "codex": {Input: 7}}
	for _, c := range []struct {
		name, client, day string
		of                map[string]agent.Price
		spent             agent.Request
		want              string
	}{
		{"a model", "claude", "2026-11-01", nil, agent.Request{Model: "claude-opus-4-5", Usage: million}, "36.75"},
		{"with the day of its release", "claude", "2026-11-01", nil, agent.Request{Model: "claude-opus-4-5-20251101", Usage: million}, "36.75"},
		{"with a longer context", "claude", "2026-11-01", nil, agent.Request{Model: "claude-opus-4-5[1m]", Usage: million}, "36.75"},
		{"a cache that stays an hour", "claude", "2026-11-01", nil, agent.Request{Model: "claude-opus-4-5", Usage: million, Hour: 1e6}, "40.50"},
		{"before the price fell", "claude", "2026-10-06", nil, agent.Request{Model: "claude-sonnet-5-5", Usage: piton.TokenUsage{CacheRead: 1e6}}, "0.20"},
		{"after it", "claude", "2026-10-07", nil, agent.Request{Model: "claude-sonnet-5-5", Usage: piton.TokenUsage{CacheRead: 1e6}}, "0.10"},
		{"a long prompt", "codex", "2026-11-01", nil, agent.Request{Model: "gpt-5.5", Usage: piton.TokenUsage{Input: 272_001, Output: 1e6}}, "47.72"},
		{"a prompt of a length that changes nothing", "codex", "2026-11-01", nil, agent.Request{Model: "gpt-5.5", Usage: piton.TokenUsage{Input: 200_000, Output: 1e6}}, "31.00"},
		{"the user's own", "claude", "2026-11-01", own, agent.Request{Model: "mine", Usage: million}, "10.00"},
		{"that of a client", "codex", "2026-11-01", own, agent.Request{Model: "gpt-5.5", Usage: piton.TokenUsage{Input: 1e6}}, "7.00"},
		{"no name", "claude", "2026-11-01", own, agent.Request{Usage: million}, "unknown"},
		{"a name that begins alike", "claude", "2026-11-01", nil, agent.Request{Model: "claude-opus-4-5-turbo", Usage: million}, "unknown"},
		{"priced in another way", "claude", "2026-11-01", nil, agent.Request{Model: "claude-opus-4-5 (fast)", Usage: million}, "unknown"},
		{"before it was there", "codex", "2026-07-29", nil, agent.Request{Model: "gpt-5.6-terra", Usage: million}, "unknown"},
	} {
		got := "unknown"
		c.spent.At, _ = time.Parse(time.DateOnly, c.day)
		if p, known := priceOf(c.of, c.client, c.spent); known {
			got = fmt.Sprintf("%.2f", p.cost(c.spent))
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// What sessions whose work was taken over by one another cost is of one task; a circle, which
// only a damaged store has, ends.
func TestTasks(t *testing.T) {
	of := func(id, by string) agent.Session {
		return agent.Session{Identity: agent.Identity{ID: id}, Takeover: agent.Takeover{TakenBy: by}}
	}
	first := tasksOf([]agent.Session{of("a", "b"), of("b", "c"), of("c", ""), of("d", ""), of("x", "y"), of("y", "x")})
	for id, want := range map[string]string{"a": "a", "b": "a", "c": "a", "d": "d"} {
		if got := first[id].ID; got != want {
			t.Errorf("%s: got the task of %s, want that of %s", id, got, want)
		}
	}
	if first["x"] == nil || first["y"] == nil {
		t.Error("a circle has no task")
	}
}

// Rows are cut to a limit: of days the newest stay, of others the most costly; the sum has all.
func TestRowsAndTheirSum(t *testing.T) {
	day := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	s := &agent.Session{Identity: agent.Identity{ID: "ses_1", Agent: "claude"}}
	for _, c := range []struct {
		by   string
		want []string
	}{{"day", []string{"2026-11-02", "2026-11-03"}}, {"model", []string{"claude-fable-5", "claude-opus-4-5"}}} {
		b := book{Cost: &Cost{By: c.by}, rows: map[string]*CostRow{}, models: map[string]*CostRow{}}
		for i, model := range []string{"claude-fable-5", "nobody-knows", "claude-opus-4-5"} {
			b.add(counted{s, agent.Request{At: day.AddDate(0, 0, i), Model: model, Usage: piton.TokenUsage{Input: 1e6}}, 1})
		}
		b.close(2)
		var keys []string
		for _, r := range b.Rows {
			keys = append(keys, r.Key)
		}
		total := b.Total
		summed := total.CostUSD == 15 && total.Unpriced == 1e6 && total.Requests == 3
		if !slices.Equal(keys, c.want) || b.More != 1 || !summed {
			t.Errorf("by %s: got %q, %d more and %+v", c.by, keys, b.More, total)
		}
	}
}

// Ten thousand models, one with characters that no screen should get, and numbers that no one has used.
func TestHostileRequests(t *testing.T) {
	if name := modelName("a\x1b[31m\x00b\u202e" + strings.Repeat("x", 1000)); strings.ContainsAny(name, "\x1b\x00\u202e") || len(name) > 100 {
		t.Errorf("got %q", name)
	}
	b := book{Cost: &Cost{By: "model"}, rows: map[string]*CostRow{}, models: map[string]*CostRow{}}
	for i := range 10_000 {
		b.add(counted{&agent.Session{}, agent.Request{At: time.Now(), Model: fmt.Sprint("model-", i), Usage: piton.TokenUsage{Input: 1 << 62}, Hour: 1 << 62}, 1})
	}
	if b.close(20); len(b.Rows) != 20 || len(b.Models) != maxCostModels || b.Total.Unpriced <= 0 || b.Total.Usage.Input <= 0 {
		t.Errorf("got %d rows, %d models and %+v", len(b.Rows), len(b.Models), b.Total)
	}
}

// A session whose own log is gone, and whose subagent's requests stand in another's log too, has
// used nothing besides.
func TestRequestsOfALogThatIsGone(t *testing.T) {
	dir := t.TempDir()
	line := []byte(`{"type":"assistant","timestamp":"2026-11-01T10:00:00.000Z","message":{"id":"m1","model":"claude-opus-5","role":"assistant","content":[],"usage":{"input_tokens":5}}}` + "\n")
	own := filepath.Join(dir, "gone", "subagents")
	for _, err := range []error{os.MkdirAll(own, 0o700), os.WriteFile(filepath.Join(own, "agent-1.jsonl"), line, 0o600), os.WriteFile(filepath.Join(dir, "here.jsonl"), line, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var sessions []agent.Session
	for _, name := range []string{"here", "gone"} {
		s := agent.Session{Identity: agent.Identity{ID: name, Agent: "claude"}}
		s.Transcript, s.Usage = filepath.Join(dir, name+".jsonl"), piton.TokenUsage{Input: 100}
		sessions = append(sessions, s)
	}
	b := book{Cost: &Cost{}}
	if all := b.read(t.Context(), sessions); len(all) != 1 || all[0].Usage.Input != 5 || len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "used more") {
		t.Errorf("got %+v and %q, want one request, and that there are more", all, b.Notes)
	}
}
