package debrief_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// A task of the project that checks as much makes good what failed of its checks,
// if all of it is known.
func TestTasksThatMakeAFailedCheckGood(t *testing.T) {
	const typos = "a/a.go:3:1: undefined: x (typecheck)"
	single := "golangci-lint run ./a/a.go"
	for _, c := range []struct {
		name, failed, task string
		change             func(*agent.Call)
		runs               [][]string
		read, good         bool
	}{
		{"the whole by its task", single, "mise run lint", nil, [][]string{{"golangci-lint", "run", "./..."}}, true, true},
		{"one of several commands", single, "make lint", nil, [][]string{{"gofmt", "-l", "."}, {"golangci-lint", "run"}}, true, true},
		{"another checker", single, "make lint", nil, [][]string{{"staticcheck", "./..."}}, true, false},
		{"another part", single, "make lint", nil, [][]string{{"golangci-lint", "run", "./b/..."}}, true, false},
		{"a task that is not understood", single, "make lint", nil, [][]string{{"golangci-lint", "run", "./..."}}, false, false},
		{"a task that fails", single, "make lint", failed, [][]string{{"golangci-lint", "run", "./..."}}, true, false},
		{"a task whose status is hidden, and whose output tells", single, "make lint | tail -3", nil, [][]string{{"golangci-lint", "run", "./..."}}, true, true},
		{"a task whose status and output are hidden", single, "make lint >log | tail -3", nil, [][]string{{"golangci-lint", "run", "./..."}}, true, false},
		{"what is no check", "./deploy.sh a", "make ship", nil, [][]string{{"./deploy.sh", "a"}}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := settled().run(c.failed, typos, status(1))
			switch {
			case c.change != nil:
				s.run(c.task, typos, c.change)
			case strings.Contains(c.task, ">"):
				s.run(c.task, "")
			default:
				s.run(c.task, "0 issues.")
			}
			s.in.Expand = func(_ string, words []string) (runs []debrief.Run, read bool) {
				if words[0] != "make" && words[0] != "mise" {
					return nil, true
				}
				for _, w := range c.runs {
					runs = append(runs, debrief.Run{Words: w})
				}
				return runs, c.read
			}
			named := false
			for _, a := range s.look().Actions {
				named = named || a == "`"+c.failed+"` failed and has not succeeded since (compile error: `"+typos+"`): make it good, or say why it may stay"
			}
			if named == c.good {
				t.Errorf("good: %v, actions: %q", c.good, s.look().Actions)
			}
		})
	}
}
