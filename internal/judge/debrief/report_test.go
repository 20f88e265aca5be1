package debrief_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/judge/debrief"
)

// lines are the reports in short: rule, files, verdict, and ! where it asks.
func lines(reports []debrief.Report) []string {
	var all []string
	for _, r := range reports {
		line := r.Rule + " [" + strings.Join(r.Files, " ") + "] " + r.Verdict
		if r.Asks {
			line += " !"
		}
		all = append(all, line)
	}
	return all
}

func TestReports(t *testing.T) {
	restart := debrief.Rule{Name: "daemon", Include: []string{"daemon/**"}, Precedence: 1, Instruction: "restart", Evidence: []string{"make restart"},
		Then: &debrief.Follow{Instruction: "look", Evidence: []string{"make status"}}}
	with := func(s *script, rules ...debrief.Rule) *script {
		s.in.Rules = rules
		return s
	}
	logged := func(s *script) *script { s.in.LogCheck = "shoplogs"; return s }
	item := func(s *script, planned ...string) *script { s.in.Item, s.in.Planned = "cart", planned; return s }
	for _, c := range []struct {
		name   string
		script *script
		want   []string
	}{
		{"proved", turn().edit("a.go").run("go test ./...", "ok"), []string{"Go code [a.go] judged by what ran"}},
		{"not seen behind a pipe", turn().edit("a.go").run("go test ./a | tail", "done"), []string{"not_seen [a.go] a line for the person: `a.go` changed; no check of it was seen to pass here", "Go code [a.go] judged by what ran"}},
		{"asked for", turn().edit("a.go", "b.go"), []string{"idle [a.go b.go] asks: `a.go`, `b.go` changed, and no test of them has run since !", "Go code [a.go b.go] judged by what ran"}},
		{"tried", turn().edit("a.go").run("make test", "FAIL x", failed), []string{"red [a.go] asks: `make test` failed (`FAIL x`) and was not seen to pass since !", "Go code [a.go] judged by what ran"}},
		{"no test command", bare().edit("a.go"), []string{"no_check_known [a.go] a line for the person: `a.go` changed; no test command is known here", "Go code [a.go] judged by what ran"}},
		{"only tests", turn().edit("a_test.go"), []string{"idle [a_test.go] asks: `a_test.go` changed, and no test of it has run since !", "Go code [a_test.go] covered by tests only", "tests only [a_test.go] judged by what ran"}},
		{"covered by the tests", turn().edit("go.mod", "a.go"), []string{"idle [a.go] asks: `a.go` changed, and no test of it has run since !", "Go dependencies [go.mod] advice only", "Go code [a.go] judged by what ran"}},
		{"advice", turn().edit(".github/workflows/ci.yml"), []string{"CI files [.github/workflows/ci.yml] advice only"}},
		{"what asks for nothing", turn().edit("README.md"), []string{"docs [README.md] nothing is asked for"}},
		{"what cannot run here", turn().edit("Dockerfile").run("docker build .", "docker: command not found", status(127)), []string{"Docker files [Dockerfile] advice only: `docker build .` cannot run here"}},
		{"first and second", with(turn().edit("daemon/a").run("make restart", "").run("make status", ""), restart), []string{"daemon [daemon/a] proved by `make restart` and then `make status`"}},
		{"first alone", with(turn().edit("daemon/a").run("make restart", ""), restart), []string{"daemon [daemon/a] asks: `make restart` has run, but no `make status` has succeeded since !"}},
		{"errors", bare().edit("x.yaml").run("./x.sh", "boom", failed), []string{"config [x.yaml] nothing is asked for"}},
		{"a delivery that failed beside code", turn().edit("a.go").run("make test", "ok").run("git push", "rejected", failed), []string{"Go code [a.go] judged by what ran"}},
		{"errors beside documents", bare().edit("README.md").run("./x.sh", "boom", failed), []string{"docs [README.md] nothing is asked for"}},
		{"log check", logged(bare().edit("x.yaml")), []string{"config [x.yaml] nothing", "log check [x.yaml] asks: the logs have not been looked at since the last edit !"}},
		{"log check, done", logged(bare().edit("x.yaml").run("shoplogs --since 5m", "")), []string{"config", "log check [x.yaml] proved by `shoplogs --since 5m`"}},
		{"log check, not needed", logged(bare().edit("README.md")), []string{"docs", "log check [] falls away"}},
		{"work item", item(bare().edit("x.yaml"), "a.go"), []string{"config", "work item [] advice only: none of the changed files is planned"}},
		{"work item, kept to", item(bare().edit("x.yaml", "a.go"), "a.go"), []string{"no_check_known", "Go code", "config", "work item [a.go] kept to: 1 of 2"}},
		{"work item without a plan", item(bare().edit("x.yaml")), []string{"config", "work item [] falls away"}},
		{"verify", turn().edit("a.go").ran(ran("make lint", fails(1, "x")), ran("make test")), []string{"Go code [a.go] judged by what ran", "verify [] asks: 1 of 2 failed !"}},
		{"verify instead of the rule", turn().edit("a.go").ran(ran("make test", fails(1, "x"))), []string{"red [a.go] asks: `make test` failed and was not seen to pass since !", "Go code [a.go] judged by what ran", "verify [] asks: 1 of 1 failed !"}},
		{"verify without failure", turn().edit("a.go").ran(ran("make test", cached), ran("make all", tooSlow)), []string{"Go code [a.go] judged by what ran", "verify [] no failure"}},
		{"foreign files", turn().file(debrief.File{Path: "a.go"}).run("ls", ""), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.script.in.Report = true
			r := c.script.look()
			got := lines(r.Rules)
			wants(t, "reports", got, c.want...)
			for i := range got {
				if strings.HasSuffix(got[i], "!") != strings.HasSuffix(c.want[i], "!") {
					t.Errorf("got %q, want %q", got[i], c.want[i])
				}
			}
			agrees(t, r)
			c.script.in.Report = false
			if again := c.script.look(); again.Message != r.Message || again.Rules != nil {
				t.Errorf("without reports: got %q %+v, want %q", again.Message, again.Rules, r.Message)
			}
		})
	}
}

// agrees checks that the reports say what the result says.
func agrees(t interface{ Errorf(string, ...any) }, r debrief.Result) {
	asks := slices.ContainsFunc(r.Rules, func(x debrief.Report) bool { return x.Asks })
	if asks != (len(r.Actions) > 0) {
		t.Errorf("asks %v, actions %q, reports %q", asks, r.Actions, lines(r.Rules))
	}
	for _, x := range r.Rules {
		if x.Files == nil || x.Evidence == nil || x.Verdict == "" || x.Rule == "" {
			t.Errorf("a report is not filled in: %+v", x)
		}
		if x.Asks != strings.HasPrefix(x.Verdict, "asks: ") {
			t.Errorf("asks %v with the verdict %q", x.Asks, x.Verdict)
		}
	}
}

func TestReportJSON(t *testing.T) {
	s := turn().edit("x/a").run("make look", "ok")
	s.in.Rules = []debrief.Rule{{Name: "mine", Include: []string{"**"}, Instruction: "look", Evidence: []string{"make look"}}}
	s.in.Report = true
	got, err := json.Marshal(s.look().Rules)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"rule":"mine","files":["x/a"],"instruction":"look","evidence":[{"category":"mine","command":"make look","counts":true,"why":"succeeded after the last edit"}],"verdict":"proved by ` + "`make look`" + `","asks":false}]`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s = turn().edit("README.md")
	s.in.Report = true
	if got, _ := json.Marshal(s.look().Rules); !strings.Contains(string(got), `"evidence":[]`) {
		t.Errorf("got %s, want an empty list of evidence", got)
	}
}
