package main

import (
	"io"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/screentest"
)

// newConsole is the console of a program with these streams and this environment.
func newConsole(in io.Reader, out, errOut io.Writer, getenv func(string) string) console {
	return console{cli.New(in, out, errOut, getenv)}
}

// The screens of what people look at most, at three widths.
func TestScreens(t *testing.T) {
	ago := screentest.Ago
	half, most, turn := 45, 80, 4
	parse := piton.Checkpoint{
		ID: "chk_7m2k9x4q0v8r3t5w", InWorkflow: piton.InWorkflow{WorkflowID: "wf_3c8d1f6g2h9j4k5m", Workflow: "billing", WorkflowType: piton.TypePhases, Branch: "main", Seq: 3},
		AtStep: piton.AtStep{StepName: "Parse the old invoices", PhaseNumber: 3, PhaseTotal: 7}, Trigger: "phase_complete", Described: piton.Described{Name: "before the refactor"},
		CreatedAt: ago(2 * time.Hour), SoFar: piton.SoFar{Progress: &half}, OfState: piton.OfState{StateBytes: 95, SHA256: "c2e5edb9f69afafe"}, Origin: piton.Origin{Agent: "claude", Host: "kiln"},
	}
	list := []piton.Checkpoint{
		parse,
		{ID: "chk_1a6b3c8d5e0f2g7h", InWorkflow: piton.InWorkflow{WorkflowID: "wf_8kk2q2zk2b5pysrw", WorkflowType: piton.TypeSession}, Described: piton.Described{TaskSummary: "move billing to the new API", Description: "2 files changed since the last checkpoint: calc.go, sum.go"}, AtStep: piton.AtStep{StepNumber: &turn}, Trigger: "file_change", CreatedAt: ago(3 * time.Hour), Origin: piton.Origin{Agent: "claude"}},
		{ID: "chk_bsxhwjycyv4tdccg", InWorkflow: piton.InWorkflow{WorkflowID: "wf_8kk2q2zk2b5pysrw", WorkflowType: piton.TypeSession}, Described: piton.Described{TaskSummary: "move billing to the new API", Description: "1 file changed: calc.go"}, AtStep: piton.AtStep{StepNumber: &turn}, Trigger: "file_change", CreatedAt: ago(4 * time.Hour), Origin: piton.Origin{Agent: "claude"}},
		{ID: "chk_hnmmrc674gh5bxrh", InWorkflow: piton.InWorkflow{WorkflowID: "wf_4n2m", Workflow: "請求書"}, AtStep: piton.AtStep{StepName: "古い請求書を読み込んで検証する"}, Trigger: "manual", CreatedAt: ago(50 * time.Hour), SoFar: piton.SoFar{Progress: &most}, Completed: true},
	}
	sessions := []app.Session{
		{ID: "ses_9p4q7r2s5t8v1w3x", Agent: "claude", ClientID: "6152e381-4c21-432b-8da3-8b6a5782ebeb", Root: "/home/ann/src/billing", Turn: 4, TurnOpen: true, Alive: true, State: agent.StateWorking, SeenAt: ago(time.Minute), Pane: &app.Pane{ID: "%3"}},
		{ID: "ses_dgc5bbvk83j67sbf", Agent: "codex", ClientID: "01a2b3c4", Root: "/home/ann/src/site", Turn: 1, TurnOpen: true, Alive: true, State: agent.StateWaiting, SeenAt: ago(5 * time.Minute), WaitsFor: agent.WaitPermission, WaitingSince: ago(5 * time.Minute)},
	}
	held := agent.Decision{
		At: ago(10 * time.Minute), Session: sessions[0].ID, Agent: "claude", Turn: 4, Held: true, Reason: agent.ReasonHeld, TurnStart: ago(14 * time.Minute), ElapsedMS: 240_000, BudgetLeft: 1,
		Files: []agent.FileChange{{Path: "calc.go"}}, Categories: []string{"Go code"},
		Evidence: []agent.Evidence{{Category: "tests", Command: "go test -run TestSum ./...", Why: "calc.go was changed after it had ended"}},
		Actions:  []string{"`calc.go` changed, and its tests (`calc_test.go`) have not run since: run `go test .`"},
		Lines:    []string{"`site.css` changed; it belongs to no project that is known here"},
	}
	idle := agent.Need{Kind: "own_tests_idle", Files: []string{"calc.go"}, Ask: "go test .", Since: ago(10 * time.Minute), Text: "`calc.go` changed, and its tests (`calc_test.go`) have not run since"}
	red := agent.Need{Kind: "red", Files: []string{"web/cart.ts", "web/price.ts"}, Check: "npm test", Line: "Tests: 1 failed, 11 passed, 12 total", Ask: "npm test", Dir: "web", Since: ago(3 * time.Hour), Text: "`npm test` failed (`Tests: 1 failed, 11 passed, 12 total`) and was not seen to pass since"}
	held.Open = []agent.Need{red, idle} // its own action says the second
	needs := []app.OpenNeed{{Need: idle, Session: sessions[0].ID, Agent: "claude"}, {Need: red, Session: sessions[1].ID, Agent: "codex"}}
	modes := map[string]string{"claude": "on", "codex": "on", "gemini": "audit"}
	status := app.Status{
		Root: "/home/ann/src/billing", Modes: modes, Sessions: sessions, Open: list[:2], OpenMore: 4, Needs: needs, Work: []app.Work{
			{Kind: app.WorkCheckpoint, ID: list[0].ID, Text: "billing: Parse the old invoices", Command: "piton resume " + list[0].ID, Since: list[0].CreatedAt},
			{Kind: app.WorkCheckpoint, ID: list[1].ID, Text: "wf_8kk2q2zk2b5pysrw: move billing to the new API", Command: "piton resume " + list[1].ID, Since: list[1].CreatedAt},
			{Kind: app.WorkNeed, Text: idle.Text + " (by claude; `go test .` would close it)", Since: idle.Since, Command: "piton rules ignore --why WORDS"}, {Kind: app.WorkNeed, Text: red.Text, Command: "piton rules ignore --why WORDS"},
		}, LastDecision: &held,
		Clients: []app.ClientStatus{{Agent: "claude", Hooks: true, SeenAt: ago(time.Minute)}, {Agent: "codex", Hooks: true, Prevented: "not approved yet, so they do not run", Hint: "start codex and approve them in /hooks"}, {Agent: "gemini"}},
		Next:    []app.NextCommand{{Command: "piton sessions", Why: "says who waits for you"}, {Command: "piton resume", Why: "prints the brief of unfinished work"}, {Command: "piton explain", Why: "says why the agent was held"}},
	}
	diagnosis := app.Diagnosis{Broken: 1, Checks: []setup.Check{
		{Agent: "claude", Name: "version", OK: true, Detail: "2.1.40 (Claude Code)"},
		{Agent: "claude", Name: "hooks", Detail: "missing: PreToolUse, PostToolUse, SubagentStart, SubagentStop, PreCompact, SessionEnd", Hint: "run 'piton init --agent claude --scope project'"},
		{Agent: "codex", Name: "hooks", OK: true, Warn: true, Detail: "handled twice (settings of: project, user): Stop, PreToolUse", Hint: "keep one of them: 'piton uninstall --agent codex --scope project' or 'piton uninstall --agent codex --scope user'"},
		{Name: "state folder", OK: true, Warn: true, Detail: "/home/ann/.piton has mode 0755: others can look into it", Hint: "run `chmod 700 /home/ann/.piton`"},
		{Name: "store", OK: true, Detail: "/home/ann/.piton/piton.db"},
	}}
	screentest.Compare(t, []screentest.Screen{
		{Name: "piton", Print: func(of *cli.Console) error { return console{of}.printStatus(status) }},
		{Name: "list", Print: func(of *cli.Console) error {
			return console{of}.printList(app.Listing{Checkpoints: list}, 0, "Recent checkpoints:", "", "piton list")
		}},
		{Name: "needs", Print: func(of *cli.Console) error { return console{of}.printWork(status.Work[2:], false) }},
		{Name: "sessions", Print: func(of *cli.Console) error { return console{of}.printSessions(app.SessionList{Sessions: sessions}) }},
		{Name: "inspect", Print: func(of *cli.Console) error {
			return console{of}.printInspection(history.Inspection{Checkpoint: parse, Children: list[1:2], ParentState: []byte(`{"phase":"Read","todo":["read","write"]}`), State: []byte(`{"phase":"Parse","todo":["write"],"note":"the totals are rounded twice: once in calc.go and again where the invoice is printed, so a cent is lost"}`)})
		}},
		{Name: "diff", Print: func(of *cli.Console) error {
			return console{of}.printDiff(history.Pair{From: list[1], To: parse, FromState: []byte(`{"phase":"Read","todo":["read","write"]}`), State: []byte(`{"phase":"Parse","todo":["write"],"note":"the totals are rounded twice"}`)})
		}},
		{Name: "doctor", Print: func(of *cli.Console) error { return console{of}.printChecks(diagnosis, false) }},
		{Name: "verify", Print: func(of *cli.Console) error {
			return console{of}.printVerification(history.Verification{Checked: 3, Intact: 3, Files: []string{"mrk_5h3n7p2q9r4s8t6v calc.go", "mrk_7m2k9x4q0v8r3t5w calc.go"}}, false)
		}},
		{Name: "branches", Print: func(of *cli.Console) error {
			return console{of}.printBranches(app.BranchList{Branches: []store.Branch{{Name: "main", HeadID: parse.ID, Count: 3}, {Name: "try", HeadID: list[1].ID, FromID: parse.ID, Count: 1}}})
		}},
	}...)
}
