package kind_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/kind"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/schematest"
)

const phases, conductor, plan, session = piton.TypePhases, piton.TypeConductor, piton.TypePlan, piton.TypeSession

func TestSchemas(t *testing.T) {
	if got, want := kind.Names(), []string{phases, conductor, plan, session}; !slices.Equal(got, want) {
		t.Errorf("got the kinds %v, want %v", got, want)
	}
	for _, name := range kind.Names() {
		text, err := kind.Schema(name)
		var s struct {
			Schema      string `json:"$schema"`
			Title       string
			Description string
			Properties  map[string]any
			Required    []string
			AnyOf       []struct{ Required []string }
			Defs        map[string]json.RawMessage `json:"$defs"`
		}
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		if state, ok := s.Defs["state"]; ok && err == nil { // the other part is for files
			err = json.Unmarshal(state, &s)
		}
		if err != nil || s.Schema != "https://json-schema.org/draft/2020-12/schema" || s.Title == "" || s.Description == "" {
			t.Errorf("%s: got %+v (%v), want a schema with title and description", name, s, err)
		}
		described(t, name, s.Properties)
		required := s.Required
		for _, x := range s.AnyOf {
			required = append(required, x.Required...)
		}
		want := map[string][]string{
			phases: {"phase", "phase_number", "phaseNumber"}, conductor: {"current_phase"},
			plan: {"current_step_index", "currentStepIndex"},
		}[name]
		if !slices.Equal(required, want) {
			t.Errorf("%s: got %v required, want %v", name, required, want)
		}
		text[0] = 'x' // the caller's own
	}
	if again, err := kind.Schema(plan); err != nil || again[0] != '{' {
		t.Errorf("got %.20q (%v), want the schema whole", again, err)
	}
	_, err := kind.Schema("recipe")
	if piton.CodeOf(err) != piton.NotFound || !strings.Contains(err.(*piton.Error).Hint, "phases, conductor, plan, session") {
		t.Errorf("got %v, want not found with the list of kinds", err)
	}
}

// described fails on properties that do not say what they are.
func described(t *testing.T, at string, props map[string]any) {
	for name, x := range props {
		p := x.(map[string]any)
		if p["description"] == nil && p["$ref"] == nil {
			t.Errorf("%s: %s has no description", at, name)
		}
		if sub, ok := p["properties"].(map[string]any); ok {
			described(t, at+"/"+name, sub)
		}
	}
}

// sample is a state, and what the error names; "" is a good one.
type sample struct{ name, kind, state, want string }

var samples = []sample{
	{"phases", phases, `{"phase":"Observe","phase_number":2,"task_summary":"move the wiki to the new host","isc_criteria":[{"id":"c1","subject":"links work","status":"in_progress"},{"id":2,"subject":"no page lost"}],"metadata":{"pages":[1,2,{}]}}`, ""},
	{"phases in camel case", phases, `{"phase":"Observe","phaseNumber":2,"phaseTotal":4,"taskSummary":"move the wiki","iscCriteria":[{"id":"c1","subject":"links work","status":"pending"}],"metadata":{}}`, ""},
	{"phases with nulls", phases, `{"phase":"A","phase_number":1,"phase_total":null,"task_summary":null,"isc_criteria":null,"metadata":null}`, ""},
	{"a criterion without anything", phases, `{"phase":"A","phase_number":1,"isc_criteria":[{},{"status":null},{"status":""}]}`, ""},
	{"a number with an exponent", phases, `{"phase":"A","phase_number":0.3e1}`, ""},
	{"keys of the caller's own", phases, `{"phase":"A","phase_number":1,"todos":3,"x":[null]}`, ""},
	{"no phase", phases, `{"phase_number":1}`, "/phase is missing"},
	{"a phase without a name", phases, `{"phase":"","phase_number":1}`, "/phase is empty"},
	{"a phase that is a number", phases, `{"phase":4,"phase_number":1}`, "/phase must be a string, and is a number"},
	{"no phase number", phases, `{"phase":"A"}`, "/phase_number is missing"},
	{"a phase number in words", phases, `{"phase":"A","phase_number":"one"}`, "/phase_number must be a whole number, and is a string"},
	{"half a phase", phases, `{"phase":"A","phase_number":1.5}`, "/phase_number must be a whole number, and has a fraction"},
	{"phase 0", phases, `{"phase":"A","phase_number":0}`, "/phase_number must be 1 or more"},
	{"a phase number in words, in camel case", phases, `{"phase":"A","phaseNumber":"one"}`, "/phaseNumber must be a whole number"},
	{"a criterion's status", phases, `{"phase":"A","phase_number":1,"isc_criteria":[{"status":"pending"},{"status":3}]}`, "/isc_criteria/1/status must be a string, and is a number"},
	{"a criterion's status in one's own words", phases, `{"phase":"A","phase_number":1,"isc_criteria":[{"status":"blocked on review"}]}`, ""},
	{"metadata as a list", phases, `{"phase":"A","phase_number":1,"metadata":[]}`, "/metadata must be an object, and is a list"},

	{"conductor", conductor, `{"current_phase":"2.5","completed_phases":["0","1","2"],"pending_phases":["3","3.5"],"context":{"project_name":"Ferry","project_path":"/src/ferry","brd_file":"/brd/ferry.md","spec_files":["/todo/tickets.md"],"extra":1},"decisions":[{"phase":"1","decision":"SQLite","rationale":"one file"}],"files_modified":["/src/tickets.go"],"todos":[{"content":"Print tickets","status":"completed"},{"content":"Refund","status":"in_progress","activeForm":"Refunding"}],"agent_outputs":{"architect":{"spec_created":true},"coder":"done"}}`, ""},
	{"phases as numbers", conductor, `{"current_phase":2.5,"completed_phases":[0,1],"pending_phases":[3]}`, ""},
	{"decisions as texts", conductor, `{"current_phase":"design","decisions":["use SQLite"]}`, ""},
	{"no current phase", conductor, `{"completed_phases":[]}`, "/current_phase is missing"},
	{"a current phase that is null", conductor, `{"current_phase":null}`, "/current_phase must be a number or a string, and is null"},
	{"a current phase that is empty", conductor, `{"current_phase":""}`, "/current_phase is empty"},
	{"todos as a text", conductor, `{"current_phase":"1","todos":"none"}`, "/todos must be a list, and is a string"},
	{"a todo's status", conductor, `{"current_phase":"1","todos":[{},{},{"status":3}]}`, "/todos/2/status must be a string, and is a number"},
	{"a todo that is null", conductor, `{"current_phase":"1","todos":[null]}`, "/todos/0 must be an object, and is null"},
	{"a file that is an object", conductor, `{"current_phase":"1","files_modified":[{"path":"a"}]}`, "/files_modified/0 must be a string, and is an object"},
	{"spec files", conductor, `{"current_phase":"1","context":{"spec_files":"a.md"}}`, "/context/spec_files must be a list, and is a string"},

	{"plan", plan, `{"query":"who sails to Elba","plan":[{"id":"1","description":"list the lines","action":"search","parameters":{"q":"Elba ferry"},"status":"completed"},{"id":"2","description":"ask for times","action":"http","parameters":{},"status":"running","dependencies":["1"]}],"current_step_index":1,"results":[{"step_id":"1","output":["Toremar"],"completed_at":"2026-05-04T09:30:00Z","duration_ms":1200.5,"token_usage":{"input":10,"output":2}}],"context":{"lang":"it"},"last_error":{"step_index":1,"message":"timeout","timestamp":"2026-05-04T09:31:00Z"}}`, ""},
	{"plan in camel case", plan, `{"query":"q","plan":[],"currentStepIndex":0,"results":[{"stepId":"1","output":null,"completedAt":"2026-05-04T09:30:00Z","durationMs":1,"tokenUsage":812}],"context":{},"lastError":{"stepIndex":0,"message":"m"}}`, ""},
	{"a plan without steps", plan, `{"current_step_index":0}`, ""},
	{"a status of the caller's own", plan, `{"current_step_index":0,"plan":[{"status":"in doubt"}]}`, ""},
	{"no index", plan, `{"plan":[]}`, "/current_step_index is missing"},
	{"an index before the first", plan, `{"current_step_index":-1}`, "/current_step_index must be 0 or more"},
	{"an index beyond all numbers", plan, `{"current_step_index":1e99999999}`, "/current_step_index must be a whole number"},
	{"a step that is none", plan, `{"current_step_index":0,"plan":[{},7]}`, "/plan/1 must be an object, and is a number"},
	{"parameters as a text", plan, `{"current_step_index":0,"plan":[{"parameters":"x"}]}`, "/plan/0/parameters must be an object"},
	{"results in camel case", plan, `{"current_step_index":0,"results":[{"durationMs":"1s"}]}`, "/results/0/durationMs must be a number, and is a string"},
	{"the step of an error", plan, `{"current_step_index":0,"last_error":{"step_index":"2"}}`, "/last_error/step_index must be a whole number"},

	{"session", session, `{"task_summary":"mend the build","todos":[{"id":"1","content":"run it","status":"cancelled"}],"files_modified":["a.go"],"commands":[{"command":"go test","failed":true,"at":"2026-05-04T09:30:00.000Z"}],"unverified":["run the tests"],"agent_outputs":{"explore":"found it"},"decisions":[{"decision":"d"},"e"],"git_head":"c0ffee","git_branch":"main","token_usage":{"input":1,"output":2,"cache_read":3,"cache_write":4}}`, ""},
	{"an empty session", session, `{}`, ""},
	{"a command's failure", session, `{"commands":[{"command":"go test","failed":"yes"}]}`, "/commands/0/failed must be true or false, and is a string"},

	{"any other type", "recipe", `{"todos":7,"phase":null}`, ""},
}

func TestValidate(t *testing.T) {
	for _, c := range samples {
		err := kind.Validate(c.kind, []byte(c.state))
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: got %v, want it accepted", c.name, err)
			}
			continue
		}
		if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), ": "+c.want) || !strings.Contains(err.(*piton.Error).Hint, "piton schema "+c.kind) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	t.Run("a few findings, in order", func(t *testing.T) {
		todos := strings.Repeat(`{"status":1},`, 11) + `{"status":"pending"}`
		err := kind.Validate(conductor, []byte(`{"todos":[`+todos+`],"context":1,"a/b~":1}`))
		want := "save a conductor checkpoint: /context must be an object, and is a number; /current_phase is missing; /todos/0/status must be a string, and is a number; and 10 more"
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
	t.Run("what is not a state", func(t *testing.T) {
		for _, state := range []string{``, `[]`, `null`, `{`, `{"phase"`, `{"phase":}`, `{"x":[}`, `{} {}`, `{}x`, `3`} {
			if err := kind.Validate(session, []byte(state)); piton.CodeOf(err) != piton.Invalid {
				t.Errorf("%s: got %v, want invalid", state, err)
			}
		}
	})
}

// TestBothChecks: what the record needs of a state and what the schema says
// of it are two checks, and agree.
func TestBothChecks(t *testing.T) {
	with := history.Keeper{Validate: kind.Validate}
	for _, c := range samples {
		d := history.Draft{SaveRequest: piton.SaveRequest{Type: c.kind, State: []byte(c.state)}}
		_, _, plain := history.Keeper{}.Prepare(d)
		p, _, err := with.Prepare(d)
		if (err == nil) != (c.want == "") || err != nil && piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%s: got %v, want what the schema says", c.name, err)
		}
		if plain != nil && c.want == "" {
			t.Errorf("%s: got %v, which the schema accepts", c.name, plain)
		}
		if err == nil && string(p.State.Get()) != c.state {
			t.Errorf("%s: got the state %s, want it as it was", c.name, p.State.Get())
		}
	}
	step := 2
	for _, c := range []struct {
		name, kind, state string
		set               history.Draft
		want              string
	}{
		{"a phase by flags", phases, `{}`, history.Draft{SaveRequest: piton.SaveRequest{Phase: "Build \"it\"", PhaseNumber: 2}}, ""},
		{"a phase's number by a flag", phases, `{"phase":"Build"}`, history.Draft{SaveRequest: piton.SaveRequest{PhaseNumber: 2}}, ""},
		{"a phase's name by a flag", phases, `{"phaseNumber":2}`, history.Draft{SaveRequest: piton.SaveRequest{Phase: "Build"}}, ""},
		{"a phase by flags, and a bad state", phases, `{"metadata":3}`, history.Draft{SaveRequest: piton.SaveRequest{Phase: "Build", PhaseNumber: 2}}, "/metadata"},
		{"a step by a flag", plan, `{"plan":[]}`, history.Draft{SaveRequest: piton.SaveRequest{Step: &step}}, ""},
		{"a step by a flag, alone", plan, `{}`, history.Draft{SaveRequest: piton.SaveRequest{Step: &step}}, ""},
		{"a phase beyond the last", phases, `{"phase":"A","phase_number":8}`, history.Draft{}, "/phase_number: phase 8 of 7"},
		{"found by its keys", "", `{"plan":[3],"query":"q","current_step_index":0}`, history.Draft{}, "/plan/0"},
		{"the caller's own", "", `{"todos":3}`, history.Draft{}, ""},
	} {
		d := c.set
		d.Type, d.State = c.kind, []byte(c.state)
		p, _, err := with.Prepare(d)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || piton.CodeOf(err) != piton.Invalid) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		if err == nil && string(p.State.Get()) != c.state {
			t.Errorf("%s: got the state %s, want it as it was", c.name, p.State.Get())
		}
	}
}

// TestOnlyWhatIsKnownIsRead: passing over what a schema does not speak of
// changes no answer.
func TestOnlyWhatIsKnownIsRead(t *testing.T) {
	whole := wholeSchemas(t)
	values := []string{`{"input":"x","y":[{}]}`, `[{"decision":1}]`, `[{"output":{"a":[1,2]},"token_usage":{"input":{}}}]`, `[{"parameters":[],"x":1}]`, `[{"id":[]}]`, `[{"dependencies":["a",[1]]}]`, `{"spec_files":[1]}`, `[null]`, `null`, `1`, `1e400`, `"a"`, `""`, `true`, `[]`, `{}`, `[{"status":"pending"}]`, `[{"status":1}]`, `{"step_index":1}`, `[[[1]]]`, `-3`, `2.5`}
	keys := []string{"phase", "phase_number", "phaseNumber", "isc_criteria", "metadata", "current_phase", "todos", "decisions", "current_step_index", "currentStepIndex", "plan", "results", "last_error", "lastError", "token_usage", "context", "commands", "pending_phases", "agent_outputs", "x", "y"}
	draw.Check(t, func(t *rapid.T) {
		var members []string
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 0, 6, rapid.ID[string]).Draw(t, "keys") {
			members = append(members, fmt.Sprintf("%q:%s", key, rapid.SampledFrom(values).Draw(t, key)))
		}
		state := "{" + strings.Join(members, ",") + "}"
		for _, name := range kind.Names() {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(state))
			if err != nil {
				t.Fatal(err)
			}
			want, got := whole[name].Validate(v), kind.Validate(name, []byte(state))
			if (want == nil) != (got == nil) && !(got != nil && beyond(v)) {
				t.Fatalf("%s %s: got %v, want %v", name, state, got, want)
			}
		}
	})
}

// wholeSchemas are the schemas, to hold whole states against.
func wholeSchemas(t testing.TB) map[string]*jsonschema.Schema {
	t.Helper()
	whole := map[string]*jsonschema.Schema{}
	for _, name := range kind.Names() {
		text, err := kind.Schema(name)
		if err != nil {
			t.Fatal(err)
		}
		part := ""
		if name == plan {
			part = "#/$defs/state"
		}
		whole[name] = schematest.Compile(t, text, part)
	}
	return whole
}

// beyond tells whether a value holds a number that no double can hold. Where a whole
// number belongs it is refused; to JSON Schema it is a whole number.
func beyond(v any) bool {
	switch v := v.(type) {
	case json.Number:
		_, err := v.Float64()
		return err != nil
	case []any:
		return slices.ContainsFunc(v, beyond)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), beyond)
	}
	return false
}

func FuzzValidate(f *testing.F) {
	for _, c := range samples {
		f.Add(c.state)
	}
	whole := wholeSchemas(f)
	f.Fuzz(func(t *testing.T, text string) {
		state, err := states.Compact([]byte(text))
		for _, name := range kind.Names() {
			got := kind.Validate(name, []byte(text))
			if got != nil && piton.CodeOf(got) != piton.Invalid {
				t.Errorf("%s: got %v, want invalid", name, got)
			}
			if err != nil {
				continue // no state: it is enough that nothing breaks
			}
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(state))
			if err != nil {
				t.Fatal(err)
			}
			if want := whole[name].Validate(v); (want == nil) != (got == nil) && !(got != nil && beyond(v)) {
				t.Errorf("%s %s: got %v, want %v", name, state, got, want)
			}
		}
	})
}
