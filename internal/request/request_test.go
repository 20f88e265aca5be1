package request

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
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
		"a number too large":  {[][2]string{{"share", "1e999"}}, sample{}, `--share: "1e999" is too large a number`},
		"not a share":         {[][2]string{{"share", "x"}}, sample{}, `--share: "x" is not a number`},
		"not a switch":        {[][2]string{{"undone", "maybe"}}, sample{}, `--done cannot be "maybe"`},
		"not yes or no":       {[][2]string{{"done", "maybe"}}, sample{}, `--done: "maybe" is not true or false`},
		"the lowest":          {[][2]string{{"limit", "0"}}, sample{}, ""},
		"the highest":         {[][2]string{{"limit", "50"}}, sample{Limit: 50}, ""},
		"one below":           {[][2]string{{"limit", "-1"}}, sample{}, "--limit -1 is out of range"},
		"an argument twice":   {[][2]string{{"", "a"}, {"", "b"}}, sample{Ref: "b", Limit: 20}, ""},
		"a state":             {[][2]string{{"state", `{"a":1}`}}, sample{Limit: 20, State: json.RawMessage(`{"a":1}`)}, ""},
		"a nameless value":    {[][2]string{{"input", "=x"}}, sample{}, `--input: "=x" has no value`},
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
		"a name in two spellings":  {MCP, `{"checkpoint_id":"a","checkpointId":"b"}`, sample{}, "checkpointId is given twice"},
		"a model's unknown name":   {MCP, `{"flow":1}`, sample{}, `there is no argument "flow"`},
		"a model's one":            {MCP, `{"limit":1}`, sample{Limit: 1}, ""},
		"a number for a text":      {HTTP, `{"work":1}`, sample{}, "work is a JSON number"},
		"an element of a kind":     {HTTP, `{"tags":[1]}`, sample{}, "an element that is not a text"},
		"an element that is null":  {HTTP, `{"tags":["a",null]}`, sample{}, "an element that is empty"},
		"a text for many":          {HTTP, `{"tags":"a"}`, sample{}, "tags is a JSON string"},
		"an empty text is a value": {HTTP, `{"note":""}`, sample{Limit: 20}, ""},
		"two that exclude":         {HTTP, `{"ref":"a","work":"w"}`, sample{}, "ref and work exclude each other"},
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

// strict has what is required, and types that read themselves.
type strict struct {
	Plan    string   `required:"yes" schema:"any" help:"a plan"`
	RunID   string   `required:"yes" cli:"run" mcp:"- its own" hint:"'runs' shows them" help:"a run"`
	Since   word     `help:"a word"`
	Parts   []string `split:"," help:"parts"`
	Attempt int      `min:"2" help:"an attempt"`
	Colour  string   `default:"red" enum:"words" help:"a colour"`
	Pair    struct {
		A int `json:"a,omitempty"`
	} `cli:"- JSON only" help:"a pair"`
}

// word is a text that is not "bad".
type word string

func (w *word) UnmarshalText(text []byte) error {
	if string(text) == "bad" {
		return piton.Errorf(piton.Invalid, "", "say something else", "bad is not a word")
	}
	*w = word(strings.ToUpper(string(text)))
	return nil
}

// What is refused says which field it is, as the door calls it, and what to do.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		door      Door
		body      string
		err, hint string
	}{
		"nothing is missing":     {HTTP, `{"plan":"p","run_id":"r","attempt":2,"colour":"blue","since":"x","pair":{"a":1}}`, "", ""},
		"what is required":       {HTTP, `{"run_id":"r"}`, "plan is missing", "give plan"},
		"with a hint of its own": {HTTP, `{"plan":"p"}`, "run_id is missing", "'runs' shows them"},
		"not at that door":       {MCP, `{"plan":"p"}`, "", ""},
		"too small":              {MCP, `{"plan":"p","attempt":1}`, "attempt 1 is too small", "give a number from 2"},
		"not one of the words":   {MCP, `{"plan":"p","colour":"pink"}`, `colour cannot be "pink"`, "one of red, blue"},
		"a type's own refusal":   {MCP, `{"plan":"p","since":"bad"}`, "since: bad is not a word", "say something else"},
		"not a whole number":     {MCP, `{"plan":"p","attempt":true}`, "attempt is a JSON bool", "give a whole number"},
		"not an object":          {MCP, `{"plan":"p","pair":true}`, "pair is a JSON bool", "give an object"},
		"not an array":           {MCP, `{"plan":"p","parts":true}`, "parts is a JSON bool", "give an array of texts"},
		"not a text":             {MCP, `{"plan":true}`, "plan is a JSON bool", "give a text"},
		"an unknown name":        {MCP, `{"x":1}`, `there is no argument "x"`, "there are: attempt, colour, pair, parts, plan, since"},
	} {
		in := Read(c.door, &strict{})
		err := in.JSON([]byte(c.body))
		if err == nil {
			err = in.Check()
		}
		var e *piton.Error
		switch {
		case c.err == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.err != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), c.err) || e.Hint != c.hint):
			t.Errorf("%s: got %v, want %q, with the hint %q", name, err, c.err, c.hint)
		}
	}
	var got strict
	in := Read(CLI, &got)
	for _, g := range [][2]string{{"parts", "a, b"}, {"parts", "c"}, {"since", "now"}} {
		f, _ := FormOf(reflect.TypeFor[strict]()).Named(CLI, g[0])
		if err := in.Text(f, g[0], g[1]); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(strict{Parts: []string{"a", "b", "c"}, Since: "NOW", Colour: "red"}, got); diff != "" || !in.Given("Parts") || in.Given("Colour") {
		t.Errorf("as text (want -, got +):\n%s", diff)
	}
	if f, ok := FormOf(reflect.TypeFor[strict]()).Named(CLI, "pair"); ok || f.Go != "" {
		t.Error("a field that the command line leaves out: got it")
	}
}

// TestSchema: what a field can be is said to those who ask for the schema.
func TestSchema(t *testing.T) {
	for _, c := range []struct {
		of   reflect.Type
		door Door
		want string
	}{
		{reflect.TypeFor[sample](), MCP, `{"type":"object","properties":{` +
			`"checkpointId":{"type":"string","description":"an id"},"done":{"type":"boolean","description":"only those that are done"},` +
			`"inputs":{"type":"object","description":"values","additionalProperties":{"type":"string"}},` +
			`"limit":{"type":"integer","description":"how many","minimum":1,"maximum":50,"default":20},"note":{"type":"string","description":"a note"},` +
			`"own":{"type":"boolean","description":"its own"},"project":{"type":"string","description":"a folder"},"share":{"type":"number","description":"a share"},` +
			`"state":{"type":"object","description":"a state","additionalProperties":true},` +
			`"tags":{"type":"array","description":"tags","items":{"type":"string"},"minItems":1},` +
			`"word":{"type":"string","description":"a word","enum":["red","blue"]},"work":{"type":"string","description":"a workflow"}},"additionalProperties":false}`},
		{reflect.TypeFor[strict](), HTTP, `{"type":"object","properties":{"attempt":{"type":"integer","description":"an attempt","minimum":2},` +
			`"colour":{"type":"string","description":"a colour","enum":["red","blue"],"default":"red"},` +
			`"pair":{"type":"object","description":"a pair","properties":{"a":{"type":"integer"}}},"parts":{"type":"array","description":"parts","items":{"type":"string"}},` +
			`"plan":{"description":"a plan"},"run_id":{"type":"string","description":"a run"},"since":{"type":"string","description":"a word"}},` +
			`"required":["plan","run_id"],"additionalProperties":false}`},
	} {
		got, err := json.Marshal(FormOf(c.of).Schema(c.door))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got (%v)\n%s\nwant\n%s", c.of, err, got, c.want)
		}
	}
	if got := Object(MCP, FormOf(reflect.TypeFor[strict]()).At(MCP)).Required; !slices.Equal(got, []string{"plan"}) {
		t.Errorf("got %q required of a model, want the plan", got)
	}
}

// TestFields: what doors that take text ask of a field.
func TestFields(t *testing.T) {
	form := FormOf(reflect.TypeFor[sample]())
	for name, want := range map[string][2]bool{"done": {true, false}, "own": {true, false}, "work": {}, "tags": {false, true}, "inputs": {false, true}, "state": {}} {
		if f, ok := form.Named(HTTP, name); !ok || f.Switch() != want[0] || f.Many() != want[1] {
			t.Errorf("%s: got a switch %t, many %t (%t), want %v", name, f.Switch(), f.Many(), ok, want)
		}
	}
	for name, want := range map[string]string{"X": "x", "ID": "id", "StepName": "step name", "DurationMS": "duration ms"} {
		if got := strings.Join(split(name), " "); got != want {
			t.Errorf("%s: got the words %s, want %s", name, got, want)
		}
	}
	if f, ok := form.Named(HTTP, "none"); ok || f.Go != "" {
		t.Errorf("got the field %q, want none", f.Go)
	}
}
