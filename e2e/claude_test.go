package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// claudeProgram is the client's own binary for this machine, as e2e/install
// puts it here; "" where it is not.
func claudeProgram() string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	for _, libc := range []string{"", "-musl"} {
		path, err := filepath.Abs(filepath.Join("node_modules", "@anthropic-ai", "claude-code-"+runtime.GOOS+"-"+arch+libc, "claude"))
		if err != nil {
			return ""
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// environment is what every program of this world gets, and nothing of the
// caller's but the search path and where Go keeps what it has compiled.
func (w *world) environment() []string {
	env := []string{
		"PATH=" + w.bin + ":" + os.Getenv("PATH"), "HOME=" + w.home, "SHELL=/bin/bash", "LANG=C.UTF-8", "TERM=xterm-256color", "TMPDIR=" + w.tmp,
		"CLAUDE_CONFIG_DIR=" + w.config, "CLAUDE_CODE_TMPDIR=" + w.tmp, "ANTHROPIC_BASE_URL=" + w.model.url, "ANTHROPIC_API_KEY=" + fakeKey, "NO_PROXY=*",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"PITON_HOME=" + w.state, "XDG_CONFIG_HOME=" + w.home + "/.config",
		"GIT_CONFIG_NOSYSTEM=1", "GOPROXY=off", "GOTOOLCHAIN=local",
	}
	if cache, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil {
		env = append(env, "GOCACHE="+strings.TrimSpace(string(cache)))
	}
	return env
}

const fakeKey = "sk-ant-fake-0000000000000000000000000000000000000000"

// userSettings is a person's own settings file, oddly written on purpose.
const userSettings = `{
  "permissions": { "defaultMode": "acceptEdits",
     "allow": ["Bash", "Write", "Edit", "Read", "Agent"] },
  "hooks": {"Stop": [ {"hooks": [{"type":"command", "command": "true"}]} ]},
	"spinnerTipsEnabled" : false
}

`

// seedClient gets the client past its first questions.
func (w *world) seedClient() {
	w.write(w.config+"/settings.json", userSettings)
	state, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "lastOnboardingVersion": "99.0.0", "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{fakeKey[len(fakeKey)-20:]}, "rejected": []string{}},
		"projects":              map[string]any{w.project: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "allowedTools": []string{}}},
	})
	check(w.t, err)
	w.write(w.config+"/.claude.json", string(state))
}

// answer is what the client prints at the end of a run.
type answer struct {
	Session string `json:"session_id"`
	Result  string
	IsError bool `json:"is_error"`
}

// ask runs the client in print mode, which must go well. The last argument is
// the prompt.
func (w *world) ask(args ...string) answer {
	w.t.Helper()
	a, err := w.tryAsk(args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) tryAsk(args ...string) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	c := w.command(ctx, append([]string{w.claude, "-p", "--output-format", "json"}, args...)...)
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var a answer
	if json.Unmarshal(out.Bytes(), &a) != nil {
		w.t.Logf("the client printed: %s", out.String())
	}
	if err != nil {
		w.t.Logf("the client's stderr: %s", errs.String())
	}
	return a, err
}

// transcript is the client's own file of a session.
func (w *world) transcript(session string) string {
	w.t.Helper()
	files, err := filepath.Glob(w.config + "/projects/*/" + session + ".jsonl")
	check(w.t, err)
	if len(files) != 1 {
		w.t.Fatalf("got the transcripts %v, want one of session %s", files, session)
	}
	return w.read(files[0])
}
