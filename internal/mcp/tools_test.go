package mcp

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestToolList: what clients and models are told of the tools.
func TestToolList(t *testing.T) {
	list := tools(t, New(alone(t)))
	for name, want := range map[string]struct {
		always, reads, destroys bool
		words                   []string // by which deferred tools are found
	}{
		"checkpoint_save":     {true, false, false, []string{"save", "progress", "checkpoint"}},
		"checkpoint_load":     {true, true, false, []string{"load", "restore"}},
		"checkpoint_list":     {true, true, false, []string{"list", "saved"}},
		"checkpoint_resume":   {false, false, false, []string{"resume", "continue", "restore", "unfinished"}},
		"checkpoint_search":   {false, true, false, []string{"search", "find"}},
		"checkpoint_inspect":  {false, true, false, []string{"inspect"}},
		"checkpoint_diff":     {false, true, false, []string{"compare", "diff"}},
		"checkpoint_complete": {false, false, false, []string{"completed", "finished"}},
		"checkpoint_delete":   {false, false, true, []string{"delete"}},
		"undo_preview":        {false, true, false, []string{"undo", "files", "brought back"}},
		"undo_list":           {false, true, false, []string{"undo", "restore", "lost"}},
		"run_list":            {false, true, false, []string{"runs", "plans", "waits"}},
		"run_show":            {false, true, false, []string{"run", "steps", "status"}},
		"run_log":             {false, true, false, []string{"log", "step"}},
		"run_waiting":         {false, true, false, []string{"waits for the user", "approval"}},
	} {
		tool, ok := list[name]
		if !ok {
			t.Errorf("%s is missing", name)
			continue
		}
		delete(list, name)
		meta, _ := tool["_meta"].(map[string]any)
		if got := meta["anthropic/alwaysLoad"] == true; got != want.always {
			t.Errorf("%s: got alwaysLoad %v, want %v", name, got, want.always)
		}
		hints := tool["annotations"].(map[string]any)
		if hints["readOnlyHint"] != want.reads || hints["destructiveHint"] != want.destroys || hints["openWorldHint"] != false {
			t.Errorf("%s: got %v, want it to read only %v, to destroy %v", name, hints, want.reads, want.destroys)
		}
		for _, w := range want.words {
			if !strings.Contains(strings.ToLower(tool["description"].(string)), w) {
				t.Errorf("%s: the description lacks the word %q", name, w)
			}
		}
		if _, structured := tool["outputSchema"]; structured == slices.Contains(textAlone, name) {
			t.Errorf("%s: announces a structured answer: %t", name, structured)
		} else if !structured {
			tool["outputSchema"] = tool["inputSchema"]
		}
		for _, schema := range []string{"inputSchema", "outputSchema"} {
			if s := tool[schema].(map[string]any); s["type"] != "object" {
				t.Errorf("%s: got the %s's type %v, want object", name, schema, s["type"])
			}
			plainSchema(t, name+" "+schema, tool[schema])
		}
	}
	for name := range list {
		t.Errorf("got the tool %s, which this test does not know", name)
	}
}

// plainSchema fails on what the SDKs of clients refuse: a schema that is not an object,
// and a list of types.
func plainSchema(t *testing.T, where string, schema any) {
	t.Helper()
	s, ok := schema.(map[string]any)
	if !ok {
		t.Errorf("%s: got %v, want an object", where, schema)
		return
	}
	if _, ok := s["type"].(string); !ok && s["type"] != nil {
		t.Errorf("%s: got the type %v, want one", where, s["type"])
	}
	for name, p := range asObject(s["properties"]) {
		plainSchema(t, where+"."+name, p)
	}
	if items, ok := s["items"]; ok {
		plainSchema(t, where+"[]", items)
	}
}

func asObject(v any) map[string]any { m, _ := v.(map[string]any); return m }

// TestStateIsKept: a state comes back with the numbers and keys it was given with,
// also where a model has written it as a string.
func TestStateIsKept(t *testing.T) {
	s := New(alone(t))
	const state = `{"z":9007199254740993,"a":1.50,"deep":{"b":[1e400,"é\u0041"]}}`
	quoted, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	for name, given := range map[string]string{"an object": state, "a string that holds one": string(quoted)} {
		saved := ask(t, s, "checkpoint_save", `{"state":`+given+`}`)
		if saved.IsError {
			t.Errorf("%s: got %s", name, saved.text())
			continue
		}
		loaded := ask(t, s, "checkpoint_load", fmt.Sprintf(`{"checkpointId":%q}`, saved.id(t)))
		if got := loaded.state(); got != state || strings.Count(loaded.text(), state) != 1 || loaded.Structured != nil {
			t.Errorf("%s: got %s, want %s, once", name, loaded.text(), state)
		}
	}
}

// textAlone are the tools whose answer is a text, once.
var textAlone = []string{"checkpoint_load", "checkpoint_resume", "checkpoint_inspect", "checkpoint_diff", "run_list", "run_show", "run_log", "run_waiting"}

// TestVerbs goes through the tools as an agent does.
func TestVerbs(t *testing.T) {
	s := New(alone(t))
	first := ask(t, s, "checkpoint_save", `{"sessionId":"s","state":{"n":1},"name":"start","description":"the parser begins"}`)
	second := ask(t, s, "checkpoint_save", `{"sessionId":"s","state":{"n":2},"stepName":"Parse","progress":50,"tags":["a"]}`)
	one, two := first.id(t), second.id(t)
	for _, c := range []struct {
		tool, args string
		want       []string // in the text
	}{
		{"checkpoint_load", `{"sessionId":"s"}`, []string{two, `{"n":2}`}},
		{"checkpoint_load", `{"checkpointId":"start"}`, []string{one, `{"n":1}`}},
		{"checkpoint_list", `{"sessionId":"s"}`, []string{one, two, "50%"}},
		{"checkpoint_list", `{"sessionId":"s","limit":1}`, []string{two, "More: cursor "}},
		{"checkpoint_list", `{"open":true}`, []string{two}},
		{"checkpoint_list", `{}`, []string{one, two, "this folder's project"}},
		{"checkpoint_search", `{"query":"parser"}`, []string{one}},
		{"checkpoint_inspect", `{"checkpointId":"` + two + `","state":true}`, []string{two, "Parent: " + one, `"replace"`, `{"n":2}`}},
		{"checkpoint_diff", `{"from":"` + one + `","to":"` + two + `"}`, []string{`"/n"`}},
		{"checkpoint_diff", `{"from":"` + two + `"}`, []string{`"/n"`}},
		{"checkpoint_resume", `{}`, []string{two, "Parse"}},
		{"checkpoint_resume", `{"checkpointId":"` + one + `"}`, []string{one}},
		{"checkpoint_delete", `{"checkpointId":"` + two + `","dryRun":true}`, []string{"Nothing was deleted", two}},
		{"checkpoint_complete", `{"checkpointId":"` + two + `"}`, []string{"Completed: " + two}},
		{"checkpoint_list", `{"open":true}`, []string{"No checkpoints"}},
		{"checkpoint_delete", `{"checkpointId":"` + two + `"}`, []string{"Deleted 1"}},
		{"checkpoint_save", `{"sessionId":"new","name":"first"}`, []string{"an empty one was saved"}},
		{"checkpoint_save", `{"sessionId":"new","name":"second"}`, []string{"no state was given, so the one of chk_", " was saved again"}},
	} {
		got := ask(t, s, c.tool, c.args)
		for _, want := range c.want {
			if got.IsError || !strings.Contains(got.text(), want) {
				t.Errorf("%s %s: got %s, want %q in it", c.tool, c.args, got.text(), want)
			}
		}
		if once := slices.Contains(textAlone, c.tool); once == json.Valid(got.Structured) {
			t.Errorf("%s %s: got the structured answer %s", c.tool, c.args, got.Structured)
		}
	}
}

// TestRefusals: an error is a result, in words for a model, with what to do next.
func TestRefusals(t *testing.T) {
	s := New(alone(t))
	saved := ask(t, s, "checkpoint_save", `{"sessionId":"s","state":{"n":1}}`)
	if saved.IsError {
		t.Fatal(saved.text())
	}
	named := ask(t, s, "checkpoint_save", `{"sessionId":"other","state":{"n":1},"name":"keep"}`).id(t)
	for _, c := range []struct {
		name, tool, args string
		want             []string
	}{
		{"no such checkpoint", "checkpoint_load", `{"checkpointId":"chk_0000000000000000"}`, []string{"not_found", "checkpoint_list"}},
		{"no such checkpoint to inspect", "checkpoint_inspect", `{"checkpointId":"chk_0000000000000000"}`, []string{"not_found"}},
		{"no such checkpoint to compare", "checkpoint_diff", `{"from":"chk_0000000000000000"}`, []string{"not_found"}},
		{"no such session", "checkpoint_list", `{"sessionId":"nobody"}`, []string{"not_found", "piton sessions"}},
		{"no session to be found", "checkpoint_load", `{}`, []string{"checkpointId", "checkpoint_resume"}},
		{"nothing to save", "checkpoint_save", `{}`, []string{"nothing to save", "give state"}},
		{"a state of another kind", "checkpoint_save", `{"state":[1]}`, []string{"an array", "invalid"}},
		{"a state in a string that is none", "checkpoint_save", `{"state":"done"}`, []string{"invalid"}},
		{"duplicate keys", "checkpoint_save", `{"state":{"a":1,"a":2}}`, []string{"invalid"}},
		{"the branch has moved", "checkpoint_save", `{"sessionId":"s","state":{},"parent":"chk_0000000000000000"}`, []string{"chk_0000000000000000"}},
		{"an unknown argument", "checkpoint_list", `{"colour":"red"}`, []string{`"colour"`, "sessionId, since"}},
		{"an argument twice", "checkpoint_list", `{"sessionId":"s","session_id":"s"}`, []string{"given twice"}},
		{"an argument of another kind", "checkpoint_list", `{"limit":"many"}`, []string{"limit", "whole number"}},
		{"a missing argument", "checkpoint_inspect", `{}`, []string{"checkpointId is missing"}},
		{"a limit without measure", "checkpoint_list", `{"limit":100000}`, []string{"1 to 100"}},
		{"nothing to delete", "checkpoint_delete", `{}`, []string{"checkpointId, workflow or sessionId"}},
		{"what somebody has named", "checkpoint_delete", `{"checkpointId":"` + named + `"}`, []string{"it is named", "a person does this"}},
		{"a name to delete", "checkpoint_delete", `{"checkpointId":"start"}`, []string{"not an id"}},
		{"nothing to complete", "checkpoint_complete", `{}`, []string{"checkpointId, workflow or sessionId"}},
		{"an unknown trigger", "checkpoint_save", `{"state":{},"trigger":"mood"}`, []string{"phase_complete"}},
		{"no word", "checkpoint_search", `{"query":" "}`, []string{"nothing to search for"}},
		{"a secret in what was asked", "checkpoint_load", `{"name":"ghp_0123456789abcdefghijklmnopqrstuvwxyz"}`, []string{"[REDACTED:"}},
	} {
		got := ask(t, s, c.tool, c.args)
		for _, want := range c.want {
			if !got.IsError || !strings.Contains(got.text(), want) {
				t.Errorf("%s: got %q, want an error with %q", c.name, got.text(), want)
			}
		}
		if strings.Contains(got.text(), "--") {
			t.Errorf("%s: got %q, which names a flag", c.name, got.text())
		}
	}
}

// TestSpelling: an argument is understood however a model spells its name.
func TestSpelling(t *testing.T) {
	s := New(alone(t))
	for _, name := range []string{"sessionId", "session_id", "SessionID", "session-id"} {
		if got := ask(t, s, "checkpoint_save", fmt.Sprintf(`{%q:"s","state":{"n":1},"progress":null}`, name)); got.field(t, "checkpoint", "session_name") != `"s"` {
			t.Errorf("%s: got %s", name, got.Structured)
		}
	}
}

// TestSecretsAreTakenOut of what a model saves, and it is told.
func TestSecretsAreTakenOut(t *testing.T) {
	s := New(alone(t))
	got := ask(t, s, "checkpoint_save", `{"state":{"token":"ghp_0123456789abcdefghijklmnopqrstuvwxyz"}}`)
	if !strings.Contains(got.text(), "Secrets removed: 1") || got.field(t, "redacted") != "1" {
		t.Errorf("got %s, want one secret removed", got.text())
	}
	if loaded := ask(t, s, "checkpoint_load", fmt.Sprintf(`{"checkpointId":%q}`, got.id(t))); strings.Contains(loaded.text(), "ghp_") {
		t.Errorf("got %s, want no secret", loaded.text())
	}
}

// TestWhoseCall: a call that names no session belongs to the conversation that its
// _meta names.
func TestWhoseCall(t *testing.T) {
	s := New(alone(t))
	for name, meta := range map[string]string{
		"at the top":                  `,"threadId":"thread-1"`,
		"in an object of the client":  `,"x-codex-turn-metadata":{"session_id":"thread-1","turn_id":"t"}`,
		"in one that is a string":     `,"x-codex-turn-metadata":"{\"session_id\":\"thread-1\"}"`,
		"the session before a thread": `,"threadId":"other","x-codex-turn-metadata":{"session_id":"thread-1"}`,
	} {
		if got := askAs(t, s, "checkpoint_save", `{"state":{"n":1}}`, meta); got.field(t, "checkpoint", "session_name") != `"thread-1"` {
			t.Errorf("%s: got %s, want the session thread-1", name, got.Structured)
		}
	}
	if got := askAs(t, s, "checkpoint_load", `{}`, `,"threadId":"thread-1"`); got.state() != `{"n":1}` {
		t.Errorf("load: got %s", got.text())
	}
	if got := askAs(t, s, "checkpoint_list", `{}`, `,"threadId":"thread-1"`); !strings.Contains(got.field(t, "notes"), "only those of this conversation's session are listed") {
		t.Errorf("list of its own: got %s", got.text())
	}
	if got := askAs(t, s, "checkpoint_list", `{"project":"."}`, `,"threadId":"thread-2"`); got.field(t, "checkpoints") == "[]" || !strings.Contains(got.field(t, "notes"), "these are the checkpoints of this folder's project") {
		t.Errorf("list of the project: got %s", got.text())
	}
	if got := askAs(t, s, "checkpoint_list", `{}`, `,"threadId":"thread-2"`); got.field(t, "checkpoints") != "[]" || !strings.Contains(got.field(t, "notes"), "checkpoint_list with project .") {
		t.Errorf("list of another: got %s", got.text())
	}
	if got := askAs(t, s, "checkpoint_load", `{}`, `,"threadId":"thread-2"`); !got.IsError || !strings.Contains(got.text(), "checkpoint_resume") {
		t.Errorf("load of another: got %s", got.text())
	}
}

// TestBounds: a state is shown up to a bound, once, and the rest can be had by what the
// answer says of it.
func TestBounds(t *testing.T) {
	s := New(alone(t))
	items := make([]string, 3000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"n":%d,"text":"%s"}`, i, strings.Repeat("x", 50))
	}
	history := "[" + strings.Join(items, ",") + "]"
	id := ask(t, s, "checkpoint_save", `{"state":{"step":"parse","history":`+history+`,"next":["a","b"]}}`).id(t)
	got := ask(t, s, "checkpoint_load", `{"checkpointId":"`+id+`"}`)
	want := fmt.Sprintf(`{"step":"parse","history":{"$left_out":{"is":"array","has":3000,"bytes":%d}},"next":["a","b"]}`, len(history))
	if got.state() != want || got.Structured != nil || !strings.Contains(got.text(), "shows one: /history") || !strings.Contains(got.text(), "piton load "+id+" >FILE") {
		t.Errorf("got %.600s, want it without its history", got.text())
	}
	var read []string
	for from := 0; ; {
		got = ask(t, s, "checkpoint_load", fmt.Sprintf(`{"checkpointId":%q,"path":"/history","from":%d}`, id, from))
		if n := len(got.text()); n > 64<<10+1000 {
			t.Fatalf("from %d: got an answer of %d bytes", from, n)
		}
		read = append(read, strings.TrimSuffix(strings.TrimPrefix(got.state(), "["), "]"))
		_, more, ok := strings.Cut(got.text(), ` and path "/history" and from `)
		if !ok {
			break
		}
		if _, err := fmt.Sscan(more, &from); err != nil {
			t.Fatal(err)
		}
	}
	if got := "[" + strings.Join(read, ",") + "]"; got != history {
		t.Errorf("got %d bytes in %d pieces, want the %d of the history", len(got), len(read), len(history))
	}
	for args, want := range map[string]string{
		`"path":"/history/2999/n"`:                "2999",
		`"path":"/next"`:                          `["a","b"]`,
		`"path":"","maxBytes":4194304`:            `{"step":"parse","history":` + history + `,"next":["a","b"]}`,
		`"path":"/history/0/text","maxBytes":100`: `"` + strings.Repeat("x", 50) + `"`,
		`"path":"/history","maxBytes":150`:        "[" + items[0] + "," + items[1] + "]",
		`"path":"/history","from":2998`:           "[" + items[2998] + "," + items[2999] + "]",
		`"path":"/next","from":1,"maxBytes":200`:  `["b"]`,
	} {
		if got := ask(t, s, "checkpoint_load", `{"checkpointId":"`+id+`",`+args+`}`); got.IsError || got.state() != want {
			t.Errorf("%s: got %.300s, want %.300s", args, got.text(), want)
		}
	}
	for args, want := range map[string]string{`"path":"history"`: "not a JSON pointer", `"path":"/none"`: `has no "none"`, `"maxBytes":5000000`: "4194304"} {
		if got := ask(t, s, "checkpoint_load", `{"checkpointId":"`+id+`",`+args+`}`); !got.IsError || !strings.Contains(got.text(), want) {
			t.Errorf("%s: got %.300s, want an error with %s", args, got.text(), want)
		}
	}
	first := ask(t, s, "checkpoint_save", `{"sessionId":"s","state":{}}`).id(t)
	grown := ask(t, s, "checkpoint_save", `{"sessionId":"s","state":{"a":"`+strings.Repeat("x ", 200_000)+`"}}`).id(t)
	for tool, args := range map[string]string{
		"checkpoint_resume": `{"checkpointId":"` + grown + `"}`, "checkpoint_inspect": `{"checkpointId":"` + grown + `","state":true}`, "checkpoint_diff": `{"from":"` + first + `","to":"` + grown + `"}`,
	} {
		if got := ask(t, s, tool, args); got.IsError || !strings.Contains(got.text(), "$left_out") || !strings.Contains(got.text(), "in a shell") || len(got.text()) > 130<<10 {
			t.Errorf("%s: got %.300s, want an excerpt", tool, got.text())
		}
	}
}

// TestDamaged: that a stored state is damaged is told as a note of the answer.
func TestDamaged(t *testing.T) {
	o := alone(t)
	s := New(o)
	intact := ask(t, s, "checkpoint_save", `{"sessionId":"s","state":{"n":1}}`).id(t)
	damaged := ask(t, s, "checkpoint_save", `{"sessionId":"s","state":{"n":2}}`).id(t)
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(o.App.Home, "piton.db")+"?_pragma=busy_timeout(2000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE manifests SET data = x'00' WHERE checkpoint = (SELECT max(checkpoint) FROM manifests)`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tool, arguments, shown string }{
		{"checkpoint_inspect", `{"checkpointId":"` + damaged + `","state":true}`, damaged},
		{"checkpoint_load", `{"sessionId":"s","nearest":true}`, intact},
	} {
		if got := ask(t, s, c.tool, c.arguments); got.IsError || !strings.Contains(got.text(), c.shown) || !strings.Contains(got.text(), "Note: ") || !strings.Contains(got.text(), "damaged") {
			t.Errorf("%s: got %s, want %s and a note of the damage", c.tool, got.text(), c.shown)
		}
	}
}

// TestDefect: a tool that panics answers with an error, and the server goes on.
func TestDefect(t *testing.T) {
	s := New(alone(t))
	d := &door{o: alone(t), slots: make(chan struct{}, 1)}
	add(s, d, spec{name: "broken"}, func(context.Context, call, struct{}) (*reply, error) { panic("a defect") })
	for range 2 { // nothing is held back by the first
		if got := ask(t, s, "broken", `{}`); !got.IsError || !strings.Contains(got.text(), "a defect") {
			t.Errorf("got %s, want the error", got.text())
		}
	}
	if got := ask(t, s, "checkpoint_list", `{}`); got.IsError {
		t.Errorf("got %s after it", got.text())
	}
}

// TestNoStore: where the store cannot be reached, a call is an error and the server
// goes on.
func TestNoStore(t *testing.T) {
	o := alone(t)
	o.App.Store = "sqlite:" + o.App.Dir // a folder
	s := New(o)
	for _, tool := range []string{"checkpoint_save", "checkpoint_list", "checkpoint_load"} {
		if got := ask(t, s, tool, `{"sessionId":"s"}`); !got.IsError {
			t.Errorf("%s: got %s, want an error", tool, got.text())
		}
	}
}

// TestAtOnce: calls at once are all answered, and saves of one session at once go to
// one workflow, one after the other.
func TestAtOnce(t *testing.T) {
	s := New(alone(t))
	in := ""
	for id := range 20 {
		in += stateless(id, "tools/call", fmt.Sprintf(`"name":"checkpoint_save","arguments":{"sessionId":"s","state":{"n":%d}}`, id))
	}
	exchange(t, s, strings.NewReader(in))
	var list struct{ Checkpoints []struct{ Seq int } }
	if err := json.Unmarshal(ask(t, s, "checkpoint_list", `{"sessionId":"s","limit":100}`).Structured, &list); err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, c := range list.Checkpoints {
		got = append(got, c.Seq)
	}
	slices.Sort(got)
	if len(got) != 20 || got[0] != 1 || got[19] != 20 {
		t.Errorf("got the numbers %v, want 1 to 20", got)
	}
}

// TestResourcesAndPrompts: checkpoints are resources, and people find two prompts.
func TestResourcesAndPrompts(t *testing.T) {
	s := New(alone(t))
	id := ask(t, s, "checkpoint_save", `{"state":{"n":1},"name":"here"}`).id(t)
	for _, c := range []struct{ method, params, want string }{
		{"resources/list", "", "checkpoint://" + id},
		{"resources/templates/list", "", "checkpoint://{id}"},
		{"resources/read", `"uri":"checkpoint://` + id + `"`, `\"n\":1`},
		{"prompts/list", "", `"resume_checkpoint"`},
		{"prompts/get", `"name":"save_checkpoint","arguments":{"name":"v1"}`, "and with this name: v1"},
		{"prompts/get", `"name":"save_checkpoint"`, "checkpoint_save"},
		{"prompts/get", `"name":"resume_checkpoint"`, id},
		{"prompts/get", `"name":"resume_checkpoint","arguments":{"checkpoint":"here"}`, id},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"resume_checkpoint"},"argument":{"name":"checkpoint","value":"chk_"}`, id},
		{"completion/complete", `"ref":{"type":"ref/resource","uri":"checkpoint://{id}"},"argument":{"name":"id","value":""}`, `"total":1,"values":["` + id},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"resume_checkpoint"},"argument":{"name":"checkpoint","value":"x"}`, `"values":[]`},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"save_checkpoint"},"argument":{"name":"name","value":""}`, `"values":[]`},
	} {
		if a := exchange(t, s, strings.NewReader(stateless(3, c.method, c.params)))["3"]; !strings.Contains(string(a.Result), c.want) {
			t.Errorf("%s: got %s, %v, want %s", c.method, a.Result, a.Error, c.want)
		}
	}
	for _, c := range []struct{ method, params string }{
		{"resources/read", `"uri":"checkpoint://chk_0000000000000000"`},
		{"resources/read", `"uri":"checkpoint://../../etc/passwd"`},
		{"resources/read", `"uri":"checkpoint://here"`}, // a name is no address: it can move
		{"prompts/get", `"name":"resume_checkpoint","arguments":{"checkpoint":"no such"}`},
	} {
		if a := exchange(t, s, strings.NewReader(stateless(3, c.method, c.params)))["3"]; a.Error == nil || a.Error.Code != -32602 {
			t.Errorf("%s %s: got %s, %v, want it refused", c.method, c.params, a.Result, a.Error)
		}
	}
}

// TestAnswersFitTheirSchemas: what the tools answer is what they have announced.
func TestAnswersFitTheirSchemas(t *testing.T) {
	s := New(alone(t))
	schemas := map[string]any{}
	for name, tool := range tools(t, s) {
		schemas[name] = tool["outputSchema"]
	}
	id := ask(t, s, "checkpoint_save", `{"state":{"n":1}}`).id(t)
	ask(t, s, "checkpoint_save", `{"state":{"n":2},"workflow":"w","phase":"A","phaseNumber":1}`)
	for tool, args := range map[string]string{
		"checkpoint_save": `{"state":{"n":1}}`, "checkpoint_list": `{}`, "checkpoint_search": `{"query":"w"}`, "checkpoint_complete": `{"workflow":"w"}`, "checkpoint_delete": `{"checkpointId":"` + id + `","dryRun":true}`,
		"undo_list": `{}`,
	} {
		got := ask(t, s, tool, args)
		if got.IsError {
			t.Errorf("%s: got %s", tool, got.text())
			continue
		}
		if err := fits(schemas[tool], got.Structured); err != nil {
			t.Errorf("%s: %v\n%s", tool, err, got.Structured)
		}
	}
}

// fits holds an answer against a schema as a client does.
func fits(schema any, answer json.RawMessage) error {
	text, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(answer, &v); err != nil {
		return err
	}
	return r.Validate(v)
}
