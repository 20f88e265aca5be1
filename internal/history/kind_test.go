package history_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// record is what a draft becomes.
func record(t *testing.T, d history.Draft) (piton.Checkpoint, error) {
	t.Helper()
	p, _, err := history.Keeper{}.Prepare(d)
	return p.Record, err
}

func TestKindOfAState(t *testing.T) {
	for _, c := range []struct {
		name, state, phase string
		want               string
	}{
		{"nothing", `{}`, "", piton.TypeCustom},
		{"any object", `{"done":3}`, "", piton.TypeCustom},
		{"phases by the flag", `{"done":3}`, "Build", piton.TypePhases},
		{"phases by its keys", `{"phase":"Build","phase_number":3}`, "", piton.TypePhases},
		{"phases in camel case", `{"phase":"Build","phaseNumber":3}`, "", piton.TypePhases},
		{"half of phases", `{"phase":"Build"}`, "", piton.TypeCustom},
		{"conductor", `{"current_phase":"2.5","completed_phases":[]}`, "", piton.TypeConductor},
		{"half of conductor", `{"current_phase":"2.5"}`, "", piton.TypeCustom},
		{"plan", `{"plan":[],"current_step_index":0}`, "", piton.TypePlan},
		{"plan in camel case", `{"plan":[],"currentStepIndex":0}`, "", piton.TypePlan},
		{"half of a plan", `{"plan":[]}`, "", piton.TypeCustom},
	} {
		d := history.Draft{SaveRequest: piton.SaveRequest{State: []byte(c.state), Phase: c.phase}}
		if c.phase != "" {
			d.PhaseNumber = 1
		}
		got, err := record(t, d)
		if err != nil || got.WorkflowType != c.want {
			t.Errorf("%s: got %q (%v), want %q", c.name, got.WorkflowType, err, c.want)
		}
	}
}

func TestKinds(t *testing.T) {
	const phases, conductor, plan = piton.TypePhases, piton.TypeConductor, piton.TypePlan
	for _, c := range []struct {
		name, kind, state string
		set               func(d *history.Draft)
		bad               string // what the error names
		step              string
		progress          int // -1: none
	}{
		{"a phase", phases, `{"phase":"Build","phase_number":3}`, nil, "", "Build", 42},
		{"the last of four", phases, `{"phase":"Ship","phase_number":4,"phase_total":4}`, nil, "", "Ship", 100},
		{"by flags", phases, `{}`, func(d *history.Draft) { d.Phase, d.PhaseNumber, d.PhaseTotal = "Build", 1, 4 }, "", "Build", 25},
		{"flags before the state", phases, `{"phase":"A","phase_number":1}`, func(d *history.Draft) { d.Phase, d.PhaseNumber = "B", 2 }, "", "B", 28},
		{"progress as given", phases, `{"phase":"A","phase_number":1}`, func(d *history.Draft) { d.Progress = ptr(99) }, "", "A", 99},
		{"no phase", phases, `{"phase_number":3}`, nil, "/phase is missing", "", 0},
		{"a phase that is not text", phases, `{"phase":3,"phase_number":3}`, nil, "/phase is missing", "", 0},
		{"no number", phases, `{"phase":"Build"}`, nil, "/phase_number is missing", "", 0},
		{"a number in words", phases, `{"phase":"Build","phase_number":"3"}`, nil, "/phase_number is missing", "", 0},
		{"half a phase", phases, `{"phase":"Build","phase_number":2.5}`, nil, "/phase_number is missing", "", 0},
		{"beyond the default of seven", phases, `{"phase":"Build","phase_number":8}`, nil, "/phase_number: phase 8 of 7", "", 0},
		{"before the first", phases, `{"phase":"Build","phase_number":-1}`, nil, "/phase_number: phase -1 of 7", "", 0},
		{"by a flag before the first", phases, `{}`, func(d *history.Draft) { d.Phase, d.PhaseNumber = "A", -1 }, "phase -1", "", 0},
		{"criteria", phases, `{"phase":"A","phase_number":1,"isc_criteria":[{"id":"c1","subject":"x","status":"in_progress"},{}]}`, nil, "", "A", 14},
		{"a criterion's status", phases, `{"phase":"A","phase_number":1,"isc_criteria":[{"status":"pending"},{"status":"great"}]}`, nil, "", "A", 14},

		{"a conductor", conductor, `{"current_phase":"3","completed_phases":["1","2"],"pending_phases":["3","4"]}`, nil, "", "Phase 3", 50},
		{"a phase in neither list", conductor, `{"current_phase":"2.5","completed_phases":["1","2"],"pending_phases":["3"]}`, nil, "", "Phase 2.5", 50},
		{"phases with names", conductor, `{"current_phase":"design"}`, nil, "", "design", 0},
		{"phases as numbers", conductor, `{"current_phase":3,"completed_phases":[1,2],"pending_phases":[3]}`, nil, "", "Phase 3", 66},
		{"no current phase", conductor, `{"completed_phases":[]}`, nil, "/current_phase is missing", "", 0},

		{"a plan", plan, `{"current_step_index":1,"plan":[{"id":"a","status":"completed"},{"id":"b","description":"run it"},{"id":"c"}]}`, nil, "", "run it", 33},
		{"a plan in camel case", plan, `{"currentStepIndex":0,"plan":[{"id":"a"}],"lastError":{"stepIndex":0}}`, nil, "", "a", 0},
		{"beyond its end", plan, `{"current_step_index":9,"plan":[{"id":"a","status":"completed"}]}`, nil, "", "", 100},
		{"without steps", plan, `{"current_step_index":0}`, nil, "", "", -1},
		{"steps that are none", plan, `{"current_step_index":0,"plan":[1,null]}`, nil, "", "", 0},
		{"by the flag", plan, `{"plan":[{"id":"a"},{"id":"b"}]}`, func(d *history.Draft) { d.Step = ptr(1) }, "", "b", 0},
		{"no index", plan, `{"plan":[]}`, nil, "/current_step_index is missing", "", 0},
		{"an index before the first", plan, `{"current_step_index":-1,"plan":[{"id":"a"}]}`, nil, "/current_step_index: -1", "", 0},

		{"the caller's own", "recipe", `{"phase":1,"plan":"x","current_phase":null}`, nil, "", "", -1},
	} {
		d := history.Draft{SaveRequest: piton.SaveRequest{Type: c.kind, State: []byte(c.state)}}
		if c.set != nil {
			c.set(&d)
		}
		got, err := record(t, d)
		if c.bad != "" {
			if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), c.bad) || err.(*piton.Error).Hint == "" {
				t.Errorf("%s: got %v, want invalid with %q and a hint", c.name, err, c.bad)
			}
			continue
		}
		progress := -1
		if got.Progress != nil {
			progress = *got.Progress
		}
		if err != nil || got.StepName != c.step || progress != c.progress || got.WorkflowType != c.kind {
			t.Errorf("%s: got %q at %d%% (%v), want %q at %d%%", c.name, got.StepName, progress, err, c.step, c.progress)
		}
	}
}

func TestRecord(t *testing.T) {
	got, err := record(t, history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"phase":"A","phase_number":3,"task_summary":"in the state"}`)}})
	if err != nil || got.PhaseNumber != 3 || got.PhaseTotal != 7 || got.TaskSummary != "in the state" || got.Trigger != piton.TriggerManual || got.SchemaVersion != 1 || got.StateBytes != 60 {
		t.Errorf("got %+v (%v)", got, err)
	}
	got, err = record(t, history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{}`), Phase: "A", PhaseNumber: 1, Task: "given"}})
	if err != nil || got.Trigger != piton.TriggerPhaseComplete || got.TaskSummary != "given" {
		t.Errorf("got %+v (%v)", got, err)
	}
	t.Run("what a state says of itself is bounded in the record", func(t *testing.T) {
		long := strings.Repeat("é ", 100_000)
		state, err := json.Marshal(map[string]any{"phase": "a\x1b[31m\nb" + long, "phase_number": 1, "task_summary": long})
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := history.Keeper{}.Prepare(history.Draft{SaveRequest: piton.SaveRequest{State: state}})
		if err != nil || string(p.State.Get()) != string(state) {
			t.Fatalf("got another state (%v), want the caller's spelling", err)
		}
		if c := p.Record; len(c.StepName) > 200 || len(c.TaskSummary) > 4000 || strings.ContainsAny(c.StepName, "\n\x1b") || !strings.HasSuffix(c.StepName, "…") {
			t.Errorf("got %d and %d bytes, step %q; want them cut and on one line", len(c.StepName), len(c.TaskSummary), c.StepName)
		}
	})
}

func TestDraftBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		d    history.Draft
		want string
	}{
		{"progress over 100", history.Draft{SaveRequest: piton.SaveRequest{Progress: ptr(101)}}, "101"},
		{"progress below 0", history.Draft{SaveRequest: piton.SaveRequest{Progress: ptr(-1)}}, "-1"},
		{"a negative step", history.Draft{SaveRequest: piton.SaveRequest{Step: ptr(-1)}}, "-1"},
		{"a negative duration", history.Draft{SaveRequest: piton.SaveRequest{DurationMS: -1}}, "-1"},
		{"a trigger that is none", history.Draft{SaveRequest: piton.SaveRequest{Trigger: "whim"}}, `"whim"`},
		{"a long name", history.Draft{SaveRequest: piton.SaveRequest{Name: strings.Repeat("x", 201)}}, "201 bytes"},
		{"a long description", history.Draft{SaveRequest: piton.SaveRequest{Description: strings.Repeat("x", 4001)}}, "4001 bytes"},
		{"a name on two lines", history.Draft{SaveRequest: piton.SaveRequest{Name: "a\nb"}}, "U+000A"},
		{"a control character", history.Draft{SaveRequest: piton.SaveRequest{Description: "a\x00b"}}, "U+0000"},
		{"a name that is not UTF-8", history.Draft{SaveRequest: piton.SaveRequest{Name: "\xff"}}, "not UTF-8"},
		{"an empty tag", history.Draft{SaveRequest: piton.SaveRequest{Tags: []string{"a", ""}}}, "empty"},
		{"a tag on two lines", history.Draft{SaveRequest: piton.SaveRequest{Tags: []string{"a\nb"}}}, "U+000A"},
		{"too many tags", history.Draft{SaveRequest: piton.SaveRequest{Tags: make([]string, 51)}}, "51"},
		{"a negative total", history.Draft{SaveRequest: piton.SaveRequest{Type: "own", PhaseTotal: -1}}, "-1"},
	} {
		c.d.State = []byte("{}")
		if _, err := record(t, c.d); piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want invalid with %q", c.name, err, c.want)
		}
	}
	if _, err := record(t, history.Draft{SaveRequest: piton.SaveRequest{State: []byte("{}"), Description: "two\nlines\tand a tab", Name: strings.Repeat("x", 200)}}); err != nil {
		t.Errorf("got %v, want it kept", err)
	}
}

func TestRedaction(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	tags := []string{"a " + secret}
	d := history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"a":"` + secret + `","` + secret + `":1,"` + secret + `x":[{"b":"x ` + secret + `"}],"db_password":"hunter2hunter2","commit":"9fceb02d0ae598e95dc970b74767f19372d61af8"}`), Name: secret, Description: "see " + secret, Task: secret, StepName: secret, Tags: tags, Branch: "b/" + secret, Type: "custom"}, Origin: piton.Origin{GitBranch: "fix/" + secret, ClientVersion: secret}}
	p, taken, err := history.Keeper{}.Prepare(d)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(p.Record)
	if err != nil {
		t.Fatal(err)
	}
	if all := string(b) + string(p.State.Get()); strings.Contains(all, secret) || strings.Contains(all, "hunter2") || !strings.Contains(all, "9fceb02d0ae598e95dc970b74767f19372d61af8") {
		t.Errorf("got %s, want the secrets out and the commit's id in", all)
	}
	if taken < 10 {
		t.Errorf("got %d taken out, want at least 10", taken)
	}
	if tags[0] != "a "+secret {
		t.Errorf("got the caller's tag %q changed", tags[0])
	}
}

// TestValidateGetsTheWholeForm: what flags gave stands in the state that is
// held against the kind's form, and in no other.
func TestValidateGetsTheWholeForm(t *testing.T) {
	for _, c := range []struct {
		name string
		d    history.Draft
		want string
	}{
		{"nothing to add", history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{ "phase": "A", "phaseNumber": 1 }`)}}, `phases {"phase":"A","phaseNumber":1}`},
		{"an empty state", history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{}`), Phase: "A", PhaseNumber: 2}}, `phases {"phase":"A","phase_number":2}`},
		{"a number", history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"phase":"B","x":1.0}`), Type: piton.TypePhases, PhaseNumber: 2}}, `phases {"phase_number":2,"phase":"B","x":1.0}`},
		{"the state's own stands", history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"phase":"B","phase_number":3}`), Phase: "A", PhaseNumber: 2}}, `phases {"phase":"B","phase_number":3}`},
		{"a step", history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"plan":[]}`), Type: piton.TypePlan, Step: ptr(4)}}, `plan {"current_step_index":4,"plan":[]}`},
		{"a step in camel case", history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"currentStepIndex":1}`), Type: piton.TypePlan, Step: ptr(4)}}, `plan {"currentStepIndex":1}`},
		{"the caller's own", history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"a":1}`), Type: "recipe"}}, `recipe {"a":1}`},
		{"without secrets", history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"key":"AKIAIOSFODNN7REALKEY"}`)}}, `custom {"key":"[REDACTED:aws-key]"}`},
	} {
		got := ""
		k := history.Keeper{Validate: func(kind string, state []byte) error {
			got = kind + " " + string(state)
			return nil
		}}
		p, _, err := k.Prepare(c.d)
		if err != nil || got != c.want {
			t.Errorf("%s: got  %s (%v)\nwant %s", c.name, got, err, c.want)
		}
		if kept, _, err := (history.Keeper{}).Prepare(c.d); err != nil || string(kept.State.Get()) != string(p.State.Get()) || kept.Record.SHA256 != p.Record.SHA256 {
			t.Errorf("%s: got the state %s (%v), want %s", c.name, p.State, err, kept.State)
		}
	}
	no := piton.Errorf(piton.Invalid, "save", "look", "/x is wrong")
	k := history.Keeper{Validate: func(string, []byte) error { return no }}
	if _, _, err := k.Prepare(history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{}`)}}); err != error(no) {
		t.Errorf("got %v, want what Validate said", err)
	}
}
