package archive_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/archive"
)

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func imported(t *testing.T, i *archive.Importer, name string) []store.Entry {
	t.Helper()
	list, err := collect(i.Read(iotest.HalfReader(bytes.NewReader(testdata(t, name))), "some/folder/"+name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return list
}

func at(t *testing.T, s string) piton.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return piton.At(when)
}

func ptr(n int) *int { return &n }

// compact is a JSON text as its state is kept.
func compact(t *testing.T, b []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// member is one of a JSON object's members, compact.
func member(t *testing.T, b []byte, name string) string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return compact(t, m[name])
}

func TestImport(t *testing.T) {
	now := at(t, "2026-03-01T00:00:00Z")
	type want struct {
		c        piton.Checkpoint // without what is checked for all
		workflow string           // its name
		session  bool
		closed   bool
		state    string
	}
	phases, conductor, plan := testdata(t, "phases.json"), testdata(t, "conductor.json"), testdata(t, "plan.json")
	for file, list := range map[string][]want{
		"phases.json": {{c: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: "phases", Seq: 1}, AtStep: piton.AtStep{StepName: "BUILD", PhaseNumber: 4, PhaseTotal: 7}, SoFar: piton.SoFar{Progress: ptr(57)}, Trigger: "phase_complete",
			Described: piton.Described{TaskSummary: "add rate limits to the public search endpoint"}, CreatedAt: at(t, "2026-02-03T10:15:30.250Z")}, workflow: "sess-2026-02-03-a", session: true, state: compact(t, phases)}},
		"phases-many.json": {
			{c: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: "phases", Seq: 1}, AtStep: piton.AtStep{StepName: "OBSERVE", PhaseNumber: 1, PhaseTotal: 7}, SoFar: piton.SoFar{Progress: ptr(14)}, Trigger: "phase_complete", Described: piton.Described{TaskSummary: "move the cache"}, CreatedAt: at(t, "2026-02-03T10:00:00Z")}, workflow: "sess-b", session: true},
			{c: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: "phases", Seq: 2, ParentID: "0"}, AtStep: piton.AtStep{StepName: "LEARN", PhaseNumber: 7, PhaseTotal: 7}, SoFar: piton.SoFar{Progress: ptr(100)}, Completed: true, Trigger: "phase_complete", Described: piton.Described{TaskSummary: "move the cache"}, CreatedAt: at(t, "2026-02-03T11:00:00Z")}, workflow: "sess-b", session: true, closed: true},
			{c: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: "phases", Seq: 1}, AtStep: piton.AtStep{StepName: "THINK", PhaseNumber: 2, PhaseTotal: 7}, SoFar: piton.SoFar{Progress: ptr(28)}, Trigger: "phase_complete", CreatedAt: at(t, "2026-02-03T12:00:00Z")}, workflow: "unknown"},
		},
		"conductor.json": {{c: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: "conductor", Seq: 1, ParentID: "given"}, AtStep: piton.AtStep{StepNumber: ptr(5), StepName: "Phase 2.5: Security Review"}, SoFar: piton.SoFar{Progress: ptr(60)}, Trigger: "phase_complete",
			CreatedAt: at(t, "2026-01-11T20:30:00Z")}, workflow: "conductor_shop", state: member(t, conductor, "state")}},
		"conductor-memory.jsonl": {
			{c: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: "conductor", Seq: 1}, AtStep: piton.AtStep{StepNumber: ptr(1), StepName: "Intake"}, SoFar: piton.SoFar{Progress: ptr(20)}, Trigger: "auto", Described: piton.Described{Tags: []string{"trigger:post_review"}}, CreatedAt: at(t, "2026-01-12T08:00:00Z")}, state: `{"current_phase":"1","weight":1e400}`},
			{c: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: "conductor", Seq: 2, ParentID: "0"}, AtStep: piton.AtStep{StepNumber: ptr(2), StepName: "Design"}, Trigger: "manual", CreatedAt: at(t, "2026-01-12T09:00:00Z")}, state: `{"current_phase":"2"}`},
		},
		"plan.json": {{c: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: "plan", Seq: 1}, AtStep: piton.AtStep{StepNumber: ptr(1), StepName: "Fetch the prices"}, SoFar: piton.SoFar{Progress: ptr(50), DurationMS: 1500, TokenUsage: &piton.TokenUsage{Input: 120}}, Trigger: "error", Described: piton.Described{Description: "Failed at step 1: Fetch the prices",
			TaskSummary: "collect the prices of three suppliers"}, CreatedAt: at(t, "2026-02-06T09:00:01.500Z")}, workflow: "session-7", session: true, state: member(t, plan, "state")}},
		"plan-rows.json": {
			{c: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: "plan", Seq: 1}, AtStep: piton.AtStep{StepNumber: ptr(1), StepName: "Second"}, SoFar: piton.SoFar{Progress: ptr(50), DurationMS: 10}, Trigger: "auto", Described: piton.Described{TaskSummary: "q"}, CreatedAt: at(t, "2026-02-06T10:00:00Z")}, workflow: "session-8", session: true,
				state: `{"query":"q","plan":[{"id":"a","description":"First","status":"completed"},{"id":"b","description":"Second","status":"pending"}],"currentStepIndex":1,"results":[{"stepId":"a","output":"\ud800 -0","n":-0}],"context":{}}`},
			{c: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: "plan", Seq: 2, ParentID: "0"}, AtStep: piton.AtStep{StepNumber: ptr(2)}, SoFar: piton.SoFar{Progress: ptr(50), DurationMS: 20, TokenUsage: &piton.TokenUsage{Input: 30}}, Trigger: "auto", Described: piton.Described{TaskSummary: "q", Description: "Execution complete"},
				Completed: true, CompletedAt: at(t, "2026-02-06T10:00:01Z"), CreatedAt: at(t, "2026-02-06T10:00:01Z")}, workflow: "session-8", session: true, closed: true},
		},
		"plan-state.json": {{c: piton.Checkpoint{InWorkflow: piton.InWorkflow{WorkflowType: "plan", Seq: 1}, AtStep: piton.AtStep{StepNumber: ptr(1), StepName: "Sort"}, SoFar: piton.SoFar{Progress: ptr(50)}, Trigger: "auto", Described: piton.Described{TaskSummary: "sort the inbox"}, CreatedAt: now}, workflow: "plan-state.json",
			state: compact(t, testdata(t, "plan-state.json"))}},
	} {
		got := imported(t, &archive.Importer{Project: "prj_1", Origin: "https://example.org/a", Now: now}, file)
		if len(got) != len(list) {
			t.Errorf("%s: got %d entries, want %d", file, len(got), len(list))
			continue
		}
		for n, w := range list {
			e := got[n]
			c := e.Checkpoint
			if !piton.IsID(piton.CheckpointPrefix, c.ID) || len(c.ID) != 20 || !piton.IsID(piton.WorkflowPrefix, c.WorkflowID) || len(c.WorkflowID) != 19 {
				t.Errorf("%s: got the ids %s, %s", file, c.ID, c.WorkflowID)
			}
			if (c.SessionID != "") != w.session || w.session && (!piton.IsID(piton.SessionPrefix, c.SessionID) || len(c.SessionID) != 20) {
				t.Errorf("%s: got the session %q", file, c.SessionID)
			}
			switch w.c.ParentID {
			case "0":
				w.c.ParentID = got[0].Checkpoint.ID
			case "given":
				w.c.ParentID = c.ParentID
				if !piton.IsID(piton.CheckpointPrefix, c.ParentID) || c.ParentID == c.ID {
					t.Errorf("%s: got the parent %q", file, c.ParentID)
				}
			}
			w.c.ID, w.c.WorkflowID, w.c.SessionID = c.ID, c.WorkflowID, c.SessionID
			w.c.Project, w.c.Branch, w.c.Workflow, w.c.SchemaVersion = "prj_1", "main", w.workflow, 1
			w.c.Tags, w.c.SessionName = c.Tags, c.SessionName // TestImportKeepsNames
			w.c.StateBytes, w.c.SHA256 = int64(len(e.State)), sum(string(e.State))
			if diff := cmp.Diff(w.c, c); diff != "" {
				t.Errorf("%s, %d (want -, got +):\n%s", file, n, diff)
			}
			if w.state != "" && string(e.State) != w.state {
				t.Errorf("%s, %d: got the state\n%s\nwant\n%s", file, n, e.State, w.state)
			}
			if e.Workflow.ID != c.WorkflowID || e.Workflow.Name != w.workflow || e.Workflow.Closed != w.closed || e.Workflow.HeadID != c.ID || e.Workflow.Seq != c.Seq ||
				e.Workflow.Type != c.WorkflowType || e.Workflow.SessionID != c.SessionID || e.Workflow.CreatedAt.IsZero() || e.Workflow.Project != "prj_1" || e.Origin != "https://example.org/a" {
				t.Errorf("%s, %d: got the workflow %+v", file, n, e.Workflow)
			}
		}
		// What was imported can be exported, and twice is the same as once.
		again := imported(t, &archive.Importer{Project: "prj_1", Origin: "https://example.org/a", Now: now}, file)
		same(t, file+", again", again, got)
		back, err := collect((&archive.Importer{}).Read(bytes.NewReader(encoded(t, archive.Encode, got)), "x"))
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		same(t, file+", exported", back, got)
	}
}

// A state that other programs shaped as they liked is kept all the same.
func TestImportOfOddPlans(t *testing.T) {
	for _, state := range []string{`{"currentStepIndex":"three","plan":["a","b"],"query":[1]}`, `{"currentStepIndex":-1,"plan":{}}`, `{}`, `{"currentStepIndex":99,"plan":[{"id":7}]}`} {
		got, err := collect((&archive.Importer{}).Read(strings.NewReader(`{"id":"1","sessionId":"s","state":`+state+`}`), "f"))
		if err != nil || len(got) != 1 || string(got[0].State) != state || got[0].Checkpoint.StepName != "" || got[0].Checkpoint.Completed {
			t.Errorf("%s: got %+v (%v), want the state kept", state, got, err)
		}
	}
}

// A folder of one checkpoint a file is one line of work.
func TestImportOfSeveralFiles(t *testing.T) {
	one := func(id, phase string) string {
		return `{"id":"` + id + `","sessionId":"s","phase":"` + phase + `","phaseNumber":1,"createdAt":"2026-02-03T10:00:00Z"}`
	}
	i := &archive.Importer{}
	var list []store.Entry
	for _, file := range []string{one("1", "A"), one("2", "B"), one("2", "B"), "\n" + one("3", "C") + "\n\n" + one("4", "D") + "\n"} {
		got, err := collect(i.Read(strings.NewReader(file), "f.json"))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, got...)
	}
	parent, want := "", []string{"A", "B", "C", "D"}
	for n, e := range list {
		if c := e.Checkpoint; n >= len(want) || c.StepName != want[n] || c.Seq != int64(n+1) || c.ParentID != parent || c.WorkflowID != list[0].Workflow.ID {
			t.Errorf("%d: got %+v, want each once, behind the one before", n, c)
		}
		parent = e.Checkpoint.ID
	}
	if len(list) != len(want) {
		t.Errorf("got %d entries, want %d", len(list), len(want))
	}
}

// TestImportKeepsNames: what the other programs call things goes on to find them.
func TestImportKeepsNames(t *testing.T) {
	read := func(text string) store.Entry {
		t.Helper()
		list, err := collect((&archive.Importer{}).Read(strings.NewReader(text), "f.json"))
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: got %d entries, %v", text, len(list), err)
		}
		return list[0]
	}
	memory := `{"type":"context","content":"{\"checkpoint_id\":\"chk_abc123\",\"workflow_id\":\"wf_xyz789\",\"state\":{},\"metadata\":{\"episode_id\":\"ep-7\"}}","tags":["checkpoint","wf_xyz789",7,{"a":1},"bad\u0007",""],"project":"TaskManager"}`
	e := read(memory)
	want := []string{"id:chk_abc123", "workflow:wf_xyz789", "episode:ep-7", "project:TaskManager", "checkpoint", "wf_xyz789", "7"}
	if diff := cmp.Diff(want, e.Checkpoint.Tags); diff != "" || !e.Foreign {
		t.Errorf("a memory's tags (want -, got +):\n%s", diff)
	}
	if id := e.Checkpoint.ID; !slices.Contains(store.ImportedIDs(piton.CheckpointPrefix, "chk_abc123"), id) || !slices.Contains(store.ImportedIDs(piton.WorkflowPrefix, "wf_xyz789"), e.Workflow.ID) {
		t.Errorf("got the ids %s, %s, want those of its names", id, e.Workflow.ID)
	}
	for text, session := range map[string]string{
		`{"id":"a","sessionId":"sess-123","phase":"BUILD","phaseNumber":4}`:                           "sess-123",
		`{"id":"a","sessionId":"unknown","phase":"BUILD","phaseNumber":4}`:                            "",
		`{"id":"a","session_id":"sess-123","project_id":"p","state_json":"{\"currentStepIndex\":1}"}`: "sess-123",
	} {
		e := read(text)
		if got := e.Checkpoint.SessionName; got != session || session != "" && !slices.Contains(store.ImportedIDs(piton.SessionPrefix, session), e.Checkpoint.SessionID) {
			t.Errorf("%s: got the session %q, %s, want %q", text, got, e.Checkpoint.SessionID, session)
		}
		if !slices.Contains(e.Checkpoint.Tags, "id:a") {
			t.Errorf("%s: got the tags %q", text, e.Checkpoint.Tags)
		}
	}
	many := read(`{"checkpoint_id":"x","state":{},"tags":["` + strings.Repeat(`t","`, 3) + strings.Repeat("l", 500) + `"],"episodes":[` + strings.TrimSuffix(strings.Repeat(`"e",`, 500), ",") + `]}`)
	if diff := cmp.Diff([]string{"id:x", "episode:e", "t"}, many.Checkpoint.Tags); diff != "" {
		t.Errorf("too many tags (want -, got +):\n%s", diff)
	}
}

func TestImportOfOurOwn(t *testing.T) {
	for _, form := range forms {
		got, err := collect((&archive.Importer{Project: "prj_x"}).Read(bytes.NewReader(encoded(t, form.encode, some())), "x"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, form.name, got, some())
	}
}

func TestImportRefuses(t *testing.T) {
	good := string(testdata(t, "plan-state.json"))
	for _, c := range []struct{ name, file, words string }{
		{"nothing", "", "empty"},
		{"white space", " \n", "empty"},
		{"no JSON", "hello", "invalid character"},
		{"a torn value", good[:40], "unexpected EOF"},
		{"a torn list", "[" + good, "unexpected EOF"},
		{"something behind a list", "[" + good + "] x", "behind the list"},
		{"a file store's own", `{"phase":"A","phaseNumber":1,"record_sha256":"x","state":{}}`, "it is a file store's own"},
		{"a number", "17", "not a JSON object"},
		{"another object", `{"name":"x"}`, "form that is known"},
		{"a plan without a state", `{"id":"1","sessionId":"s","stepNumber":1,"state":null,"state_json":"[]"}`, `"state"`},
		{"a state that is not JSON", `{"id":"1","state_json":"{x}"}`, `"state"`},
		{"a snapshot without a state", `{"checkpoint_id":"1"}`, `"state"`},
		{"content that is not JSON", `{"content":"hello"}`, `"content"`},
		{"a key twice", `{"phase":"A","phaseNumber":1,"metadata":{"a":1,"a":2}}`, "duplicate"},
		{"invalid UTF-8", "{\"phase\":\"A\xff\",\"phaseNumber\":1}", "UTF-8"},
		{"a time that is none", `{"phase":"A","phaseNumber":1,"createdAt":"yesterday"}`, `"createdAt"`},
		{"a phase that is a list", `{"phase":[],"phaseNumber":1}`, `"phase"`},
		{"phase eight of seven", `{"phase":"A","phaseNumber":8}`, `"phaseNumber"`},
		{"no end", `{"phase":"` + strings.Repeat("x", 130<<20), "larger"},
	} {
		got, err := collect((&archive.Importer{}).Read(strings.NewReader(c.file), "some/file.json"))
		if piton.CodeOf(err) != piton.Invalid || len(got) > 1 || !strings.Contains(err.Error(), c.words) || !strings.Contains(err.Error(), "some/file.json") {
			t.Errorf("%s: got %d entries, %v, want invalid with %s and the file's name", c.name, len(got), err, c.words)
		}
	}
	var known *piton.Error
	_, err := collect((&archive.Importer{}).Read(strings.NewReader(`{"record_sha256":"x"}`), "x"))
	if !errors.As(err, &known) || !strings.Contains(known.Hint, "export all store file:DIR") {
		t.Errorf("got %v of a file store's own, want the way to export it in the hint", err)
	}
	torn := encoded(t, archive.Encode, some())
	_, err = collect((&archive.Importer{}).Read(bytes.NewReader(torn[:len(torn)-20]), "some/file"))
	if piton.CodeOf(err) != piton.Corrupt || !strings.Contains(err.Error(), "some/file") {
		t.Errorf("got %v of a torn archive, want corrupt with the file's name", err)
	}
	n, slips := 0, 0
	for _, err := range (&archive.Importer{}).Read(strings.NewReader(good+"\n{}\n[1]\n"+`{"phase":"A","phaseNumber":1}`), "f") {
		if err == nil {
			n++
		} else if slips++; piton.CodeOf(err) != piton.Invalid {
			t.Errorf("got %v, want invalid", err)
		}
	}
	if n != 2 || slips != 2 {
		t.Errorf("got %d entries, %d mistakes, want those before and behind the two", n, slips)
	}
	_, err = collect((&archive.Importer{}).Read(io.MultiReader(strings.NewReader(good[:20]), iotest.ErrReader(io.ErrClosedPipe)), "f"))
	if piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("got %v of a reader that fails, want unavailable", err)
	}
}

func FuzzImport(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json*")
	if err != nil || len(files) == 0 {
		f.Fatal("no samples", err)
	}
	for _, name := range files {
		f.Add(testdata(f, filepath.Base(name)))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := collect((&archive.Importer{Now: piton.FromMillis(1)}).Read(bytes.NewReader(file), "f"))
		if code := piton.CodeOf(err); err != nil && code != piton.Invalid && code != piton.Corrupt {
			t.Fatalf("got %v (%s), want invalid or corrupt", err, code)
		}
		if bytes.HasPrefix(file, []byte(`{"format":`)) || len(got) == 0 {
			return
		}
		// What was read can be kept.
		back, err := collect(archive.Decode(bytes.NewReader(encoded(t, archive.EncodeLines, got))))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "kept", back, got)
	})
}

// TestWhole: a state that is another program's checkpoint with its record is known as one.
func TestWhole(t *testing.T) {
	for name, c := range map[string]struct {
		state string
		want  string // its state
	}{
		"another program's":               {string(testdata(t, "conductor.json")), member(t, testdata(t, "conductor.json"), "state")},
		"of our own file store":           {`{"checkpoint_id":"a","created_at":"2026-01-11T20:30:00Z","state":{},"record_sha256":"x"}`, ""},
		"a state that is none":            {`{"checkpoint_id":"a","created_at":"2026-01-11T20:30:00Z","state":[]}`, ""},
		"nobody's":                        {`{"done":["a"],"state":{}}`, ""},
		"one with a time that is no time": {`{"checkpoint_id":"a","created_at":"yesterday","state":{}}`, ""},
		"no object":                       {`[]`, ""},
	} {
		e, ok := archive.Whole([]byte(c.state))
		if ok != (c.want != "") || ok && compact(t, e.State) != compact(t, []byte(c.want)) {
			t.Errorf("%s: got %t, %s, want %s", name, ok, e.State, c.want)
		}
	}
}
