package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
)

// TestAllowIsTheUsersAlone: neither a project's file nor the environment says
// which secrets are kept.
func TestAllowIsTheUsersAlone(t *testing.T) {
	dir := t.TempDir()
	user, project := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(user, "redact:\n  allow:\n    names: [session_token]\n    patterns: [\"test-*\", \"**\"]\n")
	write(config.ProjectPath(project), "redact:\n  allow:\n    names: [password]\n")
	env := map[string]string{"PITON_HOME": filepath.Join(dir, "home"), "PITON_REDACT_ALLOW_PATTERNS": "hunter2*"}
	c := config.Load(config.Places{UserFile: user, Project: project, Getenv: func(k string) string { return env[k] }})
	if !slices.Equal(c.Allow.Names, []string{"session_token"}) || !slices.Equal(c.Allow.Patterns, []string{"test-*"}) {
		t.Errorf("got %+v, want what the user's file says without what fits everything", c.Allow)
	}
	var said []string
	for _, err := range c.Problems {
		var e *piton.Error
		if errors.As(err, &e) {
			said = append(said, e.Error())
		}
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"every secret", "redact.allow.patterns can be set by your own settings file only", "redact.allow.names can be set by your own settings file only"} {
		if !strings.Contains(all, want) {
			t.Errorf("got %s, want it to say %q", all, want)
		}
	}
}
