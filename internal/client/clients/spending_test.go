package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
)

// What a log's requests have used counts each request once.
func TestSpending(t *testing.T) {
	claude := func(id, usage string) string {
		return `{"type":"assistant","timestamp":"2026-11-01T10:00:00.000Z","message":{"id":"` + id + `","model":"claude-opus-5","role":"assistant","content":[],"usage":` + usage + `}}`
	}
	const thread = "019a2f00-0000-7000-8000-000000000001"
	codex := func(kind, payload string) string {
		return `{"timestamp":"2026-11-01T10:00:00.000Z","type":"` + kind + `","payload":` + payload + `}`
	}
	count := func(total, last int) string {
		usage := func(n int) string {
			return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":0,"output_tokens":%d}`, n, n/10)
		}
		return codex("event_msg", `{"type":"token_count","info":{"total_token_usage":`+usage(total)+`,"last_token_usage":`+usage(last)+`}}`)
	}
	record := func(id string) string {
		return codex("token_usage_record", `{"response_id":"`+id+`","usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":10}}`)
	}
	head := func(id string) string { return codex("session_meta", `{"id":"`+id+`"}`) }
	model := codex("turn_context", `{"model":"gpt-5.5"}`)
	gemini := func(id, tokens string) string {
		return `{"id":"` + id + `","timestamp":"2026-11-01T10:00:00.000Z","type":"gemini","content":"x","model":"gemini-3.1-pro-preview","tokens":` + tokens + `}`
	}
	for _, c := range []struct {
		name, client, file string
		lines              []string
		want               string // requests by id, model, subagent: input, cached, written, output
	}{
		{"claude: one message in three lines, which grows", "claude", "s.jsonl", []string{
			claude("m1", `{"input_tokens":5,"output_tokens":1,"cache_read_input_tokens":7}`), claude("m1", `{"input_tokens":5,"output_tokens":90,"cache_read_input_tokens":7}`), claude("m2", `{"input_tokens":1,"output_tokens":1,"cache_creation_input_tokens":8,"cache_creation":{"ephemeral_1h_input_tokens":3}}`),
		}, "[m1 claude-opus-5: 5 7 0 90 hour 0] [m2 claude-opus-5: 1 0 8 1 hour 3]"},
		{"claude: a faster mode has another price", "claude", "s.jsonl", []string{claude("m1", `{"input_tokens":5,"speed":"fast","service_tier":"standard"}`)}, "[m1 claude-opus-5 (fast): 5 0 0 0 hour 0]"},
		{"claude: numbers that none can be", "claude", "s.jsonl", []string{claude("m1", `{"input_tokens":-5,"output_tokens":1e400,"cache_read_input_tokens":"7"}`), `{"type":"assistant","message":7}`, `{"torn`}, "[m1 claude-opus-5: 0 0 0 0 hour 0]"},
		{"codex: records of requests", "codex", "rollout-2026-11-01T10-00-00-" + thread + ".jsonl", []string{head(thread), model, record("r1"), count(100, 100), record("r2"), count(200, 100)}, "[r1 gpt-5.5: 60 40 0 10 hour 0] [r2 gpt-5.5: 60 40 0 10 hour 0]"},
		{"codex: totals that are told twice", "codex", "rollout-2026-11-01T10-00-00-" + thread + ".jsonl", []string{head(thread), model, codex("event_msg", `{"type":"token_count","info":null}`), count(100, 100), count(100, 100), count(150, 50), codex("event_msg", `{"type":"token_count","info":null}`), count(150, 50)}, "[ gpt-5.5: 100 0 0 10 hour 0] [ gpt-5.5: 50 0 0 5 hour 0]"},
		{"codex: a copy of another thread", "codex", "rollout-2026-11-01T10-00-00-" + thread + ".jsonl", []string{
			head(thread), head("019a2e00-0000-7000-8000-000000000009"), model, record("r1"), codex("event_msg", `{"type":"task_started","turn_id":"019a2f01-0000-7000-8000-000000000002"}`), model, record("r2"),
		}, "[r2 gpt-5.5: 60 40 0 10 hour 0]"},
		{"gemini: a message that is written again", "gemini", "session-1.jsonl", []string{
			`{"sessionId":"s","projectHash":"h"}`, gemini("g1", `{"input":100,"output":10,"cached":40,"thoughts":5,"tool":1}`), gemini("g1", `{"input":100,"output":10,"cached":40,"thoughts":5,"tool":1}`), gemini("g2", `{"input":"many","output":-3,"cached":7}`),
		}, "[g1 gemini-3.1-pro-preview: 61 40 0 15 hour 0] [g2 gemini-3.1-pro-preview: 0 7 0 0 hour 0]"},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		if err := os.WriteFile(path, []byte(strings.Join(c.lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		log, _ := ByName(c.client)
		if got, err := spending(log.Spending, path); err != nil || got != c.want {
			t.Errorf("%s: got %v\n%s\nwant\n%s", c.name, err, got, c.want)
		}
	}
}

// spending is what a log's requests have used, each once.
func spending(read func(string, func(agent.Request)) (bool, error), path string) (string, error) {
	var list []agent.Request
	at := map[string]int{}
	_, err := read(path, func(r agent.Request) {
		if i, twice := at[r.ID]; twice && r.ID != "" {
			list[i] = list[i].Merged(r)
			return
		}
		at[r.ID] = len(list)
		list = append(list, r)
	})
	var words []string
	for _, r := range list {
		u := r.Usage
		words = append(words, fmt.Sprintf("[%s %s%s: %d %d %d %d hour %d]", r.ID, r.Model, r.Subagent, u.Input, u.CacheRead, u.CacheWrite, u.Output, r.Hour))
	}
	return strings.Join(words, " "), err
}

// What the turns of a log have used, turn by turn, is what its requests have used.
func TestSpendingIsWhatTurnsUse(t *testing.T) {
	for _, client := range recorded {
		for n, log := range recordingsOf(t, client) {
			x := newScratch(t)
			whole, err := x.read(t, client, log, time.Unix(1, 0))
			if err != nil {
				t.Fatal(err)
			}
			var spent piton.TokenUsage
			all := whole.Usage
			seen := map[string]bool{}
			_, err = client.Spending(string(x), func(r agent.Request) {
				if r.ID == "" || !seen[r.ID] {
					spent = spent.Plus(r.Usage)
				}
				seen[r.ID] = true
			})
			rewound := client.Name() == "gemini" && spent.Total() > all.Total() && strings.Contains(string(log), "$rewindTo") // was used all the same
			if err != nil || spent != all && !rewound {
				t.Errorf("%s %d: got %v and %+v, want %+v", client.Name(), n, err, spent, all)
			}
		}
	}
}
