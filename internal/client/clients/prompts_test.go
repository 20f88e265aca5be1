package clients

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/client"
)

// The log before a prompt's place is the log as it was before the person spoke:
// its newest prompt is the one before.
func TestPromptsCutALogIntoTurns(t *testing.T) {
	file := newScratch(t)
	for _, c := range recorded {
		n := 0
		for i, all := range recordingsOf(t, c) {
			if _, err := file.read(t, c, all, time.Time{}); err != nil {
				t.Fatal(err)
			}
			list, whole, err := c.Prompts(string(file))
			if err != nil || !whole {
				t.Fatalf("%s, recording %d: got %v, whole %v", c.Name(), i, err, whole)
			}
			n += len(list)
			before := ""
			for _, p := range list {
				if p.Offset < 0 || p.Offset > 0 && all[p.Offset-1] != '\n' || !bytes.HasPrefix(all[p.Offset:], []byte("{")) {
					t.Fatalf("%s, recording %d: %q is not at the beginning of a line: %d", c.Name(), i, p.Text, p.Offset)
				}
				got, err := file.read(t, c, all[:p.Offset], time.Time{})
				if err != nil && p.Offset > 0 || client.CutPrompt(got.LastPrompt) != before {
					t.Errorf("%s, recording %d: before %q got prompt %q (%v), want %q", c.Name(), i, p.Text, got.LastPrompt, err, before)
				}
				before = p.Text
			}
			if got, _ := file.read(t, c, all, time.Time{}); client.CutPrompt(got.LastPrompt) != before {
				t.Errorf("%s, recording %d: at the end got prompt %q, want %q", c.Name(), i, got.LastPrompt, before)
			}
		}
		if n < 10 {
			t.Errorf("%s: got %d prompts in all recordings, want more", c.Name(), n)
		}
	}
}

func TestPrompts(t *testing.T) {
	const sdk = `{"type":"user","message":{"role":"user","content":"W"},"turnOrigin":"sdk","timestamp":"2026-01-01T00:00:0N.000Z"}`
	claudePrompt := func(words, n string) string { return strings.NewReplacer("W", words, "N", n).Replace(sdk) }
	const started = `{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}}`
	codexPrompt := func(words, n string) string {
		return `{"timestamp":"2026-01-01T00:00:0` + n + `Z","type":"event_msg","payload":{"type":"user_message","message":"` + words + `"}}`
	}
	geminiPrompt := func(id, words, at string) string {
		return `{"id":"` + id + `","timestamp":"` + at + `","type":"user","content":"` + words + `"}`
	}
	for _, x := range []struct {
		name, client string
		lines        []string
		want         []string
	}{
		{"a line of another kind between", "claude", []string{claudePrompt("a", "1"), `{"type":"progress"}`, claudePrompt("b", "2")}, []string{"a", "b"}},
		{"written again by a fork", "claude", []string{claudePrompt("a", "1"), claudePrompt("a", "1")}, []string{"a"}},
		{"the same words again", "claude", []string{claudePrompt("a", "1"), claudePrompt("a", "2")}, []string{"a", "a"}},
		{"a machine's", "claude", []string{claudePrompt("a", "1"), claudePrompt("<task-notification>x", "2")}, []string{"a"}},
		{"torn", "claude", []string{claudePrompt("a", "1"), claudePrompt("b", "2")[:60]}, []string{"a"}},
		{"said into a running turn", "codex", []string{started, codexPrompt("a", "1"), codexPrompt("b", "3")}, []string{"a", "(within) b"}},
		{"said twice, in turns of their own", "codex", []string{started, codexPrompt("a", "1"), started, codexPrompt("a", "3")}, []string{"a", "a"}},
		{"Piton's own", "codex", []string{started, codexPrompt("a", "1"), started, codexPrompt("[Piton Checkpoint] - x", "3")}, []string{"a"}},
		{"written again under its id", "gemini", []string{geminiPrompt("1", "a", "2026-01-01T00:00:01Z"), geminiPrompt("1", "a", "2026-01-01T00:00:01Z"), geminiPrompt("2", "b", "2026-01-01T00:00:02Z")}, []string{"a", "b"}},
		{"copied before a compression", "gemini", []string{geminiPrompt("1", "a", "2026-01-01T00:00:01Z"), `{"id":"g","timestamp":"2026-01-01T00:00:02Z","type":"gemini","content":"x","toolCalls":[{"id":"c","name":"glob","args":{}}]}`,
			geminiPrompt("7", "a", "2026-01-01T00:00:09Z"), geminiPrompt("8", "x", "2026-01-01T00:00:09Z"), `{"$set":{"messages":[{"id":"7"},{"id":"8"}],"lastUpdated":"2026-01-01T00:00:09.5Z"}}`, geminiPrompt("9", "b", "2026-01-01T00:00:10Z")}, []string{"a", "b"}},
	} {
		c, _ := ByName(x.client)
		file := newScratch(t)
		if _, err := file.read(t, c, []byte(strings.Join(x.lines, "\n")+"\n"), time.Time{}); err != nil {
			t.Fatal(err)
		}
		list, whole, err := c.Prompts(string(file))
		var got []string
		for _, p := range list {
			if p.Within {
				p.Text = "(within) " + p.Text
			}
			got = append(got, p.Text)
		}
		if strings.Join(got, "\n") != strings.Join(x.want, "\n") || err != nil || !whole {
			t.Errorf("%s, %s: got %q (whole %v, %v), want %q", x.client, x.name, got, whole, err, x.want)
		}
	}
}

func TestPromptsOfNoLog(t *testing.T) {
	for _, c := range All {
		if _, _, err := c.Prompts(filepath.Join(t.TempDir(), "none.jsonl")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want %v", c.Name(), err, fs.ErrNotExist)
		}
	}
}
