package e2e

import (
	"encoding/json"
	"testing"
)

func TestWhoseCall(t *testing.T) {
	for name, env := range map[string][]string{
		"plain":            {},
		"in claude":        {"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=11111111-2222-3333-4444-555555555555"},
		"in claude, no id": {"CLAUDECODE=1"},
		"in ci":            {"GITHUB_SHA=abc"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldOf(t, gemini, append(env, always, "GEMINI_CLI_NO_RELAUNCH=")...)
			w.model.script(
				call(readTool("calc.go")),
				call(bash("env >"+w.root+"/env; piton save --json >"+w.root+"/saved.json")),
				say("It is done."))
			w.ask("/checkpoint save")
			var saved struct {
				Session string `json:"session_id"`
				From    string `json:"state_from"`
				ID      string
			}
			check(t, json.Unmarshal([]byte(w.read(w.root+"/saved.json")), &saved))
			s := w.theSession()
			if saved.Session != s.ID {
				t.Errorf("got session %s, want %s: %s", saved.Session, s.ID, w.read(w.root+"/saved.json"))
				t.Log(w.read(w.root + "/env"))
			}
		})
	}
}
