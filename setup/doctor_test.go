package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// chain is a sound installation that a test breaks in one place.
type chain struct {
	Target
	programs map[string]string // what is in PATH: its path
	answers  map[string]string // what programs say to --version, by path
	managed  string
}

func sound(t *testing.T) *chain {
	tg := target(t, User)
	root := filepath.Dir(tg.Home)
	for _, program := range []string{"piton", "piton-hook", "claude", "git"} {
		script(t, filepath.Join(root, "bin", program), "exit 9") // never run: answers are below
	}
	bin := func(name string) string { return filepath.Join(root, "bin", name) }
	must(t, os.Mkdir(tg.State, 0o700))
	must(t, Apply(plan(t, Init, tg).Changes))
	return &chain{
		Target:   tg,
		programs: map[string]string{"piton": bin("piton"), "claude": bin("claude"), "git": bin("git"), "piton-hook": bin("piton-hook")},
		answers:  map[string]string{bin("piton-hook"): "piton-hook 0.4.0\n", bin("claude"): "2.1.328 (Claude Code)\n", bin("git"): "git version 2.50.0\n"},
		managed:  filepath.Join(root, "managed"),
	}
}

func (c *chain) doctor() []Check {
	p := Probe{
		Version: "0.4.0",
		System:  c.managed,
		LookPath: func(program string) (string, error) {
			if path, ok := c.programs[program]; ok {
				return path, nil
			}
			return "", errors.New(program + " not found")
		},
		Run: func(_ context.Context, argv []string) (string, error) {
			if answer, ok := c.answers[argv[0]]; ok && len(argv) == 2 && argv[1] == "--version" {
				return answer, nil
			}
			return "", errors.New("exit status 9")
		},
	}
	return append(Doctor(context.Background(), c.Target, p), DoctorPiton(context.Background(), c.Target, p)...)
}

func (c *chain) settings(scope Scope) string {
	tg := c.Target
	tg.Scope = scope
	return filepath.Join(folderOf(tg), "settings.json")
}

func TestDoctorFindsNothingInASoundChain(t *testing.T) {
	for _, c := range sound(t).doctor() {
		if !c.OK || c.Warn || c.Hint != "" || c.Detail == "" {
			t.Errorf("%+v", c)
		}
	}
}

func TestDoctorFinds(t *testing.T) {
	const project = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"command -v piton-hook >/dev/null 2>&1 && piton-hook claude 2>/dev/null || :"}]}]}}`
	for _, c := range []struct {
		name     string
		breakIt  func(t *testing.T, c *chain)
		check    string
		fails    bool // else it warns
		says     string
		hintSays string
	}{
		{"no settings", func(t *testing.T, c *chain) { os.Remove(c.settings(User)) }, "hooks", true, "not installed", "piton init"},
		{"settings cut off", func(t *testing.T, c *chain) { write(t, c.settings(User), "{", 0o644) }, "settings", true, "not JSON", "by hand"},
		{"an event missing", func(t *testing.T, c *chain) {
			text := strings.Replace(string(load(t, c.settings(User))), `"StopFailure"`, `"StopFailure2"`, 1)
			write(t, c.settings(User), text, 0o644)
		}, "hooks", true, "missing: StopFailure", "piton init"},
		{"every tool wanted", func(t *testing.T, c *chain) { c.EveryTool = true }, "hooks", true, "PreToolUse", "piton init"},
		{"both scopes", func(t *testing.T, c *chain) { write(t, c.settings(Project), project, 0o644) }, "hooks twice", false, "Stop", "uninstall --agent claude --scope project"},
		{"stale path", func(t *testing.T, c *chain) {
			write(t, c.settings(User), strings.ReplaceAll(string(load(t, c.settings(User))), "/bin/piton-hook", "/gone/piton-hook"), 0o644)
		}, "hook paths", true, "no such file", "piton init"},
		{"another piton-hook", func(t *testing.T, c *chain) {
			script(t, c.Home+"/go/bin/piton-hook", "")
			write(t, c.settings(User), `{"hooks":{"Stop":[{"hooks":[{"command":"$HOME/go/bin/piton-hook claude"}]}]}}`, 0o644)
		}, "hook paths", false, "/go/bin/piton-hook, not", "piton init"},
		{"project hook not in PATH", func(t *testing.T, c *chain) {
			write(t, c.settings(Project), project, 0o644)
			delete(c.programs, "piton-hook")
		}, "hook paths", true, "not in PATH", "PATH"},
		{"hooks in local settings", func(t *testing.T, c *chain) {
			write(t, filepath.Join(filepath.Dir(c.settings(Project)), "settings.local.json"), project, 0o644)
		}, "hooks by hand", false, "settings.local.json", "remove"},
		{"switched off by the user", func(t *testing.T, c *chain) {
			write(t, c.settings(User), strings.Replace(string(load(t, c.settings(User))), "{", `{"disableAllHooks": true,`, 1), 0o644)
		}, "hooks allowed", true, "disableAllHooks", "remove"},
		{"switched off by the project", func(t *testing.T, c *chain) { write(t, c.settings(Project), `{"disableAllHooks":true}`, 0o644) },
			"hooks allowed", true, "project/.claude/settings.json", "remove"},
		{"switched off in local settings", func(t *testing.T, c *chain) {
			write(t, filepath.Join(filepath.Dir(c.settings(Project)), "settings.local.json"), `{"disableAllHooks":true}`, 0o644)
		}, "hooks allowed", true, "settings.local.json", "remove"},
		{"switched off by policy", func(t *testing.T, c *chain) {
			write(t, filepath.Join(c.managed, "managed-settings.d", "10.json"), `{"disableAllHooks":true}`, 0o644)
		}, "hooks allowed", true, "10.json", "remove"},
		{"policy's own hooks only", func(t *testing.T, c *chain) {
			write(t, filepath.Join(c.managed, "managed-settings.json"), `{"allowManagedHooksOnly":true}`, 0o644)
		}, "hooks allowed", true, "administrator", "administrator"},
		{"piton-hook gone", func(t *testing.T, c *chain) { os.Remove(c.Hook) }, "piton-hook", true, "no such file", "go install"},
		{"piton-hook not executable", func(t *testing.T, c *chain) { os.Chmod(c.Hook, 0o644) }, "piton-hook", true, "not executable", "go install"},
		{"piton-hook silent", func(t *testing.T, c *chain) { delete(c.answers, c.Hook) }, "piton-hook", true, "does not answer", "go install"},
		{"piton-hook of another version", func(t *testing.T, c *chain) { c.answers[c.Hook] = "piton-hook 0.3.9" }, "piton-hook", true, "0.3.9", "go install"},
		{"piton not in PATH", func(t *testing.T, c *chain) { delete(c.programs, "piton") }, "piton", false, "not in PATH", "PATH"},
		{"another piton in PATH", func(t *testing.T, c *chain) { c.programs["piton"] = c.programs["git"] }, "piton", false, "agents run", "PATH"},
		{"no client", func(t *testing.T, c *chain) { delete(c.programs, "claude") }, "Claude Code", false, "not in PATH", "install"},
		{"an old client", func(t *testing.T, c *chain) { c.answers[c.programs["claude"]] = "2.0.99 (Claude Code)" }, "Claude Code", false, "2.1.0", "update"},
		{"a client without version", func(t *testing.T, c *chain) { c.answers[c.programs["claude"]] = "hello" }, "Claude Code", false, "names no version", ""},
		{"transcripts deleted early", func(t *testing.T, c *chain) { write(t, c.settings(Project), `{"cleanupPeriodDays":2}`, 0o644) }, "transcripts", false, "2 days", "cleanupPeriodDays"},
		{"another config folder", func(t *testing.T, c *chain) { c.ConfigDir = c.Home + "/other" }, "config folder", false, "only the latter", "CLAUDE_CONFIG_DIR"},
		{"open state folder", func(t *testing.T, c *chain) { os.Chmod(c.State, 0o755) }, "state folder", false, "0755", "chmod 700"},
		{"state folder is a file", func(t *testing.T, c *chain) { os.Remove(c.State); write(t, c.State, "", 0o600) }, "state folder", true, "not a folder", "PITON_HOME"},
		{"no git", func(t *testing.T, c *chain) { delete(c.programs, "git") }, "git", false, "not in PATH", "install git"},
		{"no command", func(t *testing.T, c *chain) { os.RemoveAll(c.Home + "/.claude/commands") }, "/checkpoint", false, "not installed", "piton init"},
		{"a foreign command", func(t *testing.T, c *chain) { write(t, c.Home+"/.claude/commands/checkpoint.md", "x", 0o644) }, "/checkpoint", false, "not Piton's", "rename"},
		{"a foreign command in the project", func(t *testing.T, c *chain) { write(t, c.Project+"/.claude/commands/checkpoint.md", "x", 0o644) },
			"/checkpoint", false, "not Piton's", "rename"},
		{"an edited command", func(t *testing.T, c *chain) {
			write(t, c.Home+"/.claude/commands/checkpoint.md", string(claude.slashText())+"x", 0o644)
		}, "/checkpoint", false, "edited", "remove"},
		{"a skill of that name", func(t *testing.T, c *chain) { write(t, c.Home+"/.claude/skills/checkpoint/SKILL.md", "x", 0o644) },
			"/checkpoint", false, "hides", "rename"},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken := sound(t)
			c.breakIt(t, broken)
			for _, got := range broken.doctor() {
				if got.Name != c.check {
					continue
				}
				if got.OK == c.fails || got.Warn == c.fails || !strings.Contains(got.Detail, c.says) || !strings.Contains(got.Hint, c.hintSays) {
					t.Errorf("got %+v, want fails=%v, %q, hint %q", got, c.fails, c.says, c.hintSays)
				}
				return
			}
			t.Errorf("no check %q", c.check)
		})
	}
}

func TestReaches(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		atLeast, ok  bool
	}{
		{"newer", "2.1.328 (Claude Code)", true, true},
		{"equal", "2.1.0", true, true},
		{"next major", "10.0.0-beta.1 (Claude Code)", true, true},
		{"pre-release part", "2.1.0-rc1", true, true},
		{"older", "2.0.400 (Claude Code)", false, true},
		{"older major", "1.9.9", false, true},
		{"words", "Claude Code", false, false},
		{"short", "2.1", false, false},
		{"empty", "", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if atLeast, ok := reaches(c.answer, "2.1.0"); atLeast != c.atLeast || ok != c.ok {
				t.Errorf("reaches(%q): got %v, %v, want %v, %v", c.answer, atLeast, ok, c.atLeast, c.ok)
			}
		})
	}
}

// script writes an executable shell script.
func script(t testing.TB, path, body string) {
	t.Helper()
	write(t, path, "#!/bin/sh\n"+body+"\n", 0o755)
}
