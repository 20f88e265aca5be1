package judge

import (
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/testkit/screentest"
)

func TestScreens(t *testing.T) {
	ago := screentest.Ago
	held := agent.Decision{
		At: ago(10 * time.Minute), Session: "ses_9p4q7r2s5t8v1w3x", Agent: "claude", Turn: 4, Held: true, Reason: agent.ReasonHeld, TurnStart: ago(14 * time.Minute), ElapsedMS: 240_000, BudgetLeft: 1,
		Files: []agent.FileChange{{Path: "calc.go"}}, Categories: []string{"Go code"},
		Evidence: []agent.Evidence{{Category: "tests", Command: "go test -run TestSum ./...", Why: "calc.go was changed after it had ended"}},
		Actions:  []string{"`calc.go` changed, and its tests (`calc_test.go`) have not run since: run `go test .`"},
		Lines:    []string{"`site.css` changed; it belongs to no project that is known here"},
	}
	idle := agent.Need{Kind: "own_tests_idle", Files: []string{"calc.go"}, Ask: "go test .", Since: ago(10 * time.Minute), Text: "`calc.go` changed, and its tests (`calc_test.go`) have not run since"}
	red := agent.Need{Kind: "red", Files: []string{"web/cart.ts", "web/price.ts"}, Check: "npm test", Line: "Tests: 1 failed, 11 passed, 12 total", Ask: "npm test", Dir: "web", Since: ago(3 * time.Hour), Text: "`npm test` failed (`Tests: 1 failed, 11 passed, 12 total`) and was not seen to pass since"}
	held.Open = []agent.Need{red, idle} // its own action says the second
	modes := map[string]string{"claude": "on", "codex": "on", "gemini": "audit"}
	tests := []string{"go test ./...", "go test", "gotestsum", "ginkgo", "gotest", "make test", "make check", "make ci", "just test", "just check"}
	rules := installation.RuleList{Found: []string{"`go test ./...`", "`npm test` in web"}, Rules: []installation.Rule{
		{Name: "Go code", From: "built-in", Precedence: 60, Asks: "run `go test ./...`", ProvenBy: tests, Here: true}, {Name: "Rust code", From: "built-in", Precedence: 60},
		{Name: "the daemon", From: "/home/ann/src/billing/.piton.yaml", Precedence: 30, Asks: "restart the daemon with `make restart` and look at its log: journalctl --user -u billing", ProvenBy: []string{"make restart"}, Untrusted: true, Here: true},
	}}
	screentest.Compare(t, []screentest.Screen{
		{Name: "explain", Print: func(of *cli.Console) error {
			return console{of}.printDecisions(insight.Explanation{Decisions: []agent.Decision{held}, Modes: modes, Reasons: map[agent.Reason]int{agent.ReasonHeld: 1}, Stops: 1})
		}},
		{Name: "rules-list", Print: func(of *cli.Console) error { return console{of}.printRules(rules, false) }},
	}...)
}
