package rawjson

import (
	"encoding/json"
	"maps"
	"testing"
)

// walk returns the members of an object as written, and whether it was whole.
func walk(b []byte) (map[string]string, bool) {
	got := map[string]string{}
	o := Object{B: b}
	for {
		key, ok := o.Next()
		if !ok {
			return got, o.Whole()
		}
		got[string(key)] = string(o.Value())
	}
}

func TestObject(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     map[string]string
		whole    bool
	}{
		{"empty", `{}`, map[string]string{}, true},
		{"space everywhere", " \n{ \"a\" : 1 ,\t\"b\" : [ ] }\r\n", map[string]string{"a": "1", "b": "[ ]"}, true},
		{"every kind", `{"s":"x","n":-1.5e3,"t":true,"f":false,"z":null,"o":{"a":[{}]},"l":[1,"]"]}`,
			map[string]string{"s": `"x"`, "n": "-1.5e3", "t": "true", "f": "false", "z": "null", "o": `{"a":[{}]}`, "l": `[1,"]"]`}, true},
		{"quotes and slashes in strings", `{"a":"\\","b":"\\\"","c":"}\\\\"}`,
			map[string]string{"a": `"\\"`, "b": `"\\\""`, "c": `"}\\\\"`}, true},
		{"torn in a string", `{"a":1,"b":"x`, map[string]string{"a": "1", "b": ""}, false},
		{"torn in a list", `{"a":[1,`, map[string]string{"a": ""}, false},
		{"torn behind a colon", `{"a":`, map[string]string{}, false},
		{"torn in a number", `{"a":12`, map[string]string{"a": ""}, false},
		{"torn behind a member", `{"a":1,`, map[string]string{"a": "1"}, false},
		{"two lines in one", `{"a":"x{"a":1}`, map[string]string{"a": `"x{"`}, false},
		{"text behind", `{"a":1}x`, map[string]string{"a": "1"}, false},
		{"no object", `[1]`, map[string]string{}, false},
		{"nothing", ``, map[string]string{}, false},
		{"a word for a value", `{"a":yes}`, map[string]string{"a": ""}, false},
	} {
		got, whole := walk([]byte(tt.in))
		if !maps.Equal(got, tt.want) || whole != tt.whole {
			t.Errorf("%s: got %q, whole %v; want %q, %v", tt.name, got, whole, tt.want, tt.whole)
		}
	}
}

func TestObjectSkipsWhatIsNotAskedFor(t *testing.T) {
	o := Object{B: []byte(`{"a":{"b":[1,2]},"c":"d"}`)}
	o.Next()
	if got, want := string(o.Ahead()), `{"b":[1,2]},"c":"d"}`; got != want {
		t.Errorf("ahead: got %s, want %s", got, want)
	}
	if key, _ := o.Next(); string(key) != "c" || string(o.Value()) != `"d"` {
		t.Errorf("got %s, want c", key)
	}
}

func TestText(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"plain":           {`"abc"`, "abc"},
		"escapes":         {`"a\n\"\\\u00e9\ud83d\ude00"`, "a\n\"\\é😀"},
		"lone surrogate":  {`"a\ud83db"`, "a\uFFFDb"},
		"invalid UTF-8":   {"\"a\xffb\"", "a\uFFFDb"},
		"number":          {`12`, ""},
		"null":            {`null`, ""},
		"nothing":         {``, ""},
		"a wrong escape":  {`"ab\qc"`, "ab"},
		"a raw tab":       {"\"ab\tc\"", "ab\tc"},
		"an empty string": {`""`, ""},
	} {
		if got := Text([]byte(tt.in)); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestFirstText(t *testing.T) {
	const object = `{"b":"two","n":7,"e":"","a":"one"}`
	for _, c := range []struct {
		name  string
		names []string
		want  string
	}{
		{"in the order asked for", []string{"a", "b"}, "one"},
		{"no empty text, and no number", []string{"e", "n", "b"}, "two"},
		{"none of them", []string{"e", "x"}, ""},
	} {
		if got := FirstText([]byte(object), c.names...); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for in, want := range map[string]int64{"12": 12, "1.9": 1, "-3": 0, "1e300": 1 << 53, `"5"`: 0, "null": 0, "": 0, "NaN": 0} {
		if got := Count([]byte(in)); got != want {
			t.Errorf("%q: got %d, want %d", in, got, want)
		}
	}
}

// FuzzObject holds the walk against encoding/json: what is one object for it is
// whole for us, with the same members.
func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,"\\\""]},"c":null}`))
	f.Add([]byte(`{"session_id":"6152e381","hook_event_name":"Stop","stop_hook_active":false,"background_tasks":[{"id":"b1","type":"shell","status":"running","command":"sleep 20"}],"last_assistant_message":"Done.\n"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, whole := walk(b)
		var want map[string]json.RawMessage
		if json.Unmarshal(b, &want) != nil || want == nil {
			return
		}
		if !whole {
			t.Fatalf("%q: got a broken object, want a whole one", b)
		}
		for key, value := range want {
			quoted, _ := json.Marshal(key)
			if raw, ok := got[key]; ok && raw != string(value) {
				t.Errorf("%q: member %s: got %s, want %s", b, quoted, raw, value)
			}
		}
	})
}
