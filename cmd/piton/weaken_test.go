package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/turn"
)

// What a project's file could try, key by key.
var (
	tries = map[string][]string{
		"min_turn":             {"999h", "1m", "0s", "5"},
		"timer":                {"unified", "activity"},
		"reply":                {"auto", "block", "context"},
		"all_clear":            {"notice", "message", "silent"},
		"hold_on_observations": {"true", "false"},
		"profiles":             {"[]", "[docs]", "[go]", "[go, docs, tests, config]"},
		"tests":                {"['true']", "[make test, 'true']", "[go version]", "[go test ./...]", "[ls]"},
		"log_check":            {"'true'", "ls", "logs"},
		"work_item":            {"x", "todos/x"},
		"verify":               {"['true']"},
		"mode":                 {"off", "audit", "on"},
		"agents":               {"{claude: {mode: off}}"},
		"min_trun":             {"1"},
		"rules.name":           {"Go code", "go CODE ", "docs", "tests only", "Go dependencies", "Mine", "everything", "x", "Node code", "config"},
		"rules.include":        {"['**']", "['**/*.go']", "['x']", "['**/*.md']"},
		"rules.instruction":    {"run `make test`", "run {test}", "look", ""},
		"rules.evidence":       {"[ls]", "['{test}']", "[go, make]", "['true']", ""},
		"rules.other":          {"sole: true", "rest: true", "off: true", "advice: true", "precedence: -999", "precedence: 999", "ecosystem: go", "exclude: ['**']", ""},
		"user.debrief":         {"{}", "{all_clear: message}", "{hold_on_observations: true}", "{min_turn: 5s}", "{log_check: mine}", "{profiles: [go, tests]}", "{tests: [make mine]}"},
		"user.rules":           {"[]", "[{name: Mine, include: ['**'], instruction: look, evidence: [make look], rest: true}]", "[{name: everything, include: ['**/*.go'], instruction: see}]"},
		"files":                {"a.go", "b/b_test.go", "README.md", "x.unknown", "web/a.ts", "go.mod", "Dockerfile", "c.yaml"},
		"lines":                {"go test ./...", "make test", "true", "ls", "go version", "make look", "go vet ./...", "docker build .", "make mine", "logs", "mine"},
		"outputs":              {"", "ok  \tshop\t0.1s", "FAIL", "boom"},
	}
)

// drawProject makes up a project's file.
func drawProject(t *rapid.T) string {
	draw := func(what string) string { return rapid.SampledFrom(tries[what]).Draw(t, what) }
	var b strings.Builder
	b.WriteString("debrief:\n")
	for _, key := range []string{"min_turn", "timer", "reply", "all_clear", "hold_on_observations", "profiles", "tests", "log_check", "work_item", "verify", "mode", "agents", "min_trun"} {
		if rapid.IntRange(0, 2).Draw(t, "sets "+key) == 0 {
			fmt.Fprintf(&b, "  %s: %s\n", key, draw(key))
		}
	}
	if n := rapid.IntRange(0, 4).Draw(t, "rules"); n > 0 {
		b.WriteString("  rules:\n")
		for range n {
			fmt.Fprintf(&b, "    - name: %q\n      include: %s\n", draw("rules.name"), draw("rules.include"))
			if words := draw("rules.instruction"); words != "" {
				fmt.Fprintf(&b, "      instruction: %q\n", words)
			}
			if evidence := draw("rules.evidence"); evidence != "" {
				fmt.Fprintf(&b, "      evidence: %s\n", evidence)
			}
			if other := draw("rules.other"); other != "" {
				fmt.Fprintf(&b, "      %s\n", other)
			}
		}
	}
	return b.String()
}

// drawRecorded makes up a turn.
func drawRecorded(t *rapid.T) turn.Recorded {
	draw := func(what string) string { return rapid.SampledFrom(tries[what]).Draw(t, what) }
	begin := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	now := begin
	x := turn.Recorded{Session: "ses_x", Agent: "claude", Turn: 1, Root: "/w", CallsSeen: rapid.IntRange(0, 9).Draw(t, "seen") > 0, Item: rapid.SampledFrom([]string{"", "x"}).Draw(t, "item"), Planned: []string{"other.go"}}
	for range rapid.IntRange(1, 6).Draw(t, "steps") {
		c := agent.Call{Dir: "/w", StartedAt: now, EndedAt: now.Add(8 * time.Second)}
		now = now.Add(10 * time.Second)
		if rapid.Bool().Draw(t, "edits") {
			file := draw("files")
			c.Kind, c.Paths = agent.CallEdit, []string{"/w/" + file}
			x.Files = append(x.Files, debrief.File{Path: file, ModTime: now.Add(-5 * time.Second)})
		} else {
			c.Kind, c.Command, c.Output, c.Failed = agent.CallShell, draw("lines"), draw("outputs"), rapid.IntRange(0, 3).Draw(t, "failed") == 0
		}
		x.Calls = append(x.Calls, c)
	}
	x.At, x.ElapsedMS = piton.At(now), rapid.Int64Range(0, 120_000).Draw(t, "elapsed")
	if rapid.Bool().Draw(t, "tests") {
		x.Tests = []debrief.Test{{Run: "make test", Matches: []string{"make test"}}, {Run: "go test ./...", Matches: []string{"go test"}, Ecosystem: "go"}}
	}
	return x
}

// A project's file that nobody has trusted never turns a hold into a stop that
// is let go, whatever it says.
func TestUntrustedFileNeverWeakens(t *testing.T) {
	dir := t.TempDir()
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	user := filepath.Join(dir, "config.yaml")
	write := func(t *rapid.T, path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	places := config.Places{UserFile: user, Project: project, Getenv: func(k string) string { return map[string]string{"PITON_HOME": dir}[k] }}
	draw.Check(t, func(t *rapid.T) {
		write(t, user, "debrief: "+rapid.SampledFrom(tries["user.debrief"]).Draw(t, "user")+"\n"+"debrief.rules: "+rapid.SampledFrom(tries["user.rules"]).Draw(t, "own rules")+"\n")
		text := drawProject(t)
		x := drawRecorded(t)
		os.Remove(config.ProjectPath(project))
		without := config.Load(places)
		if len(without.Problems) > 0 {
			t.Fatal(without.Problems)
		}
		before, was := x.Decide(without.Debrief)
		write(t, config.ProjectPath(project), text)
		after, is := x.Decide(config.Load(places).Debrief)
		if before.Held && !after.Held {
			t.Fatalf("without the file held (%s): %q %q\nwith it let go (%s): %q %q\n%s", before.Reason, was.Actions, was.Observations, after.Reason, is.Actions, is.Observations, text)
		}
		for _, a := range was.Actions {
			if found := strings.Contains(is.Message, a); !found && len(is.Actions) > 0 && len(is.Actions) < 12 {
				t.Fatalf("without the file it asks %q\nwith it: %s\n%s", a, is.Message, text)
			}
		}
		if strings.Contains(is.Message, "run `true`") || strings.Contains(is.Message, "run `ls") {
			t.Fatalf("the file's own words stand in Piton's voice: %s\n%s", is.Message, text)
		}
	})
}
