package e2e

import (
	"encoding/json"
	"os/exec"
	"time"
)

type geminiClient struct{}

func (geminiClient) name() string { return "gemini" }

func (geminiClient) argv() []string {
	node, err := exec.LookPath("node")
	path := installed("@google", "gemini-cli", "bundle", "gemini.js")
	if err != nil || path == "" {
		return nil
	}
	return []string{node, path, "--approval-mode", "yolo"}
}

func (geminiClient) dir(w *world) string { return w.home + "/.gemini" }

func (geminiClient) env(w *world) []string {
	return []string{"GEMINI_API_KEY=fake-key-for-mock", "GOOGLE_GEMINI_BASE_URL=" + w.model.url, "GEMINI_CLI_NO_RELAUNCH=1", "COLORTERM=truecolor"}
}

const geminiSettings = `{
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": true}},
  "ui": {"hideTips": true,   "hideBanner": true},
  "model": {"name": "gemini-2.5-pro"}
}
`

func (c geminiClient) seed(w *world) {
	w.write(c.dir(w)+"/settings.json", geminiSettings)
	trusted, err := json.Marshal(map[string]string{w.project: "TRUST_FOLDER"})
	check(w.t, err)
	w.write(c.dir(w)+"/trustedFolders.json", string(trusted))
}

func (geminiClient) print(session, prompt string, args []string) []string {
	line := append([]string{"--output-format", "json"}, args...)
	if session != "" {
		line = append(line, "--resume", session)
	}
	return append(line, "-p", prompt)
}

func (geminiClient) answer(stdout []byte) (answer, error) {
	var a struct {
		Session string `json:"session_id"`
		Result  string `json:"response"`
		Error   any
	}
	err := json.Unmarshal(stdout, &a)
	return answer{a.Session, a.Result, a.Error != nil}, err
}

func (geminiClient) screen() screen {
	return screen{
		resume: func(session string) []string { return []string{"--resume", session} },
		ready:  "Type your message", mark: "*", interrupted: "Request cancelled", held: "[Piton Checkpoint]", tellsInterrupt: true, exit: "/quit", command: "/checkpoint", pause: 300 * time.Millisecond,
	}
}

func (c geminiClient) transcripts(w *world, session string) string {
	return c.dir(w) + "/tmp/*/chats/session-*-" + session[:8] + ".jsonl"
}

func (geminiClient) events() events {
	return events{start: "SessionStart", prompt: "BeforeAgent", used: "BeforeTool", done: "AfterTool", stop: "AfterAgent", end: "SessionEnd"}
}

func (geminiClient) call(w *world, t tool) (string, map[string]any) {
	switch t.Kind {
	case "read":
		return "read_file", map[string]any{"file_path": w.path(t.File)}
	case "write":
		return "write_file", map[string]any{"file_path": w.path(t.File), "content": t.Text}
	case "edit":
		return "replace", map[string]any{"file_path": w.path(t.File), "instruction": "Change it", "old_string": t.From, "new_string": t.Text}
	case "shell":
		return "run_shell_command", map[string]any{"command": t.Text, "description": "Run it"}
	case "background":
		return "run_shell_command", map[string]any{"command": t.Text, "description": "Run it", "is_background": true}
	}
	return t.Kind, t.Input
}

func (geminiClient) delegate(prompt string) []reply {
	return []reply{call(tool{Kind: "invoke_agent", Input: map[string]any{"agent_name": "generalist", "prompt": prompt}})}
}

func (geminiClient) report(text string) reply {
	return call(tool{Kind: "complete_task", Input: map[string]any{"result": map[string]any{"response": text}}})
}
