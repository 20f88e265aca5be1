package setup

// The clients, for tests that need one.
var (
	claude, _ = clientOf("claude")
	gemini, _ = clientOf("gemini")
	codex, _  = clientOf("codex")
	allOfThem = []agentClient{claude, gemini, codex}
)

func claudeHooks(t Target) []hook { return claude.hooks(t) }
func geminiHooks(t Target) []hook { return gemini.hooks(t) }
