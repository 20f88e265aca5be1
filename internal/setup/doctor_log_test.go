package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDoctorReadsTheNewestLog(t *testing.T) {
	good := map[string]string{}
	for agent, file := range map[string]string{"claude": "claude/testdata/tour.jsonl", "codex": "codex/testdata/plain-turn.jsonl"} {
		good[agent] = string(load(t, filepath.Join("..", "client", file)))
	}
	good["gemini"] = `{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T10:00:00.000Z"}` + "\n" +
		`{"id":"1","timestamp":"2026-01-01T10:00:01.000Z","type":"user","content":"fix it"}` + "\n"
	const strange = `{"event":"message","from":"user"}` + "\n"
	places := map[string][2]string{
		"claude": {"projects/-home-dev-shop/a.jsonl", "projects/-home-dev-api/b.jsonl"},
		"gemini": {"tmp/shop/chats/session-a.jsonl", "tmp/api/chats/session-b.jsonl"},
		"codex":  {"sessions/2026/11/21/rollout-a.jsonl", "sessions/2026/11/22/rollout-b.jsonl"},
	}
	for agent, at := range places {
		for _, x := range []struct {
			name, older, newer, also, want string
			warns                          bool
		}{
			{"none", "", "", "", "none yet", false},
			{"all in order", good[agent], good[agent], "", at[1] + " can be read", false},
			{"an older one is not", strange, good[agent], "", at[1] + " can be read", false},
			{"the newest is of an unknown form", good[agent], strange, "", at[1] + " cannot be read: it holds no line in a known form", true},
			{"the newest is binary", good[agent], "\x00\x7fELF\n\xff", "", at[1] + " cannot be read", true},
			{"the newest is still empty", good[agent], "", "", at[0] + " can be read", false},
			{"other files beside it", good[agent], good[agent], filepath.Dir(at[1]) + "/notes.txt", at[1] + " can be read", false},
			{"a folder of a log's name", good[agent], good[agent], filepath.Dir(at[1]) + "/" + strings.Replace(filepath.Base(at[1]), "b.", "c.", 1) + "/x", at[1] + " can be read", false},
		} {
			t.Run(agent+", "+x.name, func(t *testing.T) {
				c := soundOf(t, agent)
				dir := c.ConfigDir
				if dir == "" {
					dir = filepath.Dir(c.settings(User))
				}
				put := func(file, text string, old time.Duration) {
					file = filepath.Join(dir, filepath.FromSlash(file))
					write(t, file, text, 0o600)
					at := time.Now().Add(-old)
					must(t, os.Chtimes(file, at, at))
				}
				if x.older+x.newer != "" {
					put(at[0], x.older, time.Hour)
					put(at[1], x.newer, time.Minute)
				}
				if x.also != "" {
					put(x.also, strange, 0)
				}
				checks := c.doctor()
				at := slices.IndexFunc(checks, func(c Check) bool { return c.Name == "newest log" })
				if at < 0 {
					t.Fatalf("got %+v, want the check", checks)
				}
				got := checks[at]
				if !got.OK || got.Warn != x.warns || !strings.Contains(filepath.ToSlash(got.Detail), x.want) || (got.Hint != "") != x.warns {
					t.Errorf("got %+v, want %q", got, x.want)
				}
			})
		}
	}
}
