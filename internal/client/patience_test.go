package client

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What the client allows its hook at a stop, by the first settings that name it. What
// is not a number of seconds of a hook of ours is not believed.
func TestPatience(t *testing.T) {
	s := Settings{File: "settings.json", Hooks: HookTable{Unit: time.Second, Default: time.Minute, Stop: "Stop"}}
	hook := func(command, timeout string) string {
		return `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + command + `"` + timeout + `}]}]}}`
	}
	for _, c := range []struct {
		name, user, project string
		want                time.Duration
	}{
		{"the person's", hook("'/a b/piton-hook' claude 2>/dev/null || :", `,"timeout":90`), "", 90 * time.Second},
		{"no timeout", hook("piton-hook claude", ""), "", time.Minute},
		{"the person's before the project's", hook("piton-hook claude", `,"timeout":90`), hook("piton-hook claude", `,"timeout":1`), 90 * time.Second},
		{"the project's alone", "", hook("/x/piton-hook claude", `,"timeout":45`), 45 * time.Second},
		{"one that is too short to believe", "", hook("piton-hook claude", `,"timeout":1`), leastPatience},
		{"another's hook", "", hook("true # piton-hook claude", `,"timeout":1`), 0},
		{"a negative one", "", hook("piton-hook claude", `,"timeout":-5`), time.Minute},
		{"a huge one", "", hook("piton-hook claude", `,"timeout":1e300`), mostPatience},
		{"a text", "", hook("piton-hook claude", `,"timeout":"9"`), 0},
		{"no settings", "", "", 0},
	} {
		user, project := t.TempDir(), t.TempDir()
		for dir, text := range map[string]string{user: c.user, project: c.project} {
			if text != "" {
				if err := os.WriteFile(filepath.Join(dir, s.File), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := s.Patience(user, project); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile(s.File, []byte(hook("piton-hook claude", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.Patience(""); got != 0 {
		t.Errorf("no folder: got %s, want none read from where the program stands", got)
	}
}
