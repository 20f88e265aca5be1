package debrief_test

import (
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// powershell says that PowerShell ran the line.
func powershell(c *agent.Call) { c.Tool = "PowerShell" }

// rewritten is a turn in which a file is written again behind its tests.
func rewritten() *script {
	s := turn().edit("a.go").run("make test", "", powershell).run(`(Get-Content a.go) -replace 'x', 'y' | Set-Content .\a.go`, "", powershell)
	return s.file(debrief.File{Path: "a.go", ModTime: s.now.Add(-5 * time.Second)})
}

func TestLinesOfPowerShell(t *testing.T) {
	const question = "$t = Get-Content a.lua; if ($t -notmatch 'shop') { 'FAIL: no shop'; exit 1 }; 'well'"
	for _, c := range []struct {
		name string
		s    *script
		want []string
	}{
		{"tests that failed in a block", turn().edit("a.go").run("if (Test-Path go.mod) { go test ./... }", "--- FAIL: TestA\nFAIL\tshop\t0.1s\nFAIL", powershell, status(1)), []string{"--- FAIL: TestA"}},
		{"tests that passed in a block", turn().edit("a.go").run("if (Test-Path go.mod) { go test ./... }", "ok  \tshop\t0.1s", powershell), nil},
		{"tests in a block that say nothing", turn().edit("a.go").run("if (Test-Path go.mod) { make test }", "", powershell), []string{"a.go"}},
		{"tests behind a pipe that failed", turn().edit("a.go").run("make test | Select-Object -Last 5", "--- FAIL: TestA", powershell), []string{"a.go"}},
		{"tests whose status is handed on", turn().edit("a.go").run("make test\nif ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }\nWrite-Host done", "done", powershell), nil},
		{"tests that a text names", turn().edit("a.go").run("@'\nmake test\n'@ | Set-Content notes.md", "", powershell), []string{"a.go"}},
		{"an edit after the tests", rewritten(), []string{"a.go"}},
		{"a question of its own, answered with no", settled().run(question, "FAIL: no shop", powershell, status(1)), []string{"FAIL: no shop"}},
		{"a question of its own, then answered well", settled().run(question, "FAIL: no shop", powershell, status(1)).run(question, "well", powershell), nil},
		{"a search in a loop without a hit", settled().run(`foreach ($f in Get-ChildItem src) { rg -n "shop" $f }`, "", powershell, status(1)), nil},
		{"a look that failed", settled().run(`$i = 0; Get-Content a.ts | ForEach-Object { $i++; "$i $_" } | Select-Object -Index 0..3`, "Select-Object : Cannot bind parameter 'Index'", powershell, status(1)), nil},
	} {
		t.Run(c.name, func(t *testing.T) { wants(t, "actions", c.s.look().Actions, c.want...) })
	}
}
