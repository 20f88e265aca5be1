package clients_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/client/clients"
)

func TestRuns(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"claude", "claude", "claude"},
		{"2.1.328", "claude --resume x", "claude"},
		{"claude", "/home/ann/.local/share/claude/versions/2.1.328 -p", "claude"},
		{"claude", "", "claude"},
		{"node", "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "claude"},
		{"MainThread", "node --no-warnings=DEP0040 /usr/bin/gemini -p hello", "gemini"},
		{"node", "/usr/local/bin/node /usr/lib/node_modules/@google/gemini-cli/dist/index.js", "gemini"},
		{"codex", "/usr/lib/node_modules/@openai/codex/vendor/codex exec", "codex"},
		{"node", "node /usr/bin/codex", "codex"},
		{"node", "node /usr/lib/node_modules/@openai/codex/bin/codex.js", "codex"},
		{"claude", "sh /usr/local/bin/claude", "claude"},
		{"Claude", `C:\Tools\claude.exe`, "claude"},
		{"2.1.328", "/home/ann/.local/share/claude/versions/2.1.328 -p", "claude"},
		{"node", "node /x/node_modules/@anthropic-ai/claude-agent-sdk/cli.js", "claude"},
		{"claude-code-acp", "claude-code-acp", "claude"},
		{"node", "node /usr/bin/claude-code-acp", "claude"},
		{"codex-x86_64-un", "/x/codex-x86_64-unknown-linux-musl exec", "codex"},
		{"codex-linux-san", "/x/codex-linux-sandbox", "codex"},
		{"gemini.js", "/x/gemini.js", "gemini"},

		{"claude-squad", "claude-squad", ""},
		{"bash", "-bash", ""},
		{"bash", "bash -c claude", "claude"},
		{"node", "node server.js claude", ""},
		{"node", "node /home/ann/claude/server.js", ""},
		{"node", "node /home/ann/codex/server.js", ""},
		{"vim", "vim claude", ""},
		{"tmux: server", "tmux new -s claude", ""},
		{"go", "go test ./agent", ""},
		{"", "", ""},
	} {
		if got := clients.Runs(c.name, strings.Fields(c.line)); got != c.want {
			t.Errorf("%s (%s): got %q, want %q", c.name, c.line, got, c.want)
		}
	}
}

// A server outlives the terminals whose conversations it serves.
func TestServes(t *testing.T) {
	for line, want := range map[string]bool{
		"/usr/lib/codex/bin/codex":                       false,
		"codex resume 0199a213":                          false,
		"codex exec --json do it":                        false,
		"/usr/lib/codex/bin/codex app-server --listen x": true,
		"codex app-server daemon run":                    true,
		"claude --resume x":                              false,
		"":                                               false,
	} {
		if got := clients.Serves(strings.Fields(line)); got != want {
			t.Errorf("%s: got %v, want %v", line, got, want)
		}
	}
}
