package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/client/gemini"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

// A log that does not tell what the agent did is not the log of an agent that did
// nothing.
func TestUnreadableLogs(t *testing.T) {
	for name, text := range map[string]string{
		"empty":              "",
		"binary":             "\x00\x01\xff\n\x7fELF\n",
		"of an unknown form": `{"event":"message","from":"user"}` + "\n" + `{"event":"tool","name":"Bash"}` + "\n",
		"torn":               `{"type":"user","message":{"con`,
		"no JSON":            strings.Repeat("hello\n", 30),
		"too long":           strings.Repeat(`{"type":"mode"}`+"\n", logfile.MaxLines+1),
	} {
		for _, c := range All {
			got, err := newScratch(t).read(t, c, []byte(text), clienttest.LongAgo)
			if err != nil || got.Unreadable == "" {
				t.Errorf("%s, %s: got %q (%v), want why it cannot be read", c.Name(), name, got.Unreadable, err)
			}
		}
	}
	for _, c := range All {
		for i, b := range recordingsOf(t, c) {
			if got, _ := newScratch(t).read(t, c, b, time.Time{}); got.Unreadable != "" {
				t.Errorf("%s, recording %d: got %q, want it readable", c.Name(), i, got.Unreadable)
			}
		}
	}
}

// Older versions of Gemini CLI keep a chat as one document.
func TestChatAsADocument(t *testing.T) {
	const doc = `{
  "sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T10:00:00Z", "lastUpdated": "2026-01-01T10:00:09Z",
  "messages": [
    {"id": "1", "timestamp": "2026-01-01T10:00:00Z", "type": "user", "content": "before"},
    {"id": "2", "timestamp": "2026-01-01T10:00:01Z", "type": "user", "content": "fix it"},
    {"id": "3", "timestamp": "2026-01-01T10:00:02Z", "type": "gemini", "content": "Done.", "toolCalls": [
      {"id": "c", "name": "run_shell_command", "args": {"command": "go test ./..."}, "status": "success", "timestamp": "2026-01-01T10:00:03Z",
       "result": [{"functionResponse": {"id": "c", "response": {"output": "Output: FAIL\nExit Code: 1"}}}]}]}
  ]
}`
	path := filepath.Join(t.TempDir(), "session-x.json")
	for _, x := range []struct {
		name, text string
		want       string
		unreadable bool
	}{
		{"whole", doc, `shell "go test ./..." failed exit 1 "FAIL"`, false},
		{"torn", doc[:len(doc)-9], "", true},
	} {
		if err := os.WriteFile(path, []byte(x.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := gemini.Client{}.Transcript(path, time.Time{}, 0)
		var call string
		if len(got.Calls) == 1 {
			call = clienttest.FormatCall(got.Calls[0])
		}
		if err != nil || call != x.want || (got.Unreadable != "") != x.unreadable || !x.unreadable && got.LastPrompt != "fix it" {
			t.Errorf("%s: got %s, prompt %q, unreadable %q (%v); want %s", x.name, call, got.LastPrompt, got.Unreadable, err, x.want)
		}
	}
}
