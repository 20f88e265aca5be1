package kind

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestForms holds values against a form that uses all that a form can.
func TestForms(t *testing.T) {
	t.Parallel()
	s, err := parse([]byte(`{
		"type": "object", "required": ["n"],
		"anyOf": [{"required": ["a"]}, {"required": ["b"]}],
		"properties": {"b": {}, "n": {"$ref": "#/$defs/count"}, "e": {"enum": ["", "x", "y"]}, "a": {"type": ["null", "string"], "minLength": 2}, "l": {"items": {"$ref": "#/$defs/deep"}}, "m": {"minimum": 0}, "t": {"type": "boolean"}},
		"$defs": {"count": {"type": "integer", "minimum": -1}, "deep": {"$ref": "#/$defs/word"}, "word": {"type": "string"}}
	}`), "")
	if err != nil {
		t.Fatal(err)
	}
	for state, want := range map[string]string{
		`{"n":1,"a":"xx"}`:                      "",
		`{"n":1,"b":1}`:                         "",
		`{"n":1,"a":null,"e":"","l":[],"m":0}`:  "",
		`{"n":-1,"b":1}`:                        "",
		`{"n":1.0,"b":1}`:                       "",
		`{"n":10e-1,"b":1}`:                     "",
		`{"n":0,"b":1}`:                         "",
		`{"n":0e0,"b":1}`:                       "",
		`{"n":-0.0,"b":1}`:                      "",
		`{"n":1}`:                               "/a is missing",
		`{"b":1}`:                               "/n is missing",
		`{"n":-2,"b":1}`:                        "/n must be -1 or more",
		`{"n":1e-400,"b":1}`:                    "/n must be a whole number, and has a fraction or is too large",
		`{"n":1e400,"b":1}`:                     "/n must be a whole number, and has a fraction or is too large",
		`{"n":true,"b":1}`:                      "/n must be a whole number, and is true or false",
		`{"n":1,"a":"x"}`:                       "/a is empty",
		`{"n":1,"a":"öö"}`:                      "",
		`{"n":1,"a":"ö"}`:                       "/a is empty",
		`{"n":1,"a":1}`:                         "/a must be a string, and is a number",
		`{"n":1,"b":1,"e":"z"}`:                 "/e must be one of x, y",
		`{"n":1,"b":1,"e":"x"}`:                 "",
		`{"n":1,"b":1,"l":["x",1,[]]}`:          "/l/1 must be a string, and is a number; /l/2 must be a string, and is a list",
		`{"n":1,"b":1,"m":-1e-400}`:             "/m must be 0 or more",
		`{"n":1,"b":1,"m":1e-400}`:              "",
		`{"n":1,"b":1,"m":-1e400}`:              "/m must be 0 or more",
		`{"n":1,"b":1,"m":1e400}`:               "",
		`{"n":1,"b":1,"t":0}`:                   "/t must be true or false, and is a number",
		"{\"n\":1,\"b\":1,\"x\":\"\xff\"}":      "",
		`{"n":1,"n":"x","b":1}`:                 "/n must be a whole number, and is a string",
		`[]`:                                    "the state must be an object, and is a list",
		`{"n":"x","e":"z","a":"","t":1,"m":-1}`: "/a is empty; /e must be one of x, y; /m must be 0 or more; and 2 more",
		`{"n":"x","e":"z","a":"","t":true}`:     "/a is empty; /e must be one of x, y; /n must be a whole number, and is a string",
		`{"n":"x","e":"z","a":"","t":1}`:        "/a is empty; /e must be one of x, y; /n must be a whole number, and is a string; and 1 more",
	} {
		v, err := read([]byte(state), s)
		if err != nil {
			t.Fatal(state, err)
		}
		if got := findings(s.check(v, nil)); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", state, got, want)
		}
	}
	for text, want := range map[string]string{
		`{"$ref":"#/$defs/x"}`: "the schema has no #/$defs/x", `{"items":{"$ref":"#/$defs/x"}}`: "the schema has no #/$defs/x", `{"anyOf":[{"$ref":"#/$defs/x"}]}`: "the schema has no #/$defs/x",
		`{"$defs":{"x":7},"$ref":"#/$defs/x"}`: "json: cannot unmarshal number", `{"type":7}`: "json: cannot unmarshal number", `{"$defs":7}`: "json: cannot unmarshal number", `{`: "unexpected end of JSON input",
	} {
		if _, err := parse([]byte(text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	for _, state := range []string{`{"l":[1`, `{"l":[}`, `{"l":[1,`, `{"n"`, `{} {}`, `{}]`, `1 2`} {
		if _, err := read([]byte(state), s); err == nil {
			t.Errorf("%s: got no error", state)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"2", "10", -1}, {"10", "2", 1}, {"a", "b", -1}, {"b", "a", 1}, {"10", "a", -1}, {"a", "10", 1}, {"2", "2", 0}} {
		if got := comparePart(c.a, c.b); (got > 0) != (c.want > 0) || (got < 0) != (c.want < 0) {
			t.Errorf("%s and %s: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if got := pointer([]string{"a/b", "~", "0"}); got != "/a~1b/~0/0" {
		t.Errorf("got %s", got)
	}
	for _, n := range []json.Number{"0", "-0", "0.00", "0e9"} {
		if !whole(n) || below(n, 0) || !below(n, 1) {
			t.Errorf("%s is not read as 0", n)
		}
	}
}
