package config_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
)

const daemon = `
debrief:
  rules:
    - name: daemon code
      include: ["daemon/**"]
      exclude: ["daemon/ui/**"]
      precedence: 30
      instruction: restart the daemon
      evidence: [make restart]
      then:
        instruction: look at its status
        evidence: make status
    - {name: Go code, off: true}
`

func TestRules(t *testing.T) {
	c, p := layers{user: daemon}.load(t)
	want := []debrief.Rule{
		{Name: "daemon code", Include: []string{"daemon/**"}, Exclude: []string{"daemon/ui/**"}, Precedence: 30, Instruction: "restart the daemon",
			Evidence: []string{"make restart"}, Then: &debrief.Follow{Instruction: "look at its status", Evidence: []string{"make status"}}},
		{Name: "Go code", Off: true},
	}
	if diff := cmp.Diff(want, c.Debrief.Rules); diff != "" || len(c.Problems) > 0 {
		t.Errorf("got problems %q, rules (want -, got +):\n%s", problems(c), diff)
	}
	if c.Layers["daemon code"] != p.UserFile || c.From["debrief.rules"] != p.UserFile {
		t.Errorf("got layers %v, from %v, want the user's file", c.Layers, c.From)
	}
}

func TestRulesOfTwoLayers(t *testing.T) {
	c, p := layers{
		user:    "debrief: {rules: [{name: a, include: ['**']}, {name: b, include: ['**']}], tests: [make a, make b]}",
		project: "debrief: {rules: [{name: B, include: [x]}, {name: c, include: ['**']}], tests: [make b, make c]}",
		env:     map[string]string{"PITON_DEBRIEF_TESTS": "[make d, 'make e']", "PITON_DEBRIEF_RULES": "{name: a, off: true}"},
	}.load(t)
	var got []string
	for _, r := range c.Debrief.Rules {
		mark := r.Name
		if r.Untrusted {
			mark += " untrusted"
		}
		if r.Off {
			mark += " off"
		}
		got = append(got, mark)
	}
	if diff := cmp.Diff([]string{"a off", "b", "B untrusted", "c untrusted"}, got); diff != "" || len(c.Problems) != 2 || !strings.Contains(problems(c), `the rule "B" counts beside the one of its name`) {
		t.Errorf("got problems %q, rules (want -, got +):\n%s", problems(c), diff)
	}
	if diff := cmp.Diff([]string{"make a", "make b", "make d", "make e"}, c.Debrief.Tests); diff != "" {
		t.Errorf("tests (want -, got +):\n%s", diff)
	}
	if from, want := c.From["debrief.tests"], p.UserFile+", "+config.ProjectPath(p.Project)+", PITON_DEBRIEF_TESTS"; from != want {
		t.Errorf("got the tests from %s, want %s", from, want)
	}
}

func TestBadRules(t *testing.T) {
	for _, c := range []struct{ name, rule, problem string }{
		{"a misspelt key", "{name: x, include: ['**'], evidnce: [a]}", `line 3: unknown key "evidnce"; did you mean evidence?`},
		{"a misspelt key on a line of its own", "name: x\n      incldue: ['**']", `line 4: unknown key "incldue"; did you mean include?`},
		{"a misspelt first key on a line of its own", "nmae:\n        x\n      include: ['**']", `line 3: unknown key "nmae"; did you mean name?`},
		{"a key that is none", "{name: x, include: ['**'], colour: red}", `unknown key "colour"; there are name, include`},
		{"a misspelt key inside", "{name: x, include: ['**'], then: {instuction: y}}", "did you mean instruction?"},
		{"a key in capitals", "{Name: x, include: ['**']}", "did you mean name?"},
		{"a number for a list", "{name: x, include: 5}", "include wants a list of texts, not a number"},
		{"keys for a list", "{name: x, include: {a: b}}", "include wants a list of texts, not keys with values"},
		{"a number in a list", "{name: x, include: ['**', 5]}", "each of include wants a text, not a number; put it in quotes"},
		{"nothing in a list", "{name: x, include: ['**', ]}\n    - {name: y, include: [~]}", "include has an empty line"},
		{"a word for a number", "{name: x, include: ['**'], precedence: high}", "precedence wants a whole number, not a text"},
		{"a word for a truth", "{name: x, include: ['**'], advice: perhaps}", "advice wants true or false"},
		{"a list for a text", "{name: x, include: ['**'], instruction: [a, b]}", "instruction wants a text, not a list"},
		{"a text for keys", "{name: x, include: ['**'], then: look}", "then wants keys with values, not a text"},
		{"no name", "{include: ['**']}", "it has no name"},
		{"no files", "{name: x}", "it includes no files"},
		{"a word for a rule", "make test", "a rule wants keys with values, not a text"},
		{"nobody's word for itself", "{name: x, include: ['**'], untrusted: false}", `unknown key "untrusted"`},
		{"the same name twice", "{name: good, include: ['**']}", "one of this name already"},
	} {
		yaml := "debrief:\n  rules:\n    - " + c.rule + "\n    - {name: good, include: ['**']}\n"
		got, _ := layers{user: yaml}.load(t)
		n := 0
		for _, r := range got.Debrief.Rules {
			if r.Name == "good" {
				n++
			}
		}
		if !strings.Contains(problems(got), c.problem) || n != 1 {
			t.Errorf("%s: got the rules %+v and problems %q, want %q and the good one in force", c.name, got.Debrief.Rules, problems(got), c.problem)
		}
	}
}

func TestLists(t *testing.T) {
	for _, c := range []struct {
		name, yaml, problem string
		want                debrief.Settings
	}{
		{"tests", "debrief: {tests: [make test, ' go test ./... ']}", "", debrief.Settings{Tests: []string{"make test", "go test ./..."}}},
		{"one test", "debrief: {tests: make test}", "", debrief.Settings{Tests: []string{"make test"}}},
		{"a number", "debrief: {tests: [5]}", "wants a text, not a number", debrief.Settings{}},
		{"an empty test", "debrief: {tests: ['']}", "is empty", debrief.Settings{}},
		{"verify", "debrief: {verify: [make lint, {run: make test, files: ['**/*.go'], timeout: 90s}, {run: x, timeout: 5}]}", "", debrief.Settings{Verify: []debrief.Verify{
			{Run: "make lint"}, {Run: "make test", Files: []string{"**/*.go"}, Timeout: 90 * time.Second}, {Run: "x", Timeout: 5 * time.Second}}}},
		{"one to verify", "debrief: {verify: {run: make lint}}", "", debrief.Settings{Verify: []debrief.Verify{{Run: "make lint"}}}},
		{"nothing to verify", "debrief: {verify: []}", "", debrief.Settings{Verify: []debrief.Verify{}}},
		{"verify with a slip", "debrief: {verify: [{rnu: make lint}, make test]}", `line 1: unknown key "rnu"; did you mean run?`, debrief.Settings{Verify: []debrief.Verify{{Run: "make test"}}}},
		{"verify without a command", "debrief: {verify: [{files: [a]}]}", "run is missing", debrief.Settings{}},
		{"verify with a time that is none", "debrief: {verify: [{run: a, timeout: soon}]}", "not a duration", debrief.Settings{}},
		{"modes of agents", "debrief: {agents: {gemini: {mode: off}, codex: {mode: audit}}}", "", debrief.Settings{Agents: map[string]string{"gemini": "off", "codex": "audit"}}},
		{"an agent that is none", "debrief: {agents: {cursor: {mode: off}}}", `unknown key "debrief.agents.cursor.mode"; the agents are claude, gemini, codex`, debrief.Settings{}},
		{"log check and work item", "debrief: {log_check: 'logs tail', work_item: billing}", "", debrief.Settings{LogCheck: "logs tail", WorkItem: "billing"}},
		{"a log check on two lines", "debrief: {log_check: \"a\\nb\"}", "on one line", debrief.Settings{}},
		{"a test on two lines", "debrief: {tests: [\"a\\nb\", c]}", "on one line", debrief.Settings{Tests: []string{"c"}}},
		{"a test without end", "debrief: {tests: [" + strings.Repeat("x", 501) + "]}", "longer than 500", debrief.Settings{}},
		{"a profile that is none", "debrief: {profiles: [goo]}", `no profile is called "goo"`, debrief.Settings{}},
		{"no profiles", "debrief: {profiles: []}", "", debrief.Settings{Profiles: []string{}}},
		{"an alias", "x: &t [make test]\ndebrief: {tests: *t}", `unknown key "x"`, debrief.Settings{Tests: []string{"make test"}}},
		{"merged keys", "x: &t {tests: [make test]}\ndebrief: {<<: *t}", `unknown key "x.tests"`, debrief.Settings{Tests: []string{"make test"}}},
		{"an alias that holds itself", "debrief: {tests: &a [*a]}", "contains itself", debrief.Settings{}},
	} {
		got, _ := layers{user: c.yaml}.load(t)
		d, want := debrief.DefaultSettings(), c.want
		want.Mode, want.MinTurn, want.Timer, want.Reply, want.AllClear = d.Mode, d.MinTurn, d.Timer, d.Reply, d.AllClear
		if diff := cmp.Diff(want, got.Debrief); diff != "" || (c.problem == "") != (len(got.Problems) == 0) || !strings.Contains(problems(got), c.problem) {
			t.Errorf("%s: got problems %q, want %q; settings (want -, got +):\n%s", c.name, problems(got), c.problem, diff)
		}
	}
}

func TestListsInTheEnvironment(t *testing.T) {
	for _, c := range []struct{ v, want, problem string }{
		{"[go test ./..., make check]", "go test ./...|make check", ""},
		{"make test && x: y", "make test && x: y", ""},
		{"make test", "make test", ""},
		{"[a", "", "not a list such as [a, b]"},
		{"[]", "", ""},
	} {
		got, _ := layers{env: map[string]string{"PITON_DEBRIEF_TESTS": c.v}}.load(t)
		if all := strings.Join(got.Debrief.Tests, "|"); all != c.want || !strings.Contains(problems(got), c.problem) || (c.problem == "") != (len(got.Problems) == 0) {
			t.Errorf("%s: got %q, problems %q; want %q, %q", c.v, all, problems(got), c.want, c.problem)
		}
	}
	got, _ := layers{env: map[string]string{"PITON_DEBRIEF_VERIFY": "[make lint, {run: make test, timeout: 5s}]", "PITON_DEBRIEF_AGENTS_GEMINI_MODE": "off"}}.load(t)
	if len(got.Debrief.Verify) != 2 || got.Debrief.ModeOf("gemini") != debrief.ModeOff || got.Debrief.ModeOf("claude") != debrief.ModeOn || len(got.Problems) > 0 {
		t.Errorf("got %+v, problems %q", got.Debrief, problems(got))
	}
}

func TestValuesAreShownAsInAFile(t *testing.T) {
	c, p := layers{user: "debrief: {min_turn: 90s, mode: audit, agents: {codex: {mode: off}}, verify: [make lint]}\ncheckpoints: {warm_for: 36h, delete_after: 0, open_for: 2w}"}.load(t)
	want := map[string]config.Value{}
	for _, v := range []config.Value{
		{Key: "debrief.min_turn", Value: "1m30s", From: p.UserFile}, {Key: "debrief.agents.claude.mode", Value: "audit", From: p.UserFile},
		{Key: "debrief.agents.codex.mode", Value: "off", From: p.UserFile}, {Key: "checkpoints.warm_for", Value: "36h", From: p.UserFile},
		{Key: "checkpoints.delete_after", Value: "0", From: p.UserFile}, {Key: "checkpoints.open_for", Value: "14d", From: p.UserFile},
		{Key: "checkpoints.enabled", Value: true, From: config.BuiltIn}, {Key: "checkpoints.warm", Value: 10, From: config.BuiltIn},
		{Key: "debrief.verify", Value: []debrief.Verify{{Run: "make lint"}}, From: p.UserFile},
	} {
		want[v.Key] = v
	}
	n := 0
	for _, got := range c.Values() {
		if w, ok := want[got.Key]; ok {
			n++
			if diff := cmp.Diff(w, got); diff != "" {
				t.Errorf("%s (want -, got +):\n%s", got.Key, diff)
			}
		}
	}
	if n != len(want) || len(c.Values()) != len(config.Keys()) {
		t.Errorf("got %d of %d values, %d in all", n, len(want), len(c.Values()))
	}
}

// The documents' examples are read without a slip.
func TestRulesOfTheDocuments(t *testing.T) {
	manual, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(manual), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	whole, err := os.ReadFile("../../docs/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"rules.md": example, "rules.yaml": string(whole)} {
		c, _ := layers{user: text}.load(t)
		if len(c.Debrief.Rules) == 0 || len(c.Problems) > 0 {
			t.Errorf("%s: got %d rules, problems %q", name, len(c.Debrief.Rules), problems(c))
		}
	}
}
