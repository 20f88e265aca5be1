package clients

import "testing"

func TestByName(t *testing.T) {
	for name, variable := range map[string]string{"claude": "CLAUDE_CODE_SESSION_ID", "gemini": "GEMINI_SESSION_ID", "codex": "CODEX_SESSION_ID"} {
		if c, ok := ByName(name); !ok || c.Name() != name || c.SessionEnv() != variable {
			t.Errorf("%s: got %v, %v; want the client of that name", name, c, ok)
		}
	}
	if c, ok := ByName("ed"); ok {
		t.Errorf("ed: got %v; want none", c)
	}
}
