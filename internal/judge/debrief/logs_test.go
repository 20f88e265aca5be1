package debrief_test

import (
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
