package debrief_test

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/judge/debrief"
)

// logged is a turn in a project with a log check, of which nothing else is
// asked.
func logged(elapsed time.Duration) *script {
	s := bare()
	s.in.LogCheck, s.in.Elapsed = "shoplogs api", elapsed
	return s
}

func TestLogCheck(t *testing.T) {
	const asks = "The logs have not been looked at since the last edit: run `shoplogs api --since 3m`"
	code := func() *script { return logged(2*time.Minute + time.Second).edit("a.go") }
	for _, c := range []struct {
		name   string
		script *script
		want   string // of the action; "" for none
	}{
		{"code", code(), asks},
		{"config", logged(2*time.Minute + time.Second).edit("x.yaml"), asks},
		{"tests alone", logged(time.Minute).edit("a_test.go"), ""},
		{"tests and documents", logged(time.Minute).edit("a_test.go", "README.md"), ""},
		{"documents alone", logged(time.Minute).edit("README.md"), ""},
		{"files of no category", logged(time.Minute).edit("logo.png"), ""},
		{"looked at", code().run("shoplogs api --since 5m", ""), ""},
		{"looked at, with an error in the logs", code().run("shoplogs api --since 5m", "ERROR: boom\n2 failed"), ""},
		{"looked at behind a pipe, with an error in the logs", code().run("shoplogs api --since 5m 2>&1 | tail -50", "panic: boom\nFAIL"), ""},
		{"with other words", code().run("shoplogs web --since 5m", ""), asks},
		{"only named", code().run("echo shoplogs api", ""), asks},
		{"looked at before the edit", logged(2*time.Minute+time.Second).run("shoplogs api", "").edit("a.go"), asks},
		{"looked at between code and documents", code().run("shoplogs api", "").edit("README.md"), ""},
		{"looked at without success", code().run("shoplogs api", "no such unit", failed), "the last edit (the last try failed): run"},
		{"in the background", code().run("shoplogs api &", ""), "was only started in the background"},
		{"what cannot run here", code().run("shoplogs api", "bash: shoplogs: command not found", status(127)), ""},
		{"followed to its end, and nobody stopped", code().run("shoplogs api", "", pending), "has no result"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.script.look().Actions; c.want == "" {
				wants(t, "actions", got)
			} else {
				wants(t, "actions", got, c.want)
			}
		})
	}
}

func TestLogWindow(t *testing.T) {
	for elapsed, want := range map[time.Duration]string{
		0: "2m", 30 * time.Second: "2m", 2 * time.Minute: "2m", 2*time.Minute + 1: "3m", 59*time.Minute + time.Second: "60m", 25 * time.Hour: "1500m",
	} {
		wants(t, "actions after "+elapsed.String(), logged(elapsed).edit("a.go").look().Actions, "run `shoplogs api --since "+want+"`")
	}
	s := turn()
	wants(t, "actions where none is configured", s.edit("x.yaml").look().Actions)
	r := logged(0).edit("a.go").run("shoplogs api", "bash: shoplogs: command not found", status(127)).look()
	wants(t, "observations where it cannot run", r.Observations, "The logs were not looked at: `shoplogs api` cannot run here")
	evil := logged(0).edit("a.go")
	evil.in.LogCheck = "logs `x`\n<now>"
	r = evil.look()
	sound(t, r)
	wants(t, "actions", r.Actions, "run `logs x (now) --since 2m`")
}

// A document shows in no log, whatever else takes it; neither does code of which only
// the comments changed.
func TestDocumentsShowInNoLog(t *testing.T) {
	const asks = "run `shoplogs api --since 2m`"
	rule := func(include, instruction string, evidence ...string) []debrief.Rule {
		return []debrief.Rule{{Name: "ours", Include: []string{include}, Instruction: instruction, Evidence: evidence}}
	}
	for _, c := range []struct {
		name  string
		files []string
		rules []debrief.Rule // of a person
		none  bool           // no built-in rules
		want  string
	}{
		{"a page", []string{"README.md"}, nil, false, ""},
		{"a page below", []string{"api/notes.md"}, nil, false, ""},
		{"pages of other forms", []string{"a.rst", "b.adoc", "c.txt", "d.mdx"}, nil, false, ""},
		{"a licence and a changelog", []string{"LICENSE", "CHANGELOG.md", "AUTHORS"}, nil, false, ""},
		{"instructions of agents", []string{"CLAUDE.md", "web/AGENTS.md", ".claude/commands/fix.md"}, nil, false, ""},
		{"a description in YAML among the documents", []string{"docs/openapi.yaml"}, nil, false, ""},
		{"settings of the documents", []string{"docs/mkdocs.yml", "docs/a.json", "doc/x.toml"}, nil, false, ""},
		{"a page beside migrations", []string{"db/migrations/README.md"}, nil, false, ""},
		{"a page of the CI", []string{".github/workflows/README.md", ".github/pull_request_template.md"}, nil, false, ""},
		{"a page among the tests", []string{"tests/README.md"}, nil, false, ""},
		{"a picture", []string{"docs/a.png"}, nil, false, ""},
		{"code among the documents", []string{"docs/conf.py"}, nil, false, ""},
		{"a page, with a rule for all files that tests", []string{"README.md"}, rule("**", "run `make check`", "make check"), false, ""},
		{"a page, with a rule for all files that builds", []string{"README.md"}, rule("**", "run `go build ./...`", "go build"), false, ""},
		{"a page, with a rule that advises", []string{"README.md"}, rule("**/*.md", "keep it short"), false, ""},
		{"a page, without built-in rules", []string{"README.md"}, rule("**", "run {test}", "{test}"), true, ""},
		{"a page that the program reads, as a rule says", []string{"prompts/system.md"}, rule("prompts/**", "run `make restart`", "make restart"), false, asks},
		{"requirements are not documents", []string{"requirements.txt"}, nil, false, asks},
		{"CMake's list is not a document", []string{"CMakeLists.txt"}, nil, false, asks},
		{"a page and code", []string{"README.md", "a.go"}, nil, false, asks},
		{"a page and settings", []string{"README.md", "app.yaml"}, nil, false, asks},
		{"code with the name of a page", []string{"README.go"}, nil, false, asks},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := logged(time.Minute).edit(c.files...)
			s.in.Rules = append(c.rules, s.in.Rules...)
			if !c.none {
				s.in.Rules = append(s.in.Rules, debrief.Builtin()...)
			}
			said := strings.Join(s.look().Actions, "\n")
			if got := strings.Contains(said, "shoplogs"); got != (c.want != "") || !strings.Contains(said, c.want) {
				t.Errorf("got %q, want %q", said, c.want)
			}
		})
	}
	s := logged(time.Minute).edit("a.go")
	s.in.Same = func(string) bool { return true }
	wants(t, "actions where only comments changed", s.look().Actions)
}

// The last edit counts, as for any rule.
func TestLogCheckBesideTests(t *testing.T) {
	s := turn().edit("a.go")
	s.in.LogCheck = "shoplogs"
	wants(t, "actions", s.look().Actions, "run `make test`", "run `shoplogs --since 2m`")
	wants(t, "actions after the tests", s.run("make test", "").look().Actions, "run `shoplogs --since 2m`")
	wants(t, "actions after both", s.run("shoplogs", "").look().Actions)
	wants(t, "actions after another edit", s.edit("b.go").look().Actions, "run `make test`", "run `shoplogs --since 2m`")
	s = turn().file(debrief.File{Path: "theirs.go", ModTime: begin.Add(-time.Hour)})
	s.in.LogCheck = "shoplogs"
	wants(t, "actions for what others changed", s.look().Actions)
}
