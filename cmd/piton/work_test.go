//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	web "github.com/piton-project/piton/internal/page"
	"github.com/piton-project/piton/internal/testkit/need"
)

// doorsOfWork are what people and agents read unfinished work from: all that is shown there.
// The doors of programs are in work below.
var doorsOfWork = map[string]func(*spot) string{
	"status": func(p *spot) string { _, said := p.run("status"); return said },
	"list":   func(p *spot) string { _, said := p.run("exec tty -columns 200 piton list --open"); return said },
	"page":   (*spot).page,
	"offer":  (*spot).offer,
	"model":  (*spot).model,
}

// instead is what a door shows of a kind of work in the place of its command, and why;
// nothing: it does not show the kind.
var instead = map[string]map[app.WorkKind]struct{ shows, why string }{
	"status": {app.WorkSession: {"ID", "an agent at work needs nobody"}},
	"list":   {app.WorkSession: {"ID", "an agent at work needs nobody"}, app.WorkCheckpoint: {"ID", "below the table stands 'piton resume <id>'"}},
	"page": {
		app.WorkSession: {`href="/session/ID"`, "its card leads to its screen"}, app.WaitingPermission: {"Answer it in its own terminal", "its card leads to its screen"},
		app.WaitingLost: {"piton undo --project", "the page is of all projects"},
	},
	"offer": {
		app.WaitingInDoubt: {"`piton run --resume ID`", "the run's row says interrupted; to go on says which step is in doubt"}, app.WaitingApproval: {"`piton runs show ID`", "an agent approves nothing"}, app.WaitingAnswered: {"`piton runs show ID`", "a person has the run go on"},
		"budget":              {"`piton runs show ID`", "a person says how much more"},
		app.WaitingPermission: {"", "another agent is at it"}, app.WorkSession: {"", "another agent is at it"},
		app.WorkNeed: {"", "an agent that works there is held for it at its stop"}, app.WaitingLost: {"", "what is brought back, a person says"},
		app.WaitingLetters: {"", "a person's to say"}, app.WaitingHooks: {"", "where no hook runs nothing is offered"},
	},
}

// page is the first screen of the page.
func (p *spot) page() string {
	x, err := web.Listen(web.Options{App: caller.Options{Home: p.dir + "/state", Getenv: p.getenv, Environ: []string{}}, API: http.NotFoundHandler()})
	p.ok(err)
	go x.Serve()
	defer x.Close()
	address, ticket, _ := strings.Cut(x.Address(), "/#")
	ask := func(method, path, header, pass string) *http.Response {
		r, err := http.NewRequestWithContext(p.Context(), method, address+path, nil)
		p.ok(err)
		r.Header.Set(header, pass)
		got, err := http.DefaultClient.Do(r)
		p.ok(err)
		return got
	}
	entered := ask(http.MethodPost, "/enter", "Piton-Ticket", ticket)
	defer entered.Body.Close()
	token, err := io.ReadAll(entered.Body)
	p.ok(err)
	live := ask(http.MethodGet, "/live/", "Piton-Token", string(token))
	defer live.Body.Close()
	said := ""
	for lines := bufio.NewScanner(live.Body); lines.Scan() && (lines.Text() != "" || !strings.Contains(said, "data:")); {
		said += lines.Text() + "\n"
	}
	return html.UnescapeString(said)
}

// offer is what an agent is told that begins a session now.
func (p *spot) offer() string {
	own := p.vars["SESSION"]
	p.vars["SESSION"] = "00000000-0000-4000-8000-000000000003"
	_, said := p.run("agent SessionStart source=startup")
	p.run("agent SessionEnd reason=exit")
	p.vars["SESSION"] = own
	return said
}

// model is what an MCP tool tells a model.
func (p *spot) model() string {
	var out bytes.Buffer
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_waiting","arguments":{"project":"` + p.dir + `/project"}}}
`
	if status := run(p.Context(), []string{"mcp"}, strings.NewReader(in), &out, io.Discard, p.getenv); status != 0 {
		p.Fatalf("piton mcp: status %d", status)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var answer struct {
		Result struct{ Content []struct{ Text string } }
	}
	p.ok(json.Unmarshal([]byte(lines[len(lines)-1]), &answer))
	return answer.Result.Content[0].Text
}

// TestUnfinishedWorkAtEveryDoor leads to each kind of unfinished work, and looks for it at
// every door: each shows it with the same command. That is typed, and then the work has moved
// on or is gone.
func TestUnfinishedWorkAtEveryDoor(t *testing.T) {
	need.Program(t, "sh")
	inGit := []string{"env PITON_DEBRIEF_MIN_TURN=0s", "exec git init -q -b main", "exec git add -A", "exec git -c user.name=a -c user.email=a@b.c commit -qm first"}
	for _, x := range []struct {
		name    string
		before  []string
		kind    app.WorkKind
		command string // a pattern
		typed   string // in the place of what stands for a person's words
		ends    int    // the command's status
		after   []string
		then    app.WorkKind // what it is after that; "": gone
	}{
		{"a checkpoint", []string{"save --workflow w --state s.json"}, app.WorkCheckpoint, `^piton resume chk_\w+$`, "", 0, []string{"complete --workflow w"}, ""},
		{"a run that asks", []string{"person", "! run ask.yaml"}, app.WaitingApproval, `^piton runs approve run_\w+ q$`, " --yes", 0, nil, app.WaitingAnswered},
		{"a run with its answer", []string{"person", "! run ask.yaml", "runs approve ask --yes"}, app.WaitingAnswered, `^piton run --resume run_\w+$`, "", 0, nil, ""},
		{"a run that failed", []string{"! run failing.yaml", "write ok"}, "failed", `^piton run --resume run_\w+$`, "", 0, nil, ""},
		{"a run whose process died", []string{`write slow.yaml name: slow\nsteps:\n- {id: a, effect: pure, run: 'touch began; until test -e go; do sleep 0.02; done'}\n`, "start run slow.yaml", "await began", "kill", "write go"}, app.WaitingInterrupted, `^piton run --resume run_\w+$`, "", 0, nil, ""},
		{"a run in doubt", died, app.WaitingInDoubt, `^piton runs show run_\w+$`, "", 0, []string{"run --resume $RUN --took a"}, ""},
		{"a run whose budget is used up", []string{"! run bound.yaml"}, "budget", `^piton run --resume run_\w+ --max-tries N$`, "", 0, nil, ""},
		{"an agent that asks for permission", []string{"agent SessionStart source=startup", "agent ask 'fix it'", "agent PermissionRequest tool_name=Bash"}, app.WaitingPermission, `^piton sessions ses_\w+$`, "", 0, []string{"agent SessionEnd reason=exit"}, ""},
		{"an agent at work", []string{"agent SessionStart source=startup", "agent ask 'fix it'"}, app.WorkSession, `^piton sessions ses_\w+$`, "", 0, []string{"agent SessionEnd reason=exit"}, ""},
		{"what work left open", slices.Concat([]string{"person"}, inGit, []string{"agent SessionStart source=startup", "agent ask 'fix it'", "agent write calc.go 'package x; const fixed = true'", "agent Stop last_assistant_message=done", "agent run ls ok", "agent Stop last_assistant_message=done", "agent SessionEnd reason=exit"}), app.WorkNeed, `^piton rules ignore --why WORDS$`, "looked", 0, nil, ""},
		{"files that a command took away", slices.Concat([]string{"person"}, inGit[1:], []string{"write calc.go package mine", "agent SessionStart source=startup", "agent ask 'tidy up'", "agent shell 'git checkout -- .'", "agent Stop last_assistant_message=done", "agent SessionEnd reason=exit"}), app.WaitingLost, `^piton undo$`, " --yes", 0, nil, ""},
		{"a letter that was given up", slices.Concat(held, []string{`sql INSERT INTO letters (id, session_id, kind, due, body, done_at, outcome) SELECT 'ltr_0000000000000001', id, 'hold', 1, '{}', 1, 'parked: no client' FROM sessions`}), app.WaitingLetters, `^piton letters$`, "", 0, []string{"letters drop ltr_0000000000000001"}, ""},
		{"hooks whose program is gone", []string{`write $DIR/home/.claude/settings.json {"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/gone/piton-hook claude 2>/dev/null || :"}]}]}}`}, app.WaitingHooks, `^piton init --agent claude$`, "", 0, nil, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := newSpot(t)
			lines := func(all []string) {
				for _, line := range all {
					line, fails := strings.CutPrefix(line, "! ")
					if status, said := p.run(strings.Replace(line, " N", " 9", 1)); (status != 0) != fails {
						t.Fatalf("%s: status %d\n%s", line, status, said)
					}
				}
			}
			lines(x.before)
			shown := p.work(x.kind)
			if !regexp.MustCompile(x.command).MatchString(shown.Command) {
				t.Fatalf("got %+v, want %s", shown, x.command)
			}
			for door, see := range doorsOfWork {
				want := shown.Command
				if other, ok := instead[door][x.kind]; ok {
					want = strings.ReplaceAll(other.shows, "ID", shown.ID)
				}
				if said := ""; want != "" {
					if said = see(p); !strings.Contains(said, want) {
						t.Errorf("%s does not show %q:\n%s", door, want, said)
					}
				}
			}
			line := strings.Replace(strings.TrimPrefix(shown.Command, "piton "), "WORDS", x.typed, 1)
			if !strings.HasSuffix(shown.Command, "WORDS") {
				line += x.typed
			}
			if status, said := p.run(strings.Replace(line, " N", " 9", 1)); status != x.ends {
				t.Fatalf("%s: status %d\n%s", shown.Command, status, said)
			}
			lines(x.after)
			if now := p.work(x.kind); now.Kind != "" {
				t.Errorf("after %s: still %+v", shown.Command, now)
			}
			if x.then != "" && p.work(x.then).Command == "" {
				t.Errorf("after %s: nothing is %s", shown.Command, x.then)
			}
		})
	}
}

// work is the unfinished work of a kind, which every door that programs read shows alike.
func (p *spot) work(kind app.WorkKind) (found app.Work) {
	p.Helper()
	var status app.Status
	var list app.Listing
	var waiting app.WaitingList
	p.json("status --json", &status)
	p.json("list --open --json", &list)
	_, said := p.run("api GET /v1/waiting?project=" + p.dir + "/project")
	p.ok(json.Unmarshal([]byte(said), &waiting))
	of := func(all []app.Work) (w app.Work) {
		if i := slices.IndexFunc(all, func(w app.Work) bool { return w.Kind == kind }); i >= 0 {
			w = all[i]
		}
		return w
	}
	found = of(status.Work)
	for door, w := range map[string]app.Work{"list --open": of(list.Work), "/v1/waiting": of(waiting.Work)} {
		if w != found {
			p.Errorf("%s: got %+v, want %+v as in status", door, w, found)
		}
	}
	if w := of(status.Waiting); found.Waits && w != found {
		p.Errorf("waiting: got %+v, want %+v", w, found)
	}
	return found
}

// TestNothingToResume: where no checkpoint can be resumed what is unfinished all the same is
// named, and a run is no brief for an agent.
func TestNothingToResume(t *testing.T) {
	need.Program(t, "sh")
	p := newSpot(t)
	p.run("save --workflow w --state s.json")
	p.run("complete --workflow w")
	if _, said := p.run("resume"); !strings.Contains(said, "no unfinished work in this project") {
		t.Errorf("with nothing:\n%s", said)
	}
	for _, line := range held {
		p.run(line)
	}
	p.run(`sql INSERT INTO letters (id, session_id, kind, due, body, done_at, outcome) SELECT 'ltr_0000000000000001', id, 'hold', 1, '{}', 1, 'parked: no client' FROM sessions`)
	p.run("agent SessionEnd reason=exit")
	p.run("sql DELETE FROM branches")
	p.run("run ask.yaml")
	_, said := p.run("resume --json")
	var r app.Resumption
	p.ok(json.Unmarshal([]byte(said), &r))
	if r.Next != p.fill("piton runs approve $RUN q") || !strings.Contains(r.Brief, p.fill("'piton runs show $RUN' shows for what")) || strings.Contains(r.Brief, "run --resume") {
		t.Errorf("got the next command %q and the brief\n%s", r.Next, r.Brief)
	}
	p.vars["SESSION"] = "00000000-0000-4000-8000-000000000002"
	if _, said := p.run("agent SessionStart source=startup"); !strings.Contains(said, p.fill("`piton runs show $RUN` says for what")) || strings.Contains(said, "run --resume") {
		t.Errorf("offered:\n%s", said)
	}
}
