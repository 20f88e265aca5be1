package gemini

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

const document = `{
  "sessionId": "5b0c7a52-0000-4000-8000-000000000001",
  "projectHash": "aa",
  "messages": [
    {"id": "1", "timestamp": "2026-03-01T10:00:00Z", "type": "user", "content": [{"text": "make it"}]},
    {"id": "2", "timestamp": "2026-03-01T10:00:05Z", "type": "gemini", "content": "", "toolCalls": [
      {"id": "c1", "name": "run_shell_command", "args": {"command": "go test ./..."}, "status": "success", "timestamp": "2026-03-01T10:00:06Z"}]},
    {"id": "3", "timestamp": "2026-03-01T10:00:09Z", "type": "gemini", "content": "Done."},
    {"id": "4", "timestamp": "2026-03-01T10:01:00Z", "type": "user", "content": "and now?"},
    {"id": "5", "timestamp": "2026-03-01T10:01:02Z", "type": "gemini", "content": "Nothing."}
  ]
}
`

// A chat of the older versions is read turn by turn, as it was at each prompt.
func TestDocumentTurns(t *testing.T) {
	for _, name := range []string{"session-1.json", "full.jsonl"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
				t.Fatal(err)
			}
			if x, err := (Client{}).About(path); err != nil || !x.Wrote {
				t.Error("not recognized")
			}
			prompts, whole, err := Client{}.Prompts(path)
			if err != nil || !whole || len(prompts) != 2 || prompts[0].Text != "make it" || prompts[1].Text != "and now?" {
				t.Fatalf("got %+v, %v, %v", prompts, whole, err)
			}
			first, err := Client{}.Transcript(path, time.Time{}, prompts[1].Offset)
			if err != nil || first.LastOutput != "Done." || len(first.Calls) != 1 || !first.Complete {
				t.Errorf("the first turn: got %+v, %v", first, err)
			}
			second, err := Client{}.Transcript(path, time.Time{}, 0)
			if err != nil || second.LastOutput != "Nothing." || len(second.Calls) != 0 || !second.Complete {
				t.Errorf("the second turn: got %+v, %v", second, err)
			}
		})
	}
}
