package states

import (
	"strings"
	"testing"
)

// TestScan: what can be JSON is scanned, and what depends on things around it is seen.
func TestScan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text     string
		in             *frame // what is open before it
		scanned, alone bool
	}{
		{"an object", `{"a":[1,"b"],"c":{}}`, nil, true, true},
		{"a member", `"a":1,`, &frame{nil, 1, true, ""}, true, true},
		{"an element that is a string", `"a",`, &frame{nil, 1, false, ""}, true, false},
		{"an element in a list of its own", `["a"],`, &frame{nil, 1, false, ""}, true, true},
		{"a key with an escape", `"\u0061":1,`, &frame{nil, 1, true, ""}, true, false},
		{"a key whose members say something of others", `"attributes":{},`, &frame{nil, 1, true, ""}, true, false},
		{"a string without end", `{"a":"b`, nil, false, false},
		{"another bracket", `{"a":[}`, nil, false, false},
		{"a bracket too many", `{}}`, nil, false, false},
		{"a comma at the top", `{},`, nil, false, false},
	} {
		s := scanner{text: []byte(c.text)}
		s.enter(c.in)
		scanned := s.scan(0, len(c.text))
		if alone := scanned && !s.escaped && !s.words; scanned != c.scanned || alone != c.alone {
			t.Errorf("%s: got scanned %t and alone %t", c.name, scanned, alone)
		}
	}
	for text, want := range map[string]int{`"a"b`: 3, `"a\"b"`: 6, `"a\\"b"`: 5, `"\`: -1, `"`: -1, `""`: 2} {
		if got := stringEnd([]byte(text), 0); got != want {
			t.Errorf("%s: got the end at %d, want %d", text, got, want)
		}
		if got := stringAt([]byte(text), 0); got != text[:max(want, 0)] {
			t.Errorf("%s: got the string %s", text, got)
		}
	}
	if got := stringAt([]byte(`"a"`), 3) + stringAt([]byte(`1"a"`), 0); got != "" {
		t.Errorf("got the string %s where none begins", got)
	}
}

// TestCommandLine: a part of a list whose elements may mean something together is not
// looked at alone.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	top := &frame{nil, 1, true, ""}
	list := func(key string) *frame { return &frame{top, 2, false, key} }
	for _, c := range []struct {
		name string
		f    *frame
		want bool
	}{
		{"nothing", nil, false}, {"the top", top, false},
		{"a list", list(`"items"`), false}, {"a list of arguments", list(`"args"`), true}, {"a list under an escaped key", list(`"\u0061rgs"`), true},
		{"an object under such a name", &frame{top, 2, true, `"args"`}, false},
		{"an object in a list of arguments", &frame{list(`"args"`), 3, true, ""}, true},
		{"a list in a list", &frame{list(`"items"`), 3, false, ""}, true},
		{"an object whose members say something of others", &frame{top, 2, true, `"attributes"`}, true},
	} {
		if got := c.f.commandLine(); got != c.want {
			t.Errorf("%s: got %t", c.name, got)
		}
	}
	a, b := list(`"a"`), list(`"a"`)
	for _, c := range []struct {
		a, b *frame
		want bool
	}{{a, b, true}, {a, a, true}, {a, list(`"b"`), false}, {a, &frame{top, 2, true, `"a"`}, false}, {a, nil, false}, {nil, a, false}, {nil, nil, true}} {
		if got := alike(c.a, c.b); got != c.want {
			t.Errorf("%+v and %+v: got alike %t", c.a, c.b, got)
		}
	}
	if got := string(a.end(a.begin(nil))); got != `{"a":[]}` {
		t.Errorf("got %s around a part", got)
	}
}

// TestEqual: how much two texts have in common at their ends.
func TestEqual(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 7, 8, 9, 63, 64, 65, 512, 4096, 4097, 10_000} {
		same := strings.Repeat("x", n)
		if got := equal([]byte(same+"a"), []byte(same+"bc")); got != n {
			t.Errorf("%d at the beginning: got %d", n, got)
		}
		if got := equal([]byte(same), []byte(same)); got != n {
			t.Errorf("%d, the same: got %d", n, got)
		}
		if got := equalEnd([]byte("a"+same), []byte("cb"+same), n+1); got != n {
			t.Errorf("%d at the end: got %d", n, got)
		}
		if got := equalEnd([]byte("a"+same), []byte("a"+same), n); got != n {
			t.Errorf("%d at most: got %d", n, got)
		}
	}
}
