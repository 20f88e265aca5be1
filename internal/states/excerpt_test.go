package states

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/piton-project/piton"
)

func TestAt(t *testing.T) {
	t.Parallel()
	const state = `{"a":{"b/c":[1,{"d~":"x"}],"":2},"a2":9007199254740993,"n":null,"e":[]}`
	for pointer, want := range map[string]string{
		"": state, "/a/b~1c/1/d~0": `"x"`, "/a/b~1c": `[1,{"d~":"x"}]`, "/a/": "2", "/a2": "9007199254740993", "/n": "null", "/e": "[]",
	} {
		if got, err := At([]byte(state), pointer); string(got) != want || err != nil {
			t.Errorf("%q: got %s, %v, want %s", pointer, got, err, want)
		}
	}
	for pointer, want := range map[string]piton.Code{
		"a": piton.Invalid, "/~2": piton.Invalid, "/none": piton.NotFound, "/a/b~1c/2": piton.NotFound, "/a/b~1c/-": piton.NotFound, "/a/b~1c/01": piton.NotFound, "/a2/0": piton.NotFound, "/": piton.NotFound,
	} {
		if got, err := At([]byte(state), pointer); piton.CodeOf(err) != want {
			t.Errorf("%q: got %s, %v, want %s", pointer, got, err, want)
		}
	}
}

// TestCut: what is kept of a value fits its bound, is JSON, and the rest can be had.
func TestCut(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	for _, c := range []struct {
		name, value string
		from, most  int
		want        string
		out         string
		next        int
	}{
		{"it fits", ` {"a":1} `, 0, 7, `{"a":1}`, "", 0},
		{"a large member among small ones", `{"big":` + long(200) + `,"a":1,"b":[2]}`, 0, 100, `{"big":{"$left_out":{"is":"text","bytes":402}},"a":1,"b":[2]}`, "big", 0},
		{"one that would take a fifth, and two that take more than half", `{"x":{"k":` + long(60) + `},"y":[` + long(18) + `],"z":` + long(100) + `}`, 0, 200, `{"x":{"$left_out":{"is":"object","has":1,"bytes":128}},"y":[` + long(18) + `],"z":{"$left_out":{"is":"text","bytes":202}}}`, "x z", 0},
		{"items that come first", `[1,2,` + long(10) + `,30,4000]`, 0, 34, `[1,2,` + long(10) + `,30]`, "", 4},
		{"the rest of them", `[1,2,` + long(10) + `,30,4000]`, 4, 9, `[4000]`, "", 0},
		{"an item that does not fit alone", `[[` + long(100) + `,2],3,` + long(20) + `]`, 0, 60, `[{"$left_out":{"is":"array","has":2,"bytes":206}},3]`, "0", 2},
		{"more members than stubs fit", `{"a":` + long(50) + `,"b":` + long(50) + `,"c":` + long(50) + `}`, 0, 110, `{"a":{"$left_out":{"is":"text","bytes":102}},"b":{"$left_out":{"is":"text","bytes":102}}}`, "a b", 2},
		{"and the last of them", `{"a":` + long(50) + `,"b":` + long(50) + `,"c":` + long(50) + `}`, 2, 900, `{"c":` + long(50) + `}`, "", 0},
		{"a text, between two letters", long(10), 0, 5, `"éé"`, "", 4},
		{"the rest of a text", long(10), 16, 50, `"éé"`, "", 0},
		{"behind its end", long(10), 99, 50, `""`, "", 0},
		{"behind the last item", `[1,2]`, 7, 50, `[]`, "", 0},
		{"a number", "123456789", 0, 3, "123456789", "", 0},
	} {
		x := Cut([]byte(c.value), c.from, c.most)
		if got := strings.Join(x.Out, " "); string(x.Value) != c.want || got != c.out || x.Next != c.next {
			t.Errorf("%s: got %s, out %q, next %d, want %s, %q, %d", c.name, x.Value, got, x.Next, c.want, c.out, c.next)
		}
		if !json.Valid(x.Value) {
			t.Errorf("%s: got %s, which is no JSON", c.name, x.Value)
		}
	}
}

// FuzzCut: whatever is cut, what is shown is JSON, and going on by next comes to an end.
func FuzzCut(f *testing.F) {
	f.Add(`{"a":[1,2,{"b":"xyz"}],"c":"é"}`, 3)
	f.Add(`"😀😀"`, 1)
	f.Fuzz(func(t *testing.T, value string, most int) {
		if !json.Valid([]byte(value)) || most < 1 {
			return
		}
		for from, i := 0, 0; ; i++ {
			x := Cut([]byte(value), from, most)
			if !json.Valid(x.Value) || i > len(value) || x.Next != 0 && x.Next <= from {
				t.Fatalf("from %d, at most %d: got %q and %d", from, most, x.Value, x.Next)
			}
			if x.Next == 0 {
				return
			}
			from = x.Next
		}
	})
}
