package claude

import (
	"strings"
	"testing"
)

// TestResumeOnTheSessionsModel: what Claude Code's command runs on a small model
// ends with the brief; the resumed work is the session's.
func TestResumeOnTheSessionsModel(t *testing.T) {
	text := string(Client{}.Settings().Command.Text)
	if !strings.Contains(text, "\nmodel: haiku\n") {
		t.Fatal("the command names no small model: this test is about what it may do on one")
	}
	_, resume, _ := strings.Cut(text, "- **resume**:")
	resume, _, _ = strings.Cut(resume, "\n- **")
	for _, want := range []string{"end your turn", "Do none of the work yourself"} {
		if !strings.Contains(resume, want) {
			t.Errorf("resume: got %q, want %q in it", resume, want)
		}
	}
}
