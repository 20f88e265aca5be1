package headless

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

func TestChecks(t *testing.T) {
	commit := " && git add . && git -c user.name=a -c user.email=a@example.org commit -qm more"
	for _, x := range []struct {
		name, script string
		check        plan.Check
		want         string // "": completed
	}{
		{"a command succeeds", "", plan.Check{Run: "true"}, ""},
		{"a command fails without a word", "", plan.Check{Run: "false"}, "the command `false` ended with status 1"},
		{"a command sees the step", "", plan.Check{Run: `test "$PITON_STEP_ID" = work`}, ""},
		{"a file is there", "mkdir -p out && echo x >out/a.txt", plan.Check{File: "out/*.txt"}, ""},
		{"a folder is not a file", "mkdir -p out/a.txt", plan.Check{File: "out/*.txt"}, "there is no file out/*.txt"},
		{"a file is changed", "echo x >>a.go", plan.Check{Changed: "**/*.go"}, ""},
		{"a file is new", "mkdir d && echo x >d/b.go", plan.Check{Changed: "d/*.go"}, ""},
		{"a file is committed", "echo x >>a.go" + commit, plan.Check{Changed: "a.go"}, ""},
		{"another file is changed", "echo x >b.md", plan.Check{Changed: "**/*.go"}, "no changed file matches **/*.go"},
		{"what was dirty before is not changed", "", plan.Check{Changed: "dirty.txt"}, "no changed file matches dirty.txt"},
		{"a dirty file is changed again", "echo more >>dirty.txt", plan.Check{Changed: "dirty.txt"}, ""},
		{"an expression is true", "", plan.Check{Expr: `output.text == "Done."`}, ""},
		{"an expression is not true", "", plan.Check{Expr: `output.text == "No."`}, "the expression is not true"},
		{"verified", "verified", plan.Check{Verified: true}, ""},
		{"not verified", "", plan.Check{Verified: true}, "not verified: run go test ./..."},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newStage(t)
			s.repository()
			s.write("dirty.txt", "before\n")
			script := x.script
			s.agent.Judge = func(_ context.Context, f Finished) (Verdict, error) {
				if f.Client != "claude" || !strings.HasSuffix(f.Log, f.Session+".jsonl") || f.Dir != s.dir || f.Began.IsZero() {
					t.Errorf("the judge was asked for %+v", f)
				}
				if x.script == "verified" {
					return Verdict{}, nil
				}
				return Verdict{Missing: []string{"run go test ./..."}}, nil
			}
			if x.check.Verified {
				script = "mkdir -p $HOME/.claude/projects/p && touch $HOME/.claude/projects/p/$id.jsonl"
			}
			s.client("claude", script+"\nends 'Done.'\n")
			_, err := s.do(s.call(with(prompt("work"), "rounds", 0.0), x.check))
			switch {
			case x.want == "" && err != nil:
				t.Errorf("got %v, want it completed", err)
			case x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)):
				t.Errorf("got %v, want %s", err, x.want)
			}
		})
	}
}

// Where nothing was changed nothing is missing, and the result says so.
func TestVerifiedWithoutAChange(t *testing.T) {
	for name, x := range map[string]struct {
		script string
		want   any
	}{
		"nothing was changed":       {"", true},
		"a file was changed":        {"echo x >>a.go", nil},
		"a file is left as it was":  {"echo x >>a.go && git checkout -q a.go", true},
		"a new file, later ignored": {"echo x >b.go && echo b.go >.git/info/exclude", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.repository()
			s.agent.Judge = func(context.Context, Finished) (Verdict, error) { return Verdict{}, nil }
			s.client("claude", "mkdir -p $HOME/.claude/projects/p && touch $HOME/.claude/projects/p/$id.jsonl\n"+x.script+"\nends 'Done.'\n")
			said := ""
			c := s.call(prompt("work"), plan.Check{Verified: true})
			c.Say = func(text string) { said += text + "\n" }
			r, err := s.do(c)
			out, _ := r.Output.(map[string]any)
			if err != nil || out["unchanged"] != x.want || strings.Contains(said, "because nothing was changed") != (x.want == true) {
				t.Errorf("got %v, %v, %q; want unchanged %v", out, err, said, x.want)
			}
		})
	}
}

// The values of a check's command reach it, and the agent that tries it, by the
// environment, and the prompt does not show them.
func TestAChecksValuesAreVariables(t *testing.T) {
	s := newStage(t)
	s.client("claude", "ends \"$PITON_VALUE_1\"\n")
	c := s.call(prompt("work"), plan.Check{Run: `case "${PITON_VALUE_1}" in s3cr*) ;; *) false; esac`}, plan.Check{Expr: `output.text endsWith "cr3t"`})
	c.CheckEnv = map[string]string{"PITON_VALUE_1": "s3cr3t"}
	if _, err := s.do(c); err != nil {
		t.Errorf("got %v, want it completed", err)
	}
	if asked := s.was("prompt", 1); strings.Contains(asked, "s3cr3t") || !strings.Contains(asked, "${PITON_VALUE_1}") {
		t.Errorf("got the prompt %s, want the command without its value", asked)
	}
}

// What cannot be looked at does not count as done.
func TestAChecksThatCannotBeMade(t *testing.T) {
	for _, x := range []struct {
		name  string
		check plan.Check
		want  string
	}{
		{"changes outside a repository", plan.Check{Changed: "*"}, "is in no git repository"},
		{"no judge", plan.Check{Verified: true}, "there is no judge here"},
		{"no check", plan.Check{}, "it names nothing to check"},
		{"a glob that is none", plan.Check{File: "[a"}, "syntax error"},
	} {
		s := newStage(t)
		s.client("claude", "ends 'Done.'\n")
		_, err := s.do(s.call(prompt("work"), x.check))
		var f *action.Failed
		if !errors.As(err, &f) || !f.Final || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: got %v, want %s", x.name, err, x.want)
		}
	}
}

func TestJSONThatIsAskedFor(t *testing.T) {
	s := newStage(t)
	s.client("claude", "[ $n = 2 ] && ends '[1,2]' || ends 'Two numbers.'\n")
	r, err := s.do(s.call(with(prompt("list"), "output", "json")))
	out, _ := r.Output.(map[string]any)
	if list, _ := out["result"].([]any); err != nil || len(list) != 2 {
		t.Errorf("got %v, %v; want the list of the second round", out, err)
	}
	if got := s.was("prompt", 2); !strings.Contains(got, "the last message is not JSON") {
		t.Errorf("got the prompt %q", got)
	}
}

func TestJSONIn(t *testing.T) {
	for message, want := range map[string]any{
		"7":                                7.0,
		" \"x\" ":                          "x",
		"Here:\n```json\n7\n```\n.":        7.0,
		"Here:\n```\n7\n```":               7.0,
		"```json\n1\n```\n```json\n7\n```": 7.0,
		"Here:\n```go\n7\n```":             nil,
		"Seven.":                           nil,
		"```json\n{\n```":                  nil,
		"```":                              nil,
		"":                                 nil,
	} {
		if got, ok := jsonIn(message); got != want || ok != (want != nil) {
			t.Errorf("got %v, %v of %q, want %v", got, ok, message, want)
		}
	}
}

func TestCheckOfAStep(t *testing.T) {
	a := newStage(t).agent
	for _, x := range []struct {
		name string
		step plan.Step
		want string
	}{
		{"whole", plan.Step{Parameters: with(prompt("x"), "rounds", 2.0)}, ""},
		{"no prompt", plan.Step{}, `needs the parameter "prompt"`},
		{"another's word", plan.Step{Parameters: with(prompt("x"), "provider", "claude")}, `did you mean "agent"?`},
		{"an unknown agent", plan.Step{Parameters: with(prompt("x"), "agent", "clade")}, `did you mean "claude"?`},
		{"an expression", plan.Step{Parameters: map[string]any{"prompt": "${{ inputs.x }}"}}, ""},
		{"no judge", plan.Step{Parameters: prompt("x"), Check: []plan.Check{{Verified: true}}}, "cannot be made here"},
	} {
		err := a.Check(x.step)
		if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s: got %v, want %q", x.name, err, x.want)
		}
	}
}

// A large work tree is noted without its prints.
func TestALargeBaselineIsBounded(t *testing.T) {
	s := newStage(t)
	s.repository()
	for i := range 2000 {
		s.write(strings.Repeat("n", 50)+string(rune('a'+i%26))+strings.Repeat("x", i%97)+string(rune('a'+i/26%26))+string(rune('a'+i/676)), "x")
	}
	b := baseline(t.Context(), s.dir)
	if b == nil || b.Head == "" || len(b.Files) != 0 {
		t.Errorf("got %v, want the commit only", b)
	}
	if err := os.RemoveAll(s.dir + "/.git"); err != nil || baseline(t.Context(), s.dir) != nil {
		t.Errorf("got a baseline outside a repository (%v)", err)
	}
}
