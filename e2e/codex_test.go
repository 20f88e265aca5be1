package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

type codexClient struct{}

func (codexClient) name() string { return "codex" }

func (codexClient) argv() []string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	found, _ := filepath.Glob(filepath.Join("node_modules", "@openai", "codex-"+runtime.GOOS+"-"+arch, "vendor", "*", "bin", "codex"))
	if len(found) != 1 {
		return nil
	}
	path, err := filepath.Abs(found[0])
	if err != nil {
		return nil
	}
	// Trust in hooks is a person's to give. This is a throw-away home.
	return []string{path, "--dangerously-bypass-hook-trust"}
}

func (codexClient) dir(w *world) string { return w.home + "/.codex" }

func (c codexClient) env(w *world) []string {
	return []string{"CODEX_HOME=" + c.dir(w), "MOCK_API_KEY=sk-fake-not-a-key"}
}

const codexConfig = `# A person's own.
model = "gpt-5.5"
model_provider = "mock"
approval_policy   = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
cli_auth_credentials_store = "file"
web_search = "disabled"

[analytics]
enabled = false

[feedback]
enabled = false

[features]
daemon_auto_start = false
plugins = false
apps = false

[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "MOCK_API_KEY"
request_max_retries = 1
stream_max_retries = 1
stream_idle_timeout_ms = 60000

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[tui.model_availability_nux]
"gpt-6.1-sol" = 1

[projects."{project}"]
trust_level = "trusted"
`

func (c codexClient) seed(w *world) {
	w.write(c.dir(w)+"/config.toml", strings.NewReplacer("{url}", w.model.url, "{project}", w.project).Replace(codexConfig))
	// Its commands run in a login shell, which starts with the machine's PATH.
	w.write(w.home+"/.profile", "PATH='"+w.bin+":"+os.Getenv("PATH")+"'\n")
}

func (codexClient) print(session, prompt string, args []string) []string {
	line := append([]string{"exec", "--json"}, args...)
	if session != "" {
		line = append(line, "resume", session)
	}
	return append(line, prompt)
}

func (codexClient) answer(stdout []byte) (a answer, err error) {
	for line := range bytes.Lines(stdout) {
		var x struct {
			Type   string
			Thread string `json:"thread_id"`
			Item   struct{ Type, Text string }
		}
		if err := json.Unmarshal(line, &x); err != nil {
			return a, err
		}
		switch {
		case x.Type == "thread.started":
			a.Session = x.Thread
		case x.Type == "item.completed" && x.Item.Type == "agent_message":
			a.Result = x.Item.Text
		case x.Type == "turn.failed":
			a.IsError = true
		}
	}
	return a, nil
}

func (codexClient) screen() screen {
	return screen{
		resume: func(session string) []string { return []string{"resume", session} },
		ready:  "Ask Codex to do anything", mark: "›", interrupted: "interrupted", held: "[Piton Checkpoint]", tellsInterrupt: true, exit: "/exit", command: "$checkpoint", pause: 250 * time.Millisecond,
	}
}

func (c codexClient) transcripts(w *world, session string) string {
	return c.dir(w) + "/sessions/*/*/*/rollout-*-" + session + ".jsonl"
}

func (codexClient) events() events {
	return events{start: "SessionStart", prompt: "UserPromptSubmit", used: "PreToolUse", done: "PostToolUse", stop: "Stop", end: "SessionEnd"}
}

func (codexClient) call(w *world, t tool) (string, map[string]any) {
	shell := func(command string) (string, map[string]any) {
		return "exec_command", map[string]any{"cmd": command, "yield_time_ms": 30000}
	}
	switch t.Kind {
	case "read":
		return shell("cat " + t.File)
	case "write":
		return "apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Add File: " + t.File + "\n" + prefixed("+", t.Text) + "*** End Patch\n"}
	case "edit":
		return "apply_patch", map[string]any{"patch": patch(w, t)}
	case "shell":
		return shell(t.Text)
	case "background": // it yields at once and runs on
		return "exec_command", map[string]any{"cmd": t.Text, "yield_time_ms": 250}
	}
	return t.Kind, t.Input
}

// patch is an edit in one line of a file, as the client wants it.
func patch(w *world, t tool) string {
	for line := range strings.Lines(w.read(t.File)) {
		if strings.Contains(line, t.From) {
			to := strings.Replace(line, t.From, t.Text, 1)
			return fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-%s+%s*** End Patch\n", t.File, line, to)
		}
	}
	w.t.Errorf("no line of %s holds %q", t.File, t.From)
	return ""
}

// prefixed puts a mark before every line.
func prefixed(mark, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

var spawned = regexp.MustCompile(`"agent_id":"([^"]+)"`)

// delegate looks for the tools first, which are deferred, and waits for what it
// has started.
func (codexClient) delegate(prompt string) []reply {
	return []reply{
		call(tool{Kind: "tool_search", Input: map[string]any{"query": "spawn agent", "limit": 8}}),
		call(tool{Kind: "multi_agent_v1/spawn_agent", Input: map[string]any{"message": prompt}}),
		{then: func(r request) []tool {
			id := spawned.FindStringSubmatch(r.News)
			if id == nil {
				return nil
			}
			return []tool{{Kind: "multi_agent_v1/wait_agent", Input: map[string]any{"targets": []string{id[1]}, "timeout_ms": 30000}}}
		}},
	}
}

func (codexClient) report(text string) reply { return say(text) }
