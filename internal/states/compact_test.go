package states_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/states"
)

func TestCompact(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "{}", "{}"},
		{"white space", " {\r\n\t\"a\" : [ 1 , { } ] }\n", `{"a":[1,{}]}`},
		{"white space in strings stays", `{"a b": " x  y "}`, `{"a b":" x  y "}`},
		{"order of keys", `{"z":1, "a":2, "m":{"y":1,"b":2}}`, `{"z":1,"a":2,"m":{"y":1,"b":2}}`},
		{"numbers as given", `{"a": 1e400, "b": -0, "c": 1.0, "d": 0.1000000000000000055511151231257827, "e": 123456789012345678901234567890, "f": 1E+2, "g": -0.0e-0}`,
			`{"a":1e400,"b":-0,"c":1.0,"d":0.1000000000000000055511151231257827,"e":123456789012345678901234567890,"f":1E+2,"g":-0.0e-0}`},
		{"escapes as given", `{"\u0061": "\u00e9 \/ / \" é < \u003c \u2028"}`, `{"\u0061":"\u00e9 \/ / \" é < \u003c \u2028"}`},
		{"line separators as they are", "{\"a\":\"\u2028\u2029\"}", "{\"a\":\"\u2028\u2029\"}"},
		{"a lone surrogate, escaped", `{"a":"\ud800", "b":"\udfff x"}`, `{"a":"\ud800","b":"\udfff x"}`},
		{"a pair of them", `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d\ude00"}`},
		{"a NUL, escaped", `{"a":"\u0000"}`, `{"a":"\u0000"}`},
		{"keys that differ in case", `{"a":1,"A":2}`, `{"a":1,"A":2}`},
		{"an empty key", `{"":1}`, `{"":1}`},
		{"the same key in different objects", `{"a":{"a":{"a":1}}}`, `{"a":{"a":{"a":1}}}`},
		{"deep nesting", `{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`, `{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`},
	} {
		got, err := states.Compact([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %.200s (%v), want %.200s", c.name, got, err, c.want)
		}
	}
}

func TestCompactRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, words string }{
		{"nothing", "", "unexpected EOF"},
		{"white space", " \n", "unexpected EOF"},
		{"an array", "[1]", "this is an array"},
		{"a string", `"a"`, "this is a string"},
		{"a number", "1", "this is a number"},
		{"true", "true", "this is a boolean"},
		{"null", "null", "this is null"},
		{"NaN", `{"a":NaN}`, "NaN: JSON has no such number (at /a, byte 5)"},
		{"Infinity", `{"a":[1,-Infinity]}`, "-Infinity: JSON has no such number (at /a/1, byte 8)"},
		{"nan", `{"a":nan}`, "nan: JSON has no such number (at /a, byte 5)"},
		{"-inf", `{"a":-inf,"b":1}`, "-inf: JSON has no such number (at /a, byte 5)"},
		{"a word without quotes", `{"a":information}`, "not acceptable JSON at /a (byte 5)"},
		{"a word that begins as nan does", `{"a":nano}`, "not acceptable JSON at /a"},
		{"a string that ends in nan and a control character", "{\"a\":\"nan\n\"}", "not acceptable JSON at /a"},
		{"a string with an escape that is none", `{"a":"\inf"}`, "not acceptable JSON at /a"},
		{"duplicate keys", `{"x":{"a":1,"b":2,"a":3}}`, "duplicate"},
		{"duplicate keys in different spelling", `{"a":1,"\u0061":2}`, "duplicate"},
		{"a byte order mark", "\ufeff{}", "invalid character"},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "invalid UTF-8 at byte 6"},
		{"half a character", "{\"a\":\"\xc3\"}", "invalid UTF-8 at byte 6"},
		{"a surrogate in UTF-8", "{\"a\":\"\xed\xa0\x80\"}", "invalid UTF-8"},
		{"a control character in a string", "{\"a\":\"\n\"}", "invalid character"},
		{"a comma too many", `{"a":1,}`, "invalid character"},
		{"a comment", `{"a":1 /* x */}`, "invalid character"},
		{"single quotes", `{'a':1}`, "invalid character"},
		{"two values", `{} {}`, "after top-level value"},
		{"torn", `{"a":[1,`, "unexpected EOF"},
		{"a number that is none", `{"a":01}`, "invalid character"},
		{"nested without reason", strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000), "nested too deeply: more than 10000 levels (byte 50000)"},
		{"too large", `{"a":"` + strings.Repeat("x", states.MaxBytes) + `"}`, "has 67108872 bytes, more than the limit of 67108864 (64 MiB)"},
	} {
		got, err := states.Compact([]byte(c.in))
		if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got %.100s (%v), want invalid with %q", c.name, got, err, c.words)
			continue
		}
		if e := err.(*piton.Error); e.Hint == "" || e.Op == "" {
			t.Errorf("%s: got %+v, want what was tried and a hint", c.name, e)
		}
	}
}

// TestTooLargeSaysWhatIsKnown: a file may say that it has fewer bytes than were read.
func TestTooLargeSaysWhatIsKnown(t *testing.T) {
	for size, want := range map[int64]string{-1: "is too large", 0: "is too large", states.MaxBytes: "is too large", states.MaxBytes + 1: "has 67108865 bytes"} {
		if err := states.TooLarge("save", size); !strings.Contains(err.Error(), "the state "+want+", more than the limit") {
			t.Errorf("%d: got %v, want %q", size, err, want)
		}
	}
}

func FuzzCompact(f *testing.F) {
	for _, s := range []string{`{"a":1}`, " { } ", `{"a":[1e400,-0,"\ud800"]}`, `{"a":1,"a":2}`, "{\"\xff\":1}", `[{}]`, `{"\u0061":{"b":null}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		kept := bytes.Clone(in)
		got, err := states.Compact(in)
		if !bytes.Equal(in, kept) {
			t.Fatalf("the caller's bytes were changed")
		}
		if err != nil {
			if piton.CodeOf(err) != piton.Invalid {
				t.Fatalf("%q: got %v, want code invalid", in, err)
			}
			var m map[string]json.RawMessage
			if json.Unmarshal(in, &m) == nil && m != nil && utf8.Valid(in) && !duplicates(in) {
				t.Fatalf("%q: got %v for an object", in, err)
			}
			return
		}
		var want bytes.Buffer
		if err := json.Compact(&want, in); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%q: got %q, want %q (%v)", in, got, want.Bytes(), err)
		}
		if again, err := states.Compact(got); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q: got %q (%v) for its compact form", in, again, err)
		}
	})
}

// duplicates tells whether an object has a key twice.
func duplicates(in []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(in))
	type frame struct {
		object, value bool
		keys          map[string]bool
	}
	var stack []frame
	for {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		top := len(stack) - 1
		if key, ok := tok.(string); ok && top >= 0 && stack[top].object && !stack[top].value {
			if stack[top].keys[key] {
				return true
			}
			stack[top].keys[key], stack[top].value = true, true
			continue
		}
		if top >= 0 {
			stack[top].value = false
		}
		switch tok {
		case json.Delim('{'):
			stack = append(stack, frame{object: true, keys: map[string]bool{}})
		case json.Delim('['):
			stack = append(stack, frame{})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:top]
		}
	}
}
