package history_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store"
)

var update = flag.Bool("update", false, "write the briefs in testdata anew")

// golden compares a brief with testdata; ids become chk_1, wf_1.
func golden(t *testing.T, name, got string) {
	t.Helper()
	seen := map[string]string{}
	got = regexp.MustCompile(`(chk|wf)_[0-9a-z]{16}`).ReplaceAllStringFunc(got, func(id string) string {
		if seen[id] == "" {
			seen[id] = fmt.Sprintf("%s_%d", id[:strings.Index(id, "_")], len(seen)+1)
		}
		return seen[id]
	})
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (want -, got +):\n%s", path, diff)
	}
}

func TestBriefs(t *testing.T) {
	many := func(n int, form string) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(form, i))
		}
		return strings.Join(list, ",")
	}
	for _, c := range []struct {
		name  string
		d     history.Draft
		drift []history.Drift
	}{
		{"session", history.Draft{SaveRequest: piton.SaveRequest{Type: "session", Task: "mend the cart", Progress: ptr(50), State: []byte(`{
			"task_summary":"mend the cart","todos":[{"content":"mend it","status":"completed"},{"content":"test it","status":"in_progress"},{"content":"tell Ann","status":"pending"}],
			"files_modified":["cart/cart.go","cart/price.go","README.md","web/app/page.ts"],
			"commands":[{"command":"go build ./...","failed":true},{"command":"go vet ./...\n"}],"unverified":["Go code changed (cart/cart.go): run 'go test ./...'"],
			"agent_outputs":{"explorer":"It is in cart.go.","reviewer":"Looks good."},"decisions":[],"git_head":"9fceb02d","git_branch":"main","token_usage":{"input":1}}`)}, Origin: piton.Origin{Agent: "claude", GitHead: "9fceb02d", GitBranch: "main"}},
			[]history.Drift{{What: "git_head", Was: "9fceb02d", Is: "41ad7c30"}, {What: "git_branch", Was: "main", Is: ""}}},
		{"phases", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "billing", Phase: "Build", PhaseNumber: 3, Task: "move billing to the new API", State: []byte(`{"isc_criteria":[{"id":"c1","subject":"v1 is gone","status":"completed"},{"id":"c2","subject":"v2 answers"}],"metadata":{"x":1}}`)}}, nil},
		{"phases-last", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "billing", Phase: "Ship", PhaseNumber: 7, State: []byte(`{}`)}}, nil},
		{"conductor", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "shop", State: []byte(`{"current_phase":"2.5","completed_phases":["1","2"],"pending_phases":["2.5","3"],
			"context":{"project_name":"shop","project_path":"/home/ann/shop","brd_file":"docs/brd.md","spec_files":["a.md","b.md"]},
			"decisions":[{"phase":"1","decision":"SQLite","rationale":"one file"},{"phase":"2","decision":"no ORM"},"plain words"],
			"files_modified":["a.go"],"todos":[{"content":"write it","status":"pending"}],"agent_outputs":{}}`)}}, nil},
		{"conductor-done", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "shop", State: []byte(`{"current_phase":"2","completed_phases":["1","2"],"pending_phases":[]}`)}}, nil},
		{"plan", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "nightly", State: []byte(`{"query":"import the rows","current_step_index":2,"plan":[
			{"id":"a","description":"fetch","status":"completed"},{"id":"b","status":"skipped"},{"id":"c","description":"parse","status":"failed"},
			{"id":"d","description":"store","status":"running"},{"id":"e","description":"tell"},{"id":"f","description":"check","status":"in_progress"}],"last_error":{"step_index":2,"message":"bad row\n17"}}`)}}, nil},
		{"plan-camel", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "nightly", State: []byte(`{"currentStepIndex":0,"plan":[{"id":"a"}],"lastError":{"message":"boom"}}`)}}, nil},
		{"plan-results", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "market", State: []byte(`{"query":"find all competitors","currentStepIndex":1,"plan":[
			{"id":"1","description":"identify competitors","action":"search","status":"completed"},{"id":2,"action":"fetch","status":"failed"},{"id":"3","description":"compile"}],
			"results":[{"stepId":"1","output":["CompanyA","CompanyB"],"durationMs":12},{"stepId":2,"output":{"rows":3,"nested":{"a":[1]}}},{"output":"kept"},{"stepId":"4"}],
			"context":{"quarter":"Q4","sources":["edgar","news"],"limits":{"rows":10},"project_name":"market","empty":null},"lastError":{"message":"API timeout","stepIndex":1}}`)}}, nil},
		{"plan-done", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "market", State: []byte(`{"query":"find","currentStepIndex":2,"plan":[{"id":"1","description":"identify","status":"completed"},{"id":"2","description":"fetch","status":"skipped"}],"results":[{"stepId":"1","output":7}],"context":{}}`)}}, nil},
		{"outputs", history.Draft{SaveRequest: piton.SaveRequest{Workflow: "shop", State: []byte(`{"current_phase":"2","completed_phases":["1"],"pending_phases":["3"],"context":{"language":"Go","project_name":"shop"},
			"agent_outputs":{"architect":{"spec_created":true,"file":"/TODO/auth.md"},"auto-code":{"files_written":3,"by":{"a":1}},"qa":["one","two"],"none":null,"empty":{}}}`)}}, nil},
		{"forms", history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"context":"words","decisions":[{"why":"x"}],"files_modified":[{"path":"a.go"}],"todos":{"a":"b"},"agent_outputs":["said",{"by":"x"}],"last_error":"boom","results":{"a":1},"isc_criteria":["it works"],"commands":[["go","test"]]}`)}}, nil},
		{"custom", history.Draft{SaveRequest: piton.SaveRequest{Name: "before lunch", Description: "x", State: []byte(`{"done":3,"todos":"none","decisions":{"a":1}}`)}}, nil},
		{"much", history.Draft{SaveRequest: piton.SaveRequest{Type: "session", State: []byte(`{"todos":[` + many(45, `{"content":"todo %d","status":"pending"}`) + `],"files_modified":[` + many(45, `"f%d/x.go"`) +
			`],"decisions":[` + many(45, `"decision %d"`) + `],"commands":[{"command":"` + strings.Repeat("long ", 200) + `"}]}`)}}, nil},
		{"strange", history.Draft{SaveRequest: piton.SaveRequest{Type: "session", State: []byte(`{"todos":[1,null,{"content":"## not a title\n- x"}],"files_modified":[1,"a",null],"decisions":[null,{"decision":"d"}],"commands":["ls",2],"agent_outputs":{"a":{"b":1}},"context":[],"unverified":"x"}`)}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			saved := s.must(c.d)
			s.time = s.time.Add(2 * time.Hour)
			s.Drift = func(context.Context, piton.Checkpoint, []byte) []history.Drift { return c.drift }
			r, err := s.Resume(t.Context(), history.Selector{ID: saved.ID})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, r.Brief)
			if r.Drift == nil || len(r.Drift) != len(c.drift) {
				t.Errorf("got the drift %v, want %v", r.Drift, c.drift)
			}
		})
	}
}

func TestResume(t *testing.T) {
	s := open(t)
	if _, err := s.Resume(t.Context(), history.Selector{Project: project}); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("nothing to resume: got %v, want not found", err)
	}
	busy := s.agent(agent.Session{Identity: agent.Identity{ClientID: "busy"}})
	gone := s.agent(agent.Session{Identity: agent.Identity{ClientID: "gone", EndedAt: piton.At(s.time)}})
	live := s.must(history.Draft{SaveRequest: piton.SaveRequest{Session: busy.ID, Type: "session", State: []byte(`{}`)}})
	if _, err := s.Resume(t.Context(), history.Selector{Project: project}); piton.CodeOf(err) != piton.NotFound || !strings.Contains(err.Error(), live.ID) {
		t.Errorf("a live session only: got %v, want not found, and which it is", err)
	}
	left := s.must(history.Draft{SaveRequest: piton.SaveRequest{Session: gone.ID, Type: "session", State: []byte(`{}`)}})
	newest := func(want history.Saved) {
		t.Helper()
		if r, err := s.Resume(t.Context(), history.Selector{Project: project}); err != nil || r.Checkpoint.ID != want.ID {
			t.Errorf("got %s (%v), want %s", r.Checkpoint.ID, err, want.ID)
		}
	}
	newest(left)
	any := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: []byte(`{"n":1}`)}})
	s.must(history.Draft{SaveRequest: piton.SaveRequest{Session: gone.ID, Type: "session", State: []byte(`{}`)}})
	newest(any) // any type before type session
	if r, err := s.Resume(t.Context(), history.Selector{ID: live.ID}); err != nil || r.Checkpoint.ID != live.ID {
		t.Errorf("by id: got %s (%v), want any", r.Checkpoint.ID, err)
	}
	if r, err := s.Resume(t.Context(), history.Selector{Workflow: "import", Project: project}); err != nil || string(r.State) != `{"n":1}` {
		t.Errorf("by workflow: got %s (%v)", r.State, err)
	}
	if n := strings.Count(s.events(live.ID), "checkpoint_resumed"); n != 1 {
		t.Errorf("got it counted %d times, want once", n)
	}
}

func TestResumeFromDamage(t *testing.T) {
	s := open(t)
	all := s.line(3)
	s.damage(all[2])
	r, err := s.Resume(t.Context(), history.Selector{Workflow: "import", Project: project})
	if err != nil || r.RecoveredFrom != all[2].ID || string(r.State) != `{"n":1}` || r.Checkpoint.ID != all[1].ID {
		t.Fatalf("got %s from %q (%v), want the nearest intact ancestor", r.State, r.RecoveredFrom, err)
	}
	golden(t, "recovered", r.Brief)
	if s.events(all[2].ID) != "checkpoint_created checkpoint_damaged" || !strings.HasSuffix(s.events(all[1].ID), "checkpoint_resumed") {
		t.Errorf("got the events %q and %q, want the damage on the one and the resume on the other", s.events(all[2].ID), s.events(all[1].ID))
	}
	s.damage(all[1], all[0])
	if _, err := s.Resume(t.Context(), history.Selector{Workflow: "import", Project: project}); piton.CodeOf(err) != piton.Corrupt {
		t.Errorf("got %v, want corrupt where nothing is intact", err)
	}
}

// full is a store on a full disk.
type full struct{ store.Checkpoints }

func (full) Save(context.Context, func(store.Tx) error) error {
	return piton.Errorf(piton.Unavailable, "save", "", "the disk is full")
}

func TestResumeWithoutCount(t *testing.T) {
	s := open(t)
	all := s.line(1)
	k := s.Keeper
	k.Store = full{s.store}
	if r, err := k.Resume(t.Context(), history.Selector{ID: all[0].ID}); err != nil || r.Brief == "" {
		t.Errorf("got %+v (%v), want the brief although it could not be counted", r, err)
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Hour: "0s", 0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 59 * time.Minute: "59m", time.Hour: "1h", 47 * time.Hour: "47h", 48 * time.Hour: "2d", 1000 * time.Hour: "41d"} {
		if got := states.Age(d); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}
