package states

import (
	"fmt"
	"strings"
	"testing"

	"github.com/piton-project/piton"
)

// TestDescribe: what a record takes from its state, and what a kind requires.
func TestDescribe(t *testing.T) {
	t.Parallel()
	step := 1
	for _, c := range []struct {
		kind, state string
		change      func(*piton.Checkpoint)
		want        string // type, phase, step and its name, progress, completed; or words of the error
		form        string // "": as the state
	}{
		{"", `{}`, nil, `custom 0/0 - "" -`, ""},
		{"", `{"current_phase":"a","pending_phases":[]}`, nil, `conductor 0/0 - "a" 0`, ""},
		{"", `{"current_phase":"a"}`, nil, `custom 0/0 - "" -`, ""},
		{"", `{"current_phase":2,"completed_phases":["1","2"],"pending_phases":[]}`, nil, `conductor 0/0 - "Phase 2" 100 done`, ""},
		{"", `{"current_phase":2,"completed_phases":["1","2"]}`, nil, `conductor 0/0 - "Phase 2" 100`, ""},
		{"", `{"current_phase":2,"completed_phases":["1","2"],"pending_phases":[],"todos":[{"status":"pending"}]}`, nil, `conductor 0/0 - "Phase 2" 100`, ""},
		{"", `{"current_phase":2,"completed_phases":["1"],"pending_phases":["3","4"]}`, nil, `conductor 0/0 - "Phase 2" 25`, ""},
		{"conductor", `{"current_phase":""}`, nil, "/current_phase is missing: give the phase at work, a string", ""},
		{"", `{"plan":["a","b"],"results":[]}`, nil, "/current_step_index is missing: give the index of the step at work, or 'step N'", ""},
		{"", `{"plan":["a","b"]}`, nil, `custom 0/0 - "" -`, ""},
		{"", `{"plan":["a","b"],"query":"q"}`, func(c *piton.Checkpoint) { c.StepNumber = &step }, `plan 0/0 1 "b" 0`, `{"current_step_index":1,"plan":["a","b"],"query":"q"}`},
		{"plan", `{"plan":["a","b","c"],"currentStepIndex":2}`, nil, `plan 0/0 2 "c" 66`, ""},
		{"plan", `{"plan":["a","b"],"current_step_index":2}`, nil, `plan 0/0 2 "" 100 done`, ""},
		{"plan", `{"plan":["a"],"current_step_index":0}`, func(c *piton.Checkpoint) { c.StepName = "given" }, `plan 0/0 0 "given" 0`, ""},
		{"plan", `{"current_step_index":0}`, nil, `plan 0/0 0 "" -`, ""},
		{"plan", `{"current_step_index":-1}`, nil, "/current_step_index: -1 is negative", ""},
		{"plan", `{}`, func(c *piton.Checkpoint) { c.StepNumber = &step }, `plan 0/0 1 "" -`, `{"current_step_index":1}`},
		{"", `{"phase":"BUILD","phase_number":3}`, nil, `phases 3/7 - "BUILD" 42`, ""},
		{"", `{"phase":"BUILD","phaseNumber":2,"phaseTotal":4}`, nil, `phases 2/4 - "BUILD" 50`, ""},
		{"", `{"phase":"BUILD"}`, nil, `custom 0/0 - "" -`, ""},
		{"phases", `{"phase_number":7}`, func(c *piton.Checkpoint) { c.StepName = "SHIP" }, `phases 7/7 - "SHIP" 100`, `{"phase":"SHIP","phase_number":7}`},
		{"phases", `{"phase":"A"}`, func(c *piton.Checkpoint) { c.PhaseNumber = 1 }, `phases 1/7 - "A" 14`, `{"phase_number":1,"phase":"A"}`},
		{"phases", `{"phase_number":1}`, nil, "/phase is missing: give 'phase NAME'", ""},
		{"phases", `{"phase":"A","phase_number":"1"}`, nil, "/phase_number is missing: give 'phase_number N'", ""},
		{"phases", `{"phase":"A","phase_number":8}`, nil, "/phase_number: phase 8 of 7 does not exist", ""},
		{"phases", `{"phase":"A","phase_number":-1}`, nil, "/phase_number: phase -1 of 7 does not exist", ""},
		{"phases", `{"phase":"A","phase_number":1.5}`, nil, "/phase_number is missing", ""},
		{"phases", `{"phase":"A","phase_number":1e99}`, nil, "/phase_number is missing", ""},
		{"session", `{"todos":[{"status":"completed"},{"status":"pending"},{}]}`, nil, `session 0/0 - "" 33`, ""},
		{"session", `{"todos":[{"status":"completed"}]}`, func(c *piton.Checkpoint) { p := 5; c.Progress = &p }, `session 0/0 - "" 5`, ""},
	} {
		s, err := Read([]byte(c.state))
		if err != nil {
			t.Fatal(err)
		}
		r := piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: c.kind}}
		if c.change != nil {
			c.change(&r)
		}
		err = Describe(&r, s)
		got := fmt.Sprintf("%s %d/%d %s %q %s", r.WorkflowType, r.PhaseNumber, r.PhaseTotal, shown(r.StepNumber), r.StepName, shown(r.Progress))
		if r.Completed {
			got += " done"
		}
		if err != nil {
			if got = err.Error(); piton.CodeOf(err) != piton.Invalid || !strings.Contains(got, r.WorkflowType) {
				t.Errorf("%s %s: got %v", c.kind, c.state, err)
			}
			if e := err.(*piton.Error); e.Hint != "" {
				got += ": " + e.Hint
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%s %s: got %s, want %s", c.kind, c.state, got, c.want)
			}
			continue
		}
		form := c.form
		if form == "" {
			form = c.state
		}
		if f := string(Form(r, s, []byte(c.state))); got != c.want || f != form {
			t.Errorf("%s %s: got %s and the form %s, want %s", c.kind, c.state, got, f, c.want)
		}
	}
}

func shown(n *int) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

// TestFault: what keeps a text from being JSON is found again without its error.
func TestFault(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("k", maxPointer)
	for text, want := range map[string][2]string{
		`{"a":NaN}`:                 {HintNumber, "NaN: JSON has no such number (at /a, byte 5)"},
		`Infinity`:                  {HintNumber, "Infinity: JSON has no such number (at the top, byte 0)"},
		`{"a":1,"a":2}`:             {hintTwice, `not acceptable JSON at /a (byte 7): duplicate object member name`},
		`{"a":}`:                    {hintSyntax, "not acceptable JSON at /a (byte 5): invalid character"},
		`{"ab` + deep + `":}`:       {hintSyntax, "at …" + deep + " "},
		`{"` + deep[1:] + `":}`:     {hintSyntax, "at /" + deep[1:] + " "},
		strings.Repeat("[", 10_001): {HintDepth, "nested too deeply: more than 10000 levels"},
	} {
		if hint, err := Fault([]byte(text), nil); hint != want[0] || !strings.Contains(fmt.Sprint(err), want[1]) {
			t.Errorf("%.20s: got %v (%s), want %s (%s)", text, err, hint, want[1], want[0])
		}
	}
	if hint, err := Fault(nil, fmt.Errorf("torn")); hint != hintSyntax || err.Error() != "torn" {
		t.Errorf("another error: got %v (%s)", err, hint)
	}
}
