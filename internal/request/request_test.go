package request

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
)

type inner struct {
	Project string `value:"DIR" help:"a folder"`
}

// sample has a field of each kind.
type sample struct {
	Ref    string            `arg:"1" one:"what" mcp:"checkpointId" help:"an id" hint:"'list' shows them"`
	Work   string            `one:"what" help:"a workflow"`
	Limit  int               `default:"20" min:"0" min.mcp:"1" max:"50" help:"how many"`
	Done   *bool             `not:"undone" help:"only those that are done"`
	Tags   []string          `cli:"tag" min:"1" help:"tags"`
	Inputs map[string]string `cli:"input" help:"values"`
	Word   string            `enum:"words" help:"a word"`
	Note   string            `empty:"ok" help:"a note"`
	State  json.RawMessage   `help:"a state"`
	Share  float64           `help:"a share"`
	Own    bool              `cli:"- a person says it" help:"its own"`
	inner
}

var _ = Enum("words", []string{"red", "blue"})

// TestText reads what the command line gives.
func TestText(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		give [][2]string
		want sample
		err  string
	}{
		"nothing":             {nil, sample{Limit: 20}, ""},
		"texts and numbers":   {[][2]string{{"work", "w"}, {"limit", "5"}, {"share", "0.5"}}, sample{Work: "w", Limit: 5, Share: 0.5}, ""},
		"a switch":            {[][2]string{{"done", "true"}}, sample{Limit: 20, Done: &yes}, ""},
		"its opposite":        {[][2]string{{"undone", "true"}}, sample{Limit: 20, Done: &no}, ""},
		"both":                {[][2]string{{"done", "true"}, {"undone", "true"}}, sample{}, "--done and --undone exclude each other"},
		"the last one counts": {[][2]string{{"limit", "5"}, {"limit", "6"}}, sample{Limit: 6}, ""},
		"many":                {[][2]string{{"tag", "a"}, {"tag", "b"}, {"input", "x=1"}, {"input", "y="}}, sample{Limit: 20, Tags: []string{"a", "b"}, Inputs: map[string]string{"x": "1", "y": ""}}, ""},
		"no value":            {[][2]string{{"input", "x"}}, sample{}, `--input: "x" has no value`},
		"one name twice":      {[][2]string{{"input", "x=1"}, {"input", "x=2"}}, sample{}, "--input has x twice"},
		"empty":               {[][2]string{{"work", " "}}, sample{}, "--work is empty"},
		"empty and allowed":   {[][2]string{{"note", ""}}, sample{Limit: 20}, ""},
		"not a number":        {[][2]string{{"limit", "x"}}, sample{}, `--limit: "x" is not a whole number`},
		"too large a number":  {[][2]string{{"limit", "99999999999999999999"}}, sample{}, "too large"},
		"out of range":        {[][2]string{{"limit", "51"}}, sample{}, "--limit 51 is out of range"},
		"another word":        {[][2]string{{"word", "green"}}, sample{}, `--word cannot be "green"`},
		"two ways":            {[][2]string{{"work", "w"}, {"", "chk_1"}}, sample{}, "exclude each other"},
		"embedded":            {[][2]string{{"project", "."}}, sample{Limit: 20, inner: inner{Project: "."}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got sample
			in := Read(CLI, &got)
			var err error
			for _, g := range c.give {
				f, ok := FormOf(reflect.TypeFor[sample]()).Named(CLI, g[0])
				if g[0] == "" {
					f, ok = FormOf(reflect.TypeFor[sample]()).Named(CLI, "ref")
				}
				if !ok {
					t.Fatalf("no field is called %s", g[0])
				}
				if err == nil {
					err = in.Text(f, g[0], g[1])
				}
			}
			if err == nil {
				err = in.Check()
			}
			compare(t, got, c.want, err, c.err)
		})
	}
}

func compare(t *testing.T, got, want sample, err error, wrong string) {
	t.Helper()
	switch {
	case wrong != "" && (piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), wrong)):
		t.Errorf("got %v, want %q", err, wrong)
	case wrong == "" && err != nil:
		t.Error(err)
	case wrong == "":
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(sample{})); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// TestJSON reads what programs and models send.
func TestJSON(t *testing.T) {
	yes := true
	for name, c := range map[string]struct {
		door Door
		body string
		want sample
		err  string
	}{
		"nothing":                  {HTTP, "", sample{Limit: 20}, ""},
		"all kinds":                {HTTP, `{"work":"w","limit":3,"done":true,"tags":["a"],"inputs":{"x":"1"},"state":{"b":1e2},"share":0.5,"own":true,"project":"/p"}`, sample{Work: "w", Limit: 3, Done: &yes, Tags: []string{"a"}, Inputs: map[string]string{"x": "1"}, State: json.RawMessage(`{"b":1e2}`), Share: 0.5, Own: true, inner: inner{Project: "/p"}}, ""},
		"null is left out":         {HTTP, `{"limit":null}`, sample{Limit: 20}, ""},
		"of another kind":          {HTTP, `{"limit":"3"}`, sample{}, "limit is a JSON string"},
		"an unknown name":          {HTTP, `{"flow":1}`, sample{}, `there is no member "flow"`},
		"an empty text":            {HTTP, `{"work":""}`, sample{}, "work is empty"},
		"an empty list":            {HTTP, `{"tags":[]}`, sample{}, "tags is empty"},
		"an empty element":         {HTTP, `{"tags":["a",""]}`, sample{}, "an element that is empty"},
		"a name twice":             {HTTP, `{"work":"a","work":"b"}`, sample{}, "duplicate"},
		"not an object":            {HTTP, `[1]`, sample{}, "not a JSON object"},
		"a part of an object":      {HTTP, `{"work":`, sample{}, "cannot be read"},
		"a model's spelling":       {MCP, `{"checkpoint_id":"chk_1"}`, sample{Ref: "chk_1", Limit: 20}, ""},
		"a model's empty text":     {MCP, `{"work":"","limit":4}`, sample{Limit: 4}, ""},
		"a model's zero":           {MCP, `{"limit":0}`, sample{Limit: 20}, ""},
		"a state as a text":        {MCP, `{"state":"{\"a\":1}"}`, sample{Limit: 20, State: json.RawMessage(`{"a":1}`)}, ""},
		"a program's one spelling": {HTTP, `{"Work":"w"}`, sample{}, `there is no member "Work"`},
	} {
		t.Run(name, func(t *testing.T) {
			var got sample
			in := Read(c.door, &got)
			err := in.JSON([]byte(c.body))
			if err == nil {
				err = in.Check()
			}
			compare(t, got, c.want, err, c.err)
		})
	}
}

// TestSchema: what a field can be is said to those who ask for the schema.
func TestSchema(t *testing.T) {
	got, err := json.Marshal(FormOf(reflect.TypeFor[sample]()).Schema(MCP))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"checkpointId":{"type":"string","description":"an id"}`, `"limit":{"type":"integer","description":"how many","minimum":1,"maximum":50,"default":20}`,
		`"tags":{"type":"array","description":"tags","items":{"type":"string"},"minItems":1}`, `"word":{"type":"string","description":"a word","enum":["red","blue"]}`,
		`"state":{"type":"object","description":"a state","additionalProperties":true}`, `"additionalProperties":false`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
}
