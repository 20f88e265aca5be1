package rawjson

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestParts: members and elements as written, of whole text and of torn.
func TestParts(t *testing.T) {
	t.Parallel()
	elements := func(text string) string {
		var all []string
		for e := range Elements([]byte(text)) {
			all = append(all, string(e))
		}
		return strings.Join(all, "|")
	}
	for text, want := range map[string]string{
		"": "", "7": "", "[]": "", " [ ] ": "", "[": "", "[ ": "", "[1": "", "[1]": "1", " [ 1 , \"a]\" ,[2,{}],{\"b\":[3]} ] ": `1|"a]"|[2,{}]|{"b":[3]}`,
		"[1,": "1", "[1 2]": "1", "[1,}": "1", "[yes]": "", "[\"a": "", "[true,false,null,-1]": "true|false|null|-1", "[1:2]": "", "[1{]": "",
	} {
		if got := elements(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	for range Elements([]byte("[1,2]")) {
		break
	}
	const object = `{"a":1,"b":"x","a":{"c":2},"d":[1`
	var got []string
	for _, v := range Values([]byte(object), "d", "a", "b", "e") {
		got = append(got, string(v))
	}
	if want := []string{"", `{"c":2}`, `"x"`, ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := string(Member([]byte(object), "a")); got != "1" || Member([]byte(object), "e") != nil || Member([]byte("7"), "a") != nil {
		t.Errorf("got %q, want the first of its name", got)
	}
	o := Object{B: []byte(`{"a":[`)}
	if o.Ahead() != nil || o.Value() != nil {
		t.Error("got a value before a key")
	}
	if _, ok := o.Next(); !ok || string(o.Ahead()) != "[" || o.Value() != nil || o.Ahead() != nil {
		t.Error("got a torn value")
	}
	for _, broken := range []string{`{"a" 1}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1,}`, `{,}`, `{"a`, `{"a":1}}`, `{} {}`, `{"a":1`, `{"a":1 ]`, `{"a":"b"c}`} {
		if _, whole := walk([]byte(broken)); whole {
			t.Errorf("%s: got a whole object", broken)
		}
	}
	for text, want := range map[string]int{`"a"x`: 3, `"a\"b"`: 6, `"a\\"b`: 5, `"`: -1, `[[]]]`: 4, `{"}":[]}x`: 8, `[`: -1, `["]`: -1, `12,`: 2, "true\n": 4, `12`: -1, `x`: -1, `1"`: -1} {
		if got := SkipValue([]byte(text), 0); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

// TestTimes: a line's own stamp, where it is whole.
func TestTimes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	const text = `"2026-01-02T03:04:05.006Z"`
	for line, want := range map[string]time.Time{
		`{"timestamp":` + text + `}`: at, `{"a":{"timestamp":7},"timestamp":` + text + `,"b":1}`: at, `{"timestamp":` + text: {}, `{"timestamp":` + text + `} x`: {},
		`{"a":` + text + `}`: {}, `{"timestamp":7}`: {}, `{"timestamp":""}`: {}, `{"timestamp":"a"}`: {}, `7`: {}, `{"timestamp":null,"timestamp":` + text + `}`: at,
	} {
		if got := Stamp([]byte(line)); !got.Equal(want) {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
	if !IsTrue([]byte("true")) || IsTrue([]byte(`"true"`)) || IsTrue(nil) {
		t.Error("got another truth")
	}
	for in, want := range map[string]int64{"1": 1, "0": 0, "0.5": 0, "9007199254740993": 1 << 53} {
		if got := Count([]byte(in)); got != want {
			t.Errorf("%s: got %d, want %d", in, got, want)
		}
	}
	for in, want := range map[string]string{`"`: "", `x"`: "", `"a`: "", `""`: ""} {
		if got := Text([]byte(in)); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

// TestComments: each byte of a comment is a blank, and nothing else is.
func TestComments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", `{"a":1}`: `{"a":1}`, "1//x\n2": "1   \n2", "1//x": "1   ", "1/*x\ny*/2": "1   \n   2", "1/*x": "1   ", "1/**/2": "1    2", "1/*/2*/3": "1      3",
		`"//"//x`: `"//"   `, `"\"//"/*x*/`: `"\"//"     `, `"\\"//x`: `"\\"   `, `"//`: `"//`, "1/2*3//": "1/2*3  ", "//a\r\n//b": "   \r\n   ", "/*a*//*b*/1": "          1", "/ / * /": "/ / * /", `"\`: `"\`,
	} {
		in := []byte(text)
		if got := string(BlankComments(in)); got != want || string(in) != text {
			t.Errorf("%q: got %q (and left %q), want %q", text, got, in, want)
		}
	}
}
