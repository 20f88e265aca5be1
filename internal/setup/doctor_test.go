package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/edit"
)

// chain is a sound installation that a test breaks in one place.
type chain struct {
	Target
	programs map[string]string // what is in PATH: its path
	answers  map[string]string // what programs say to --version, by path
	managed  string
	env      map[string]string
	sessions []Live
	features string // what codex says of its features
	talk     func(question string) string
	tools    []string // that the MCP server has; nil: it does not answer
}

func sound(t *testing.T) *chain { return soundOf(t, "claude") }

func soundOf(t *testing.T, agent string) *chain {
	tg := target(t, User)
	tg.Agent = agent
	root := filepath.Dir(tg.Home)
	for _, program := range []string{"piton", "piton-hook", agent, "git"} {
		script(t, filepath.Join(root, "bin", program), "exit 9") // never run: answers are below
	}
	bin := func(name string) string { return filepath.Join(root, "bin", name) }
	must(t, os.Mkdir(tg.State, 0o700))
	must(t, Apply(plan(t, Init, tg).Changes))
	return &chain{
		Target:   tg,
		programs: map[string]string{"piton": bin("piton"), agent: bin(agent), "git": bin("git"), "piton-hook": bin("piton-hook")},
		answers:  map[string]string{bin("piton-hook"): "piton-hook 0.4.0\n", bin(agent): versions[agent], bin("git"): "git version 2.50.0\n"},
		managed:  filepath.Join(root, "managed"),
		tools:    client.ServerTools,
	}
}

// serve plays the MCP server.
func (c *chain) serve(hear func([]byte) ([]byte, bool)) error {
	if c.tools == nil {
		return errors.New("exit status 1")
	}
	hear([]byte(`{"jsonrpc":"2.0","method":"notifications/message"}`))
	question, _ := hear([]byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`))
	if !strings.Contains(string(question), "tools/list") {
		return errors.New("nobody asks for the tools")
	}
	var list []map[string]string
	for _, name := range c.tools {
		list = append(list, map[string]string{"name": name})
	}
	answer, err := json.Marshal(map[string]any{"id": 2, "result": map[string]any{"tools": list}})
	if err == nil {
		hear(answer)
	}
	return err
}

// versions are what clients say to --version.
var versions = map[string]string{"claude": "2.1.328 (Claude Code)\n", "gemini": "0.61.0\n", "codex": "codex-cli 0.169.0\n"}

func (c *chain) doctor() []Check {
	p := c.probe()
	return append(Doctor(context.Background(), c.Target, p), DoctorPiton(context.Background(), c.Target, p)...)
}

func (c *chain) probe() Probe {
	return Probe{
		Sessions: c.sessions,
		Getenv:   func(name string) string { return c.env[name] },
		Talk: func(_ context.Context, argv []string, first []byte, hear func([]byte) ([]byte, bool)) error {
			if slices.Equal(argv[1:], []string{"mcp"}) {
				return c.serve(hear)
			}
			question, done := hear([]byte(`{"id":1,"result":{}}`))
			if c.talk == nil || done || !strings.Contains(string(first), "initialize") || !slices.Equal(argv[1:], []string{"app-server"}) {
				return errors.New("exit status 9")
			}
			hear([]byte(`{"method":"configWarning"}`))
			if _, done := hear([]byte(c.talk(string(question)))); !done {
				return errors.New("it goes on asking")
			}
			return nil
		},
		Version: "0.4.0",
		System:  c.managed,
		LookPath: func(program string) (string, error) {
			if path, ok := c.programs[program]; ok {
				return path, nil
			}
			return "", errors.New(program + " not found")
		},
		Run: func(_ context.Context, argv []string) (string, error) {
			if slices.Equal(argv[1:], []string{"features", "list"}) {
				return c.features, nil
			}
			if answer, ok := c.answers[argv[0]]; ok && len(argv) == 2 && argv[1] == "--version" {
				return answer, nil
			}
			return "", fmt.Errorf("run it: %w", &fs.PathError{Op: "fork/exec", Path: argv[0], Err: errors.New("exec format error")})
		},
	}
}

func (c *chain) settings(scope Scope) string {
	tg := c.Target
	tg.Scope = scope
	settings, _ := filesOf(tg.Agent)
	return filepath.Join(folderOf(tg), settings)
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
		{"settings cut off, so the hooks are not known", func(t *testing.T, c *chain) { write(t, c.settings(User), "{\n\n", 0o644) }, "hooks", true, "not known while", "fix that file first"},
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
		{"no piton-hook to set up", func(t *testing.T, c *chain) {
			os.Remove(c.settings(User))
			c.Hook = ""
		}, "hooks", true, "not installed", HowToInstall + "; then run 'piton init --agent claude'"},
		{"piton-hook not executable", func(t *testing.T, c *chain) { os.Chmod(c.Hook, 0o644) }, "piton-hook", true, "not executable", "go install"},
		{"piton-hook silent", func(t *testing.T, c *chain) { delete(c.answers, c.Hook) }, "piton-hook", true, "does not answer", "go install"},
		{"a client that cannot be started", func(t *testing.T, c *chain) { delete(c.answers, c.programs["claude"]) }, "Claude Code", false, "claude does not answer: exec format error", "--version"},
		{"piton-hook of another version", func(t *testing.T, c *chain) { c.answers[c.Hook] = "piton-hook 0.3.9" }, "piton-hook", true, "0.3.9", "go install"},
		{"piton not in PATH", func(t *testing.T, c *chain) { delete(c.programs, "piton") }, "piton", false, "not in PATH", "PATH"},
		{"another piton in PATH", func(t *testing.T, c *chain) { c.programs["piton"] = c.programs["git"] }, "piton", false, "agents run", "PATH"},
		{"a line without a guard", func(t *testing.T, c *chain) {
			write(t, c.settings(Project), `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"cd x && piton-hook claude"}]}]}}`, 0o644)
		}, "hooks fail open", true, "cd x && piton-hook claude", "|| :"},
		{"another client's line", func(t *testing.T, c *chain) {
			write(t, c.settings(User), strings.ReplaceAll(string(load(t, c.settings(User))), "piton-hook' claude", "piton-hook' gemini"), 0o644)
		}, "hook paths", true, "another client's", "piton init"},
		{"a short timeout", func(t *testing.T, c *chain) {
			write(t, c.settings(User), strings.Replace(string(load(t, c.settings(User))), `"timeout": 60`, `"timeout": 5`, 1), 0o644)
		}, "hook timeouts", false, "Stop has 5s and may need 1m0s", "piton init"},
		{"long commands to verify with", func(t *testing.T, c *chain) { c.Verify = 5 * time.Minute }, "hook timeouts", false, "may need 5m30s", "piton init"},
		{"an old client", func(t *testing.T, c *chain) { c.answers[c.programs["claude"]] = "2.0.99 (Claude Code)" }, "Claude Code", false, "2.1.0", "update"},
		{"a client without version", func(t *testing.T, c *chain) { c.answers[c.programs["claude"]] = "hello" }, "Claude Code", false, "names no version", ""},
		{"transcripts deleted early", func(t *testing.T, c *chain) { write(t, c.settings(Project), `{"cleanupPeriodDays":2}`, 0o644) }, "transcripts", false, "2 days", "cleanupPeriodDays"},
		{"another config folder", func(t *testing.T, c *chain) { c.ConfigDir = c.Home + "/other" }, "config folder", false, "only the latter", "CLAUDE_CONFIG_DIR"},
		{"open state folder", func(t *testing.T, c *chain) { os.Chmod(c.State, 0o755) }, "state folder", false, "0755", "chmod 700"},
		{"state folder below one that is closed", func(t *testing.T, c *chain) {
			above := filepath.Join(t.TempDir(), "closed")
			must(t, os.Mkdir(above, 0o500))
			t.Cleanup(func() { os.Chmod(above, 0o700) })
			if os.Geteuid() == 0 { // root writes anywhere but below what is not a folder
				above = filepath.Join(above, "file")
				write(t, above, "", 0o600)
			}
			c.State = filepath.Join(above, "state", "piton")
		}, "state folder", true, "", "PITON_HOME"},
		{"state folder is a file", func(t *testing.T, c *chain) { os.Remove(c.State); write(t, c.State, "", 0o600) }, "state folder", true, "not a folder", "PITON_HOME"},
		{"no git", func(t *testing.T, c *chain) { delete(c.programs, "git") }, "git", false, "not in PATH", "install git"},
		{"no command", func(t *testing.T, c *chain) { os.RemoveAll(c.Home + "/.claude/commands") }, "/checkpoint", false, "not installed", "piton init"},
		{"a foreign command", func(t *testing.T, c *chain) { write(t, c.Home+"/.claude/commands/checkpoint.md", "x", 0o644) }, "/checkpoint", false, "not Piton's", "rename"},
		{"a foreign command in the project", func(t *testing.T, c *chain) { write(t, c.Project+"/.claude/commands/checkpoint.md", "x", 0o644) },
			"/checkpoint", false, "not Piton's", "rename"},
		{"an edited command", func(t *testing.T, c *chain) {
			write(t, c.Home+"/.claude/commands/checkpoint.md", string(claude.slashText())+"x", 0o644)
		}, "/checkpoint", false, "edited", "remove"},
		{"no server", func(t *testing.T, c *chain) { os.Remove(c.Home + "/.claude.json") }, "MCP server", false, "not registered", "piton init"},
		{"another server", func(t *testing.T, c *chain) {
			write(t, c.Home+"/.claude.json", `{"mcpServers":{"piton":{"command":"x"}}}`, 0o600)
		}, "MCP server", false, "another server", "rename"},
		{"another server in the project", func(t *testing.T, c *chain) {
			write(t, c.Project+"/.mcp.json", `{"mcpServers":{"piton":{"command":"./x"}}}`, 0o600)
		}, "MCP server", false, "project/.mcp.json", "rename"},
		{"the server's program gone", func(t *testing.T, c *chain) { os.Remove(c.Piton) }, "MCP server", true, "no such file", "piton init"},
		{"a project's server without the program", func(t *testing.T, c *chain) {
			write(t, c.Project+"/.mcp.json", `{"mcpServers":{"piton":{"command":"piton","args":["mcp"]}}}`, 0o600)
			delete(c.programs, "piton")
		}, "MCP server", true, "not in PATH", "PATH"},
		{"a server that does not answer", func(t *testing.T, c *chain) { c.tools = nil }, "MCP answers", true, "exit status 1", "piton mcp"},
		{"a server without a tool", func(t *testing.T, c *chain) { c.tools = c.tools[1:] }, "MCP answers", false, "no tool checkpoint_save", "install"},
		{"a rule taken away", func(t *testing.T, c *chain) {
			write(t, c.settings(User), strings.Replace(string(load(t, c.settings(User))), `"mcp__piton__checkpoint_load"`, `"x"`, 1), 0o644)
		}, "MCP calls", false, "asked first, and without one the call is refused: checkpoint_load", "piton init"},
		{"a rule against", func(t *testing.T, c *chain) {
			write(t, c.settings(Project), `{"permissions":{"deny":["mcp__piton"]}}`, 0o644)
		},
			"MCP calls", false, "refuse checkpoint_save, ", "remove"},
		{"the server switched off", func(t *testing.T, c *chain) {
			text := strings.Replace(string(load(t, c.Home+"/.claude.json")), "{", `{"projects":{"`+c.Project+`":{"disabledMcpServers":["piton"]}},`, 1)
			write(t, c.Home+"/.claude.json", text, 0o600)
		}, "MCP allowed", false, "switched off in", "/mcp enable piton"},
		{"the project's servers switched off", func(t *testing.T, c *chain) {
			write(t, c.settings(Project), `{"disabledMcpjsonServers":["piton"]}`, 0o644)
		}, "MCP allowed", false, "disabledMcpjsonServers", "remove"},
		{"the server denied by policy", func(t *testing.T, c *chain) {
			write(t, filepath.Join(c.managed, "managed-settings.json"), `{"deniedMcpServers":[{"serverName":"piton"}]}`, 0o644)
		}, "MCP allowed", false, "deniedMcpServers", "remove"},
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

func TestDoctorOfGemini(t *testing.T) {
	for _, c := range []struct {
		name    string
		breakIt func(t *testing.T, c *chain)
		check   string
		want    string // ok, warn, fail
		says    string
	}{
		{"sound", func(*testing.T, *chain) {}, "hooks allowed", "ok", "no settings"},
		{"switched off", func(t *testing.T, c *chain) {
			write(t, c.settings(Project), "{\"hooksConfig\":{\"enabled\":false}} // no", 0o644)
		}, "hooks allowed", "fail", "hooksConfig.enabled"},
		{"switched off by default, on by the user", func(t *testing.T, c *chain) {
			write(t, c.managed+"/system-defaults.json", `{"hooksConfig":{"enabled":false}}`, 0o644)
			write(t, c.settings(Project), `{"hooksConfig":{"enabled":true}}`, 0o644)
		}, "hooks allowed", "ok", "no settings"},
		{"switched off by name", func(t *testing.T, c *chain) {
			write(t, c.settings(Project), `{"hooksConfig":{"disabled":["x","piton"]}}`, 0o644)
		}, "hooks allowed", "fail", `"piton"`},
		{"a folder not trusted", func(t *testing.T, c *chain) { c.trust(t, `{"%s":"DO_NOT_TRUST"}`, c.Project) }, "folder trust", "fail", "not to be trusted"},
		{"a folder nobody was asked about", func(t *testing.T, c *chain) { c.trust(t, "{} // none%s", "") }, "folder trust", "warn", "not among"},
		{"a folder above it", func(t *testing.T, c *chain) { c.trust(t, `{"%s":"TRUST_FOLDER"}`, filepath.Dir(c.Project)) }, "folder trust", "ok", "is trusted"},
		{"a folder beside it", func(t *testing.T, c *chain) { c.trust(t, `{"%s":"TRUST_PARENT"}`, c.Home) }, "folder trust", "ok", "is trusted"},
		{"a longer rule wins", func(t *testing.T, c *chain) {
			c.trust(t, `{"/":"TRUST_FOLDER","%s":"DO_NOT_TRUST"}`, c.Project)
		}, "folder trust", "fail", "not to be trusted"},
		{"a name that only begins alike", func(t *testing.T, c *chain) { c.trust(t, `{"%s":"TRUST_FOLDER"}`, c.Project[:len(c.Project)-1]) }, "folder trust", "warn", "not among"},
		{"trust switched off", func(t *testing.T, c *chain) {
			write(t, c.managed+"/settings.json", `{"security":{"folderTrust":{"enabled":false}}}`, 0o644)
		}, "folder trust", "ok", "does without"},
		{"trust given by the environment", func(_ *testing.T, c *chain) { c.env = map[string]string{"GEMINI_CLI_TRUST_WORKSPACE": "true"} }, "folder trust", "ok", "true"},
		{"trust taken by the environment", func(_ *testing.T, c *chain) { c.env = map[string]string{"GEMINI_RESTRICTED_MODE": "true"} }, "folder trust", "fail", "environment"},
		{"its server", func(*testing.T, *chain) {}, "MCP server", "ok", "settings.json"},
		{"its server answers", func(*testing.T, *chain) {}, "MCP answers", "ok", "12 tools"},
		{"its calls", func(*testing.T, *chain) {}, "MCP calls", "ok", "12 tools"},
		{"no rules", func(t *testing.T, c *chain) { os.Remove(c.Home + "/.gemini/policies/piton.toml") }, "MCP calls", "warn", "refused: checkpoint_save"},
		{"its server left out", func(t *testing.T, c *chain) { write(t, c.settings(Project), `{"mcp":{"excluded":["piton"]}}`, 0o644) }, "MCP allowed", "warn", "mcp.excluded"},
		{"other servers only", func(t *testing.T, c *chain) { write(t, c.settings(Project), `{"mcp":{"allowed":["x"]}}`, 0o644) }, "MCP allowed", "warn", "mcp.allowed"},
		{"its server switched off", func(t *testing.T, c *chain) {
			write(t, c.Home+"/.gemini/mcp-server-enablement.json", `{"piton":{"enabled":false}}`, 0o644)
		}, "MCP allowed", "warn", "switched off"},
		{"conversations cleaned up", func(*testing.T, *chain) {}, "transcripts", "warn", "resumed"},
		{"conversations kept", func(t *testing.T, c *chain) {
			write(t, c.settings(Project), `{"general":{"sessionRetention":{"enabled":false}}}`, 0o644)
		}, "transcripts", "ok", "kept"},
		{"its package's version", func(t *testing.T, c *chain) {
			write(t, filepath.Dir(filepath.Dir(c.programs["gemini"]))+"/package.json", `{"name":"@google/gemini-cli","version":"0.60.9"}`, 0o644)
		}, "Gemini CLI", "warn", "0.60.9; Piton is made for 0.61.0"},
		{"no timeout", func(t *testing.T, c *chain) {
			c.Verify = 5 * time.Minute
			write(t, c.settings(User), strings.ReplaceAll(string(load(t, c.settings(User))), `"timeout": 60000`, `"x": 0`), 0o644)
		}, "hook timeouts", "warn", "AfterAgent has 1m0s and may need 5m30s"},
		{"a session older than its hooks", func(_ *testing.T, c *chain) {
			c.sessions = []Live{{"gemini", "ses_old", time.Now().Add(-time.Hour)}, {"gemini", "ses_new", time.Now().Add(time.Hour)}, {"codex", "ses_other", time.Time{}}}
		}, "open sessions", "warn", "older hooks: ses_old"},
		{"hooks for every tool", func(t *testing.T, c *chain) {
			every := c.Target
			every.EveryTool = true
			must(t, Apply(plan(t, Init, every).Changes))
		}, "hooks", "ok", "needs: BeforeTool, AfterTool"},
		{"more hooks than needed", func(_ *testing.T, c *chain) { c.NoTools = true }, "hooks", "ok", "needs: Notification, BeforeTool, AfterTool"},
		{"no session older", func(_ *testing.T, c *chain) { c.sessions = []Live{{"gemini", "ses_new", time.Now().Add(time.Hour)}} }, "open sessions", "ok", "1, none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := soundOf(t, "gemini")
			c.breakIt(t, x)
			x.finds(t, c.check, c.want, c.says)
		})
	}
}

// trust writes the list of the folders that are trusted.
func (c *chain) trust(t *testing.T, text, folder string) {
	write(t, filepath.Join(folderOf(c.Target), "trustedFolders.json"), fmt.Sprintf(text, folder), 0o600)
}

func TestDoctorOfCodex(t *testing.T) {
	listed := func(c *chain, trust string, enabled bool) string {
		line := edit.Quote(codex.line(c.Target))
		hook := func(event, trust string, enabled bool) string {
			return fmt.Sprintf(`{"eventName":%q,"command":%s,"sourcePath":%q,"enabled":%v,"trustStatus":%q}`, event, line, c.settings(User), enabled, trust)
		}
		return `{"id":2,"result":{"data":[{"cwd":"x","hooks":[` + hook("stop", trust, enabled) + "," + hook("sessionStart", "trusted", true) + `,{"eventName":"stop","command":"another","sourcePath":"x","enabled":true,"trustStatus":"untrusted"}],"errors":[]}]}}`
	}
	for _, c := range []struct {
		name    string
		breakIt func(t *testing.T, c *chain)
		check   string
		want    string // ok, warn, fail
		says    string
	}{
		{"approved", func(_ *testing.T, c *chain) { c.talk = func(string) string { return listed(c, "trusted", true) } }, "hooks approved", "ok", "2 by its user"},
		{"not approved", func(_ *testing.T, c *chain) { c.talk = func(string) string { return listed(c, "untrusted", true) } }, "hooks approved", "fail", "not approved yet, so they do not run: stop"},
		{"changed", func(_ *testing.T, c *chain) { c.talk = func(string) string { return listed(c, "modified", true) } }, "hooks approved", "fail", "changed since"},
		{"switched off", func(_ *testing.T, c *chain) { c.talk = func(string) string { return listed(c, "trusted", false) } }, "hooks approved", "fail", "switched off in Codex CLI: stop"},
		{"asked about the project", func(t *testing.T, c *chain) {
			c.talk = func(question string) string {
				if !strings.Contains(question, `"hooks/list"`) || !strings.Contains(question, edit.Quote(c.Project)) {
					t.Errorf("asked %s", question)
				}
				return listed(c, "trusted", true)
			}
		}, "hooks approved", "ok", "2"},
		{"the feature is off", func(_ *testing.T, c *chain) {
			c.talk, c.features = func(string) string { return `{"id":2,"result":{"data":[{"hooks":[]}]}}` }, "goals  stable true\nhooks   stable   false\n"
		}, "hooks approved", "fail", "feature hooks"},
		{"a project that is not trusted", func(t *testing.T, c *chain) {
			write(t, c.settings(Project), string(load(t, c.settings(User))), 0o644)
			c.talk = func(string) string { return listed(c, "trusted", true) }
		}, "hooks approved", "fail", "not trusted"},
		{"settings that Codex cannot read", func(_ *testing.T, c *chain) {
			c.talk = func(string) string {
				return `{"id":2,"result":{"data":[{"hooks":[],"errors":[{"message":"config.toml:3: no"}]}]}}`
			}
		}, "hooks approved", "warn", "config.toml:3: no"},
		{"an error", func(_ *testing.T, c *chain) {
			c.talk = func(string) string { return `{"id":2,"error":{"message":"unknown method"}}` }
		}, "hooks approved", "warn", "unknown method"},
		{"no answer", func(*testing.T, *chain) {}, "hooks approved", "warn", "exit status 9"},
		{"no Codex", func(_ *testing.T, c *chain) { delete(c.programs, "codex") }, "hooks approved", "warn", "not known, because codex is not in PATH"},
		{"no hooks", func(_ *testing.T, c *chain) { os.Remove(c.settings(User)) }, "hooks approved", "ok", "nothing to approve"},
		{"its version", func(*testing.T, *chain) {}, "Codex CLI", "ok", "0.169.0"},
		{"an old one", func(_ *testing.T, c *chain) { c.answers[c.programs["codex"]] = "codex-cli 0.44.0" }, "Codex CLI", "warn", "0.169.0"},
		{"its command", func(*testing.T, *chain) {}, "$checkpoint", "ok", "SKILL.md"},
		{"notify beside hooks", func(t *testing.T, c *chain) {
			write(t, filepath.Join(folderOf(c.Target), "config.toml"), "model = \"m\"\nnotify = [\n  \"/x/piton-hook\", \"codex\"]\n", 0o644)
		}, "notify", "warn", "beside hooks"},
		{"notify alone", func(t *testing.T, c *chain) {
			os.Remove(c.settings(User))
			write(t, filepath.Join(folderOf(c.Target), "config.toml"), "notify=[\"piton-hook\",\"codex\"]\n", 0o644)
		}, "notify", "warn", "alone"},
		{"another notify", func(t *testing.T, c *chain) {
			write(t, filepath.Join(folderOf(c.Target), "config.toml"), "notify = [\"beep\"]\n# notify = [\"piton-hook\"]\n[x]\nnotify = [\"piton-hook\"]\n", 0o644)
		}, "notify", "ok", "not used"},
		{"its server", func(*testing.T, *chain) {}, "MCP server", "ok", "config.toml"},
		{"its calls", func(*testing.T, *chain) {}, "MCP calls", "ok", "12 tools"},
		{"its server switched off", func(t *testing.T, c *chain) {
			file := filepath.Join(folderOf(c.Target), "config.toml")
			write(t, file, string(load(t, file))+"enabled = false\n", 0o600)
		}, "MCP server", "warn", "switched off"},
		{"a tool that asks", func(t *testing.T, c *chain) {
			file := filepath.Join(folderOf(c.Target), "config.toml")
			write(t, file, strings.Replace(string(load(t, file)), `checkpoint_diff.approval_mode = "approve"`, `checkpoint_diff.approval_mode = "prompt"`, 1), 0o600)
		}, "MCP calls", "warn", "refused: checkpoint_diff"},
		{"settings with comments", func(t *testing.T, c *chain) { write(t, c.settings(Project), "{} // no", 0o644) }, "settings", "fail", "not JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := soundOf(t, "codex")
			x.approve(t)
			c.breakIt(t, x)
			x.finds(t, c.check, c.want, c.says)
		})
	}
}

// approve has config.toml say that its user has approved hooks once.
func (c *chain) approve(t *testing.T) {
	file := filepath.Join(folderOf(c.Target), "config.toml")
	write(t, file, "# [hooks.state] trusted_hash\n"+string(load(t, file)), 0o600)
}

// TestDoctorDoesNotStartCodex: where nobody has approved a hook, Codex is not started,
// which would leave files in its folder.
func TestDoctorDoesNotStartCodex(t *testing.T) {
	x := soundOf(t, "codex")
	x.talk = func(string) string { t.Error("Codex was started"); return "" }
	x.finds(t, "hooks approved", "fail", "not approved yet, so they do not run")
}

// TestPrevented: why a client runs no hooks is said in doctor's words, and no program is
// started.
func TestPrevented(t *testing.T) {
	for _, c := range []struct {
		name, agent string
		breakIt     func(t *testing.T, c *chain)
		check       string // doctor's; "" where nothing is said
	}{
		{"Codex, nobody has approved", "codex", func(*testing.T, *chain) {}, "hooks approved"},
		{"Codex, somebody has approved some", "codex", func(t *testing.T, c *chain) { c.approve(t) }, ""},
		{"Claude, all well", "claude", func(*testing.T, *chain) {}, ""},
		{"Claude, hooks are switched off", "claude", func(t *testing.T, c *chain) {
			file := c.settings(User)
			write(t, file, strings.Replace(string(load(t, file)), "{", `{"disableAllHooks": true,`, 1), 0o600)
		}, "hooks allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := soundOf(t, c.agent)
			c.breakIt(t, x)
			got := Prevented(x.Target, x.probe())
			if got.Name != c.check {
				t.Fatalf("got %+v, want %s", got, c.check)
			}
			for _, check := range x.doctor() {
				if check.Agent == c.agent && c.check != "" && check.Name == c.check && (check.Detail != got.Detail || check.Hint != got.Hint) {
					t.Errorf("got %+v, doctor says %+v", got, check)
				}
			}
		})
	}
}

// TestDoctorBeforeInit: one line says that Piton is not installed, none what follows.
func TestDoctorBeforeInit(t *testing.T) {
	for _, agent := range Agents() {
		t.Run(agent, func(t *testing.T) {
			x := soundOf(t, agent)
			must(t, Apply(plan(t, Uninstall, x.Target).Changes))
			var broken []string
			for _, check := range x.doctor() {
				if check.Agent == agent && !check.OK {
					broken = append(broken, check.Name+": "+check.Hint)
				}
				if check.Warn {
					t.Errorf("got the warning %+v", check)
				}
			}
			if want := []string{"hooks: run 'piton init --agent " + agent + "'"}; !slices.Equal(broken, want) {
				t.Errorf("got %q, want %q", broken, want)
			}
		})
	}
}

// finds checks what doctor says of one link.
func (c *chain) finds(t *testing.T, check, want, says string) {
	t.Helper()
	for _, got := range c.doctor() {
		if got.Name != check {
			continue
		}
		is := "ok"
		switch {
		case !got.OK:
			is = "fail"
		case got.Warn:
			is = "warn"
		}
		if is != want || !strings.Contains(got.Detail, says) || (is == "ok") != (got.Hint == "") || got.Agent != c.Agent {
			t.Errorf("got %+v, want %s: %q", got, want, says)
		}
		return
	}
	t.Errorf("no check %q", check)
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
		{"behind a name", "codex-cli 2.1.0", true, true},
		{"short", "2.1", false, false},
		{"empty", "", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if atLeast, ok := atLeast(c.answer, "2.1.0"); atLeast != c.atLeast || ok != c.ok {
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
