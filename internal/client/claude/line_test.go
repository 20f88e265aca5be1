package claude

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// said is a user line with the given text and members.
func said(words, members string) string {
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":%s},%s"timestamp":"2026-11-20T10:00:00.000Z"}`, words, members)
}

func TestRealPrompts(t *testing.T) {
	const human, machine = `"origin":{"kind":"human"},"turnOrigin":"human",`, `"origin":{"kind":"task-notification"},"turnOrigin":"task_notification",`
	for _, tt := range []struct {
		name, line string
		want       bool
	}{
		{"typed", said(`"fix it"`, human), true},
		{"typed with an image", said(`[{"type":"text","text":"like this"},{"type":"image","source":{}}]`, human), true},
		{"only an image", said(`[{"type":"image","source":{}}]`, human), true},
		{"given in print mode", said(`"fix it"`, `"turnOrigin":"sdk","promptSource":"sdk",`), true},
		{"a command of the person's own", said(`"<command-message>greet</command-message>\n<command-name>/greet</command-name>"`, human), true},
		{"typed, but looks like a mark", said(`"[Request interrupted by user] is what I see"`, human), true},
		{"of an old version", said(`"fix it"`, ""), true},
		{"of an old version, in blocks", said(`[{"type":"text","text":"fix it"}]`, ""), true},
		{"a task's notice", said(`"<task-notification>\n<task-id>b1</task-id>"`, machine), false},
		{"a machine's prompt with other words", said(`"wake up"`, machine), false},
		{"a turn of a machine without origin", said(`"wake up"`, `"turnOrigin":"task_notification",`), false},
		{"a meta line", said(`"Caveat"`, `"isMeta":true,`), false},
		{"a meta line of a person's command", said(`"Say hello"`, human+`"isMeta":true,"turnCompanion":true,`), false},
		{"a summary", said(`"This session is being continued"`, `"isVisibleInTranscriptOnly":true,"isCompactSummary":true,`), false},
		{"a tool's result", said(`[{"type":"tool_result","tool_use_id":"t","content":"x"}]`, ""), false},
		{"a result with words", said(`[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"t"}]`, human), false},
		{"a command of the client's", said(`"<command-name>/compact</command-name>"`, ""), false},
		{"its output", said(`"<local-command-stdout>Compacted</local-command-stdout>"`, ""), false},
		{"a shell line of the person's", said(`"<bash-input>ls</bash-input>"`, ""), false},
		{"an interruption", said(`[{"type":"text","text":"[Request interrupted by user for tool use]"}]`, ""), false},
		{"an old notice", said(`"<task-notification>\n"`, ""), false},
		{"Piton's text, typed by Piton", said(`"[Piton Checkpoint] - Go on."`, human), false},
		{"Piton's text, handed on", said(`"Stop hook feedback:\n[Piton Checkpoint] - Go on."`, ""), false},
		{"nothing", said(`""`, ""), false},
		{"content of a wrong type", said(`7`, ""), false},
		{"an assistant's line", strings.Replace(said(`"fix it"`, human), `"type":"user"`, `"type":"assistant"`, 1), false},
	} {
		l, _ := parseLine([]byte(tt.line))
		if got := l.prompt(); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestLinesThatMatter goes through the recordings: what is left after its first
// bytes must be what the parser would not look at.
func TestLinesThatMatter(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.jsonl")
	kinds := map[string]int{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(b))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if l, ok := parseLine(lines.Bytes()); ok {
				kinds[l.kind]++
				if l.at.IsZero() {
					t.Errorf("%s: got no time in %.120s", file, lines.Text())
				}
			}
		}
	}
	for _, kind := range []string{"user", "assistant", "system", "attachment", "queue-operation"} {
		if kinds[kind] == 0 {
			t.Errorf("got no line of kind %s", kind)
		}
	}
	if len(kinds) != 5 {
		t.Errorf("got kinds %v, want five", kinds)
	}
}

func TestLineInAnyOrder(t *testing.T) {
	for name, in := range map[string]string{
		"type first":           `{"type":"attachment","attachment":{"prompt":"p","type":"queued_command"},"timestamp":"2026-11-20T10:00:00Z"}`,
		"type last":            `{"timestamp":"2026-11-20T10:00:00Z","attachment":{"prompt":"p","type":"queued_command"},"type":"attachment"}`,
		"space between":        `{ "attachment" : { "type" : "queued_command" } , "type" : "attachment", "timestamp" : "2026-11-20T10:00:00Z" }`,
		"members of any value": `{"type":"attachment","isMeta":"true","origin":7,"version":[],"attachment":{"type":"queued_command"},"timestamp":"2026-11-20T10:00:00Z"}`,
	} {
		l, ok := parseLine([]byte(in))
		if want := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC); !ok || l.attachment == nil || !l.at.Equal(want) || l.meta {
			t.Errorf("%s: got %+v, %v; want a line with an attachment at %s", name, l, ok, want)
		}
	}
	for name, in := range map[string]string{
		"no type":       `{"message":{"content":"x"}}`,
		"no attachment": `{"type":"attachment"}`,
		"torn":          `{"type":"user","message":{"content":"x"}`,
		"a snapshot":    `{"attachment":{"type":"prompt_snapshot","tools":[`,
		"a request":     `{"type":"api-request-shape","shape":`,
		"a number":      `{"type":7}`,
	} {
		if l, ok := parseLine([]byte(in)); ok {
			t.Errorf("%s: got %+v, want no line", name, l)
		}
	}
}
