//go:build unix

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/testkit/need"
)

var (
	onceAtWork = []string{`write once.yaml name: once\nsteps:\n- {id: pay, effect: once, run: 'touch began; until test -e go; do sleep 0.02; done'}\n`, "start run once.yaml --max-time 30s", "await began"}
	asking     = []string{"person", "start run ask.yaml --wait", "exec sh -c 'until piton runs list | grep -q asks; do sleep 0.1; done'"}
)

// TestHowRunsStand leads runs to where they stand still, by a signal, a pause or a
// budget, and reads how they stand at each place where it is said. The command that is
// named there is typed there.
func TestHowRunsStand(t *testing.T) {
	need.Program(t, "sh")
	for _, x := range []struct {
		name   string
		before []string
		word   string
		waits  string // what 'status' says it waits for; "": it is among its runs
		typed  string // what is typed after the command
		ends   int    // with what the command ends
		then   string // the word after it
	}{
		{"Ctrl-C while it asks", slices.Concat(asking, []string{"exec sh -c 'kill -INT $PID'", "heard"}), "waits for a person", "approval", " --yes", 0, "answered"},
		{"a pause while it asks", slices.Concat(asking, []string{"runs pause ask", "heard"}), "waits for a person", "approval", " --yes", 0, "answered"},
		{"an answer after Ctrl-C", slices.Concat(asking, []string{"exec sh -c 'kill -INT $PID'", "heard", "runs approve ask --yes"}), "answered", "answered", "", 0, "completed"},
		{"Ctrl-C while a step with an effect runs", slices.Concat(onceAtWork, []string{"exec sh -c 'kill -INT $PID'", "heard"}), "in doubt", "in_doubt", "", 0, "in doubt"},
		{"its budget ends while a step with an effect runs", []string{`write once.yaml name: once\nsteps:\n- {id: pay, effect: once, run: 'sleep 60'}\n`, "! run once.yaml --max-time 100ms"}, "in doubt", "in_doubt", "", 0, "in doubt"},
		{"its process was killed while a step with an effect ran", died, "in doubt", "in_doubt", "", 0, "in doubt"},
		{"its process was killed", []string{`write slow.yaml name: slow\nsteps:\n- {id: a, effect: pure, run: 'touch began; until test -e go; do sleep 0.02; done'}\n`, "start run slow.yaml", "await began", "kill", "write go"}, "interrupted", "interrupted", "", 0, "completed"},
		{"it failed", []string{"! run failing.yaml", "write ok"}, "failed", "", "", 0, "completed"},
		{"its budget is used up", []string{"! run bound.yaml"}, "stopped", "", "", 0, "completed"},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := newSpot(t)
			for _, line := range x.before {
				line, fails := strings.CutPrefix(line, "! ")
				if status, said := p.run(line); (status != 0) != fails {
					t.Fatalf("%s: status %d\n%s", line, status, said)
				}
			}
			command := p.stands(x.word, x.waits)
			if status, said := p.run(strings.TrimPrefix(strings.Replace(command, " N", " 9", 1), "piton ") + x.typed); status != x.ends {
				t.Fatalf("%s: status %d\n%s", command, status, said)
			}
			var list planruns.RunList
			p.json("runs list --json --status '"+x.then+"'", &list)
			if len(list.Runs) != 1 || list.Runs[0].Word() != x.then {
				t.Errorf("after %s: got %+v, want it %s", command, list.Runs, x.then)
			}
		})
	}
}

func (p *spot) json(line string, into any) {
	p.Helper()
	status, said := p.run(line)
	if err := json.Unmarshal([]byte(said), into); err != nil || status != 0 {
		p.Fatalf("%s: status %d, %v\n%s", line, status, err, said)
	}
}

// stands holds what each command says of the only run against one word, and returns the
// command with which it goes on.
func (p *spot) stands(word, waits string) (command string) {
	p.Helper()
	var list planruns.RunList
	var view planruns.RunView
	var status app.Status
	p.json("runs list --open --json --status '"+word+"'", &list)
	p.json("status --json", &status)
	if len(list.Runs) != 1 || len(status.Runs) != 1 {
		p.Fatalf("got %+v, %+v, want one that is %s", list, status.Runs, word)
	}
	p.json("runs show "+list.Runs[0].ID+" --json", &view)
	got := []string{list.Runs[0].Word(), view.Run.Word(), status.Runs[0].Word()}
	if diff := cmp.Diff([]string{word, word, word}, got); diff != "" {
		p.Errorf("list, show and status (-want +got):\n%s", diff)
	}
	kind := ""
	for _, w := range status.Waiting {
		kind, command = string(w.Kind), w.Command
	}
	if kind == "" {
		command = status.Next[slices.IndexFunc(status.Next, func(n app.NextCommand) bool { return strings.Contains(n.Command, list.Runs[0].ID) })].Command
	}
	_, said := p.run("list --open")
	if kind != waits || slices.ContainsFunc(status.Next, func(n app.NextCommand) bool { return n.Command == "piton resume" }) || strings.Contains(said, "No unfinished work.") {
		p.Errorf("it waits for %q, next %v, and 'list --open' says:\n%s\nwant %q, and no resume of it", kind, status.Next, said, waits)
	}
	return command
}

// TestRunAtWork: a run at work is unfinished work, and is named as that.
func TestRunAtWork(t *testing.T) {
	need.Program(t, "sh")
	p := newSpot(t)
	for _, line := range atWork {
		p.run(line)
	}
	if _, said := p.run("list --open"); !strings.Contains(said, p.fill("No checkpoint to resume. Unfinished all the same: 1; the first: $RUN  slow: running, 0 of 2 steps (piton runs logs $RUN --follow).")) {
		t.Errorf("list --open:\n%s", said)
	}
	if _, said := p.run("status"); !strings.Contains(said, p.fill("\nRuns         $RUN  slow: running, 0 of 2 steps\n")) {
		t.Errorf("status:\n%s", said)
	}
	for _, line := range []string{"kill", "! run failing.yaml"} {
		p.run(strings.TrimPrefix(line, "! "))
	}
	if _, said := p.run("runs list --limit 1 --open"); !strings.Contains(said, "failing") || !strings.HasSuffix(said, "Show all: piton runs list --limit 0 --open\n") {
		t.Errorf("runs list --limit 1:\n%s", said)
	}
	p.run("exec mkdir $DIR/other")
	p.run("cd $DIR/other")
	for _, line := range []string{"list --open", "save --workflow w --state $DIR/project/s.json"} {
		p.run(line)
		if _, said := p.run("list --open"); !strings.Contains(said, "the first: 1 run waits in another project (piton runs list --open --limit 0).") {
			t.Errorf("list --open in another project, after %s:\n%s", line, said)
		}
	}
}

// TestHelpOfWhatIsSetUp: who has set Piton up is not told to do so.
func TestHelpOfWhatIsSetUp(t *testing.T) {
	p := newSpot(t)
	if _, said := p.run(""); !strings.Contains(said, "Next         piton demo") {
		t.Errorf("before:\n%s", said)
	}
	p.write(p.dir+"/home/.claude/settings.json", "{}")
	p.run("init --agent claude")
	if _, said := p.run(""); strings.Contains(said, "piton demo") || !strings.Contains(said, "Next         piton doctor") {
		t.Errorf("after:\n%s", said)
	}
}
