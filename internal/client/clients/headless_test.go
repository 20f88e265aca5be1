package clients

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client"
)

// followed is what a recorded run without a terminal has told, and all its news.
func followed(t *testing.T, c client.Client, name string) (p client.Progress, news []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", c.Name(), "testdata", "headless", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	follow := c.Follow()
	for line := range bytes.Lines(text) {
		p = follow(line)
		for _, n := range p.News {
			if n.Call {
				n.Text = "> " + n.Text
			}
			news = append(news, n.Text)
		}
	}
	return p, news
}

// The recordings are of the real clients against a mock model.
func TestFollow(t *testing.T) {
	const id, killed = "0192f3a4-5b6c-7d8e-8f90-a1b2c3d4e5f6", "0192f3a4-5b6c-7d8e-8f90-a1b2c3d4e5f7"
	const last = "All is done.\n```json\n{\"a\":1}\n```"
	tokens := func(in, out int64) piton.TokenUsage { return piton.TokenUsage{Input: in, Output: out} }
	for _, x := range []struct {
		client, name string
		want         client.Progress
		news         string
	}{
		{"claude", "fresh", client.Progress{Session: id, Model: "claude-opus-5-5", Text: last, Usage: tokens(300, 60), CostUSD: 0.0024, Turns: 3, Done: true},
			"> Read: /home/dev/project/calc.go|> Bash: echo hello; false|> Write: /home/dev/project/new.txt|" + last},
		{"claude", "resume", client.Progress{Session: id, Model: "claude-opus-5-5", Text: "Resumed.", Usage: tokens(100, 20), CostUSD: 0.0008, Turns: 1, Done: true}, "Resumed."},
		{"claude", "killed", client.Progress{Session: killed, Model: "claude-opus-5-5", Usage: tokens(100, 20), Turns: 1}, "> Bash: hang"},
		{"claude", "error", client.Progress{Session: "0192f3a4-5b6c-7d8e-8f90-a1b2c3d4e5f8", Model: "claude-opus-5-5", Failure: "API Error: 400 bad request", Status: 400}, ""},
		{"claude", "resume-none", client.Progress{Session: "0192f3a4-5b6c-7d8e-8f90-a1b2c3d40000", Failure: "error during execution: No conversation found with session ID: 0192f3a4-5b6c-7d8e-8f90-a1b2c3d40000"}, ""},
		{"gemini", "fresh", client.Progress{Session: id, Model: "gemini-2.5-pro", Text: last, Usage: tokens(300, 30), Turns: 1, Done: true},
			"> read_file: /home/dev/project/calc.go|> run_shell_command: echo hello; false|> write_file: /home/dev/project/new.txt|" + last},
		{"gemini", "resume", client.Progress{Session: id, Model: "gemini-2.5-pro", Text: "Resumed.", Usage: tokens(100, 10), Turns: 1, Done: true}, "Resumed."},
		{"gemini", "killed", client.Progress{Session: killed, Model: "gemini-2.5-pro"}, "> run_shell_command: hang"},
		{"gemini", "error", client.Progress{Session: "0192f3a4-5b6c-7d8e-8f90-a1b2c3d4e5f8", Model: "gemini-2.5-pro", Failure: `[API Error: {"error":{"code":400,"message":"bad request","status":"INVALID_ARGUMENT"}}]`}, ""},
		{"codex", "fresh", client.Progress{Session: "01a2052e-6f96-7ed3-aa89-317c8f5e7e49", Text: last, Usage: tokens(300, 30), Cumulative: true, Turns: 1, Done: true},
			"> shell: /bin/bash -lc 'echo hello; false'|> shell: /bin/bash -lc 'cat calc.go'|> edit: /home/dev/project/new.txt|" + last},
		{"codex", "resume", client.Progress{Session: "01a2052e-6f96-7ed3-aa89-317c8f5e7e49", Text: "Resumed.", Usage: tokens(400, 40), Cumulative: true, Turns: 1, Done: true}, "Resumed."},
		{"codex", "error", client.Progress{Session: "01a2052e-7637-7cd1-9198-444b20ff9a55", Cumulative: true, Failure: "bad request"}, ""},
	} {
		c, _ := ByName(x.client)
		got, news := followed(t, c, x.name)
		got.News = nil
		if round := func(f float64) float64 { return float64(int(f*1e6+0.5)) / 1e6 }; round(got.CostUSD) == x.want.CostUSD {
			got.CostUSD = x.want.CostUSD
		}
		if !equalProgress(got, x.want) {
			t.Errorf("%s, %s: got %+v, want %+v", x.client, x.name, got, x.want)
		}
		if s := strings.Join(news, "|"); s != x.news {
			t.Errorf("%s, %s: got the news %q, want %q", x.client, x.name, s, x.news)
		}
	}
}

func equalProgress(a, b client.Progress) bool {
	return a.Session == b.Session && a.Model == b.Model && a.Text == b.Text && a.Usage == b.Usage && a.Cumulative == b.Cumulative && a.CostUSD == b.CostUSD &&
		a.Turns == b.Turns && slices.Equal(a.Denied, b.Denied) && a.Done == b.Done && a.Failure == b.Failure && a.Status == b.Status
}

// What the lines of a client are like never matters.
func TestFollowGarbage(t *testing.T) {
	for _, c := range All {
		follow := c.Follow()
		for _, line := range []string{"", "\n", "hello\n", "[]\n", "{\n", "{}\n", `{"type":"result"}`, `{"type":7,"message":[]}`, `{"type":"assistant","message":{"content":{}}}`,
			`{"type":"item.completed","item":"x"}`, `{"type":"message","role":"assistant","content":{}}`, strings.Repeat("{", 10000)} {
			if p := follow([]byte(line)); p.Done || p.Session != "" || p.Usage != (piton.TokenUsage{}) {
				t.Errorf("%s: got %+v of %.40q, want nothing", c.Name(), p, line)
			}
		}
	}
}

func TestHeadlessCommand(t *testing.T) {
	const id = "0192f3a4-5b6c-7d8e-8f90-a1b2c3d4e5f6"
	for _, x := range []struct {
		name, client string
		task         client.Task
		want         string
	}{
		{"a new session", "claude", client.Task{Session: id}, "claude -p --output-format stream-json --verbose --session-id " + id + " --permission-mode acceptEdits"},
		{"to look only", "claude", client.Task{Session: id, Rights: client.Read, Tools: []string{"Bash(git log *)"}},
			"claude -p --output-format stream-json --verbose --session-id " + id + " --permission-mode dontAsk --disallowedTools=" + "Bash,PowerShell,Edit,MultiEdit,Write,NotebookEdit --allowedTools=Bash(git log *)"},
		{"resumed with all", "claude", client.Task{Session: id, Resume: true, Rights: client.Full, Model: "haiku", System: "Be short.", CostUSD: 0.5, Args: []string{"--effort", "low"}},
			"claude -p --output-format stream-json --verbose --resume " + id + " --permission-mode bypassPermissions --model=haiku --append-system-prompt=Be short. --max-budget-usd=0.5 --effort low"},
		{"resumed by a flag", "claude", client.Task{Session: "--dangerously-skip-permissions", Resume: true}, ""},
		{"a new session", "gemini", client.Task{Session: id}, "gemini --output-format stream-json --session-id " + id + " --approval-mode auto_edit"},
		{"to look only", "gemini", client.Task{Session: id, Resume: true, Rights: client.Read, Model: "gemini-2.5-flash"}, "gemini --output-format stream-json --resume " + id + " --approval-mode default --model=gemini-2.5-flash"},
		{"full", "gemini", client.Task{Rights: client.Full, Tools: []string{"run_shell_command(go)"}}, "gemini --output-format stream-json --approval-mode yolo --allowed-tools=run_shell_command(go)"},
		{"resumed by a place in a list", "gemini", client.Task{Session: "5", Resume: true}, ""},
		{"a new session", "codex", client.Task{}, "codex exec --json --skip-git-repo-check -c features.daemon_auto_start=false --sandbox workspace-write -"},
		{"resumed", "codex", client.Task{Session: id, Resume: true, Rights: client.Read, Model: "gpt-5.5", Args: []string{"-c", "x=1"}}, "codex exec --json --skip-git-repo-check -c features.daemon_auto_start=false --sandbox read-only --model=gpt-5.5 -c x=1 resume " + id + " -"},
		{"full", "codex", client.Task{Rights: client.Full}, "codex exec --json --skip-git-repo-check -c features.daemon_auto_start=false --sandbox danger-full-access -"},
		{"resumed by nothing", "codex", client.Task{Resume: true}, ""},
	} {
		c, _ := ByName(x.client)
		if got := strings.Join(c.HeadlessCommand(x.task), " "); got != x.want {
			t.Errorf("%s, %s: got %q, want %q", x.client, x.name, got, x.want)
		}
	}
}

// What an agent cannot do is not asked of it.
func TestRunsCommands(t *testing.T) {
	for _, x := range []struct {
		client string
		task   client.Task
		want   bool
	}{
		{"claude", client.Task{Rights: client.Read}, false},
		{"claude", client.Task{Rights: client.Edit}, true},
		{"gemini", client.Task{Rights: client.Read}, false},
		{"gemini", client.Task{Rights: client.Edit}, false},
		{"gemini", client.Task{Rights: client.Edit, Tools: []string{"run_shell_command(go test)"}}, true},
		{"gemini", client.Task{Rights: client.Full}, true},
		{"codex", client.Task{Rights: client.Read}, true},
	} {
		c, _ := ByName(x.client)
		if got := c.RunsCommands(x.task); got != x.want {
			t.Errorf("%s with %+v: got %v, want %v", x.client, x.task, got, x.want)
		}
	}
}

// Unknown rights are the plain ones, never all.
func TestRightsAreNeverFullUnasked(t *testing.T) {
	for _, c := range All {
		plain := c.HeadlessCommand(client.Task{Rights: client.Edit})
		for _, r := range []client.Rights{"", "Full", "yes"} {
			if got := c.HeadlessCommand(client.Task{Rights: r}); !slices.Equal(got, plain) {
				t.Errorf("%s: the rights %q give %q, want %q", c.Name(), r, got, plain)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for said, want := range map[string]client.Refusal{
		"claude|No conversation found with session ID: 0192\n":                                        client.RefusedGone,
		"claude|Error: Session ID 0192 is already in use.\n":                                          client.RefusedTaken,
		"claude|Invalid API key\n":                                                                    client.RefusedElse,
		"gemini|Error resuming session: Invalid session identifier \"0192\".\n":                       client.RefusedGone,
		"gemini|Error starting session: Session ID \"0192\" already exists. Use --resume to\n":        client.RefusedTaken,
		"gemini|YOLO mode is enabled.\n":                                                              client.RefusedElse,
		"codex|Error: thread/resume: thread/resume failed: no rollout found for thread id 0192 (code": client.RefusedGone,
		"codex|Not inside a trusted directory":                                                        client.RefusedElse,
	} {
		name, stderr, _ := strings.Cut(said, "|")
		c, _ := ByName(name)
		if got := c.Refused(stderr); got != want {
			t.Errorf("%s: got %v of %q, want %v", name, got, stderr, want)
		}
	}
}
