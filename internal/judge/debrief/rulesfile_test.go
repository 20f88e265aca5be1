package debrief_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/judge/debrief"
)

// rulesFile reads an example of rules in YAML.
func rulesFile(t *testing.T, text string) debrief.Settings {
	t.Helper()
	var file struct {
		Debrief struct {
			Profiles []string       `yaml:"profiles"`
			Rules    []debrief.Rule `yaml:"rules"`
			Tests    []string       `yaml:"tests"`
			LogCheck string         `yaml:"log_check"`
		} `yaml:"debrief"`
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	for _, r := range file.Debrief.Rules {
		if err := r.Check(); err != nil {
			t.Errorf("%v", err)
		}
	}
	return debrief.Settings{Profiles: file.Debrief.Profiles, Rules: file.Debrief.Rules, Tests: file.Debrief.Tests, LogCheck: file.Debrief.LogCheck}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What docs/rules.md shows works as it says.
func TestRulesOfTheManual(t *testing.T) {
	manual := read(t, "../../../docs/rules.md")
	_, example, _ := strings.Cut(manual, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	set := rulesFile(t, example)
	s := turn().edit("daemon/a.go", "Dockerfile")
	s.in.Rules, s.in.Tests = set.InForce(), set.TestCommands(s.in.Tests)
	wants(t, "actions", s.look().Actions, "run `just ci`", "Daemon code changed (`daemon/a.go`) and no `make restart` has succeeded since: run `make restart`")
	wants(t, "actions after the restart", s.run("make restart; just ci", "").look().Actions, "but no `make status` has succeeded since: run `make status`")
	for _, p := range debrief.ProfileNames() {
		if !strings.Contains(manual, "`"+p+"`") {
			t.Errorf("the profile %s is not in the manual", p)
		}
	}
}

// The table of the original, row by row: what changed, what ran, what is asked.
func TestRulesOfTheFile(t *testing.T) {
	set := rulesFile(t, read(t, "../../../docs/rules.yaml"))
	const (
		restart = "no `make restart` has succeeded since: run `make restart`, then `make status`"
		healthy = "`make restart` has run, but no `make status` has succeeded since: run `make status`"
		covered = "run the tests that cover this with `pytest`"
		logs    = "The logs have not been looked at since the last edit: run `instrukt-ai-logs teleclaude --since 4m`"
		reload  = "have the TUI load it anew"
	)
	on := func(elapsed time.Duration) *script {
		s := bare()
		s.in.Rules, s.in.LogCheck, s.in.Elapsed = set.InForce(), set.LogCheck, elapsed
		return s
	}
	edit := func(files ...string) *script { return on(200 * time.Second).edit(files...) }
	// done is the script with the tests and the log check done.
	done := func(s *script) *script {
		return s.run("pytest -q", "3 passed").run("instrukt-ai-logs teleclaude --since 4m", "")
	}
	for _, c := range []struct {
		name       string
		script     *script
		categories string
		want       []string
	}{
		{"setup", edit("teleclaude/project_setup/x.sh", ".husky/pre-commit", ".gitattributes"), "setup, tested files", []string{"Setup changed (`teleclaude/project_setup/x.sh`, `.husky/pre-commit`, `.gitattributes`) and no `telec init` has succeeded since: run `telec init`", covered, logs}},
		{"setup, done", done(edit(".pre-commit-config.yaml").run("telec init", "")), "setup, tested files", nil},
		{"dependencies", edit("requirements-dev.txt"), "dependencies, tested files", []string{"Dependencies changed (`requirements-dev.txt`) and no `uv sync` has succeeded since", covered, logs}},
		{"dependencies, done another way", done(edit("pyproject.toml").run("pip install -e .", "")), "dependencies, tested files", nil},
		{"daemon code", edit("teleclaude/daemon.py"), "daemon code, tested files", []string{"Daemon code changed (`teleclaude/daemon.py`) and " + restart, covered, logs}},
		{"daemon code, restarted", done(edit("teleclaude/core/db.py").run("make restart", "")), "daemon code, tested files", []string{healthy}},
		{"daemon code, restarted and seen healthy", done(edit("teleclaude/core/db.py").run("make restart && make status", "")), "daemon code, tested files", nil},
		{"daemon code, seen healthy before the restart", done(edit("teleclaude/core/db.py").run("make status; make restart", "")), "daemon code, tested files", []string{healthy}},
		{"daemon code, restarted twice and seen healthy between", done(edit("teleclaude/core/db.py").run("make restart", "").run("make status", "").run("make restart", "")), "daemon code, tested files", nil},
		{"daemon code, the restart failed", done(edit("teleclaude/core/db.py").run("make restart", "boom", failed)), "daemon code, tested files", []string{"no `make restart` has succeeded since (the last try failed)"}},
		{"daemon code, restarted in words only", done(edit("teleclaude/core/db.py").run(`echo "make restart; make status"`, "")), "daemon code, tested files", []string{restart}},
		{"daemon code, edited after the restart", done(edit("teleclaude/a.py").run("make restart && make status", "").edit("teleclaude/b.py")), "daemon code, tested files", []string{restart}},
		{"config", edit("config.yml"), "config, tested files", []string{"Config changed (`config.yml`) and " + restart, covered, logs}},
		{"daemon code and config, one restart", edit("config.yml", "teleclaude/a.py"), "daemon code, config, tested files", []string{"Daemon code (`teleclaude/a.py`), config (`config.yml`) changed and " + restart, covered, logs}},
		{"daemon code and config, one status", done(edit("config.yml", "teleclaude/a.py").run("make restart", "")), "daemon code, config, tested files", []string{healthy}},
		{"shared utilities", edit("teleclaude/utils/text.py"), "shared utilities, tested files", []string{covered, logs}},
		{"TUI code", edit("teleclaude/cli/tui/app.py"), "TUI code, tested files", []string{reload, covered, logs}},
		{"TUI code, loaded", done(edit("teleclaude/cli/tui/app.py").run("pkill -SIGUSR2 -f teleclaude.cli.tui", "")), "TUI code, tested files", nil},
		{"TUI code, loaded by the process's number", done(edit("teleclaude/cli/tui/app.py").run("kill -USR2 4711", "")), "TUI code, tested files", nil},
		{"TUI code, edited after the signal", done(edit("teleclaude/cli/tui/app.py").run("pkill -USR2 -f tui", "").edit("teleclaude/cli/tui/app.py")), "TUI code, tested files", []string{reload}},
		{"TUI code, another signal", done(edit("teleclaude/cli/tui/app.py").run("pkill -HUP -f tui", "")), "TUI code, tested files", []string{reload}},
		{"agent artifacts", edit("agents/commands/x.md", ".agents/y.md", "AGENTS.master.md"), "agent artifacts, tested files", []string{"Agent artifacts changed (`agents/commands/x.md`, `.agents/y.md`, `AGENTS.master.md`)", covered, logs}},
		{"agent artifacts, read anew", done(edit("agents/x.md").run("curl -s --unix-socket /tmp/api.sock -X POST http://localhost/sessions/1/agent-restart", "")), "agent artifacts, tested files", nil},
		{"agent artifacts, read anew over TCP", done(edit("agents/x.md").run("curl -s -X POST http://127.0.0.1:8765/sessions/1/agent-restart", "")), "agent artifacts, tested files", nil},
		{"agent artifacts, another call over TCP", done(edit("agents/x.md").run("curl -s http://127.0.0.1:8765/sessions/1", "")), "agent artifacts, tested files", []string{"restart the agent through the API"}},
		{"setup alone asks for the tests too", edit(".gitattributes").run("telec init", ""), "setup, tested files", []string{"Tested files changed (`.gitattributes`) and no", logs}},
		{"tests only", edit("tests/test_x.py"), "tests only", []string{"Only tests changed (`tests/test_x.py`) and no `pytest` has succeeded since: run those tests"}},
		{"tests only, run", edit("tests/test_x.py").run("uv run pytest tests/test_x.py", "1 passed"), "tests only", nil},
		{"tests and documents", edit("tests/unit/test_x.py", "docs/x.md"), "tests only, docs", []string{"run those tests"}},
		{"tests and code", edit("tests/test_x.py", "teleclaude/utils/x.py"), "shared utilities, tested files", []string{covered, logs}},
		{"hook runtime", edit("teleclaude/hooks/receiver.py"), "tested files, hook runtime", []string{covered, logs}},
		{"docs only", edit("docs/x.py", "todos/a/plan.md", "ideas/b", "README.md", "notes.txt"), "docs", nil},
		{"nothing of any category", edit("logo.png"), "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.script.look()
			if got := strings.Join(r.Categories, ", "); got != c.categories {
				t.Errorf("categories: got %s, want %s", got, c.categories)
			}
			wants(t, "actions", r.Actions, c.want...)
			wants(t, "observations", r.Observations)
			sound(t, r)
		})
	}
	for elapsed, want := range map[time.Duration]string{0: "2m", 61 * time.Second: "2m", 10*time.Minute + time.Second: "11m"} {
		s := on(elapsed).edit("teleclaude/hooks/x.py").run("pytest", "1 passed")
		wants(t, "actions", s.look().Actions, "run `instrukt-ai-logs teleclaude --since "+want+"`")
	}
}

// What a person's rule asks for must be seen, too: a run of tests that hides its status
// shows nothing, while of another command a line that ended well is enough.
func TestRuleWithAHiddenStatus(t *testing.T) {
	for _, c := range []struct {
		evidence, line, output string
		asks                   bool
	}{
		{"go test", "go test ./... | wc -l", "3", true},
		{"go test", "go test ./... | tail -1", "ok  \tshop\t0.1s", false},
		{"make restart", "make restart | tail -1", "started", false},
	} {
		s := turn().edit("daemon/a.txt").run(c.line, c.output)
		s.in.Rules = []debrief.Rule{{Name: "daemon", Include: []string{"daemon/**"}, Instruction: "do it", Evidence: []string{c.evidence}}}
		if got := len(s.look().Actions) > 0; got != c.asks {
			t.Errorf("%s after %s: asked %t", c.evidence, c.line, got)
		}
	}
}
