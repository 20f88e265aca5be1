package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestSameAnswers goes verb by verb over one store: the API answers what the command
// line prints with --json. What changes the store is done by each door to a workflow
// of its own.
func TestSameAnswers(t *testing.T) {
	d, _ := openDoors(t)
	for _, c := range []struct {
		name         string
		cli          []string
		stdin        string
		method, path string
		body         string
		keep         string // the name under which each door keeps the id that it got
	}{
		{name: "a first save", cli: []string{"save", "--workflow", "{w}", "--name", "first-{w}", "--step", "1", "--tag", "t", "--session", "one", "--state", "-"}, stdin: `{"b":1.0,"a":"\u0041","todo":["x"]}`,
			method: "POST", path: "/v1/checkpoints", body: `{"project":"{dir}","workflow":"{w}","name":"first-{w}","step":1,"tags":["t"],"session":"one","state":{"b":1.0,"a":"\u0041","todo":["x"]}}`, keep: "first"},
		{name: "a save with phases, usage and a secret", cli: []string{"save", "--workflow", "{w}", "--phase", "Build", "--phase-number", "2", "--phase-total", "4", "--task", "ship it", "--episode", "7", "--progress", "50", "--duration-ms", "12", "--token-usage", "input=3,output=4", "--parent", "{first}", "--state", "-"},
			stdin:  `{"phase":"Build","phase_number":2,"key":"AKIAIOSFODNN7EXAMPLE"}`,
			method: "POST", path: "/v1/checkpoints", body: `{"project":"{dir}","workflow":"{w}","phase":"Build","phase_number":2,"phase_total":4,"task":"ship it","episode":"7","progress":50,"duration_ms":12,"token_usage":{"input":3,"output":4,"cache_read":0,"cache_write":0},"parent":"{first}","state":{"phase":"Build","phase_number":2,"key":"AKIAIOSFODNN7EXAMPLE"}}`, keep: "second"},
		{name: "a save whose parent has moved", cli: []string{"save", "--workflow", "{w}", "--parent", "{first}", "--state", "-"}, stdin: `{}`, method: "POST", path: "/v1/checkpoints", body: `{"project":"{dir}","workflow":"{w}","parent":"{first}","state":{}}`},
		{name: "a state that is not an object", cli: []string{"save", "--state", "-"}, stdin: `[1]`, method: "POST", path: "/v1/checkpoints", body: `{"project":"{dir}","state":[1]}`},
		{name: "a state with a key given twice", cli: []string{"save", "--workflow", "{w}", "--trigger", "none", "--state", "-"}, stdin: `{}`, method: "POST", path: "/v1/checkpoints", body: `{"project":"{dir}","workflow":"{w}","trigger":"none","state":{}}`},
		{name: "list all", cli: []string{"list"}, method: "GET", path: "/v1/checkpoints"},
		{name: "list with a limit", cli: []string{"list", "--limit", "1"}, method: "GET", path: "/v1/checkpoints?limit=1"},
		{name: "list what is open here", cli: []string{"list", "--open"}, method: "GET", path: "/v1/checkpoints?open=true&project={dir}"},
		{name: "list by many filters", cli: []string{"list", "--workflow", "aaaa", "--project", "{dir}", "--incomplete", "--tag", "t", "--since", "1d", "--trigger", "manual", "--branch", "main"}, method: "GET", path: "/v1/checkpoints?workflow=aaaa&project={dir}&incomplete=true&tag=t&since=1d&trigger=manual&branch=main"},
		{name: "list an unknown trigger", cli: []string{"list", "--trigger", "x"}, method: "GET", path: "/v1/checkpoints?trigger=x"},
		{name: "list two filters that exclude each other", cli: []string{"list", "--since", "soon"}, method: "GET", path: "/v1/checkpoints?since=soon"},
		{name: "list those of an agent", cli: []string{"list", "--agent", "codex"}, method: "GET", path: "/v1/checkpoints?agent=codex"},
		{name: "list those of an unknown agent", cli: []string{"list", "--agent", "x"}, method: "GET", path: "/v1/checkpoints?agent=x"},
		{name: "search", cli: []string{"search", "ship"}, method: "GET", path: "/v1/search?words=ship"},
		{name: "load by id", cli: []string{"load", "{second}"}, method: "GET", path: "/v1/checkpoints/{second}/state"},
		{name: "load by name", cli: []string{"load", "first-aaaa"}, method: "GET", path: "/v1/checkpoints/first-aaaa/state?project={dir}"},
		{name: "load the newest of a session", cli: []string{"load", "--session", "one"}, method: "GET", path: "/v1/state?session=one"},
		{name: "load what is not there", cli: []string{"load", "chk_0000000000000000"}, method: "GET", path: "/v1/checkpoints/chk_0000000000000000/state"},
		{name: "inspect", cli: []string{"inspect", "{second}"}, method: "GET", path: "/v1/checkpoints/{second}"},
		{name: "inspect with the state", cli: []string{"inspect", "{second}", "--state"}, method: "GET", path: "/v1/checkpoints/{second}?state=true"},
		{name: "inspect raw", cli: []string{"inspect", "{second}", "--raw"}, method: "GET", path: "/v1/checkpoints/{second}/raw"},
		{name: "diff with the parent", cli: []string{"diff", "{second}"}, method: "GET", path: "/v1/checkpoints/{second}/diff"},
		{name: "diff of two", cli: []string{"diff", "{second}", "{first}"}, method: "GET", path: "/v1/checkpoints/{second}/diff?to={first}"},
		{name: "fork", cli: []string{"fork", "{first}", "--branch", "other", "--description", "d", "--tag", "u"}, method: "POST", path: "/v1/checkpoints/{first}/fork", body: `{"project":"{dir}","branch":"other","description":"d","tags":["u"]}`, keep: "forked"},
		{name: "fork to a branch that is there", cli: []string{"fork", "{first}", "--branch", "other"}, method: "POST", path: "/v1/checkpoints/{first}/fork", body: `{"project":"{dir}","branch":"other"}`},
		{name: "branches", cli: []string{"branches", "{w}"}, method: "GET", path: "/v1/workflows/{w}/branches?project={dir}"},
		{name: "branches of an unknown workflow", cli: []string{"branches", "nix"}, method: "GET", path: "/v1/workflows/nix/branches?project={dir}"},
		{name: "resume by id", cli: []string{"resume", "{second}"}, method: "POST", path: "/v1/checkpoints/{second}/resume", body: `{"project":"{dir}"}`},
		{name: "resume the newest of a workflow", cli: []string{"resume", "--workflow", "{w}", "--agent", "claude"}, method: "POST", path: "/v1/resume", body: `{"project":"{dir}","workflow":"{w}","agent":"claude"}`},
		{name: "resume with an unknown client", cli: []string{"resume", "--agent", "x"}, method: "POST", path: "/v1/resume", body: `{"project":"{dir}","agent":"x"}`},
		{name: "complete by id", cli: []string{"complete", "{forked}"}, method: "POST", path: "/v1/checkpoints/{forked}/complete"},
		{name: "complete a workflow", cli: []string{"complete", "--workflow", "{w}"}, method: "POST", path: "/v1/complete", body: `{"project":"{dir}","workflow":"{w}"}`},
		{name: "delete, shown only", cli: []string{"delete", "{forked}", "--dry-run"}, method: "DELETE", path: "/v1/checkpoints/{forked}?dry_run=true"},
		{name: "delete by id", cli: []string{"delete", "{forked}"}, method: "DELETE", path: "/v1/checkpoints/{forked}"},
		{name: "delete what is old of a workflow", cli: []string{"delete", "--workflow", "{w}", "--older-than", "7d", "--yes"}, method: "DELETE", path: "/v1/checkpoints?workflow={w}&project={dir}&older_than=7d"},
		{name: "delete by a time that is none", cli: []string{"delete", "--workflow", "{w}", "--older-than", "x", "--yes"}, method: "DELETE", path: "/v1/checkpoints?workflow={w}&project={dir}&older_than=x"},
		{name: "prune, shown only", cli: []string{"prune", "--dry-run"}, method: "POST", path: "/v1/prune", body: `{"dry_run":true}`},
		{name: "prune", cli: []string{"prune", "--project", "{dir}", "--max-time", "30s"}, method: "POST", path: "/v1/prune", body: `{"project":"{dir}","max_time":"30s"}`},
		{name: "verify", cli: []string{"verify"}, method: "POST", path: "/v1/verify"},
		{name: "verify and repair a workflow", cli: []string{"verify", "--workflow", "{w}", "--repair"}, method: "POST", path: "/v1/verify", body: `{"project":"{dir}","workflow":"{w}","repair":true}`},
		{name: "purge", cli: []string{"purge", "--secrets", "--dry-run"}, method: "POST", path: "/v1/purge", body: `{"secrets":true,"dry_run":true}`},
		{name: "sessions", cli: []string{"sessions"}, method: "GET", path: "/v1/sessions"},
		{name: "sessions of a project", cli: []string{"sessions", "--project", "{dir}", "--limit", "1"}, method: "GET", path: "/v1/sessions?project={dir}&limit=1"},
		{name: "decisions", cli: []string{"explain"}, method: "GET", path: "/v1/decisions?project={dir}"},
		{name: "decisions of an unknown session", cli: []string{"explain", "nobody"}, method: "GET", path: "/v1/decisions?session=nobody"},
		{name: "rules", cli: []string{"rules", "list"}, method: "GET", path: "/v1/rules?project={dir}"},
		{name: "statistics", cli: []string{"stats", "--since", "7d"}, method: "GET", path: "/v1/stats?since=7d"},
		{name: "restart an unknown session's agent", cli: []string{"sessions", "restart", "nobody"}, method: "POST", path: "/v1/sessions/nobody/agent-restart"},
		{name: "runs, of which there are none", cli: []string{"runs", "list"}, method: "GET", path: "/v1/runs"},
		{name: "an unknown run", cli: []string{"runs", "show", "run_0000000000000000"}, method: "GET", path: "/v1/runs/run_0000000000000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.t = t
			answer, failed := d.cli(c.stdin, c.cli...)
			got, problem := d.api(c.method, c.path, c.body)
			if c.keep != "" && failed == nil && problem == nil {
				d.ids["cli"][c.keep], d.ids["api"][c.keep] = answer.(map[string]any)["id"].(string), got.(map[string]any)["id"].(string)
			}
			own := regexp.MustCompile(`\{(w|first|second|forked)\}`)
			d.compare(!own.MatchString(strings.Join(append(c.cli, c.stdin, c.path, c.body), " ")), answer, failed, got, problem)
		})
	}
}
