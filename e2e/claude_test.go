package e2e

import (
	"encoding/json"
	"runtime"
)

type claudeClient struct{}

func (claudeClient) name() string { return "claude" }

func (claudeClient) argv() []string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	for _, libc := range []string{"", "-musl"} {
		if path := installed("@anthropic-ai", "claude-code-"+runtime.GOOS+"-"+arch+libc, "claude"); path != "" {
			return []string{path}
		}
	}
	return nil
}

func (claudeClient) dir(w *world) string { return w.home + "/.claude" }

const fakeKey = "sk-ant-fake-0000000000000000000000000000000000000000"

func (c claudeClient) env(w *world) []string {
	return []string{
		"CLAUDE_CONFIG_DIR=" + c.dir(w), "CLAUDE_CODE_TMPDIR=" + w.tmp, "ANTHROPIC_BASE_URL=" + w.model.url, "ANTHROPIC_API_KEY=" + fakeKey,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	}
}

// userSettings is a person's own settings file, oddly written on purpose.
const userSettings = `{
  "permissions": { "defaultMode": "acceptEdits",
     "allow": ["Bash", "Write", "Edit", "Read", "Agent"] },
  "hooks": {"Stop": [ {"hooks": [{"type":"command", "command": "true"}]} ]},
	"spinnerTipsEnabled" : false
}

`

func (c claudeClient) seed(w *world) {
	w.write(c.dir(w)+"/settings.json", userSettings)
	state, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "lastOnboardingVersion": "99.0.0", "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{fakeKey[len(fakeKey)-20:]}, "rejected": []string{}},
		"projects":              map[string]any{w.project: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "allowedTools": []string{}}},
	})
	check(w.t, err)
	w.write(c.dir(w)+"/.claude.json", string(state))
}

func (claudeClient) print(session, prompt string, args []string) []string {
	line := append([]string{"-p", "--output-format", "json"}, args...)
	if session != "" {
		line = append(line, "--resume", session)
	}
	return append(line, prompt)
}

func (claudeClient) answer(stdout []byte) (answer, error) {
	var a struct {
		Session string `json:"session_id"`
		Result  string
		IsError bool `json:"is_error"`
	}
	err := json.Unmarshal(stdout, &a)
	return answer(a), err
}

func (claudeClient) screen() screen {
	return screen{
		resume: func(session string) []string { return []string{"--resume", session} },
		ready:  "❯", mark: "❯", interrupted: "Interrupted", held: "Stop hook says: [Piton Checkpoint] - `calc.go` changed", tellsInterrupt: true, exit: "/exit", command: "/checkpoint",
	}
}

func (c claudeClient) transcripts(w *world, session string) string {
	return c.dir(w) + "/projects/*/" + session + ".jsonl"
}

func (claudeClient) events() events {
	return events{start: "SessionStart", prompt: "UserPromptSubmit", used: "PreToolUse", done: "PostToolUse", stop: "Stop", end: "SessionEnd"}
}

func (claudeClient) call(w *world, t tool) (string, map[string]any) {
	switch t.Kind {
	case "read":
		return "Read", map[string]any{"file_path": w.path(t.File)}
	case "write":
		return "Write", map[string]any{"file_path": w.path(t.File), "content": t.Text}
	case "edit":
		return "Edit", map[string]any{"file_path": w.path(t.File), "old_string": t.From, "new_string": t.Text}
	case "shell":
		return "Bash", map[string]any{"command": t.Text, "description": "Run it"}
	case "background":
		return "Bash", map[string]any{"command": t.Text, "description": "Run it", "run_in_background": true}
	case "agent":
		return "Agent", map[string]any{"description": "A part of it", "prompt": t.Text, "subagent_type": "general-purpose"}
	}
	return t.Kind, t.Input
}

func (claudeClient) delegate(prompt string) []reply { return []reply{call(agent(prompt))} }

func (claudeClient) report(text string) reply { return say(text) }
